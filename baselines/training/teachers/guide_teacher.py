"""Jade's guide as a teacher: `--teacher guide`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.learner.labels.label_teacher import Memoryless
from emerald_env.env.observation import GUIDE, PURPOSE
from emerald_env.jade.worlds.guidance.errands import PURPOSES


class GuideTeacher(Memoryless):
    """Jade's guide: it knows the maps and the story, and labels any state with all best actions."""

    is_set = True
    n_purposes = PURPOSES

    def label(self, observations: Any, starts: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Returns 1 for each action that is best, (n_envs, n_actions)."""
        labels: NDArray[np.float32] = observations[GUIDE].astype(np.float32)
        return labels

    def purposes(self, observations: Any) -> NDArray[np.uint8]:
        """Returns what it is after in each game, (n_envs,)."""
        purposes: NDArray[np.uint8] = observations[PURPOSE][:, -1]
        return purposes
