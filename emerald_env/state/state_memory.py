"""The few stretches of memory that are read for a state."""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import Any, NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.addresses import PRET_NAMES, Addresses, MenuAddresses

# (offset, size) in SaveBlock1, then in SaveBlock2
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
_SUMMARY = ((sym.SUMMARY_NEW_MOVE, 3),)
# in the player's object: the bits of an active one and of the player's, the place, the direction
_PERSON = ((0, 3), (sym.OBJECT_EVENT_CURRENT_COORDS, 4), (sym.OBJECT_EVENT_FACING, 1))


def _where(at: Addresses) -> tuple[tuple[int, int], ...]:
    """Returns (address, size) of the fixed stretches that, with the next ones, give the place."""
    return (
        (at.g_backup_map_layout, 12),
        (at.g_player_avatar, 1),
        (at.g_player_avatar + sym.PLAYER_AVATAR_OBJECT_EVENT_ID, 1),
    )


def _fixed(at: Addresses) -> tuple[tuple[int, int], ...]:
    """Returns (address, size) of the fixed stretches."""
    return (
        (at.g_main + sym.MAIN_CALLBACK2, 4),
        (at.g_main + sym.MAIN_IN_BATTLE, 1),
        (at.s_play_time_counter_state, 1),
        (at.s_global_script_context_status, 1),
        (at.s_lock_field_controls, 1),
        (at.g_save_block_1_ptr, 4),
        (at.g_save_block_2_ptr, 4),
        (at.g_player_party_count, 1),
        (at.g_player_party, sym.PARTY_SIZE * sym.POKEMON_SIZE),
        (sym.DIALOGUE_FRAME_CELL, 2),
        (at.g_palette_fade + sym.PALETTE_FADE_ACTIVE, 1),
        (at.g_tasks, sym.TASK_SIZE * sym.TASK_COUNT),
        (at.g_battlers_count, 1),
        (at.g_battler_party_indexes, 2 * sym.MAX_BATTLERS),
        (at.g_battle_mons, sym.BATTLE_MON_SIZE * sym.MAX_BATTLERS),
        (at.g_battle_outcome, 1),
        (at.g_enemy_party, sym.PARTY_SIZE * sym.POKEMON_SIZE),
        (at.g_battle_type_flags, 4),
        (at.g_trainer_battle_opponent_a, 2),
        (at.menus.s_mon_summary_screen or sym.EWRAM, 4),
        *_menus(at.menus),
    )


def _menus(at: MenuAddresses) -> tuple[tuple[int, int], ...]:
    """Returns (address, size) of the menus' cursors; some other address if one is unknown."""
    parts = (
        (at.s_start_menu_cursor_pos, 0, 1),
        (at.s_menu, sym.MENU_CURSOR, 1),
        (at.g_party_menu, sym.PARTY_MENU_SLOT, sym.PARTY_MENU_CHOICE_SIZE),
        (at.g_bag_position, sym.BAG_POSITION_POCKET, sym.BAG_POSITION_SIZE),
        (at.g_battler_controller_funcs, 0, 4 * sym.MAX_BATTLERS),
        (at.g_action_selection_cursor, 0, sym.MAX_BATTLERS),
        (at.g_move_selection_cursor, 0, sym.MAX_BATTLERS),
        (at.g_move_to_learn, 0, 2),
    )
    return tuple(((base or sym.EWRAM) + offset, size) for base, offset, size in parts)


class Stretch(NamedTuple):
    """A stretch's place in a watch."""

    bit: int  # its bit among the changes
    start: int  # its place in the copy
    cut: slice  # its bytes in the copy


def moving(
    at: Addresses, block1: int, block2: int, person: int, summary: int
) -> tuple[tuple[int, int], ...]:
    """Returns (address, size) of the first stretches.

    Args:
        at: the edition's addresses.
        block1: where SaveBlock1 is.
        block2: where SaveBlock2 is.
        person: where the player's object on the map is.
        summary: where the data of the summary's screen is.
    """
    places = ((person, _PERSON), (block1, _BLOCK1), (block2, _BLOCK2), (summary, _SUMMARY))
    moved = ((start + offset, size) for start, parts in places for offset, size in parts)
    return (*_where(at), *moved)


def stretches(at: Addresses) -> tuple[tuple[int, int], ...]:
    """Returns the address and size of each stretch while those that move are at their base."""
    blocks = at.g_save_block_1, at.g_save_block_2
    base = moving(at, *blocks, at.g_object_events, sym.EWRAM)
    return (*base, *_fixed(at))


def _places() -> tuple[Stretch, ...]:
    anywhere = Addresses(*range(len(PRET_NAMES)))  # the sizes are those of all editions
    sizes = [size for _, size in stretches(anywhere)]
    starts = accumulate(sizes, initial=0)
    return tuple(
        Stretch(1 << index, start, slice(start, start + size))
        for index, (start, size) in enumerate(zip(starts, sizes, strict=False))
    )


_PLACES = _places()
ALL = (1 << len(_PLACES)) - 1
LAYOUT, AVATAR, PERSON, KINDS, COORDS, FACING = _PLACES[:6]
_BLOCK2_AT = 6 + len(_BLOCK1)
SUMMARY = _PLACES[_BLOCK2_AT + len(_BLOCK2)]
MOVING = _BLOCK2_AT + len(_BLOCK2) + len(_SUMMARY)
"""How many of the first stretches are located by pointers, or come before those that are."""
PLACE, HEAL, GOODS, SEEN1, FLAGS, VARS, STATS, SEEN2 = _PLACES[6:_BLOCK2_AT]
OWNER, CLOCK, DEX, KEY = _PLACES[_BLOCK2_AT : _BLOCK2_AT + len(_BLOCK2)]
CALLBACK, IN_BATTLE, PLAYING, SCRIPT, LOCK = _PLACES[MOVING : MOVING + 5]
POINTER1, POINTER2, PARTY_COUNT, PARTY = _PLACES[MOVING + 5 : MOVING + 9]
CORNER, FADE, TASKS = _PLACES[MOVING + 9 : MOVING + 12]
BATTLERS, INDEXES, FIGHTERS, OUTCOME, ENEMIES = _PLACES[MOVING + 12 : MOVING + 17]
BATTLE_TYPE, OPPONENT, SUMMARY_POINTER = _PLACES[MOVING + 17 : MOVING + 20]
CURSORS = slice(_PLACES[MOVING + 20].start, None)
"""The stretches with the menus' cursors."""
CURSOR_BITS = sum(place.bit for place in _PLACES[MOVING + 20 :]) | SUMMARY.bit
POINTERS = POINTER1.bit | POINTER2.bit | PERSON.bit | SUMMARY_POINTER.bit

WHERE = slice(LAYOUT.start, PLACE.cut.stop)
"""The stretches with the player's place."""
HEAD = struct.Struct("<I4B")
"""The five stretches from `CALLBACK` on."""
HEAD_BITS = CALLBACK.bit | IN_BATTLE.bit | PLAYING.bit | SCRIPT.bit | LOCK.bit


def cut_save_blocks(block1: bytes, block2: bytes) -> bytes:
    """Returns the beginning of a watch's copy for these two complete save blocks."""
    parts = [
        block[offset : offset + size]
        for block, places in ((block1, _BLOCK1), (block2, _BLOCK2))
        for offset, size in places
    ]
    return bytes(PLACE.start) + b"".join(parts)


_POINTERS = struct.Struct("<II")
_MOST_SUMMARY = sym.EWRAM + sym.EWRAM_SIZE - sym.SUMMARY_NEW_MOVE - 3


def summary_at(copy: Any) -> int:
    """Returns where the data of the summary's screen is, or would be in memory that has none."""
    pointer = int.from_bytes(copy[SUMMARY_POINTER.cut], "little")
    return pointer if sym.EWRAM <= pointer <= _MOST_SUMMARY else sym.EWRAM


def save_blocks_at(copy: Any, at: Addresses) -> tuple[int, int] | None:
    """Returns where the save blocks are, None if the pointers are impossible.

    Both pointers are their base plus one common offset; they are null until the game has booted.
    """
    pointer1, pointer2 = _POINTERS.unpack_from(copy, POINTER1.start)
    slide = pointer1 - at.g_save_block_1
    if slide & ~sym.SAVE_BLOCK_SLIDE_MASK or pointer2 - at.g_save_block_2 != slide:
        return None
    return pointer1, pointer2
