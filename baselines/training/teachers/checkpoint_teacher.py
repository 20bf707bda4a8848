"""Another agent as a teacher: `--teacher CHECKPOINT`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from torch import Tensor

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.checkpoints.trained import find_checkpoint
from baselines.learner.labels.label_teacher import SCREEN, STATE
from baselines.learner.labels.purpose_head import UNKNOWN
from baselines.learner.vec_wrappers.frame_stack import as_shown
from baselines.playing.agent import Agent
from emerald_env.env.state_vector.state_layout import LAYOUT


class CheckpointTeacher:
    """A checkpoint's probabilities as labels.

    Args:
        name: of the checkpoint, see `find_checkpoint`.
        shown: the space of what it is shown of one step, a dictionary; it sees some parts of it.

    Raises:
        CheckpointError, FileNotFoundError: it cannot be used, or sees something else.
    """

    is_set = False
    n_purposes = 1

    def __init__(self, name: str, shown: Any) -> None:
        policy, manifest = load_policy(find_checkpoint(name))
        seen: Any = manifest.spaces()[0]
        self._parts = list(seen.spaces)
        parts = spaces.Dict({part: shown[part] for part in self._parts if part in shown.spaces})
        manifest.check_seen(as_shown(parts, manifest.n_stack))
        self._agent = Agent(policy)
        self._n_stack = manifest.n_stack
        self._coordinates = manifest.env.get("coordinates", True)

    def label(self, observations: Any, starts: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Returns the teacher's probabilities, (n_envs, n_actions)."""
        seen = {key: observations[key] for key in self._parts}
        if SCREEN in seen:
            seen[SCREEN] = seen[SCREEN].transpose(0, 3, 1, 2)
        if STATE in seen and not self._coordinates:
            seen[STATE] = self._without_coordinates(seen[STATE])
        return self._agent.think(seen, starts).probabilities

    def _without_coordinates(self, stacked: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns stacked vectors, (n_envs, n_stack * size), in which x and y are 0."""
        vectors = stacked.reshape(len(stacked), self._n_stack, -1).copy()
        vectors[..., LAYOUT.coordinates] = 0.0
        hidden: NDArray[np.float32] = vectors.reshape(stacked.shape)
        return hidden

    def purposes(self, observations: Any) -> NDArray[np.uint8]:
        """Returns `UNKNOWN` for each game: a network does not tell."""
        return np.full(len(observations[self._parts[0]]), UNKNOWN, np.uint8)

    def memory(self) -> tuple[Tensor, ...]:
        """Returns the network's, if it has any."""
        return self._agent.memory()

    def set_memory(self, memory: Sequence[Tensor]) -> None:
        """Restores what `memory` returned.

        Raises:
            ValueError: it is not of this network.
        """
        self._agent.set_memory(memory)
