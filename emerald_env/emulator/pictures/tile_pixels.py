"""Tiles and palettes, of which sprites and backgrounds consist (GBATEK, "LCD VRAM")."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 8  # pixels
SIXTEEN, ALL = 32, 64  # bytes of a tile with 16 colours and with 256


def rgba(colours: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Returns colours of 15 bits as (..., 4) uint8, opaque, as the screen shows them."""
    five = np.stack([colours >> shift & 31 for shift in (0, 5, 10)], axis=-1)
    opaque = np.full((*colours.shape, 1), 255, np.uint8)
    eight: NDArray[np.uint8] = (five << 3 | five >> 2).astype(np.uint8)
    return np.concatenate([eight, opaque], axis=-1)


def read_palettes(palette: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns (32, 16, 4) uint8: 16 palettes of backgrounds, 16 of sprites; colour 0 is clear."""
    palettes: NDArray[np.uint8] = rgba(palette.view("<u2")).reshape(32, 16, 4)
    palettes[:, 0, 3] = 0
    return palettes


def all_colours(palettes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns 16 palettes as one of 256 colours, of which only the first is clear."""
    colours: NDArray[np.uint8] = palettes.reshape(256, 4).copy()
    colours[1:, 3] = 255
    return colours


def read_tiles(memory: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Returns (n, 8, 8) colour numbers of the whole tiles in a part of memory.

    Args:
        memory: the bytes.
        size: of a tile: 32 bytes, two pixels each with the left one low, or 64.
    """
    data = memory[: len(memory) // size * size]
    if size == SIXTEEN:
        data = np.stack([data & 15, data >> 4], axis=-1)
    tiles: NDArray[np.uint8] = data.reshape(-1, SIDE, SIDE)
    return tiles


def to_image(picture: NDArray[np.uint8]) -> "Image":
    """Returns (height, width, 4) uint8 as a Pillow image.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("images need Pillow: pip install pillow") from None
    return Image.frombytes("RGBA", picture.shape[1::-1], picture.tobytes())
