"""A window that shows a game, for people."""

import os

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame  # noqa: E402  the environment variable must come first

FRAMES_PER_SECOND = 60


class Window:
    """A picture of 240 x 160 pixels, scaled sharply by a whole number.

    Args:
        title: the window's title.
        scale: screen pixels for one of the game's.

    Raises:
        RuntimeError: no display can be opened.
    """

    def __init__(self, title: str, scale: int = 3) -> None:
        try:
            pygame.display.init()
            self._surface = pygame.display.set_mode((240 * scale, 160 * scale))
        except pygame.error as error:
            raise RuntimeError(
                f"no window can be opened here ({error}): on a machine without a screen "
                "use render_mode='rgb_array', or --video FILE.mp4 when playing"
            ) from error
        pygame.display.set_caption(title)
        self._clock = pygame.time.Clock()

    def show(self, picture: NDArray[np.uint8], fps: float = FRAMES_PER_SECOND) -> None:
        """Shows a (160, 240, 3) uint8 RGB picture and waits for its time to pass."""
        image = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        pygame.transform.scale(image, self._surface.get_size(), self._surface)
        pygame.display.flip()
        pygame.event.pump()
        self._clock.tick(fps)

    def close(self) -> None:
        """Closes the window."""
        pygame.display.quit()
