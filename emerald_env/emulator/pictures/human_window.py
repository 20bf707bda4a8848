"""The window of an env with render_mode="human", opened when there is something to show."""

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

LOG = logging.getLogger(__name__)


class HumanWindow:
    """A window that opens with its first picture; without a screen it warns, and nobody sees it."""

    def __init__(self) -> None:
        self._window: Any = None

    def show(self, picture: NDArray[np.uint8], title: str, fps: float) -> None:
        """Shows a (160, 240, 3) uint8 RGB picture and waits for its duration.

        Args:
            picture: of the game.
            title: of the window, when it opens.
            fps: pictures per second.
        """
        if self._window is None:
            # only games for people need pygame; training processes save its memory
            from emerald_env.emulator.pictures.window import Window

            self._window = Window(title, seen=False)
            if not self._window.is_seen:
                LOG.warning("there is no screen: nobody sees render_mode='human' here")
        self._window.show(picture, fps=fps)

    def close(self) -> None:
        """Closes the window, if it was opened."""
        if self._window is not None:
            self._window.close()
            self._window = None
