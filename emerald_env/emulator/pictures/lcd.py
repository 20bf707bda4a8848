"""The console's screen: the last drawn picture, in PyBoy's shapes."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.library import lib
from emerald_env.emulator.parts.memory import view
from emerald_env.emulator.pictures.grey import HEIGHT, WIDTH
from emerald_env.emulator.pictures.tile_pixels import to_image

if TYPE_CHECKING:
    from PIL.Image import Image


class Lcd:
    """The last drawn picture, as `GBA.screen`.

    Attributes:
        raw_buffer_format: the bytes of a pixel in `raw_buffer`.
        raw_buffer_dims: height and width in pixels.
        rgb: (160, 240, 3) uint8, a read-only view that shows each next picture, too.

    Examples:
        >>> from emerald_env import GBA
        >>> from emerald_env.jade.cartridge import JADE_ROM
        >>> with GBA(JADE_ROM) as gba:
        ...     drawn = gba.tick(60)
        ...     gba.screen.ndarray.shape, gba.screen.image.size, len(gba.screen.raw_buffer)
        ((160, 240, 4), (240, 160), 153600)
    """

    raw_buffer_format: Final = "RGBA"
    raw_buffer_dims: Final = (HEIGHT, WIDTH)

    def __init__(self, game: Any) -> None:
        self._game = game
        # mGBA's 32-bit pixels are red, green, blue, unused in memory order
        pixels = view(game, lib.game_pixels(game), WIDTH * HEIGHT * 4)
        self._pixels = np.frombuffer(pixels, np.uint8).reshape(HEIGHT, WIDTH, 4)
        self._pixels.flags.writeable = False
        self.rgb: Final[NDArray[np.uint8]] = self._pixels[:, :, :3]

    @property
    def ndarray(self) -> NDArray[np.uint8]:
        """(160, 240, 4) uint8 RGBA, a read-only view that shows each next picture, too.

        Its fourth channel is 255 until the next picture is drawn: ask again after each `tick`.
        """
        lib.game_opaque(self._game)
        return self._pixels

    @property
    def raw_buffer(self) -> memoryview:
        """The bytes of `ndarray`, read-only."""
        return self.ndarray.data.cast("B")

    @property
    def image(self) -> "Image":
        """The picture as a Pillow image of its own, RGBA, 240 x 160.

        Raises:
            ImportError: Pillow is not installed.
        """
        return to_image(self.ndarray)
