"""A teacher as `--teacher` names it, before it is loaded."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
        """Checks that the checkpoint can be read, and teach a student of the game."""
        self.shown(game)

    def shown(self, game: GameConfig) -> Shown:
        """Returns the game with all that the checkpoint observed where it was trained."""
        manifest = self._manifest(game)
        seen = manifest.env_config(game.choice)
        self._check_fits(seen, game)
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
            raise self._unlike(f"--action-set {theirs!s:.40}", game.action_set)
        return manifest

    def _path(self) -> Path:
        """Returns the checkpoint's path.

        Raises:
            FileNotFoundError: there is none; the message says what else can teach.
        """
        with _other_teachers_named():
            return find_checkpoint(self._name)

    def _check_fits(self, seen: GameConfig, game: GameConfig) -> None:
        """Checks that the student's steps last as long as the teacher's, and show it enough.

        Raises:
            CheckpointError: they do not.
        """
        if _pace(seen) != _pace(game):
            why = "both press the same keys for as long, so "
            raise self._unlike(_pace(seen), _pace(game), why)
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
        if _has_picture(seen) and _has_picture(game) and _picture(seen) != _picture(game):
            raise self._unlike(_picture(seen), _picture(game), "both see the same picture, so ")

    def _unlike(self, theirs: str, own: str, why: str = "") -> CheckpointError:
        """Returns what says that teacher and student differ in some flags."""
        return CheckpointError(
            f"the teacher {self._name} was trained with {theirs}, the student has {own}: "
            f"{why}give {theirs}"
        )

    def load(self, game: GameConfig) -> "LabelTeacher":
        """Returns the teacher."""
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
        """Checks that the game, in each of `--worlds`, was explored."""
        check_explored(self._folder, game)

    def shown(self, game: GameConfig) -> Shown:
        """Returns the game with all by which places are told apart, and its world's number."""
        kind = _with_picture("state", game.observation)
        return Shown(replace(as_explored(game), observation=kind, world_number=True))

    def load(self, game: GameConfig) -> "LabelTeacher":
        """Returns the teacher."""
        from baselines.training.teachers.atlas_teacher import AtlasTeacher  # slow to load

        return AtlasTeacher.load(self._folder, game)


ChosenTeacher = ChosenGuide | ChosenCheckpoint | ChosenAtlases
"""Tells what a teacher needs for a student of a game, and loads it where steps are labelled.

`check`, `shown` and `load` raise CheckpointError, OSError or ValueError where the teacher is not
there, cannot be used, has other actions or steps, or sees what cannot be shown beside what the
student sees. `shown` is the student's game as it must be shown to the teacher.
"""


def chosen_teacher(name: str) -> ChosenTeacher:
    """Returns the teacher of a name: "guide", a folder of explored games, or a checkpoint."""
    if name == GUIDE:
        return ChosenGuide()
    if is_explored(Path(name)):
        return ChosenAtlases(Path(name))
    return ChosenCheckpoint(name)


def shown_to_teacher(name: str | None, game: GameConfig) -> Shown:
    """Returns the student's game as it must be shown to the teacher, if there is one.

    Raises:
        CheckpointError, FileNotFoundError: there is no such teacher, or it sees no such pictures.
    """
    return Shown(game) if name is None else chosen_teacher(name).shown(game)


def lasting_teacher(name: str, sessions: Path = SESSIONS) -> str:
    """Returns a name that will always mean the teacher that `name` means now.

    Args:
        name: of the teacher.
        sessions: where the sessions are that it may name.

    Raises:
        FileNotFoundError, DownloadError: there is no such checkpoint.
    """
    chosen = chosen_teacher(name)
    if not isinstance(chosen, ChosenCheckpoint):
        return whole_name(name)
    with _other_teachers_named():
        return lasting_name(name, sessions)


@contextmanager
def _other_teachers_named() -> Iterator[None]:
    """Says what else can teach where there is no checkpoint of a name."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{error}; --teacher also takes guide, a folder of recordings, and a folder of "
            "`emerald archive explore`"
        ) from error


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
