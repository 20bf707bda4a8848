"""Stable-Baselines3's PPO on Jade-v1, as it comes.

    python examples/learners/learner_sb3.py

Its own worker processes run the games, with a pipe for each.
"""

import time

import gymnasium
import tyro
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

import emerald_env  # noqa: F401


def make_game() -> gymnasium.Env:
    """Returns one game: the screen, and a vector from the game's memory."""
    return gymnasium.make("Jade-v1", observation="dict", reward="default")


def main(total_timesteps: int = 100_000, n_envs: int = 8, n_steps: int = 128) -> float:
    """Learns; returns the samples a second.

    Args:
        total_timesteps: samples to learn from.
        n_envs: games.
        n_steps: of each between two updates.
    """
    games = make_vec_env(
        make_game, n_envs, vec_env_cls=SubprocVecEnv if n_envs > 2 else DummyVecEnv
    )
    model = PPO("MultiInputPolicy", games, n_steps=n_steps, batch_size=128, n_epochs=3, seed=0)
    begun = time.perf_counter()
    model.learn(total_timesteps)
    speed = model.num_timesteps / (time.perf_counter() - begun)
    print(f"SB3: {model.num_timesteps:,} samples, {speed:,.0f} a second")
    games.close()
    return speed


if __name__ == "__main__":
    tyro.cli(main)
