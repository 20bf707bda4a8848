"""Another agent as a teacher: `--teacher CHECKPOINT`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy
from baselines.checkpoints.trained import find_checkpoint
from baselines.learner.labels.label_teacher import SCREEN
from baselines.learner.labels.purpose_head import UNKNOWN
from baselines.playing.agent import Agent


class CheckpointTeacher:
    """A checkpoint's probabilities as labels.

    Args:
        name: of the checkpoint, see `find_checkpoint`.
        actions: names of the student's.

    Raises:
        CheckpointError, FileNotFoundError: it cannot be used, or has other actions.
    """

    is_set = False
    n_purposes = 1

    def __init__(self, name: str, actions: list[str]) -> None:
        policy, manifest = load_policy(find_checkpoint(name))
        if manifest.actions != actions:
            raise CheckpointError(
                f"the teacher {name} presses {manifest.actions}, the student {actions}: give the "
                "teacher's --action-set"
            )
        self._agent = Agent(policy)
        seen: Any = manifest.spaces()[0]
        self._parts = list(seen.spaces)

    def label(self, observations: Any, starts: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Returns the teacher's probabilities, (n_envs, n_actions)."""
        seen = {key: observations[key] for key in self._parts}
        if SCREEN in seen:
            seen[SCREEN] = seen[SCREEN].transpose(0, 3, 1, 2)
        return self._agent.think(seen, starts).probabilities

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
