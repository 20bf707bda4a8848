"""A world from a number: Jade's ROM with other maps and other words for the same story."""

import random
from typing import Final

from emerald_env.jade.maps import Stuck
from emerald_env.jade.worlds import creatures
from emerald_env.jade.worlds.demanding.cave import dig_cave
from emerald_env.jade.worlds.demanding.coast import with_coast
from emerald_env.jade.worlds.demanding.demands import demand
from emerald_env.jade.worlds.demanding.west import settle_west
from emerald_env.jade.worlds.guidance.errands import COAST, WEST
from emerald_env.jade.worlds.guidance.world_story import Story
from emerald_env.jade.worlds.outdoors.mainland import lay_out
from emerald_env.jade.worlds.places import BEACH, LOWER_CAVE
from emerald_env.jade.worlds.rom_tables import RomTables
from emerald_env.jade.worlds.rooms import reshape_rooms
from emerald_env.jade.worlds.solvable import find_mainland_trap

ATTEMPTS = 60
SIZES: Final = ("small", "large")


def make_world(base: bytes, seed: int, size: str = "small", demanding: bool = False) -> bytes:
    """Returns the ROM of a world; 0 is the game as it comes.

    Args:
        base: Jade's ROM.
        seed: the world's number.
        size: one of `SIZES`: how long the ways are.
        demanding: whether it asks of the player what the real game does (`demands.py`).

    Raises:
        Stuck: no attempt gave a world whose story can be played.
    """
    if seed == 0:
        return _demanding(base, f"0 {size}") if demanding else base
    for attempt in range(ATTEMPTS):
        try:
            rom = _attempt(base, random.Random(f"world {seed} {size} {attempt}"), size)
            rom = _demanding(rom, f"{seed} {size} {attempt}") if demanding else rom
        except ValueError:  # something found no room
            continue
        tables = RomTables(rom)
        if find_mainland_trap(Story(rom, tables.headers.keys() - COAST)) is None:
            large = size == "large"
            return with_coast(rom, f"{seed} {size}", large) if tables.is_full else rom
    raise Stuck(f"world {seed}: nothing playable in {ATTEMPTS} attempts")


def _demanding(rom: bytes, name: str) -> bytes:
    tables = RomTables(demand(rom))
    if tables.is_full:
        settle_west(tables, random.Random(f"west {name}"))
    return bytes(tables.data)


def _attempt(base: bytes, chance: random.Random, size: str) -> bytes:
    tables = RomTables(base)
    maps = [at for at in tables.headers if at not in COAST | WEST | LOWER_CAVE]
    reshape_rooms(tables, maps, chance)
    lay_out(tables, chance, large=size == "large")
    creatures.settle(tables, chance, set(maps) - {BEACH})  # who fights there is the coast's
    if tables.is_full:
        dig_cave(tables, chance, large=size == "large")
    return bytes(tables.data)
