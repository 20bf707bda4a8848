"""Games in SB3's own `DummyVecEnv`: all in this process, a second implementation of ours."""

from functools import partial

from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.games.game import make_env


def in_process(config, n_envs, seed=0):
    """Returns games as `make_vec_env` does."""
    games = DummyVecEnv([partial(make_env, config, "rgb_array")] * n_envs)
    games.seed(seed)
    return games
