"""Teachers, and games that show a teacher more than the student sees."""

from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

SCREEN = "screen"


class LabelTeacher(Protocol):
    """Says what is best to do in any state that a student reaches."""

    is_set: bool  # whether its labels are sets of equally good actions, or a distribution

    def label(self, observations: Any, starts: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Returns a label for each game, (n_envs, n_actions).

        Args:
            observations: of all games, as the teacher sees them.
            starts: (n_envs,), true for an episode's first observation.

        Returns:
            For sets 1 for each good action and 0 for the others; else a distribution. A row of
            zeros: it does not know.
        """


class StudentView(VecEnvWrapper):
    """Shows the newest picture alone; what the teacher sees is beside it.

    Args:
        games: whose observation is a dictionary with a stack of pictures (height, width, n).
    """

    def __init__(self, games: VecEnv) -> None:
        seen: Any = games.observation_space
        height, width, _ = seen[SCREEN].shape
        super().__init__(games, spaces.Box(0, 255, (height, width, 1), np.uint8))
        self.teachers: Any = None  # the observations, as the teacher sees them

    def reset(self) -> NDArray[np.uint8]:
        """Returns the first pictures, (n_envs, height, width, 1)."""
        return self.of_student(self.venv.reset())

    def step_wait(self) -> Any:
        """Returns the next pictures, rewards, ends and infos."""
        observations, rewards, dones, infos = self.venv.step_wait()
        for index in np.flatnonzero(dones):
            last = infos[index].get("terminal_observation")
            if isinstance(last, dict):
                infos[index]["terminal_observation"] = last[SCREEN][..., -1:]
        return self.of_student(observations), rewards, dones, infos

    def of_student(self, observations: Any) -> NDArray[np.uint8]:
        """Keeps observations for the teacher and returns the newest pictures in them."""
        self.teachers = observations
        newest: NDArray[np.uint8] = observations[SCREEN][..., -1:]
        return newest
