"""Another agent as a teacher: `--teacher CHECKPOINT`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.learner.labels.label_teacher import SCREEN, LabelTeacher
from baselines.learner.labels.purpose_head import UNKNOWN
from baselines.playing.agent import Agent
from baselines.settings.game_config import GameConfig
from baselines.training.teachers.chosen_teacher import Shown, with_picture
from emerald_env.env.actions import action_set
from emerald_env.env.observation import OPTIONS


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


class ChosenCheckpoint:
    """A checkpoint that is to teach, see `ChosenTeacher`.

    Args:
        name: of the checkpoint, see `find_checkpoint`.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def check(self, game: GameConfig) -> None:
        """Checks that the checkpoint can be read.

        Raises:
            CheckpointError, OSError: it cannot.
        """
        read_manifest(find_checkpoint(self._name))

    def shown(self, game: GameConfig) -> Shown:
        """Returns the game with all that the checkpoint observed where it was trained.

        Raises:
            CheckpointError, FileNotFoundError: it cannot be read, or sees no such pictures.
        """
        manifest = read_manifest(find_checkpoint(self._name))
        seen = manifest.env_config(game.choice)
        looks = seen.observation != "state"
        if seen.observation == "screen" or (looks and seen.shrink != game.shrink):
            raise CheckpointError(
                f"the teacher {self._name} was trained with --observation {seen.observation} "
                f"--shrink {seen.shrink}: a teacher must see more than the student's picture, and "
                "the same picture"
            )
        either = {part: getattr(seen, part) or getattr(game, part) for part in OPTIONS}
        shown = replace(
            game,
            observation=with_picture(seen.observation, game.observation),
            action_masks=seen.action_masks,
            coordinates=seen.coordinates,
            **either,
        )
        return Shown(shown, manifest.n_stack)

    def load(self, game: GameConfig) -> LabelTeacher:
        """Returns the teacher.

        Raises:
            CheckpointError, FileNotFoundError: it cannot be used, or has other actions.
        """
        return CheckpointTeacher(self._name, [one.name for one in action_set(game.action_set)])
