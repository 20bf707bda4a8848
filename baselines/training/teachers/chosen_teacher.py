"""A teacher as `--teacher` names it, before it is loaded."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import Manifest, read_manifest
from baselines.checkpoints.trained import find_checkpoint, lasting_name
from baselines.settings.game_config import GameConfig
from baselines.training.teachers.explored_worlds import as_explored, check_explored, is_explored
from emerald_env.env.config import ObservationKind
from emerald_env.env.observation import ADDED, GUIDE, observation_space
from emerald_env.recordings.find_recordings import SESSIONS

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
        """Checks that the checkpoint can be read, and teach a student of the game.

        Raises:
            CheckpointError, OSError: it cannot.
        """
        self.shown(game)

    def shown(self, game: GameConfig) -> Shown:
        """Returns the game with all that the checkpoint observed where it was trained.

        Raises:
            CheckpointError, FileNotFoundError: it cannot be read, has other actions or steps, or
                sees what cannot be shown beside what the student sees.
        """
        manifest = self._manifest(game)
        seen = manifest.env_config(game.choice)
        self._check_pace(seen, game)
        self._check_pictures(seen, game)
        pictures = game if _has_picture(game) else seen
        both = {part: getattr(seen, part) or getattr(game, part) for part in ADDED}
        shown = replace(
            game,
            observation=_with_picture(seen.observation, game.observation),
            shrink=pictures.shrink,
            colour=_has_picture(pictures) and pictures.colour,
            coordinates=seen.coordinates or (game.coordinates and game.observation != "screen"),
            **both,
        )
        return Shown(shown, manifest.n_stack)

    def _manifest(self, game: GameConfig) -> Manifest:
        """Returns the checkpoint's manifest.

        Raises:
            CheckpointError, FileNotFoundError: it is not there, has code of somebody's own, or its
                actions are not the student's.
        """
        manifest = read_manifest(self._path())
        if manifest.own_names:
            raise CheckpointError(
                f"the teacher {self._name} was trained with {', '.join(manifest.own_names):.200}, "
                "Python code of somebody's own, which no teacher can use: give another teacher"
            )
        theirs = manifest.env.get("action_set", GameConfig.action_set)
        if theirs != game.action_set:
            raise CheckpointError(
                f"the teacher {self._name} was trained with --action-set {theirs!s:.40}, the "
                f"student has {game.action_set}: give --action-set {theirs!s:.40}"
            )
        return manifest

    def _path(self) -> Path:
        """Returns the checkpoint's path.

        Raises:
            FileNotFoundError: there is none; the message says what else can teach.
        """
        try:
            return find_checkpoint(self._name)
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"{error}; --teacher also takes guide, a folder of recordings, and a folder of "
                "`emerald archive explore`"
            ) from error

    def _check_pace(self, seen: GameConfig, game: GameConfig) -> None:
        """Raises CheckpointError if the student's steps last otherwise than the teacher's."""
        theirs, own = map(_pace, (seen, game))
        if theirs != own:
            raise CheckpointError(
                f"the teacher {self._name} was trained with {theirs}, the student has {own}: both "
                f"press the same keys for as long, so give {theirs}"
            )

    def _check_pictures(self, seen: GameConfig, game: GameConfig) -> None:
        """Raises CheckpointError if teacher and student cannot be shown what they need at once."""
        if seen.observation == "screen":
            raise CheckpointError(
                f"the teacher {self._name} was trained with --observation screen: a teacher must "
                "see more than its student's picture"
            )
        if seen.observation == "dict" and game.observation not in ("screen", "dict"):
            raise CheckpointError(
                f"the teacher {self._name} was trained with --observation dict, which has fewer "
                f"numbers than the student's {game.observation}: give --observation screen"
            )
        theirs, own = ((one.shrink, one.colour) for one in (seen, game))
        if _has_picture(seen) and _has_picture(game) and theirs != own:
            raise CheckpointError(
                f"the teacher {self._name} was trained with {_picture(seen)}, the student has "
                f"{_picture(game)}: both see the same picture, so give {_picture(seen)}"
            )

    def load(self, game: GameConfig) -> "LabelTeacher":
        """Returns the teacher.

        Raises:
            CheckpointError, FileNotFoundError: it cannot be used, or has other actions.
        """
        from baselines.training.teachers.checkpoint_teacher import (  # slow to load
            CheckpointTeacher,
        )

        return CheckpointTeacher(self._name, observation_space(self.shown(game).game))


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


def lasting_teacher(name: str, sessions: Path = SESSIONS) -> str:
    """Returns a name that will always mean the teacher that `name` means now.

    Args:
        name: of the teacher.
        sessions: where the sessions are that it may name.

    Raises:
        FileNotFoundError, DownloadError: there is no such checkpoint.
    """
    chosen = chosen_teacher(name)
    is_checkpoint = isinstance(chosen, ChosenCheckpoint)
    return lasting_name(name, sessions) if is_checkpoint else whole_name(name)


def whole_name(name: str) -> str:
    """Returns a teacher's name, where it is a folder of explored games its absolute path."""
    is_folder = isinstance(chosen_teacher(name), ChosenAtlases)
    return str(Path(name).resolve()) if is_folder else name


def _with_picture(teacher: ObservationKind, student: ObservationKind) -> ObservationKind:
    """Returns what shows both what they need: `full` is `state` and the picture."""
    return "full" if teacher == "state" and student != "state" else teacher


def _has_picture(game: GameConfig) -> bool:
    """Returns whether a picture is observed."""
    return game.observation != "state"


def _picture(game: GameConfig) -> str:
    """Returns the flags of a picture."""
    return f"--shrink {game.shrink} --{'' if game.colour else 'no-'}colour"


def _pace(game: GameConfig) -> str:
    return f"--frame-skip {game.frame_skip} --hold-frames {game.hold_frames}"
