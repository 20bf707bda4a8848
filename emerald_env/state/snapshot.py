"""The few stretches of memory that one look at the game needs."""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import NamedTuple

from emerald_env.game import symbols as sym

ENGINE = sym.G_SAVE_BLOCK_1_PTR
ENGINE_SIZE = sym.G_BACKUP_MAP_LAYOUT + 12 - ENGINE
FIELD = sym.G_OBJECT_EVENTS
FIELD_SIZE = sym.G_PLAYER_AVATAR + sym.PLAYER_AVATAR_SIZE - FIELD
MONS_AT = sym.G_BATTLERS_COUNT
PARTY_AT = sym.G_PLAYER_PARTY_COUNT

# (offset, size) in SaveBlock1, then in SaveBlock2, then (address, size) of what never moves
_BLOCK1 = (
    (sym.SB1_POS, 6),
    (sym.SB1_LAST_HEAL_LOCATION, 8),
    (sym.SB1_MONEY, sym.SB1_BAG + sym.BAG_SIZE - sym.SB1_MONEY),
    (sym.SB1_SEEN1, sym.DEX_SIZE),
    (sym.SB1_FLAGS, sym.FLAGS_SIZE),
    (sym.SB1_VARS, sym.VARS_SIZE),
    (sym.SB1_GAME_STATS, sym.GAME_STATS_SIZE),
    (sym.SB1_SEEN2, sym.DEX_SIZE),
)
_BLOCK2 = (
    (0, sym.SB2_PLAY_TIME),
    (sym.SB2_PLAY_TIME, 5),
    (sym.SB2_OWNED, sym.SB2_SEEN + sym.DEX_SIZE - sym.SB2_OWNED),
    (sym.SB2_ENCRYPTION_KEY, 4),
)
_FIXED = (
    (sym.G_MAIN + sym.MAIN_CALLBACK2, 4),
    (sym.G_MAIN + sym.MAIN_IN_BATTLE, 1),
    (sym.S_PLAY_TIME_COUNTER_STATE, 1),
    (sym.S_GLOBAL_SCRIPT_CONTEXT_STATUS, 1),
    (sym.S_LOCK_FIELD_CONTROLS, 1),
    (ENGINE, 8),
    (sym.G_BACKUP_MAP_LAYOUT, 12),
    (PARTY_AT, sym.G_PLAYER_PARTY + sym.PARTY_SIZE * sym.POKEMON_SIZE - PARTY_AT),
    (FIELD, FIELD_SIZE),
    (sym.DIALOGUE_FRAME_CELL, 2),
    (sym.G_PALETTE_FADE + sym.PALETTE_FADE_ACTIVE, 1),
    (sym.G_TASKS, sym.TASK_SIZE * sym.TASK_COUNT),
    (MONS_AT, sym.G_ENEMY_PARTY + sym.PARTY_SIZE * sym.POKEMON_SIZE - MONS_AT),
    (sym.G_BATTLE_TYPE_FLAGS, 4),
    (sym.G_TRAINER_BATTLE_OPPONENT_A, 2),
)


class Stretch(NamedTuple):
    """A stretch's place in a watch."""

    bit: int  # what stands for it where changes are told
    start: int  # its place in the copy
    cut: slice  # its bytes in the copy


def moving(block1: int, block2: int) -> tuple[tuple[int, int], ...]:
    """Returns (address, size) of the first stretches, with the save blocks at these addresses."""
    return (
        *((block1 + offset, size) for offset, size in _BLOCK1),
        *((block2 + offset, size) for offset, size in _BLOCK2),
    )


STRETCHES = (*moving(sym.G_SAVE_BLOCK_1, sym.G_SAVE_BLOCK_2), *_FIXED)
"""The address and size of each stretch while the save blocks are at their base."""


def _places() -> tuple[Stretch, ...]:
    sizes = [size for _, size in STRETCHES]
    starts = accumulate(sizes, initial=0)
    return tuple(
        Stretch(1 << index, start, slice(start, start + size))
        for index, (start, size) in enumerate(zip(starts, sizes, strict=False))
    )


_PLACES = _places()
ALL = (1 << len(STRETCHES)) - 1
MOVING = len(_BLOCK1) + len(_BLOCK2)
"""How many of the stretches, the first ones, lie in the save blocks."""
PLACE, HEAL, GOODS, SEEN1, FLAGS, VARS, STATS, SEEN2 = _PLACES[: len(_BLOCK1)]
OWNER, CLOCK, DEX, KEY = _PLACES[len(_BLOCK1) : MOVING]
CALLBACK, IN_BATTLE, PLAYING, SCRIPT, LOCK = _PLACES[MOVING : MOVING + 5]
POINTERS, LAYOUT, PARTY, ON_MAP, CORNER = _PLACES[MOVING + 5 : MOVING + 10]
FADE, TASKS, MONS, BATTLE_TYPE, OPPONENT = _PLACES[MOVING + 10 :]

HEAD = struct.Struct("<I4B")
"""The five stretches from `CALLBACK` on."""


def cut_save_blocks(block1: bytes, block2: bytes) -> bytes:
    """Returns what a watch's copy begins with where memory has these two whole save blocks."""
    return b"".join(
        block[offset : offset + size]
        for block, parts in ((block1, _BLOCK1), (block2, _BLOCK2))
        for offset, size in parts
    )


_POINTERS = struct.Struct("<II")


def save_blocks_at(pointers: bytes) -> tuple[int, int] | None:
    """Returns where the save blocks are, None if that cannot be so.

    Both pointers are their base plus one common slide; they are null until the game has booted.
    """
    pointer1, pointer2 = _POINTERS.unpack(pointers)
    slide = pointer1 - sym.G_SAVE_BLOCK_1
    if slide & ~sym.SAVE_BLOCK_SLIDE_MASK or pointer2 - sym.G_SAVE_BLOCK_2 != slide:
        return None
    return pointer1, pointer2
