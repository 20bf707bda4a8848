"""Plays on with the keys of Jade's guide."""

from emerald_env.emulator import GBA
from emerald_env.jade.cartridge import JADE_IDLE_LOOP
from emerald_env.jade.journey import press
from emerald_env.jade.worlds.demanding.coast_proof import find_coast_trap
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import OVERWORLD
from emerald_env.jade.worlds.rom_tables import RomTables


def follow(game: GBA, guide: Guide, steps: int, until=lambda look: False) -> Look:
    """Presses the guide's keys until something holds; the last look."""
    for _ in range(steps):
        if until(look := Look(game.memory)):
            return look
        press(game, guide.labels(game.memory))
    return Look(game.memory)


def is_free(look: Look) -> bool:
    """Whether the player can walk."""
    return look.callback == OVERWORLD and look.free


def first_free(rom: bytes, guide: Guide) -> bytes:
    """The state in which the player of a new game can walk first."""
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as game:
        follow(game, guide, 200, until=is_free)
        return game.get_state()


def trap_after(rom: bytes, change) -> str:
    """Returns what `find_coast_trap` finds in a world after a change of its tables, or ""."""
    tables = RomTables(rom)
    change(tables)
    return find_coast_trap(Guide(bytes(tables.data))) or ""
