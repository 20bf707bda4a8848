"""The few stretches of memory that one look at the game needs, each read in one piece."""

from __future__ import annotations

import struct
from typing import NamedTuple

from emerald_env import symbols as sym

_POINTERS = struct.Struct("<II")

SCRIPT = sym.S_PLAY_TIME_COUNTER_STATE
SCRIPT_SIZE = sym.S_LOCK_FIELD_CONTROLS + 1 - SCRIPT
ENGINE = sym.G_SAVE_BLOCK_1_PTR
ENGINE_SIZE = sym.G_BACKUP_MAP_LAYOUT + 12 - ENGINE
TASKS_SIZE = sym.TASK_SIZE * sym.TASK_COUNT
MONS = sym.G_BATTLERS_COUNT
MONS_SIZE = sym.G_ENEMY_PARTY + sym.PARTY_SIZE * sym.POKEMON_SIZE - MONS
PARTY = sym.G_PLAYER_PARTY_COUNT
PARTY_SIZE = sym.G_PLAYER_PARTY + sym.PARTY_SIZE * sym.POKEMON_SIZE - PARTY
FIELD = sym.G_OBJECT_EVENTS
FIELD_SIZE = sym.G_PLAYER_AVATAR + sym.PLAYER_AVATAR_SIZE - FIELD
FADE = sym.G_PALETTE_FADE + sym.PALETTE_FADE_ACTIVE
PLACE_SIZE = sym.SB1_LAST_HEAL_LOCATION + 8
GOODS = sym.SB1_MONEY
GOODS_SIZE = sym.SB1_BAG + sym.BAG_SIZE - GOODS
STORY = sym.SB1_FLAGS
STORY_SIZE = sym.SB1_GAME_STATS + sym.GAME_STATS_SIZE - STORY
OWNER_SIZE = sym.SB2_ENCRYPTION_KEY + 4


class SaveBlocks(NamedTuple):
    """The parts of the two save blocks that a state is made of, as they stand in memory.

    They are cut by how often they change: a step of the player changes `place` and `story`.
    """

    place: bytes  # (PLACE_SIZE,) the beginning of SaveBlock1: where the player is
    goods: bytes  # (GOODS_SIZE,) money, coins, the items in the PC and in the bag
    seen1: bytes  # (52,) the first copy of the species seen
    story: bytes  # (STORY_SIZE,) flags, variables, counters
    seen2: bytes  # (52,) the last of the three copies of the species seen
    owner: bytes  # (OWNER_SIZE,) the beginning of SaveBlock2: player, time, Pokédex, key


def cut_save_blocks(block1: bytes, block2: bytes) -> SaveBlocks:
    """Returns the parts of two whole save blocks."""
    return SaveBlocks(
        block1[:PLACE_SIZE],
        block1[GOODS : GOODS + GOODS_SIZE],
        block1[sym.SB1_SEEN1 : sym.SB1_SEEN1 + sym.DEX_SIZE],
        block1[STORY : STORY + STORY_SIZE],
        block1[sym.SB1_SEEN2 : sym.SB1_SEEN2 + sym.DEX_SIZE],
        block2[:OWNER_SIZE],
    )


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
        read(pointer1, PLACE_SIZE),
        read(pointer1 + GOODS, GOODS_SIZE),
        read(pointer1 + sym.SB1_SEEN1, sym.DEX_SIZE),
        read(pointer1 + STORY, STORY_SIZE),
        read(pointer1 + sym.SB1_SEEN2, sym.DEX_SIZE),
        read(pointer2, OWNER_SIZE),
    )
