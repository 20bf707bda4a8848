"""Teachers, and games that show a teacher more than the student sees."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from torch import Tensor

from emerald_env.env.state_vector.state_layout import LAYOUT

SCREEN, STATE = "screen", "state"


class LabelTeacher(Protocol):
    """Knows the best actions in any state that a student reaches."""

    is_set: bool  # whether its labels are sets of equally good actions, or a distribution
    n_purposes: int  # how many it distinguishes; 1 if it tells none

    def label(self, observations: Any, starts: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Returns a label for each game, (n_envs, n_actions).

        Args:
            observations: of all games, as the teacher sees them.
            starts: (n_envs,), true for an episode's first observation.

        Returns:
            For sets 1 for each good action and 0 for the others; else a distribution. A row of
            zeros: it does not know.
        """

    def purposes(self, observations: Any) -> NDArray[np.uint8]:
        """Returns its purpose in each game, (n_envs,), `UNKNOWN` where it does not tell."""

    def memory(self) -> tuple[Tensor, ...]:
        """Returns what its later labels depend on, beside the observations; mostly nothing."""

    def set_memory(self, memory: Sequence[Tensor]) -> None:
        """Restores what `memory` returned.

        Raises:
            ValueError: it is not of this teacher.
        """


class Memoryless:
    """A teacher whose labels depend on the present observations alone."""

    def memory(self) -> tuple[Tensor, ...]:
        """Returns nothing: there is nothing to remember."""
        return ()

    def set_memory(self, memory: Sequence[Tensor]) -> None:
        """Does nothing."""


class StudentView(VecEnvWrapper):
    """Shows the student its part of the newest observation, and keeps what the teacher sees.

    Args:
        games: whose observation is a dictionary, perhaps of stacks.
        space: of the student's observations: a picture, or a dictionary of some parts.
        coordinates: whether the student sees x and y; otherwise they are 0, as in its games.
    """

    def __init__(self, games: VecEnv, space: spaces.Space[Any], coordinates: bool = True) -> None:
        super().__init__(games, space)
        self._coordinates = coordinates
        self.teachers: Any = None  # the observations, as the teacher sees them

    def reset(self) -> Any:
        """Returns the first observations."""
        return self.of_student(self.venv.reset())

    def step_wait(self) -> Any:
        """Returns the next observations, rewards, ends and infos."""
        observations, rewards, dones, infos = self.venv.step_wait()
        for index in np.flatnonzero(dones):
            last = infos[index].get("terminal_observation")
            if isinstance(last, dict):
                infos[index]["terminal_observation"] = self._newest(last)
        return self.of_student(observations), rewards, dones, infos

    def of_student(self, observations: Any) -> Any:
        """Keeps observations for the teacher and returns the student's part of them."""
        self.teachers = observations
        return self._newest(observations)

    def _newest(self, observations: Any) -> Any:
        """Returns the parts that the student sees; stacks end with the newest."""
        space = self.observation_space
        if not isinstance(space, spaces.Dict):
            return _newest_of(observations[SCREEN], space)
        seen = {key: _newest_of(observations[key], part) for key, part in space.spaces.items()}
        if STATE in seen and not self._coordinates:
            seen[STATE] = seen[STATE].copy()
            seen[STATE][..., LAYOUT.coordinates] = 0.0
        return seen


def _newest_of(stacked: Any, part: spaces.Space[Any]) -> Any:
    """Returns the last of stacked arrays, of which one has the space's shape."""
    return stacked[..., -(part.shape or (1,))[-1] :]
