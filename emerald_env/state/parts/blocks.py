"""The save blocks' part of a state: decrypted, and checked against the game's own rules."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.tables import NATIONAL_DEX_COUNT, items, maps
from emerald_env.state.parts.text import decode_text
from emerald_env.state.rejection import Rejection
from emerald_env.state.state_memory import (
    ALL,
    CLOCK,
    DEX,
    FLAGS,
    GOODS,
    HEAL,
    KEY,
    OWNER,
    PLACE,
    SEEN1,
    SEEN2,
    STATS,
    VARS,
)

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
_OWNER_BITS = OWNER.bit | DEX.bit | SEEN1.bit | SEEN2.bit | HEAL.bit
_SELDOM = KEY.bit | FLAGS.bit | VARS.bit | GOODS.bit | PLACE.bit | _OWNER_BITS
_STATS_BIT, _CLOCK_BIT = STATS.bit, CLOCK.bit
_STATS, _CLOCK = STATS.cut, CLOCK.start
_SLOT = struct.Struct("<HH")
_DEX_MASK = (1 << NATIONAL_DEX_COUNT) - 1

_BAG_SLOTS = sym.BAG_SIZE // 4
_BAG_KEY = int.from_bytes(b"\x00\x00\x01\x00" * _BAG_SLOTS, "little")
_COUNTERS = sym.GAME_STATS_SIZE // 4
_STATS_KEY = int.from_bytes(b"\x01\x00\x00\x00" * _COUNTERS, "little")
_USED_STATS = 52
_LONGEST_STAT = 1  # the time of the first victory, up to 999 hours in the upper 16 bits
_STATS_LIMIT = int.from_bytes(
    struct.pack(
        f"<{_COUNTERS}I",
        *(0xFC000000 if index == _LONGEST_STAT else 0xFF000000 for index in range(_USED_STATS)),
        *(0xFFFFFFFF for _ in range(_USED_STATS, _COUNTERS)),
    ),
    "little",
)
"""Bits that no counter sets: they stop at 0xFFFFFF, and the last twelve are never used."""


class Saved(NamedTuple):
    """The save blocks' contents; fields and order as in ``GameState``."""

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


_PLACE_FIELDS = 2  # location and position, which come first
# the places of parts of `Saved` in `SaveBlockDecoder.contents`
_at = {name: index - _PLACE_FIELDS for index, name in enumerate(Saved._fields)}
_FLAGS_AT, _VARS_AT, _STATS_AT = _at["flags"], _at["vars"], _at["stats"]
_CLOCK_AT, _HEAL_AT = _at["play_time"], _at["last_heal"]
_GOODS_AT = slice(_at["money"], _at["pc_data"] + 1)
_DEX_AT = slice(_at["pokedex_seen"], _at["pokedex_caught"] + 1)
_OWNER_AT = slice(_at["player_name"], _at["secret_id"] + 1)


class SaveBlockDecoder:
    """Decrypts a game's save blocks repeatedly, each time only what changed.

    They are checked against the game's own rules. A half-written block or a wrong key shows in the
    encrypted values: unused counters and empty slots of the bag are 0 only under the right key, and
    other counters stay small.

    Args:
        japanese: whether the player's name is in kana.

    Attributes:
        contents: what was read, in the order of `Saved`, without location and position.
        has_player: whether they have a player's name, as in every game that was begun.
    """

    def __init__(self, japanese: bool = False) -> None:
        self._japanese = japanese
        self._parts: tuple[tuple[int, Callable[[Any], Rejection | None]], ...] = (
            (KEY.bit, self._take_key),
            (STATS.bit | KEY.bit, self._take_stats),
            (FLAGS.bit | VARS.bit, self._take_story),
            (GOODS.bit | KEY.bit, self._take_goods),
            (CLOCK.bit, self._take_clock),
            (PLACE.bit, self._take_place),
            (_OWNER_BITS, self._take_owner),
        )
        self.contents: list[Any] = [b""] * (len(Saved._fields) - _PLACE_FIELDS)
        self.has_player = False
        self._place: tuple[tuple[int, int], tuple[int, int]]
        self._key = self._stats_key = 0

    def update(self, copy: Any, stale: int = ALL) -> Rejection | None:
        """Reads the save blocks; returns why the game cannot have written this, None if it can.

        Args:
            copy: a buffer that begins as `cut_save_blocks` says.
            stale: the bits of what changed since the last call without a rejection.
        """
        if stale & _SELDOM:
            for bits, take in self._parts:
                if stale & bits and (reason := take(copy)) is not None:
                    return reason
            return None
        if stale & _STATS_BIT and (reason := self._take_stats(copy)) is not None:
            return reason
        return self._take_clock(copy) if stale & _CLOCK_BIT else None

    def saved(self) -> Saved:
        """Returns everything that was read."""
        return Saved(*self._place, *self.contents)

    def _take_key(self, copy: Any) -> None:
        (self._key,) = _KEY.unpack_from(copy, KEY.start)
        self._stats_key = self._key * _STATS_KEY

    def _take_stats(self, copy: Any) -> Rejection | None:
        stats = int.from_bytes(copy[_STATS], "little") ^ self._stats_key
        if stats & _STATS_LIMIT:
            return Rejection.GAME_STATS
        self.contents[_STATS_AT] = stats.to_bytes(sym.GAME_STATS_SIZE, "little")
        return None

    def _take_story(self, copy: Any) -> None:
        for place, stretch in ((_FLAGS_AT, FLAGS), (_VARS_AT, VARS)):
            self.contents[place] = _again(self.contents[place], copy[stretch.cut])

    def _take_goods(self, copy: Any) -> Rejection | None:
        goods = _goods(copy[GOODS.cut], self._key)
        if isinstance(goods, Rejection):
            return goods
        self.contents[_GOODS_AT] = goods
        return None

    def _take_clock(self, copy: Any) -> Rejection | None:
        time = hours, minutes, seconds, frames = _TIME.unpack_from(copy, _CLOCK)
        if hours > MAX_HOURS or minutes > 59 or seconds > 59 or frames > 59:
            return Rejection.PLAY_TIME
        self.contents[_CLOCK_AT] = time
        return None

    def _take_place(self, copy: Any) -> Rejection | None:
        place = _place(copy[PLACE.cut])
        if place is None:
            return Rejection.LOCATION
        self._place = place
        return None

    def _take_owner(self, copy: Any) -> Rejection | None:
        owner = _owner(copy[OWNER.cut], self._japanese)
        if isinstance(owner, Rejection):
            return owner
        group, number, _, x, y = _HEAL.unpack_from(copy, HEAL.start)
        self.contents[_OWNER_AT] = owner
        self.contents[_HEAL_AT] = (group, number, x, y)
        self.contents[_DEX_AT] = _pokedex(copy[SEEN1.cut], copy[SEEN2.cut], copy[DEX.cut])
        self.has_player = owner[0].strip() != ""
        return None


def _again(old: bytes, new: bytes) -> bytes:
    """Returns the old object if it is equal."""
    return old if old == new else new


@lru_cache(maxsize=4096)
def _place(raw: bytes) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Returns the location and position; None for a map that does not exist."""
    x, y, group, number = _POS.unpack(raw)
    return ((group, number), (x, y)) if (group, number) in maps() else None


def _goods(raw: bytes, key: int) -> tuple[int, int, bytes, bytes] | Rejection:
    """Returns money, coins, the bag and the PC's items."""
    money, coins = _PURSE.unpack_from(raw, 0)
    money, coins = money ^ key, coins ^ key & 0xFFFF
    if money > MAX_MONEY or coins > MAX_COINS:
        return Rejection.MONEY
    bag = _unlock(raw[sym.SB1_BAG - sym.SB1_MONEY :], (key & 0xFFFF) * _BAG_KEY)
    pc = sym.SB1_PC_ITEMS - sym.SB1_MONEY
    stored = raw[pc : pc + sym.PC_ITEMS_SIZE]
    if not (_possible_items(bag) and _possible_items(stored)):
        return Rejection.ITEMS
    return money, coins, bag, stored


def bag_in(copy: Any) -> bytes | None:
    """Returns the bag in a copy of memory; None if the game cannot have written it."""
    goods = _goods(copy[GOODS.cut], *_KEY.unpack_from(copy, KEY.start))
    return None if isinstance(goods, Rejection) else goods[2]


def _owner(raw: bytes, japanese: bool) -> tuple[str, int, int, int] | Rejection:
    """Returns the player's name, gender, trainer id and secret id."""
    name, gender, trainer, secret = _PLAYER.unpack_from(raw, sym.SB2_PLAYER_NAME)
    if gender > 1:
        return Rejection.PLAYER
    return decode_text(name, japanese), gender, trainer, secret


def _unlock(locked: bytes, key: int) -> bytes:
    return (int.from_bytes(locked, "little") ^ key).to_bytes(len(locked), "little")


def _pokedex(seen1: bytes, seen2: bytes, dex: bytes) -> tuple[int, int]:
    """Returns the species seen and caught as the game counts them: where all copies agree."""
    seen = _dex_bits(dex[sym.DEX_SIZE :]) & _dex_bits(seen1) & _dex_bits(seen2) & _DEX_MASK
    return seen, seen & _dex_bits(dex[: sym.DEX_SIZE])


def _dex_bits(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


@lru_cache(maxsize=256)
def _possible_items(data: bytes) -> bool:
    count = len(items())
    return all(
        item < count and (quantity <= MAX_QUANTITY if item else not quantity)
        for item, quantity in _SLOT.iter_unpack(data)
    )
