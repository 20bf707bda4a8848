"""The tiles of pictures as numbers in bfloat16, by the compiled extension `_tiles`."""

import torch
from torch import Tensor

try:
    from baselines.learner.policy.cnn._tiles import ffi, lib
except ImportError as error:
    raise ImportError(
        f"a part in C is missing ({error}): build it with   make setup   or   pip install -e ."
    ) from error


def can_write(lines: Tensor) -> bool:
    """Returns whether `write` takes these pictures, (batch, height, width, channels)."""
    return lines.is_cpu and lines.dtype == torch.uint8 and lines.is_contiguous()


def write(tiles: Tensor, lines: Tensor, tile: int, above: int) -> None:
    """Writes the tiles in one pass over the memory; torch would need three.

    Args:
        tiles: receives them, contiguous (batch, rows, columns, numbers of a tile) bfloat16.
        lines: the pictures.
        tile: a tile's side in pixels.
        above: rows of the first tiles that are above the picture, and of the last below it.
    """
    pixels, numbers = lines.data_ptr(), tiles.data_ptr()
    lib.tiles_write(
        ffi.cast("uint8_t *", pixels), ffi.cast("uint16_t *", numbers), *lines.shape, tile, above
    )
