"""Lights up the parts of the screen that an agent looks at."""

import numpy as np
from numpy.typing import NDArray

DARK = 0.3  # brightness of a tile on which nothing depends
CLEAR = 0.2  # nats: where no tile moves the logits as far, none is lit up fully


class Spotlight:
    """Darkens all of a game's frames but what matters."""

    def __init__(self) -> None:
        self._light: NDArray[np.float32] | None = None

    def turn(self, attention: NDArray[np.float32] | None) -> None:
        """Sets what matters from now on, (rows, columns) of tiles; None: everything."""
        if attention is None:
            self._light = None
            return
        share = attention / max(float(attention.max()), CLEAR)
        self._light = (DARK + (1 - DARK) * share).astype(np.float32)

    def on(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Returns a frame in this light, (height, width, 3) uint8 RGB."""
        if self._light is None:
            return picture
        rows, columns = self._light.shape
        tile = np.ones((picture.shape[0] // rows, picture.shape[1] // columns), np.float32)
        lit: NDArray[np.uint8] = (picture * np.kron(self._light, tile)[..., None]).astype(np.uint8)
        return lit
