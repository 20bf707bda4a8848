"""A window that shows a game, for people."""

import os
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.pictures.pace import FRAMES_PER_SECOND, Pace

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame  # noqa: E402  the environment variable must come first

DRIVER, RUNTIME = "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR"
UNSEEN = ("offscreen", "dummy")  # SDL's fallbacks without a screen
OPEN: "WeakSet[Window]" = WeakSet()  # they share pygame's one display, which the last one closes


def _begin_display() -> None:
    """Begins SDL's display; where there is no Wayland, its library would complain on stderr.

    Raises:
        pygame.error: the display that is asked for cannot be opened.
    """
    missing = RUNTIME not in os.environ
    if missing:
        os.environ[RUNTIME] = "/nonexistent"
    try:
        pygame.display.init()
    finally:
        if missing:
            del os.environ[RUNTIME]


class Window:
    """A picture of 240 x 160 pixels, scaled by a whole number, with room for a panel on its right.

    Args:
        title: the window's title.
        scale: screen pixels per pixel of the game.
        side: width in pixels of the panel to the right of the game.
        seen: whether it needs a screen; False: without one it is drawn where nobody sees it.
        otherwise: what to do on a machine without a screen, for the error's message.

    Raises:
        RuntimeError: no display can be opened.
    """

    def __init__(
        self,
        title: str,
        scale: int = 3,
        side: int = 0,
        seen: bool = True,
        otherwise: str = "leave window out, or give an env render_mode='rgb_array'",
    ) -> None:
        self._game_size = (240 * scale, 160 * scale)
        try:
            _begin_display()
            self.is_seen = pygame.display.get_driver() not in UNSEEN or DRIVER in os.environ
            if seen and not self.is_seen:
                self.close()
                raise pygame.error("there is no screen")
            self.surface = pygame.display.set_mode((240 * scale + side, 160 * scale))
        except pygame.error as error:
            raise RuntimeError(
                f"no window can be opened here ({error}): on a machine without a screen {otherwise}"
            ) from error
        OPEN.add(self)
        pygame.display.set_caption(title)
        self._pace = Pace(1.0)
        self._down: set[int] = set()

    def show(self, picture: NDArray[np.uint8], fps: float = FRAMES_PER_SECOND) -> bool:
        """Shows a (160, 240, 3) uint8 RGB picture and waits for its duration.

        Args:
            picture: of the game.
            fps: pictures per second, 0 for no limit.

        Returns:
            Whether nobody has closed the window.
        """
        image = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        game = self.surface.subsurface((0, 0), self._game_size)
        pygame.transform.scale(image, self._game_size, game)
        pygame.display.flip()
        pygame.event.pump()
        if fps:
            self._pace.wait(FRAMES_PER_SECOND / fps)
        return not pygame.event.peek(pygame.QUIT)

    def keys_down(self) -> set[int]:
        """Returns pygame's numbers of the keyboard's keys that are down.

        It takes their events: a program that reads these itself does not call it.
        """
        for event in pygame.event.get((pygame.KEYDOWN, pygame.KEYUP, pygame.WINDOWFOCUSLOST)):
            if event.type == pygame.KEYDOWN:
                self._down.add(event.key)
            elif event.type == pygame.KEYUP:
                self._down.discard(event.key)
            else:
                self._down.clear()  # their release is told to another window
        return self._down

    def show_beside(self, picture: NDArray[np.uint8]) -> None:
        """Puts a (height, side, 3) uint8 RGB picture on the right; the next `show` shows it."""
        image = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self.surface.blit(image, (self._game_size[0], 0))

    def close(self) -> None:
        """Closes the window; another one of this process stays open."""
        OPEN.discard(self)
        if not OPEN:
            pygame.display.quit()
