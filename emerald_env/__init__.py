"""Pokémon Emerald as a gymnasium environment: from a ROM to a step.

import gymnasium, emerald_env

env = gymnasium.make("Emerald-v0")  # the built-in game Jade, the default reward
env = gymnasium.make("Emerald-v0", rom="emerald.gba", reward="exploration")
env = gymnasium.make("Jade-v1")  # the built-in game with fixed settings, for comparisons
games = gymnasium.make_vec("Jade-v1", num_envs=64)  # on a worker process for each core
"""

import gymnasium

from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.versions import EMERALD, MAKE, MAKE_VERSION, VERSIONS

__all__ = ["EmeraldEnv", "EnvConfig"]

_VECTOR = "emerald_env.parallel.vector_env:make_games"

gymnasium.register(id=EMERALD, entry_point=MAKE, vector_entry_point=_VECTOR)
for _id in VERSIONS:
    gymnasium.register(
        id=_id,
        entry_point=MAKE_VERSION,
        vector_entry_point=_VECTOR,
        kwargs={"version": _id},
    )
