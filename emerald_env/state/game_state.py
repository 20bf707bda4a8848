"""The contents of one frame of the game's memory, as a value."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from enum import Enum, IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

from emerald_env.game.flags import BADGES, FLAG_COUNT
from emerald_env.game.symbols import BAG_SIZE, GAME_STATS_SIZE, PC_ITEMS_SIZE, VARS_SIZE, VARS_START
from emerald_env.state.bits import bits
from emerald_env.state.parts.open_menu import Menu
from emerald_env.state.parts.opponents import (
    BATTLE_TYPE_DOUBLE,
    BATTLE_TYPE_TRAINER,
    OpponentKind,
    opponent_kind,
)
from emerald_env.state.parts.pokemon import Pokemon

_SLOT = struct.Struct("<HH")
_WORD = struct.Struct("<H")
_LONG = struct.Struct("<I")

POCKETS = {
    "items": (0x000, 30),
    "key_items": (0x078, 30),
    "poke_balls": (0x0F0, 16),
    "tm_hm": (0x130, 64),
    "berries": (0x230, 46),
}
"""The offset of each pocket in ``GameState.bag_data`` and its number of slots."""


class Mode(Enum):
    """The kind of screen that the game shows."""

    OVERWORLD = "overworld"  # walking about, or a scene without a message box
    BATTLE = "battle"
    DIALOG = "dialog"  # a message box is open in the overworld
    MENU = "menu"  # the start menu or a screen of its own: bag, party, shop, naming ...
    TRANSITION = "transition"  # fades, warps, loading, evolution
    TITLE = "title"  # no game is running


class Facing(IntEnum):
    """The player's direction; numbers are the game's."""

    DOWN = 1
    UP = 2
    LEFT = 3
    RIGHT = 4


class ItemSlot(NamedTuple):
    """One filled slot of a pocket or of the PC."""

    slot: int
    item: int
    quantity: int


@dataclass(frozen=True, slots=True)
class Battler:
    """One Pokémon on the field of a battle, with what lasts only as long as the battle."""

    index: int  # 0 player left, 1 opponent left, 2 player right, 3 opponent right
    party_index: int  # its place in party or enemy_party; a partner's in the game's six places
    species: int
    nickname: str
    level: int
    hp: int
    max_hp: int
    moves: tuple[int, ...]
    pp: tuple[int, ...]  # same length as moves
    status: int  # as Pokemon.status
    status2: int  # confusion, flinch, wrap ...: the game's bit field
    stat_stages: tuple[int, ...]  # (8,) -6..6: stats in Pokemon's order, then accuracy, evasion
    ability: int
    types: tuple[int, int]
    held_item: int
    personality: int

    @property
    def is_opponent(self) -> bool:
        """Whether it is on the other side."""
        return bool(self.index & 1)


@dataclass(frozen=True, slots=True)
class GameState:
    """One frame of memory, decoded and decrypted, independent of earlier frames.

    Two states of the same moment are equal even if the game moved and re-encrypted its save blocks
    in between. Unknown values are ``None``.
    """

    mode: Mode
    controllable: bool  # the keys move the player
    dialog_open: bool | None  # None outside the overworld
    in_battle: bool
    location: tuple[int, int]  # (map group, map number)
    position: tuple[int, int]  # tiles (x, y) from the map's top-left corner
    facing: Facing | None
    map_size: tuple[int, int] | None  # tiles (width, height) of the loaded map
    component: str | None  # which common coordinate system global_position is in
    global_position: tuple[int, int] | None  # tiles (x, y); None indoors
    avatar_flags: int  # 1 on foot, 2 mach bike, 4 acro bike, 8 surfing, 16 underwater, 128 running
    party: tuple[Pokemon, ...]  # (0..6,)
    enemy_party: tuple[Pokemon, ...]  # (0..6,), empty outside battles
    battlers: tuple[Battler, ...]  # (0, 2..4), empty outside battles and until they are sent out
    battle_type: int  # the game's bit field BATTLE_TYPE_*; 0 outside battles
    battle_outcome: int  # 0 while a battle runs and outside; 1 won, 2 lost, 4 ran, 7 caught ...
    opponent: int  # number in ``tables.trainers()``, 0 for other opponents
    money: int  # 0..999999
    coins: int  # 0..9999
    bag_data: bytes  # (744,) slots of u16 item, u16 quantity; see pocket()
    pc_data: bytes  # (200,) as bag_data: the items in the PC
    flags: bytes  # (300,) bit i is event flag i
    vars: bytes  # (512,) u16 each; see var()
    stats: bytes  # (256,) u32 each; see stat()
    pokedex_seen: int  # bit n - 1 is national number n
    pokedex_caught: int  # as pokedex_seen
    play_time: tuple[int, int, int, int]  # hours 0..999, minutes, seconds, frames
    player_name: str
    player_gender: int  # 0 male, 1 female
    trainer_id: int  # 0..65535, the public one
    secret_id: int  # 0..65535
    last_heal: tuple[int, int, int, int]  # where a white-out leads: map group, number, x, y
    game: str = field(default="BPEE", compare=False)  # the edition's header code
    menu: Menu | None = None  # the open menu or box, with its cursors
    world: str | None = field(default=None, compare=False)  # of Jade, where it has its own maps

    def has(self, flag: int) -> bool:
        """Returns whether event flag ``flag`` is set; False for numbers that are not saved."""
        return 0 <= flag < FLAG_COUNT and bool(self.flags[flag >> 3] >> (flag & 7) & 1)

    def var(self, number: int) -> int:
        """Returns saved variable ``number`` (0x4000..0x40FF), 0 for any other."""
        offset = 2 * (number - VARS_START)
        return int(_WORD.unpack_from(self.vars, offset)[0]) if 0 <= offset < VARS_SIZE else 0

    def stat(self, number: int) -> int:
        """Returns counter ``number`` (0..63), 0 for any other."""
        offset = 4 * number
        return int(_LONG.unpack_from(self.stats, offset)[0]) if 0 <= offset < GAME_STATS_SIZE else 0

    def pocket(self, name: str) -> tuple[ItemSlot, ...]:
        """Returns the filled slots of pocket ``name``, a key of ``POCKETS``, in their order."""
        start, capacity = POCKETS[name]
        return item_slots(self.bag_data[start : start + 4 * capacity])

    @property
    def bag(self) -> dict[str, tuple[ItemSlot, ...]]:
        """The filled slots of every pocket."""
        return {name: self.pocket(name) for name in POCKETS}

    @property
    def pc_items(self) -> tuple[ItemSlot, ...]:
        """The filled slots of the PC's item storage."""
        return item_slots(self.pc_data)

    def item_count(self, item: int) -> int:
        """Returns how many of ``item`` the bag holds, over all its slots."""
        return item_counts(self.bag_data).get(item, 0)

    @property
    def flag_bits(self) -> int:
        """The flags as one number: bit i is event flag i."""
        return int.from_bytes(self.flags, "little")

    @property
    def flags_set(self) -> tuple[int, ...]:
        """The numbers of the flags that are set, ascending."""
        return bits(self.flag_bits)

    @property
    def badges(self) -> tuple[int, ...]:
        """The badges won: 0 for the first gym's to 7."""
        return tuple(index for index, flag in enumerate(BADGES) if self.has(flag))

    @property
    def seen(self) -> frozenset[int]:
        """The national numbers of the species seen."""
        return frozenset(bit + 1 for bit in bits(self.pokedex_seen))

    @property
    def caught(self) -> frozenset[int]:
        """The national numbers of the species caught."""
        return frozenset(bit + 1 for bit in bits(self.pokedex_caught))

    @property
    def is_double_battle(self) -> bool:
        """Whether two Pokémon a side fight."""
        return bool(self.battle_type & BATTLE_TYPE_DOUBLE)

    @property
    def is_trainer_battle(self) -> bool:
        """Whether the opponent is a trainer."""
        return bool(self.battle_type & BATTLE_TYPE_TRAINER)

    @property
    def opponent_kind(self) -> OpponentKind | None:
        """What the opponent is; None outside battles."""
        return opponent_kind(self.battle_type) if self.in_battle else None


NOWHERE = GameState(
    mode=Mode.OVERWORLD,
    controllable=False,
    dialog_open=None,
    in_battle=False,
    location=(0, 0),
    position=(0, 0),
    facing=None,
    map_size=None,
    component=None,
    global_position=None,
    avatar_flags=0,
    party=(),
    enemy_party=(),
    battlers=(),
    battle_type=0,
    battle_outcome=0,
    opponent=0,
    money=0,
    coins=0,
    bag_data=bytes(BAG_SIZE),
    pc_data=bytes(PC_ITEMS_SIZE),
    flags=bytes(FLAG_COUNT // 8),
    vars=bytes(VARS_SIZE),
    stats=bytes(GAME_STATS_SIZE),
    pokedex_seen=0,
    pokedex_caught=0,
    play_time=(0, 0, 0, 0),
    player_name="",
    player_gender=0,
    trainer_id=0,
    secret_id=0,
    last_heal=(0, 0, 0, 0),
)
"""Of no game: everything is zero, empty or unknown."""

# The same slots without the lock on them: a frozen class's own __init__ takes five times as long.
_Draft: Any = make_dataclass("_Draft", [(f.name, f.type) for f in fields(GameState)], slots=True)


def make_state(values: Sequence[Any]) -> GameState:
    """Returns ``GameState(*values)``, quickly: every step of a game makes one."""
    state: Any = _Draft(*values)
    state.__class__ = GameState
    return state  # type: ignore[no-any-return]


@lru_cache(maxsize=256)
def item_slots(data: bytes) -> tuple[ItemSlot, ...]:
    """Returns the filled slots of decrypted item storage; gaps between them are normal."""
    return tuple(
        ItemSlot(slot, item, quantity)
        for slot, (item, quantity) in enumerate(_SLOT.iter_unpack(data))
        if item
    )


@lru_cache(maxsize=64)
def item_counts(data: bytes) -> dict[int, int]:
    """Returns how many of each item decrypted item storage holds."""
    counts: dict[int, int] = {}
    for _, item, quantity in item_slots(data):
        counts[item] = counts.get(item, 0) + quantity
    return counts
