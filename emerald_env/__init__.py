"""Pokémon Emerald as a gymnasium environment: from a ROM to a step.

import gymnasium, emerald_env

env = gymnasium.make("Emerald-v0")  # the built-in game Jade, the default reward
env = gymnasium.make("Emerald-v0", rom="emerald.gba", reward="exploration")
env = gymnasium.make("Jade-v1")  # the built-in game with fixed settings, for comparisons
games = gymnasium.make_vec("Jade-v1", num_envs=64)  # a worker process a core; GBA-v0, too
env = gymnasium.make("GBA-v0", rom="any.gba", watch={"lives": (0x03001234, "|u1")})  # any game
gba = emerald_env.GBA("emerald.gba")  # the console alone, with PyBoy's names
"""

from typing import TYPE_CHECKING

import gymnasium

from emerald_env.env.versions import EMERALD, MAKE, MAKE_VERSION, VERSIONS
from emerald_env.files.lazy_names import lazy_names

if TYPE_CHECKING:
    from emerald_env.emulator import GBA
    from emerald_env.env.config import EnvConfig
    from emerald_env.env.env import EmeraldEnv

__all__ = ["GBA", "EmeraldEnv", "EnvConfig"]

_VECTOR = "emerald_env.parallel.vector_env:make_games"

gymnasium.register(
    id="GBA-v0",
    entry_point="emerald_env.env.any_game.gba_env:GBAEnv",
    vector_entry_point="emerald_env.parallel.vector_env:make_any_games",
)

gymnasium.register(id=EMERALD, entry_point=MAKE, vector_entry_point=_VECTOR)
for _id in VERSIONS:
    gymnasium.register(
        id=_id,
        entry_point=MAKE_VERSION,
        vector_entry_point=_VECTOR,
        kwargs={"version": _id},
    )

__getattr__ = lazy_names(
    __name__,
    {
        "emerald_env.emulator.gba": "GBA",
        "emerald_env.env.env": "EmeraldEnv",
        "emerald_env.env.config": "EnvConfig",
    },
)
