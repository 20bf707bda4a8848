"""The window in which a played game is shown."""

from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator import key_mask
from emerald_env.window import FRAMES_PER_SECOND, Window

HELP = "ESC ends, SPACE pauses, TAB plays as fast as it can"
HUMAN_HELP = "arrows, Z = A, X = B, A = L, S = R, RETURN = START, BACKSPACE = SELECT; " + HELP


class WindowClosed(Exception):
    """The person who watches wants to end."""


class WindowScreen:
    """A window with the game, and the keyboard before it.

    Args:
        title: of the window.
        scale: screen pixels for one of the game's.
        human: whether the keyboard plays the game.

    Raises:
        RuntimeError: no display can be opened.
    """

    def __init__(self, title: str, scale: int, human: bool) -> None:
        import pygame

        self._window = Window(title, scale)
        self._pygame = pygame
        self._human = human
        self._paused = False
        self._fast = False
        keys = {
            "up": pygame.K_UP,
            "down": pygame.K_DOWN,
            "left": pygame.K_LEFT,
            "right": pygame.K_RIGHT,
            "a": pygame.K_z,
            "b": pygame.K_x,
            "l": pygame.K_a,
            "r": pygame.K_s,
            "start": pygame.K_RETURN,
            "select": pygame.K_BACKSPACE,
        }
        self._keys = {key: key_mask(name) for name, key in keys.items()}

    def __enter__(self) -> "WindowScreen":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Closes the window."""
        self._window.close()

    def __call__(self, picture: NDArray[np.uint8]) -> int | None:
        """Shows a frame, (160, 240, 3) uint8 RGB, for as long as it lasts, or while it is paused.

        Returns:
            The mask of the keys held now, None where the agent plays.

        Raises:
            WindowClosed: the window was closed or ESC pressed.
        """
        self._show(picture)
        while self._paused:
            self._show(picture)
        if not self._human:
            return None
        held = self._pygame.key.get_pressed()
        return sum(mask for key, mask in self._keys.items() if held[key])

    def _show(self, picture: NDArray[np.uint8]) -> None:
        self._window.show(picture, 0 if self._fast and not self._paused else FRAMES_PER_SECOND)
        for event in self._pygame.event.get((self._pygame.QUIT, self._pygame.KEYDOWN)):
            self._handle(event)

    def _handle(self, event: Any) -> None:
        key = event.key if event.type == self._pygame.KEYDOWN else self._pygame.K_ESCAPE
        if key == self._pygame.K_ESCAPE:
            raise WindowClosed
        self._paused ^= key == self._pygame.K_SPACE
        self._fast ^= key == self._pygame.K_TAB
