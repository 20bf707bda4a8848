"""Games that show a teacher more than the student sees."""

from stable_baselines3.common.vec_env import VecEnv

from baselines.learner.labels.label_teacher import StudentView
from baselines.learner.vec_wrappers.frame_stack import FrameStack
from baselines.settings.game_config import GameConfig
from baselines.training.teachers.chosen_teacher import Shown, chosen_teacher
from emerald_env.env.observation import observation_space


def shown_to_teacher(name: str | None, game: GameConfig) -> Shown:
    """Returns the student's game as it must be shown to the teacher, if there is one.

    Raises:
        CheckpointError, FileNotFoundError: there is no such teacher, or it sees no such pictures.
    """
    return Shown(game) if name is None else chosen_teacher(name).shown(game)


def as_taught(teacher: str, game: GameConfig, games: VecEnv) -> VecEnv:
    """Returns `shown_to_teacher`'s games as the student of `game` sees them."""
    stacked = FrameStack(games, shown_to_teacher(teacher, game).n_stack)
    return StudentView(stacked, observation_space(game), game.coordinates)
