"""The save blocks' part of a state: decrypted, and checked against what the game itself allows."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import NamedTuple

from emerald_env import symbols as sym
from emerald_env.state.game_state import item_slots
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import SaveBlocks
from emerald_env.state.text import decode_text
from emerald_env.tables import NATIONAL_DEX_COUNT, items, maps

MAX_MONEY = 999_999
MAX_COINS = 9_999
MAX_QUANTITY = 999
MAX_HOURS = 999

_POS = struct.Struct("<hhbb")
_HEAL = struct.Struct("<bbbxhh")
_PURSE = struct.Struct("<IH")
_PLAYER = struct.Struct("<8sBxHHHBBB")
_KEY = struct.Struct("<I")
_DEX_MASK = (1 << NATIONAL_DEX_COUNT) - 1

_BAG_SLOTS = sym.BAG_SIZE // 4
_BAG_KEY = int.from_bytes(b"\x00\x00\x01\x00" * _BAG_SLOTS, "little")
_STATS = sym.GAME_STATS_SIZE // 4
_STATS_KEY = int.from_bytes(b"\x01\x00\x00\x00" * _STATS, "little")
_USED_STATS = 52
_LONGEST_STAT = 1  # the time of the first victory, up to 999 hours in the upper 16 bits
_STATS_LIMIT = int.from_bytes(
    struct.pack(
        f"<{_STATS}I",
        *(0xFC000000 if index == _LONGEST_STAT else 0xFF000000 for index in range(_USED_STATS)),
        *(0xFFFFFFFF for _ in range(_USED_STATS, _STATS)),
    ),
    "little",
)
"""Bits that no counter sets: they stop at 0xFFFFFF, and the last twelve are never used."""


class Saved(NamedTuple):
    """What the save blocks say; field by field, and in the order, as in ``GameState``."""

    location: tuple[int, int]
    position: tuple[int, int]
    money: int
    coins: int
    bag_data: bytes
    pc_data: bytes
    flags: bytes
    vars: bytes
    stats: bytes
    pokedex_seen: int
    pokedex_caught: int
    play_time: tuple[int, int, int, int]
    player_name: str
    player_gender: int
    trainer_id: int
    secret_id: int
    last_heal: tuple[int, int, int, int]


def decrypt(blocks: SaveBlocks) -> Saved:
    """Returns what the save blocks say, whatever that is: see ``check``."""
    block1, block2 = blocks.block1, blocks.block2
    (key,) = _KEY.unpack_from(block2, sym.SB2_ENCRYPTION_KEY)
    x, y, group, number = _POS.unpack_from(block1, sym.SB1_POS)
    heal_group, heal_num, _, heal_x, heal_y = _HEAL.unpack_from(block1, sym.SB1_LAST_HEAL_LOCATION)
    money, coins = _PURSE.unpack_from(block1, sym.SB1_MONEY)
    name, gender, trainer, secret, *time = _PLAYER.unpack_from(block2, sym.SB2_PLAYER_NAME)
    seen, caught = _pokedex(blocks)
    return Saved(
        (group, number),
        (x, y),
        money ^ key,
        coins ^ key & 0xFFFF,
        _unlock(block1, sym.SB1_BAG, sym.BAG_SIZE, (key & 0xFFFF) * _BAG_KEY),
        block1[sym.SB1_PC_ITEMS : sym.SB1_PC_ITEMS + sym.PC_ITEMS_SIZE],
        block1[sym.SB1_FLAGS : sym.SB1_FLAGS + sym.FLAGS_SIZE],
        block1[sym.SB1_VARS : sym.SB1_VARS + sym.VARS_SIZE],
        _unlock(block1, sym.SB1_GAME_STATS, sym.GAME_STATS_SIZE, key * _STATS_KEY),
        seen,
        caught,
        (time[0], time[1], time[2], time[3]),
        decode_text(name),
        gender,
        trainer,
        secret,
        (heal_group, heal_num, heal_x, heal_y),
    )


def check(saved: Saved) -> Rejection | None:
    """Returns why the save blocks cannot be what the game left there, or None if they can.

    A half-written block or a key that does not fit shows in the encrypted values: the counters that
    the game never uses are 0 under the right key only, and the others stay small.
    """
    if int.from_bytes(saved.stats, "little") & _STATS_LIMIT:
        return Rejection.GAME_STATS
    if saved.money > MAX_MONEY or saved.coins > MAX_COINS:
        return Rejection.MONEY
    if not (_possible_items(saved.bag_data) and _possible_items(saved.pc_data)):
        return Rejection.ITEMS
    hours, minutes, seconds, frames = saved.play_time
    if hours > MAX_HOURS or minutes > 59 or seconds > 59 or frames > 59:
        return Rejection.PLAY_TIME
    if saved.location not in maps():
        return Rejection.LOCATION
    return Rejection.PLAYER if saved.player_gender > 1 else None


def _unlock(block: bytes, start: int, size: int, key: int) -> bytes:
    plain = int.from_bytes(block[start : start + size], "little") ^ key
    return plain.to_bytes(size, "little")


def _pokedex(blocks: SaveBlocks) -> tuple[int, int]:
    """Returns the species seen and caught, counted as the game does: where all copies agree."""
    seen = (
        _dex_bits(blocks.block2, sym.SB2_SEEN)
        & _dex_bits(blocks.block1, sym.SB1_SEEN1)
        & int.from_bytes(blocks.seen2, "little")
        & _DEX_MASK
    )
    return seen, seen & _dex_bits(blocks.block2, sym.SB2_OWNED)


def _dex_bits(block: bytes, start: int) -> int:
    return int.from_bytes(block[start : start + sym.DEX_SIZE], "little")


@lru_cache(maxsize=256)
def _possible_items(data: bytes) -> bool:
    count = len(items())
    return all(slot.item < count and slot.quantity <= MAX_QUANTITY for slot in item_slots(data))
