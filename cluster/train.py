"""Trains, on this machine or on a Ray cluster: `python baselines/run_baseline_parallel_fast.py`."""

from collections.abc import Sequence
from dataclasses import replace

from stable_baselines3.common.vec_env import VecEnv

from baselines.training import run
from baselines.training.config import TrainConfig
from baselines.training.model import as_learnt, with_session_start
from cluster.actors import Actors
from cluster.games import RemoteGames
from cluster.start import running


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains with the settings of a command line; returns the exit status.

    Args:
        arguments: the command line; None stands for this process's own.
    """
    return run.main(arguments, train)


def train(config: TrainConfig) -> int:
    """Runs a whole training, see `baselines.training.run.train`."""
    if config.ray is None:
        return run.train(config)
    with running(config.ray):  # before the run's own signal handlers
        return run.train(config, open_games)


def open_games(config: TrainConfig) -> VecEnv:
    """Returns the games on actors, as the learner sees them.

    Raises:
        WorkerError: the games cannot be made.
    """
    whole = replace(config, env=with_session_start(config))
    return as_learnt(config, RemoteGames(whole, Actors(whole)))
