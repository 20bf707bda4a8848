"""The console's four backgrounds. GBATEK, "LCD VRAM Overview" and "LCD I/O BG Control"."""

from typing import TYPE_CHECKING, Final, Literal

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
    rgba,
    to_image,
)

if TYPE_CHECKING:
    from PIL.Image import Image

Kind = Literal["tiles", "rotated", "bitmap", "none"]
# what the four backgrounds are, by the mode of DISPCNT
KINDS: dict[int, tuple[Kind, Kind, Kind, Kind]] = {
    0: ("tiles", "tiles", "tiles", "tiles"),
    1: ("tiles", "tiles", "rotated", "none"),
    2: ("none", "none", "rotated", "rotated"),
    3: ("none", "none", "bitmap", "none"),
    4: ("none", "none", "bitmap", "none"),
    5: ("none", "none", "bitmap", "none"),
}
NONE: tuple[Kind, Kind, Kind, Kind] = ("none", "none", "none", "none")
BACKGROUND_TILES = 0x10000  # bytes of video memory that tiles of backgrounds may be in
PAGE = 0xA000  # bytes to the second picture of modes 4 and 5
BLOCK = 32  # tiles across a block of a map


class Background:
    """One background as it was when it was asked for.

    Attributes:
        number: 0 to 3.
        kind: "tiles", "rotated" (tiles, rotated or scaled on the screen), "bitmap", or "none" where
            the console's mode has no such background.
        is_shown: whether the game shows it.
        priority: 0 to 3, the lowest in front.
        scroll: x and y of the map's pixel in the screen's upper left corner; (0, 0) unless "tiles".

    Args:
        memory: the game's.
        number: 0 to 3.

    Raises:
        ValueError: there is no such background.
    """

    def __init__(self, memory: Memory, number: int) -> None:
        if not 0 <= number < 4:
            raise ValueError(f"there are backgrounds 0 to 3, not {number}")
        registers = [int(word) for word in memory.io.view("<u2")[:16]]
        self._display, self._control = registers[0], registers[4 + number]
        self.number: Final = number
        self.kind: Final[Kind] = KINDS.get(self._display & 7, NONE)[number]
        self.is_shown: Final = self.kind != "none" and bool(self._display >> 8 + number & 1)
        self.priority: Final = self._control & 3
        x, y = registers[8 + 2 * number : 10 + 2 * number]
        self.scroll: Final = (x & 0x1FF, y & 0x1FF) if self.kind == "tiles" else (0, 0)
        self._vram = memory.vram.copy()
        self._palettes = read_palettes(memory.palette)[:16]

    @property
    def ndarray(self) -> NDArray[np.uint8]:
        """(height, width, 4) uint8 RGBA, the whole map, clear where nothing is drawn.

        Raises:
            ValueError: the console's mode has no such background.
        """
        if self.kind == "none":
            mode = self._display & 7
            raise ValueError(f"mode {mode} of the screen has no background {self.number}")
        return {"tiles": self._map, "rotated": self._rotated, "bitmap": self._bitmap}[self.kind]()

    @property
    def image(self) -> "Image":
        """The same as a Pillow image, RGBA."""
        return to_image(self.ndarray)

    def _tiles(self, size: int, count: int) -> NDArray[np.uint8]:
        """Returns the background's first tiles; those beyond its memory are empty."""
        start = (self._control >> 2 & 3) * 0x4000
        memory = self._vram[start:BACKGROUND_TILES][: count * size]
        return read_tiles(np.pad(memory, (0, count * size - len(memory))), size)

    def _map(self) -> NDArray[np.uint8]:
        wide, high = 1 + (self._control >> 14 & 1), 1 + (self._control >> 15)
        start = (self._control >> 8 & 31) * 0x800
        memory = np.pad(self._vram[:BACKGROUND_TILES], (0, 4 * 0x800))[start:]
        blocks = memory[: wide * high * 0x800].view("<u2").reshape(high, wide, BLOCK, BLOCK)
        entries = blocks.swapaxes(1, 2).reshape(high * BLOCK, wide * BLOCK)
        has_all = bool(self._control >> 7 & 1)
        tiles = self._tiles(ALL if has_all else SIXTEEN, 0x400)[entries & 0x3FF]
        for bit, axis in ((10, 3), (11, 2)):
            flipped = (entries >> bit & 1).astype(bool)[..., None, None]
            tiles = np.where(flipped, np.flip(tiles, axis), tiles)
        if has_all:
            return _joined(all_colours(self._palettes)[tiles])
        return _joined(self._palettes[(entries >> 12)[..., None, None], tiles])

    def _rotated(self) -> NDArray[np.uint8]:
        across = 16 << (self._control >> 14)
        start = (self._control >> 8 & 31) * 0x800
        memory = np.pad(self._vram[:BACKGROUND_TILES], (0, 128 * 128))[start:]
        entries = memory[: across * across].reshape(across, across)
        return _joined(all_colours(self._palettes)[self._tiles(ALL, 0x100)[entries]])

    def _bitmap(self) -> NDArray[np.uint8]:
        mode, page = self._display & 7, PAGE * (self._display >> 4 & 1)
        if mode == 3:
            return rgba(self._vram[: WIDTH * HEIGHT * 2].view("<u2").reshape(HEIGHT, WIDTH))
        if mode == 4:
            pixels = self._vram[page:][: WIDTH * HEIGHT].reshape(HEIGHT, WIDTH)
            picture: NDArray[np.uint8] = all_colours(self._palettes)[pixels]
            return picture
        return rgba(self._vram[page:][: 160 * 128 * 2].view("<u2").reshape(128, 160))


def _joined(tiles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns (rows, columns, 8, 8, 4) as one picture."""
    rows, columns = tiles.shape[:2]
    joined: NDArray[np.uint8] = tiles.swapaxes(1, 2).reshape(rows * SIDE, columns * SIDE, 4)
    return joined
