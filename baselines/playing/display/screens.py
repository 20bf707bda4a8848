"""Screens for a game: a window with a keyboard, or a video; with or without a panel."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from baselines.playing.display.key_help import BACK, BUTTONS, END, TAKE_OVER, WINDOW, listed
from baselines.playing.display.panel import Panel, PanelStatus
from baselines.playing.display.speaker import Speaker
from baselines.playing.display.spotlight import Spotlight
from baselines.playing.display.video import GAME_SIZE, VideoFile
from baselines.playing.play_config import FASTEST, SLOWEST
from emerald_env.emulator import FRAMES_PER_SECOND, key_mask
from emerald_env.emulator.keys import KEYBOARD
from emerald_env.emulator.pictures.window import Window

Picture = NDArray[np.uint8]
PERSON_KEYS = {"KEYS": BUTTONS, "WINDOW": (*WINDOW, BACK, END)}
AGENTS_KEYS = {"KEYS": BUTTONS, "WINDOW": (*WINDOW, TAKE_OVER, END)}
PERSON_HELP = f"You play: {listed(BUTTONS, ' = ')}.\n{listed(PERSON_KEYS['WINDOW'])}"
RECORD_HELP = "Your way is recorded; what F6 takes back is not."
AGENT_HELP = f"{listed(AGENTS_KEYS['WINDOW'])}\n({listed(BUTTONS, ' = ')})"
FILM = "give --video FILE.mp4, or --episodes N for the results alone"
NOT_BY_HAND = "nobody can play by hand; an agent can, with --video FILE.mp4"
NOTE_FRAMES = 120  # how long a message is shown


class WindowClosed(Exception):
    """The window was closed or ESC pressed."""


class WindowScreen:
    """A window with the game and the panel, and keyboard input.

    `on_save` is called when F5 is pressed; it saves the state and returns the message to show.
    `speed` is that of the game, 1 its own.

    Args:
        title: of the window.
        scale: screen pixels per pixel of the game.
        human: whether the keyboard plays the game.
        has_agent: whether there is an agent to take over from.
        panel: drawn beside the game; None: no panel.
        sounds: whether the game is heard, at its own speed.

    Raises:
        RuntimeError: there is no screen, or no sound output.
    """

    def __init__(
        self,
        title: str,
        scale: int,
        human: bool,
        has_agent: bool = True,
        panel: Panel | None = None,
        sounds: bool = False,
    ) -> None:
        import pygame

        self.on_save: Callable[[], str] | None = None
        self.on_back: Callable[[], str] | None = None  # called between two steps
        self._goes_back = False
        self._speaker = Speaker() if sounds else None
        side = 0 if panel is None else panel.size[0]
        self._window = Window(title, scale, side, otherwise=NOT_BY_HAND if human else FILM)
        self._pygame = pygame
        self._panel = panel
        self._human, self._has_agent = human, has_agent
        self._paused = self._single = self._unbound = False
        self.speed = 1.0
        self._status, self._drawn = PanelStatus(title), ""
        self._spotlight = Spotlight()
        self._said, self._said_for = "", 0
        self._picture: Picture = np.zeros((160, 240, 3), np.uint8)
        self._keys = {key: key_mask(name) for name, key in KEYBOARD.items()}
        faster = (pygame.K_PLUS, pygame.K_KP_PLUS, pygame.K_EQUALS)
        self._commands: dict[int, Callable[[], None]] = {
            pygame.K_SPACE: self._pause,
            pygame.K_n: self._one_step,
            pygame.K_TAB: self._toggle_unbound,
            pygame.K_t: self._change_player,
            pygame.K_F5: self._save,
            pygame.K_F6: self._go_back,
            **dict.fromkeys(faster, lambda: self._change_speed(2.0)),
            **dict.fromkeys((pygame.K_MINUS, pygame.K_KP_MINUS), lambda: self._change_speed(0.5)),
        }

    def __enter__(self) -> "WindowScreen":
        return self

    def __exit__(self, *error: object) -> None:
        """Closes the window."""
        self._window.close()
        if self._speaker is not None:
            self._speaker.close()

    def hear(self, samples: NDArray[np.int16]) -> None:
        """Plays a frame's sound, (samples, 2) int16; at another speed than 1 the game is silent."""
        if self._speaker is not None and self.speed == 1 and not self._unbound:
            self._speaker.play(samples)

    def __call__(self, picture: Picture) -> int | None:
        """Shows a frame, (160, 240, 3) uint8 RGB, for its duration, or while paused.

        Returns:
            The mask of the keys held now, None while the agent plays.

        Raises:
            WindowClosed: the window was closed or ESC pressed.
        """
        self._picture = self._spotlight.on(picture)
        self._show()
        while self._paused:
            self._show()
        if not self._human:
            return None
        held = self._pygame.key.get_pressed()
        return sum(mask for key, mask in self._keys.items() if held[key])

    def tell(self, status: PanelStatus) -> None:
        """Sets what the panel shows during the next step; pauses after a single step.

        Raises:
            WindowClosed: the window was closed or ESC pressed meanwhile.
        """
        self._status, self._drawn = status, ""
        self._spotlight.turn(status.attention)
        if self._goes_back and self.on_back is not None:
            self._said, self._said_for = self.on_back(), NOTE_FRAMES
        self._goes_back = False
        if self._single:
            self._single, self._paused = False, True
        while self._paused:
            self._show()

    def _show(self) -> None:
        if self._panel is not None and self._drawn != (note := self._note()):
            keys = AGENTS_KEYS if self._has_agent else PERSON_KEYS
            self._window.show_beside(
                self._panel.draw(self._status, note, keys if self._human else {})
            )
            self._drawn = note
        fps = 0.0 if self._unbound else FRAMES_PER_SECOND * self.speed
        self._window.show(self._picture, FRAMES_PER_SECOND if self._paused else fps)
        self._said_for -= 1
        for event in self._pygame.event.get((self._pygame.QUIT, self._pygame.KEYDOWN)):
            self._handle(event)

    def _note(self) -> str:
        if self._said_for > 0:
            return self._said
        who = "you play, T gives back" if self._human else "the agent plays, T takes over"
        if not self._has_agent:
            who = "you play"
        speed = "full speed" if self._unbound else f"speed {self.speed:g}"
        return f"{'paused' if self._paused else speed}     {who}"

    def _handle(self, event: Any) -> None:
        if event.type == self._pygame.QUIT or event.key == self._pygame.K_ESCAPE:
            raise WindowClosed
        command = self._commands.get(event.key)
        if command is not None:
            command()

    def _pause(self) -> None:
        self._paused = not self._paused

    def _one_step(self) -> None:
        self._paused, self._single = False, True

    def _toggle_unbound(self) -> None:
        self._unbound = not self._unbound

    def _change_player(self) -> None:
        self._human = not self._human or not self._has_agent

    def _change_speed(self, factor: float) -> None:
        self.speed = min(FASTEST, max(SLOWEST, self.speed * factor))

    def _go_back(self) -> None:
        self._goes_back = True

    def _save(self) -> None:
        if self.on_save is not None:
            self._said, self._said_for = self.on_save(), NOTE_FRAMES


class VideoScreen:
    """A video of the game, perhaps with the panel beside it; milestones are chapters.

    Args:
        path: the mp4 to write, see `VideoFile`.
        scale: pixels of the video per pixel of the game.
        panel: drawn beside the game; None: no panel.

    Raises:
        FileNotFoundError: its folder does not exist.
    """

    def __init__(self, path: Path, scale: int, panel: Panel | None = None) -> None:
        self.on_save: Callable[[], str] | None = None
        self._panel = panel
        self._scale = scale
        self._beside: Picture | None = None
        self._spotlight = Spotlight()
        self._reached: Sequence[str] | None = None  # in the episode so far
        if panel is None:
            self._file = VideoFile(path, scale)
        else:
            self._file = VideoFile(path, 1, (GAME_SIZE[0] * scale + panel.size[0], panel.size[1]))

    def __enter__(self) -> "VideoScreen":
        return self

    def __exit__(self, *error: object) -> None:
        """Completes the file, or removes it after an error."""
        self._file.__exit__(*error)

    def __call__(self, picture: Picture) -> None:
        """Adds a frame, (160, 240, 3) uint8 RGB."""
        picture = self._spotlight.on(picture)
        if self._beside is not None:
            game = picture.repeat(self._scale, axis=0).repeat(self._scale, axis=1)
            picture = np.hstack([game, self._beside]).astype(np.uint8, copy=False)
        self._file(picture)

    def tell(self, status: PanelStatus) -> None:
        """Draws the panel for the next step, and begins a chapter with each new milestone."""
        if self._reached is None or len(status.milestones) < len(self._reached):
            self._reached = ()
            self._file.begin_chapter("start")
        if new := [slug for slug in status.milestones if slug not in self._reached]:
            self._file.begin_chapter(new[-1])
        self._reached = status.milestones
        self._spotlight.turn(status.attention)
        if self._panel is not None:
            self._beside = self._panel.draw(status)


# takes every frame of a game and, before each step, the panel's contents
Screen: TypeAlias = WindowScreen | VideoScreen
