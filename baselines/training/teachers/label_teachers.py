"""Teachers for `--teacher`, and the games that show them more than the student sees."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.learner.labels.label_teacher import SCREEN, LabelTeacher, Memoryless, StudentView
from baselines.learner.labels.purpose_head import UNKNOWN
from baselines.learner.vec_wrappers.frame_stack import FrameStack
from baselines.playing.agent import Agent
from baselines.settings.game_config import GameConfig
from baselines.training.teachers.atlas_teacher import AtlasTeacher
from baselines.training.teachers.explored_worlds import as_explored, is_explored
from emerald_env.env.actions import action_set
from emerald_env.env.config import ObservationKind
from emerald_env.env.observation import GUIDE, OPTIONS, PURPOSE, observation_space
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


class Shown(NamedTuple):
    """What a teacher must be shown."""

    game: GameConfig
    n_stack: int = 1


def teacher_of(name: str, game: GameConfig) -> LabelTeacher:
    """Returns what labels the student's steps.

    Args:
        name: "guide", of a checkpoint, or the folder of explored games.
        game: the student's.

    Raises:
        CheckpointError, FileNotFoundError, ValueError: it cannot be used, or has other actions.
    """
    if name == GUIDE:
        return GuideTeacher()
    if is_explored(Path(name)):
        return AtlasTeacher.load(Path(name), game)
    return CheckpointTeacher(name, [action.name for action in action_set(game.action_set)])


def shown_to_teacher(name: str | None, game: GameConfig) -> Shown:
    """Returns the student's game as it must be shown to the teacher, if there is one.

    Raises:
        CheckpointError, FileNotFoundError: there is no such teacher, or it sees no such pictures.
    """
    if name is None:
        return Shown(game)
    if name == GUIDE:
        return Shown(replace(game, guide=True))
    if is_explored(Path(name)):
        kind = _with_picture("state", game.observation)
        shown = replace(as_explored(game), observation=kind, world_number=True)
        return Shown(shown)
    manifest = read_manifest(find_checkpoint(name))
    seen = manifest.env_config(game.choice)
    looks = seen.observation != "state"
    if seen.observation == "screen" or (looks and seen.shrink != game.shrink):
        raise CheckpointError(
            f"the teacher {name} was trained with --observation {seen.observation} "
            f"--shrink {seen.shrink}: a teacher must see more than the student's picture, and the "
            "same picture"
        )
    either = {part: getattr(seen, part) or getattr(game, part) for part in OPTIONS}
    shown = replace(
        game,
        observation=_with_picture(seen.observation, game.observation),
        action_masks=seen.action_masks,
        coordinates=seen.coordinates,
        **either,
    )
    return Shown(shown, manifest.n_stack)


def _with_picture(teacher: ObservationKind, student: ObservationKind) -> ObservationKind:
    """Returns what shows both what they need: `full` is `state` and the picture."""
    return "full" if teacher == "state" and student != "state" else teacher


def as_taught(teacher: str, game: GameConfig, games: VecEnv) -> VecEnv:
    """Returns `shown_to_teacher`'s games as the student of `game` sees them."""
    stacked = FrameStack(games, shown_to_teacher(teacher, game).n_stack)
    return StudentView(stacked, observation_space(game), game.coordinates)
