"""The few stretches of memory that one look at the game needs, each read in one piece."""

from __future__ import annotations

import struct
from typing import NamedTuple

from emerald_env import symbols as sym

_POINTERS = struct.Struct("<II")

SCRIPT = sym.S_PLAY_TIME_COUNTER_STATE
SCRIPT_SIZE = sym.S_LOCK_FIELD_CONTROLS + 1 - SCRIPT
ENGINE = sym.G_SAVE_BLOCK_1_PTR
ENGINE_SIZE = sym.G_TASKS + sym.TASK_SIZE * sym.TASK_COUNT - ENGINE
MONS = sym.G_BATTLERS_COUNT
MONS_SIZE = sym.G_ENEMY_PARTY + sym.PARTY_SIZE * sym.POKEMON_SIZE - MONS
FIELD = sym.G_OBJECT_EVENTS
FIELD_SIZE = sym.G_PALETTE_FADE + sym.PALETTE_FADE_SIZE - FIELD
BLOCK1_SIZE = sym.SB1_GAME_STATS + sym.GAME_STATS_SIZE
BLOCK2_SIZE = sym.SB2_ENCRYPTION_KEY + 4


class SaveBlocks(NamedTuple):
    """The parts of the two save blocks that a state is made of, as they stand in memory."""

    block1: bytes  # (BLOCK1_SIZE,) the beginning of SaveBlock1
    seen2: bytes  # (52,) the last of the three copies of the species seen
    block2: bytes  # (BLOCK2_SIZE,) the beginning of SaveBlock2


def read_save_blocks(read: sym.Read, engine: bytes) -> SaveBlocks | None:
    """Reads the save blocks; None if their pointers cannot be the game's.

    Both pointers are their base plus one common slide; they are null until the game has booted.

    Args:
        read: the memory.
        engine: what memory holds at ``ENGINE``.
    """
    pointer1, pointer2 = _POINTERS.unpack_from(engine, 0)
    slide = pointer1 - sym.G_SAVE_BLOCK_1
    if slide & ~sym.SAVE_BLOCK_SLIDE_MASK or pointer2 - sym.G_SAVE_BLOCK_2 != slide:
        return None
    return SaveBlocks(
        read(pointer1, BLOCK1_SIZE),
        read(pointer1 + sym.SB1_SEEN2, sym.DEX_SIZE),
        read(pointer2, BLOCK2_SIZE),
    )
