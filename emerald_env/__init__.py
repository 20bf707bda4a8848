"""Pokémon Emerald as a gymnasium environment: from a ROM to a step.

Once the package is installed, gymnasium knows the environment by itself::

    env = gymnasium.make("Emerald-v0")  # the built-in game Jade
    env = gymnasium.make("Emerald-v0", rom="emerald.gba", reward="exploration")
"""

from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv

__all__ = ["EmeraldEnv", "EnvConfig"]
