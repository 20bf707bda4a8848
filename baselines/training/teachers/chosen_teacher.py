"""A teacher as `--teacher` names it, before it is loaded."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import read_manifest
from baselines.checkpoints.trained import find_checkpoint, lasting_name
from baselines.settings.game_config import GameConfig
from baselines.training.teachers.explored_worlds import as_explored, check_explored, is_explored
from emerald_env.env.actions import action_set
from emerald_env.env.config import ObservationKind
from emerald_env.env.observation import GUIDE, OPTIONS

if TYPE_CHECKING:  # slow to load
    from baselines.learner.labels.label_teacher import LabelTeacher


class Shown(NamedTuple):
    """What a teacher must be shown."""

    game: GameConfig
    n_stack: int = 1


class ChosenTeacher(Protocol):
    """Tells what a teacher needs, and loads it where steps are labelled."""

    def check(self, game: GameConfig) -> None:
        """Checks that the teacher is there, for a student of a game.

        Raises:
            CheckpointError, OSError, ValueError: it is not, or cannot be used.
        """

    def shown(self, game: GameConfig) -> Shown:
        """Returns the student's game as it must be shown to the teacher.

        Raises:
            CheckpointError, FileNotFoundError: there is no such teacher, or it sees no such
                pictures.
        """

    def load(self, game: GameConfig) -> "LabelTeacher":
        """Returns what labels the student's steps.

        Raises:
            CheckpointError, FileNotFoundError, ValueError: it cannot be used, or has other actions.
        """


class ChosenGuide:
    """The guide, which is there wherever Jade is, see `ChosenTeacher`."""

    def check(self, game: GameConfig) -> None:
        """Does nothing."""

    def shown(self, game: GameConfig) -> Shown:
        """Returns the game, which tells what the guide says."""
        return Shown(replace(game, guide=True))

    def load(self, game: GameConfig) -> "LabelTeacher":
        """Returns the teacher."""
        from baselines.training.teachers.guide_teacher import GuideTeacher  # slow to load

        return GuideTeacher()


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
            observation=_with_picture(seen.observation, game.observation),
            action_masks=seen.action_masks or game.action_masks,
            coordinates=seen.coordinates,
            **either,
        )
        return Shown(shown, manifest.n_stack)

    def load(self, game: GameConfig) -> "LabelTeacher":
        """Returns the teacher.

        Raises:
            CheckpointError, FileNotFoundError: it cannot be used, or has other actions.
        """
        from baselines.training.teachers.checkpoint_teacher import (  # slow to load
            CheckpointTeacher,
        )

        return CheckpointTeacher(self._name, [one.name for one in action_set(game.action_set)])


class ChosenAtlases:
    """Explored games that are to teach, see `ChosenTeacher`.

    Args:
        folder: of `emerald archive explore`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self, game: GameConfig) -> None:
        """Checks that the game, in each of `--worlds`, was explored.

        Raises:
            FileNotFoundError: it was not.
        """
        check_explored(self._folder, game)

    def shown(self, game: GameConfig) -> Shown:
        """Returns the game with all by which places are told apart, and its world's number."""
        kind = _with_picture("state", game.observation)
        return Shown(replace(as_explored(game), observation=kind, world_number=True))

    def load(self, game: GameConfig) -> "LabelTeacher":
        """Returns the teacher.

        Raises:
            ValueError: an atlas is damaged.
        """
        from baselines.training.teachers.atlas_teacher import AtlasTeacher  # slow to load

        return AtlasTeacher.load(self._folder, game)


def chosen_teacher(name: str) -> ChosenTeacher:
    """Returns the teacher of a name: "guide", a folder of explored games, or a checkpoint."""
    if name == GUIDE:
        return ChosenGuide()
    if is_explored(Path(name)):
        return ChosenAtlases(Path(name))
    return ChosenCheckpoint(name)


def lasting_teacher(name: str) -> str:
    """Returns a name that will always mean the teacher that `name` means now.

    Raises:
        FileNotFoundError, DownloadError: there is no such checkpoint.
    """
    chosen = chosen_teacher(name)
    return lasting_name(name) if isinstance(chosen, ChosenCheckpoint) else name


def _with_picture(teacher: ObservationKind, student: ObservationKind) -> ObservationKind:
    """Returns what shows both what they need: `full` is `state` and the picture."""
    return "full" if teacher == "state" and student != "state" else teacher
