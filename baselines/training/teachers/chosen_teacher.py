"""A teacher as `--teacher` names it, before it is loaded."""

from typing import NamedTuple, Protocol

from baselines.learner.labels.label_teacher import LabelTeacher
from baselines.settings.game_config import GameConfig
from emerald_env.env.config import ObservationKind


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

    def load(self, game: GameConfig) -> LabelTeacher:
        """Returns what labels the student's steps.

        Raises:
            CheckpointError, FileNotFoundError, ValueError: it cannot be used, or has other actions.
        """


def with_picture(teacher: ObservationKind, student: ObservationKind) -> ObservationKind:
    """Returns what shows both what they need: `full` is `state` and the picture."""
    return "full" if teacher == "state" and student != "state" else teacher
