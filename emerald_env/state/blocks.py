"""The save blocks' part of a state: decrypted, and checked against what the game itself allows."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any, NamedTuple

from emerald_env import symbols as sym
from emerald_env.state.game_state import item_slots
from emerald_env.state.kept import Kept
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import GOODS, STORY, SaveBlocks
from emerald_env.state.text import decode_text
from emerald_env.tables import NATIONAL_DEX_COUNT, items, maps

MAX_MONEY = 999_999
MAX_COINS = 9_999
MAX_QUANTITY = 999
MAX_HOURS = 999

_POS = struct.Struct("<hhbb")
_HEAL = struct.Struct("<bbbxhh")
_PURSE = struct.Struct("<IH")
_PLAYER = struct.Struct("<8sBxHH")
_TIME = struct.Struct("<HBBB")
_KEY = struct.Struct("<I")
_FLAGS, _VARS = sym.SB1_FLAGS - STORY, sym.SB1_VARS - STORY
_DEX = slice(sym.SB2_OWNED, sym.SB2_SEEN + sym.DEX_SIZE)  # caught, then seen, without a gap
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


class Goods(NamedTuple):
    """What the player owns, as in ``Saved``."""

    money: int
    coins: int
    bag_data: bytes
    pc_data: bytes


class Story(NamedTuple):
    """What happened so far, as in ``Saved``."""

    flags: bytes
    vars: bytes
    stats: bytes


class Owner(NamedTuple):
    """Whose game it is, as in ``Saved``."""

    player_name: str
    player_gender: int
    trainer_id: int
    secret_id: int


class SaveBlockDecoder:
    """Decrypts a game's save blocks again and again, of each part only what changed.

    They are checked against what the game itself allows. A half-written block or a key that does
    not fit shows in the encrypted values: the counters that the game never uses are 0 under the
    right key only, and the others stay small.
    """

    def __init__(self) -> None:
        self._story, self._flags, self._vars = Kept(self._decrypt_story), Kept(bytes), Kept(bytes)
        self._goods, self._owner, self._pokedex = Kept(_goods), Kept(_owner), Kept(_pokedex)

    def decode(self, blocks: SaveBlocks) -> Saved | Rejection:
        """Returns what the save blocks say, or why that cannot be what the game left there."""
        (key,) = _KEY.unpack_from(blocks.owner, sym.SB2_ENCRYPTION_KEY)
        story = self._story(blocks.story, key)
        if isinstance(story, Rejection):
            return story
        goods = self._goods(blocks.goods, key)
        if isinstance(goods, Rejection):
            return goods
        time = _TIME.unpack_from(blocks.owner, sym.SB2_PLAY_TIME)
        if time[0] > MAX_HOURS or time[1] > 59 or time[2] > 59 or time[3] > 59:
            return Rejection.PLAY_TIME
        x, y, group, number = _POS.unpack_from(blocks.place, sym.SB1_POS)
        location = (group, number)
        if location not in maps():
            return Rejection.LOCATION
        owner = self._owner(blocks.owner[: sym.SB2_PLAY_TIME])
        if isinstance(owner, Rejection):
            return owner
        heal = _HEAL.unpack_from(blocks.place, sym.SB1_LAST_HEAL_LOCATION)
        dex = self._pokedex(blocks.seen1, blocks.seen2, blocks.owner[_DEX])
        back = (heal[0], heal[1], *heal[3:])
        values: tuple[Any, ...] = (location, (x, y), *goods, *story, *dex, time, *owner, back)
        return Saved(*values)

    def _decrypt_story(self, raw: bytes, key: int) -> Story | Rejection:
        stats = _unlock(raw[sym.SB1_GAME_STATS - STORY :], key * _STATS_KEY)
        if int.from_bytes(stats, "little") & _STATS_LIMIT:
            return Rejection.GAME_STATS
        flags = self._flags(raw[_FLAGS : _FLAGS + sym.FLAGS_SIZE])
        return Story(flags, self._vars(raw[_VARS : _VARS + sym.VARS_SIZE]), stats)


def _goods(raw: bytes, key: int) -> Goods | Rejection:
    money, coins = _PURSE.unpack_from(raw, 0)
    money, coins = money ^ key, coins ^ key & 0xFFFF
    if money > MAX_MONEY or coins > MAX_COINS:
        return Rejection.MONEY
    bag = _unlock(raw[sym.SB1_BAG - GOODS :], (key & 0xFFFF) * _BAG_KEY)
    pc = sym.SB1_PC_ITEMS - GOODS
    stored = raw[pc : pc + sym.PC_ITEMS_SIZE]
    if not (_possible_items(bag) and _possible_items(stored)):
        return Rejection.ITEMS
    return Goods(money, coins, bag, stored)


def _owner(raw: bytes) -> Owner | Rejection:
    name, gender, trainer, secret = _PLAYER.unpack_from(raw, sym.SB2_PLAYER_NAME)
    return Rejection.PLAYER if gender > 1 else Owner(decode_text(name), gender, trainer, secret)


def _unlock(locked: bytes, key: int) -> bytes:
    return (int.from_bytes(locked, "little") ^ key).to_bytes(len(locked), "little")


def _pokedex(seen1: bytes, seen2: bytes, dex: bytes) -> tuple[int, int]:
    """Returns the species seen and caught, counted as the game does: where all copies agree."""
    seen = _dex_bits(dex[sym.DEX_SIZE :]) & _dex_bits(seen1) & _dex_bits(seen2) & _DEX_MASK
    return seen, seen & _dex_bits(dex[: sym.DEX_SIZE])


def _dex_bits(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


@lru_cache(maxsize=256)
def _possible_items(data: bytes) -> bool:
    count = len(items())
    return all(slot.item < count and slot.quantity <= MAX_QUANTITY for slot in item_slots(data))
