"""A training whose games are played on a Ray cluster."""

from dataclasses import replace

from stable_baselines3.common.vec_env import VecEnv

from baselines.cluster.actors import Actors
from baselines.cluster.games import RemoteGames
from baselines.cluster.start import running
from baselines.settings.train_config import TrainConfig
from baselines.training.model import as_learnt, with_session_start
from baselines.training.phases import carry_out
from baselines.training.resources import observation_bytes
from baselines.training.run import Run
from baselines.training.teachers.chosen_teacher import shown_to_teacher

MIN_SHARED_MEMORY_BYTES = 256 << 20  # bytes of shared memory on one machine
ROLLOUTS = 4  # that it has room for, as fragments in transit
NUMBERS = 192  # bytes of a sample besides its observation


def train_on_ray(config: TrainConfig) -> int:
    """Runs a whole training with its games on a Ray cluster; returns its exit status.

    Args:
        config: the settings, with the cluster's address.
    """
    run = Run(config)
    assert run.config.ray is not None
    shared = max(MIN_SHARED_MEMORY_BYTES, ROLLOUTS * rollout_bytes(run))
    with running(run.config.ray, shared):  # before the run's own signal handlers
        return carry_out(run, open_games)


def rollout_bytes(run: Run) -> int:
    """Returns the bytes of a rollout's fragments."""
    config = run.config
    samples = (config.n_envs or 1) * config.ppo.n_steps
    shown = shown_to_teacher(config.teacher, config.env)
    return samples * (observation_bytes(shown.game) + NUMBERS)


def open_games(config: TrainConfig) -> VecEnv:
    """Returns the games on actors, for the learner.

    Raises:
        WorkerError: the games cannot be made.
    """
    whole = replace(config, env=with_session_start(config))
    return as_learnt(config, RemoteGames(whole, Actors(whole)))
