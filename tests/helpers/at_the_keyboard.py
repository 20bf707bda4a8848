"""A person at the keyboard of `play --human`, whose window is driven by its own keys."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from baselines.commands.play import human_play, play_game
from emerald_env.jade.walk import Walker

# As the window's help says them
KEYBOARD = {
    "up": "K_UP",
    "down": "K_DOWN",
    "left": "K_LEFT",
    "right": "K_RIGHT",
    "a": "K_x",
    "b": "K_z",
    "start": "K_RETURN",
    "select": "K_BACKSPACE",
}
PATIENCE = 600  # seconds


class Keyboard:
    """What pygame says is pressed: hands each frame to the person, and waits for his keys."""

    def __init__(self, pygame: Any) -> None:
        self._pygame = pygame
        self._held: set[int] = set()
        self._turn = threading.Condition()
        self._frames_left = 0
        self.closed = False

    def get_pressed(self) -> "Keyboard":
        """Called by the window after each frame."""
        with self._turn:
            self._frames_left -= 1
            self._turn.notify_all()
            self._turn.wait_for(lambda: self._frames_left > 0 or self.closed, PATIENCE)
        return self

    def __getitem__(self, key: int) -> bool:
        return key in self._held

    def hold(self, frames: int, *keys: str) -> None:
        """Called by the person: holds keys for some frames."""
        with self._turn:
            self._held = {getattr(self._pygame, KEYBOARD[key]) for key in keys}
            self._frames_left = frames
            self._turn.notify_all()
            assert self._turn.wait_for(lambda: self._frames_left <= 0, PATIENCE), "no frame comes"

    def command(self, key: str) -> None:
        """Presses a key of the window."""
        code = getattr(self._pygame, key)
        self._pygame.event.post(self._pygame.event.Event(self._pygame.KEYDOWN, key=code))

    def close(self) -> None:
        """Presses ESC."""
        self.command("K_ESCAPE")
        with self._turn:
            self.closed = True
            self._turn.notify_all()


class Person(Walker):
    """Plays by the keyboard alone; the game's memory only tells it where it is."""

    def __init__(self, gba: Any, keyboard: Keyboard) -> None:
        super().__init__(gba)
        self.keyboard = keyboard

    def tick(self, frames: int = 1, *keys: str) -> None:
        """Holds keys for some frames of the window."""
        self.keyboard.hold(frames, *keys)
        self.keys += [0] * frames


@contextmanager
def at_the_keyboard(monkeypatch: pytest.MonkeyPatch, *flags: str) -> Iterator[Person]:
    """Runs the command in a thread, its window at full speed; yields who sits before it."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    keyboard, games = Keyboard(pygame), []

    class Game(human_play.WatchedEnv):
        def __init__(self, *settings: Any, **named: Any) -> None:
            super().__init__(*settings, **named)
            games.append(self.gba)

    monkeypatch.setattr(human_play, "WatchedEnv", Game)
    monkeypatch.setattr(pygame.key, "get_pressed", keyboard.get_pressed)
    command = threading.Thread(target=play_game.main, args=(["--human", "--scale", "1", *flags],))
    command.start()
    keyboard.hold(1)
    keyboard.command("K_TAB")
    try:
        yield Person(games[0], keyboard)
    finally:
        keyboard.close()
        command.join(PATIENCE)
