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

# Takes each frame, (160, 240, 3) uint8 RGB; returns the mask of the keys that a person holds
# during the next one, or None if the agent plays.
FrameViewer = Callable[[NDArray[np.uint8]], int | None]


class WatchedEnv(EmeraldEnv):
    """The same game, bit for bit, but every frame of a step is drawn and passed to a watcher.

    Args:
        config: the settings.
        reward: pays for each step.
        watch: called with each frame; the keys it returns replace the agent's.

    Attributes:
        way: records every key of a person; None: nothing does.
    """

    def __init__(self, config: EnvConfig, reward: RewardFunction, watch: FrameViewer) -> None:
        super().__init__(config, reward, "rgb_array")
        self._watch = watch
        self._person: int | None = None
        self.way: PersonWay | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins as any game does, or where the person's way ends; a second episode has no way."""
        result = super().reset(seed=seed, options=options)
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
        return result

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
            self._person = self._watch(self.gba.screen.rgb)
