"""Pokémon Emerald as a gymnasium environment: from a ROM to a step.

import gymnasium, emerald_env

env = gymnasium.make("Emerald-v0")  # the built-in game Jade, the default reward
env = gymnasium.make("Emerald-v0", rom="emerald.gba", reward="exploration")
"""

from importlib.metadata import entry_points
from typing import Any

import gymnasium

from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv

__all__ = ["EmeraldEnv", "EnvConfig"]


def _make(**settings: Any) -> gymnasium.Env[Any, Any]:
    """Makes a game by what the installed distribution declares, as this package knows no rewards.

    Raises:
        RuntimeError: no distribution declares it: it was not installed, or an older one was.
    """
    for entry in entry_points(group="emerald_env.make", name="Emerald-v0"):
        made: gymnasium.Env[Any, Any] = entry.load()(**settings)
        return made
    raise RuntimeError("Emerald-v0 is not installed: run `pip install -e .` in the repository")


gymnasium.register(id="Emerald-v0", entry_point=_make)
