"""RLlib's PPO on Jade-v1 (`pip install 'ray[rllib]' torch`).

    python examples/learners/learner_rllib.py

Its own runner plays the games, in this process; give `num_env_runners` for more of them.
"""

import time

import gymnasium
import ray
import tyro
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

import emerald_env  # noqa: F401


def make_game(_: object = None) -> gymnasium.Env:
    """Returns one game: a vector from the game's memory."""
    game = gymnasium.make("Jade-v1", observation="state", reward="default")
    return gymnasium.wrappers.FlattenObservation(game)


def main(total_timesteps: int = 100_000, n_envs: int = 8, n_steps: int = 128) -> float:
    """Learns; returns the samples a second.

    Args:
        total_timesteps: samples to learn from.
        n_envs: games.
        n_steps: of each between two updates.
    """
    ray.init(num_cpus=1, include_dashboard=False, ignore_reinit_error=True)
    register_env("jade", make_game)
    rollout = n_envs * n_steps
    config = (
        PPOConfig()
        .environment("jade")
        .env_runners(
            num_env_runners=0, num_envs_per_env_runner=n_envs, rollout_fragment_length=n_steps
        )
        .training(train_batch_size=rollout, minibatch_size=min(128, rollout), num_epochs=3)
        .debugging(seed=0)
    )
    learner = config.build_algo()
    begun, samples = time.perf_counter(), 0
    while samples < total_timesteps:
        learner.train()
        samples += rollout
    speed = samples / (time.perf_counter() - begun)
    print(f"RLlib: {samples:,} samples, {speed:,.0f} a second")
    learner.stop()
    ray.shutdown()
    return speed


if __name__ == "__main__":
    tyro.cli(main)
