"""Pokémon Emerald as a gymnasium environment.

import gymnasium, emerald_env
env = gymnasium.make("Emerald-v0")            # the built-in game Jade
env = gymnasium.make("Emerald-v0", config=emerald_env.EnvConfig(rom=Path("emerald.gba")))
"""

import gymnasium

from emerald_env.config import EnvConfig

__all__ = ["EnvConfig"]

gymnasium.register(id="Emerald-v0", entry_point="emerald_env.episode:make_env")
