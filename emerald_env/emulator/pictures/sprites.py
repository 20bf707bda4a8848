"""The console's 128 sprites. GBATEK, "LCD OBJ - OAM Attributes"."""

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.parts.memory import Memory
from emerald_env.emulator.pictures.grey import HEIGHT, WIDTH
from emerald_env.emulator.pictures.tile_pixels import (
    ALL,
    SIDE,
    SIXTEEN,
    all_colours,
    read_palettes,
    read_tiles,
    to_image,
)

if TYPE_CHECKING:
    from PIL.Image import Image

COUNT, SPRITE_TILES = 128, 0x10000
# width and height in pixels, by shape and size
SHAPES = (
    ((8, 8), (16, 16), (32, 32), (64, 64)),
    ((16, 8), (32, 8), (32, 16), (64, 32)),
    ((8, 16), (8, 32), (16, 32), (32, 64)),
)
HIDDEN, ROTATED = 2, 1  # of the two bits that say how a sprite is placed


class Sprite:
    """One sprite as it was when it was asked for.

    Attributes:
        sprite_index: 0 to 127.
        x, y: of its upper left corner on the screen, negative beyond the left or upper edge.
        shape: width and height in pixels, as stored.
        tile_identifier: number of its first tile, in units of 32 bytes.
        attr_x_flip, attr_y_flip: whether it is mirrored; never if it is rotated.
        attr_palette_number: of 16; 0 if it has 256 colours.
        attr_obj_bg_priority: 0 to 3, the lowest in front.
        is_rotated: whether it is rotated or scaled, which `ndarray` does not show.
        on_screen: whether it is shown, and a part of it lies on the screen.

    Args:
        memory: the game's.
        index: 0 to 127.

    Raises:
        ValueError: there is no such sprite.
    """

    def __init__(self, memory: Memory, index: int) -> None:
        if not 0 <= index < COUNT:
            raise ValueError(f"there are sprites 0 to {COUNT - 1}, not {index}")
        first, second, third = (int(word) for word in memory.oam.view("<u2")[4 * index :][:3])
        placed, shape = first >> 8 & 3, min(first >> 14, 3)
        self.sprite_index: Final = index
        self.is_rotated: Final = bool(placed & ROTATED)
        self.shape: Final = SHAPES[shape % 3][second >> 14]
        self.x: Final = (second & 0x1FF) - (0x200 if second & 0x1FF >= WIDTH else 0)
        self.y: Final = (first & 0xFF) - (0x100 if first & 0xFF >= HEIGHT else 0)
        self.attr_x_flip: Final = bool(second >> 12 & 1) and not self.is_rotated
        self.attr_y_flip: Final = bool(second >> 13 & 1) and not self.is_rotated
        self.tile_identifier: Final = third & 0x3FF
        self.attr_obj_bg_priority: Final = third >> 10 & 3
        self._has_all_colours = bool(first >> 13 & 1)
        self.attr_palette_number: Final = 0 if self._has_all_colours else third >> 12
        double = 2 if placed == ROTATED | HIDDEN else 1
        reaches = self.x + double * self.shape[0] > 0 and self.y + double * self.shape[1] > 0
        self.on_screen: Final = placed != HIDDEN and shape < 3 and reaches
        self._vram = memory.vram[SPRITE_TILES:].copy()
        self._palettes = read_palettes(memory.palette)[16:]
        self._in_a_row = bool(memory.io[0] >> 6 & 1)  # DISPCNT: a sprite's tiles follow another

    @property
    def ndarray(self) -> NDArray[np.uint8]:
        """(height, width, 4) uint8 RGBA, mirrored as on the screen, neither rotated nor scaled."""
        columns, rows = self.shape[0] // SIDE, self.shape[1] // SIDE
        size = ALL if self._has_all_colours else SIXTEEN
        units = size // SIXTEEN
        across = np.arange(columns) * units
        if self._in_a_row:
            numbers = self.tile_identifier + np.arange(rows)[:, None] * columns * units + across
        else:  # on a sheet of 32 units across, which a row does not leave
            first = self.tile_identifier & ~(units - 1)
            numbers = (first & ~31) + np.arange(rows)[:, None] * 32 + (first + across) % 32
        bytes_of = (numbers[..., None] * SIXTEEN + np.arange(size)) % len(self._vram)
        pixels = read_tiles(self._vram[bytes_of].reshape(-1), size)
        pixels = pixels.reshape(rows, columns, SIDE, SIDE).swapaxes(1, 2)
        pixels = pixels.reshape(self.shape[1], self.shape[0])
        pixels = pixels[:: -1 if self.attr_y_flip else 1, :: -1 if self.attr_x_flip else 1]
        number = self.attr_palette_number
        colours = all_colours(self._palettes) if self._has_all_colours else self._palettes[number]
        picture: NDArray[np.uint8] = colours[pixels]
        return picture

    @property
    def image(self) -> "Image":
        """The same as a Pillow image, RGBA."""
        return to_image(self.ndarray)
