"""The save blocks' part of a state: decrypted, and checked against the game's own rules."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.tables import NATIONAL_DEX_COUNT, items, maps
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import (
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
from emerald_env.state.text import decode_text

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


class Goods(NamedTuple):
    """What the player owns, as in ``Saved``."""

    money: int
    coins: int
    bag_data: bytes
    pc_data: bytes


class Owner(NamedTuple):
    """Whose game it is, as in ``Saved``."""

    player_name: str
    player_gender: int
    trainer_id: int
    secret_id: int


class SaveBlockDecoder:
    """Decrypts a game's save blocks repeatedly, each time only what changed.

    They are checked against the game's own rules. A half-written block or a wrong key shows in the
    encrypted values: unused counters and empty slots of the bag are 0 only under the right key, and
    other counters stay small.

    Args:
        japanese: whether the player's name is in kana.

    Attributes:
        place: the latest location and position.
        has_player: whether they have a player's name, as in every game that was begun.
    """

    def __init__(self, japanese: bool = False) -> None:
        self._japanese = japanese
        self._parts: tuple[tuple[int, Callable[[Any], Rejection | None]], ...] = (
            (STATS.bit | KEY.bit, self._take_stats),
            (FLAGS.bit | VARS.bit, self._take_story),
            (GOODS.bit | KEY.bit, self._take_goods),
            (CLOCK.bit, self._take_clock),
            (PLACE.bit, self._take_place),
            (OWNER.bit | DEX.bit | SEEN1.bit | SEEN2.bit | HEAL.bit, self._take_owner),
        )
        self.place: tuple[tuple[int, int], tuple[int, int]]
        self.has_player = False
        self._goods: Goods
        self._dex: tuple[int, int]
        self._clock: tuple[int, ...]
        self._owner: Owner
        self._heal: tuple[int, int, int, int]
        self._flags = self._vars = self._stats = b""

    def update(self, copy: Any, stale: int = ALL) -> Rejection | None:
        """Reads the save blocks; returns why the game cannot have written this, None if it can.

        Args:
            copy: a buffer that begins as `cut_save_blocks` says.
            stale: the bits of what changed since the last call without a rejection.
        """
        for bits, take in self._parts:
            if stale & bits and (reason := take(copy)) is not None:
                return reason
        return None

    def values(self) -> tuple[Any, ...]:
        """Returns what was read, in the order of `Saved`, without location and position."""
        story = self._flags, self._vars, self._stats
        return (*self._goods, *story, *self._dex, self._clock, *self._owner, self._heal)

    def saved(self) -> Saved:
        """Returns everything that was read."""
        return Saved(*self.place, *self.values())

    def _take_stats(self, copy: Any) -> Rejection | None:
        stats = int.from_bytes(copy[STATS.cut], "little") ^ _key(copy) * _STATS_KEY
        if stats & _STATS_LIMIT:
            return Rejection.GAME_STATS
        self._stats = stats.to_bytes(sym.GAME_STATS_SIZE, "little")
        return None

    def _take_story(self, copy: Any) -> None:
        self._flags = _again(self._flags, copy[FLAGS.cut])
        self._vars = _again(self._vars, copy[VARS.cut])

    def _take_goods(self, copy: Any) -> Rejection | None:
        goods = _goods(copy[GOODS.cut], _key(copy))
        if isinstance(goods, Rejection):
            return goods
        self._goods = goods
        return None

    def _take_clock(self, copy: Any) -> Rejection | None:
        time = _TIME.unpack_from(copy, CLOCK.start)
        if time[0] > MAX_HOURS or time[1] > 59 or time[2] > 59 or time[3] > 59:
            return Rejection.PLAY_TIME
        self._clock = time
        return None

    def _take_place(self, copy: Any) -> Rejection | None:
        place = _place(copy[PLACE.cut])
        if place is None:
            return Rejection.LOCATION
        self.place = place
        return None

    def _take_owner(self, copy: Any) -> Rejection | None:
        owner = _owner(copy[OWNER.cut], self._japanese)
        if isinstance(owner, Rejection):
            return owner
        group, number, _, x, y = _HEAL.unpack_from(copy, HEAL.start)
        self._owner, self._heal = owner, (group, number, x, y)
        self.has_player = owner.player_name.strip() != ""
        self._dex = _pokedex(copy[SEEN1.cut], copy[SEEN2.cut], copy[DEX.cut])
        return None


def _key(copy: Any) -> int:
    (key,) = _KEY.unpack_from(copy, KEY.start)
    return int(key)


def _again(old: bytes, new: bytes) -> bytes:
    """Returns the old object if it is equal."""
    return old if old == new else new


@lru_cache(maxsize=4096)
def _place(raw: bytes) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Returns the location and position; None for a map that does not exist."""
    x, y, group, number = _POS.unpack(raw)
    return ((group, number), (x, y)) if (group, number) in maps() else None


def _goods(raw: bytes, key: int) -> Goods | Rejection:
    money, coins = _PURSE.unpack_from(raw, 0)
    money, coins = money ^ key, coins ^ key & 0xFFFF
    if money > MAX_MONEY or coins > MAX_COINS:
        return Rejection.MONEY
    bag = _unlock(raw[sym.SB1_BAG - sym.SB1_MONEY :], (key & 0xFFFF) * _BAG_KEY)
    pc = sym.SB1_PC_ITEMS - sym.SB1_MONEY
    stored = raw[pc : pc + sym.PC_ITEMS_SIZE]
    if not (_possible_items(bag) and _possible_items(stored)):
        return Rejection.ITEMS
    return Goods(money, coins, bag, stored)


def _owner(raw: bytes, japanese: bool) -> Owner | Rejection:
    name, gender, trainer, secret = _PLAYER.unpack_from(raw, sym.SB2_PLAYER_NAME)
    if gender > 1:
        return Rejection.PLAYER
    return Owner(decode_text(name, japanese), gender, trainer, secret)


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
