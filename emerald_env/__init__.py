"""Pokémon Emerald as a gymnasium environment: from a ROM to a step.

import gymnasium, emerald_env

env = gymnasium.make("Emerald-v0")  # the built-in game Jade, the default reward
env = gymnasium.make("Emerald-v0", rom="emerald.gba", reward="exploration")
"""

# ruff: noqa: E402
from emerald_env.cli.loading import report_ctrl_c_of_commands

report_ctrl_c_of_commands()  # before the slow imports

import gymnasium

from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv

__all__ = ["EmeraldEnv", "EnvConfig"]

# By name, resolved by `make`: this package knows no rewards.
gymnasium.register(id="Emerald-v0", entry_point="baselines.envs:make_registered")
