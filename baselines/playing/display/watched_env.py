"""A game shown frame by frame, for people and for videos."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import Observation
from emerald_env.env.reward_function import RewardFunction
from emerald_env.recordings.person_way import PersonWay
from emerald_env.recordings.snapshots import NO_FURTHER, Snapshots

# Takes each frame, (160, 240, 3) uint8 RGB; returns the mask of the keys that a person holds
# during the next one, or None if the agent plays.
FrameViewer = Callable[[NDArray[np.uint8]], int | None]
# Takes the sound of each frame, (samples, 2) int16
Listener = Callable[[NDArray[np.int16]], None]


class WatchedEnv(EmeraldEnv):
    """The same game, bit for bit, but every frame of a step is drawn and passed to a watcher.

    Args:
        config: the settings.
        reward: pays for each step.
        watch: called with each frame; the keys it returns replace the agent's.
        hear: called with each frame's sound, 48,000 samples a second; None: none is mixed.
        goes_back: whether `go_back` works, which keeps states.

    Attributes:
        way: records every key of a person; None: nothing does.
        on_back: told how many steps `go_back` undid.
    """

    def __init__(
        self,
        config: EnvConfig,
        reward: RewardFunction,
        watch: FrameViewer,
        hear: Listener | None = None,
        goes_back: bool = False,
    ) -> None:
        self._hear = hear
        super().__init__(config, reward, "rgb_array")
        self._watch = watch
        self._person: int | None = None
        self.way: PersonWay | None = None
        self.on_back: Callable[[int], None] | None = None
        self._goes_back, self._steps = goes_back, 0
        self._snapshots = Snapshots(self)

    def _enter(self, config: EnvConfig) -> None:
        """Opens a game and its start, and its sound."""
        super()._enter(config)
        self._sound = None if self._hear is None else self.gba.mix_sound()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins as any game does, or where the person's way ends; a second episode has no way."""
        result = super().reset(seed=seed, options=options)
        self._snapshots, self._steps = Snapshots(self), 0
        if self._goes_back:
            self._snapshots.keep(0)
        if self.way is not None and not self.way.begin():
            self.way = None
        return result

    def close(self) -> None:
        """Saves the person's way, and switches the game off."""
        if self.way is not None:
            self.way.save()
        super().close()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Steps as any game does, and records the step."""
        result = super().step(action)
        if self.way is not None:
            self.way.total += result[1]
            self.way.end_step()
        elif self._goes_back:
            self._steps += 1
            self._snapshots.keep(self._steps)
        return result

    def go_back(self) -> str:
        """Undoes the last five seconds, between two steps; returns a message about it."""
        before = self._played
        said = self._undo() if self.way is None else self.way.go_back()
        if self.on_back is not None:
            self.on_back(before - self._played)
        return said

    @property
    def _played(self) -> int:
        return self._steps if self.way is None else self.way.steps

    def _undo(self) -> str:
        then = self._snapshots.go_back(self._steps)
        if then is None:
            return NO_FURTHER
        undone, self._steps = self._steps - then.step, then.step
        return self._snapshots.went_back(undone)

    def press(self, keys: int) -> None:
        """Runs a step's frames one at a time; a person's keys may change with every frame."""
        for frame in range(self.config.frame_skip):
            own = keys if frame < self.config.hold_frames else 0
            held = own if self._person is None else self._person
            held = held if self.way is None else self.way.press(held)
            if frame + 1 < self.config.frame_skip:
                self.gba.step(held, 1, 1)
            else:
                self._run(held, 1, 1)  # the frame that the agent sees
            if self._sound is not None and self._hear is not None:
                self._hear(self._sound.take())
            self._person = self._watch(self.gba.screen.rgb)
