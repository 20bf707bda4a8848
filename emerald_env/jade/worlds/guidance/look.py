"""What the memory of a running game says, as far as a guide asks."""

import struct
from collections.abc import Collection
from functools import cached_property
from itertools import permutations
from typing import Final, NamedTuple

from emerald_env.jade.maps import DIRECTIONS, STEPS, MapId, Place, Readable
from emerald_env.jade.worlds.guidance.taught_moves import OBSTACLES

# Emerald's addresses (facts: symbols.csv)
SAVE_BLOCK_1_POINTER: Final = 0x03005D8C
CALLBACK2 = 0x030022C4
OVERWORLD = 0x08085E5D
IN_BATTLE = 0x030026F9
SCRIPT_STATUS = 0x03000E38
SCRIPT_STOPPED = 2
LOCKED = 0x03000F2C
FADE = 0x02037FDB
OBJECTS, OBJECT_SIZE, OBJECT_COUNT = 0x02037350, 0x24, 16
MESSAGE_BOX, MESSAGE_BOX_OPEN = 0x0600FB80, 0xF201
BORDER = 7
PARTY_COUNT = 0x020244E9
PARTY, MEMBER = 0x020244EC, 100
STATUS, LEVEL, HP = 80, 84, 86  # of a party member: its status; its level; HP, then its maximum
POISONED = 0x88  # of a status: poisoned or badly poisoned
SECRET, PART = 32, 12  # of a party member: its four encrypted parts, in one of 24 orders
ORDERS: Final = tuple(permutations(range(4)))
LAST_HEAL = 0x1C  # in SaveBlock1: map group and number
FLAGS, FLAG_BYTES, VARS, VARS_FROM = 0x1270, 300, 0x139C, 0x4000
VARIABLES: Final = struct.Struct("<256H")
TASKS, TASK = 0x03005E00, struct.Struct("<IB35x")
TASK_BYTES = 16 * TASK.size
YES_NO, MULTICHOICE, START_MENU = 0x080E215D, 0x080E2059, 0x0809FA35
TOSSING = 0x081AD045  # Task_ChooseHowManyToToss
MENU_CURSOR = 0x0203CD92  # in sMenu
PARTY_SLOT = 0x0203CED1  # in gPartyMenu


class PartyMon(NamedTuple):
    """One of the party."""

    species: int
    moves: tuple[int, ...]  # four, 0 where there is none
    hp: int


class Look:
    """One look at the memory of a running game."""

    def __init__(self, memory: Readable) -> None:
        self.memory = memory
        self.callback = self.number(CALLBACK2)
        self.block = self.number(SAVE_BLOCK_1_POINTER)

    def number(self, address: int, form: str = "<I") -> int:
        """Returns one number."""
        return int(struct.unpack(form, self.memory.read(address, struct.calcsize(form)))[0])

    # ---- where the player is ----

    @cached_property
    def place(self) -> Place:
        """Where the player stands."""
        x, y, group, number = struct.unpack("<2h2b", self.memory.read(self.block, 6))
        return group, number, x, y

    @property
    def facing(self) -> str:
        """Where the player looks."""
        return DIRECTIONS.get(self.number(OBJECTS + 0x18, "<B") & 15, "down")

    @property
    def faced(self) -> Place:
        """The tile that the player looks at."""
        group, number, x, y = self.place
        dx, dy = STEPS[self.facing]
        return group, number, x + dx, y + dy

    def people(self, graphics: Collection[int] | None = None) -> frozenset[Place]:
        """Returns the tiles that people and things of this map stand on.

        Args:
            graphics: only those that look like one of these.
        """
        found, here = set(), self.place[:2]
        data = self.memory.read(OBJECTS, OBJECT_SIZE * OBJECT_COUNT)
        for at in range(OBJECT_SIZE, len(data), OBJECT_SIZE):
            if data[at] & 1 and (graphics is None or data[at + 5] in graphics):
                x, y = struct.unpack_from("<2h", data, at + 0x10)
                found.add((*here, x - BORDER, y - BORDER))
        return frozenset(found)

    def person(self, number: int) -> tuple[int, int] | None:
        """Returns where somebody of this map stands now; None where nobody has this number."""
        data = self.memory.read(OBJECTS, OBJECT_SIZE * OBJECT_COUNT)
        for at in range(OBJECT_SIZE, len(data), OBJECT_SIZE):
            if data[at] & 1 and data[at + 8] == number:
                x, y = struct.unpack_from("<2h", data, at + 0x10)
                return x - BORDER, y - BORDER
        return None

    @cached_property
    def obstacles(self) -> frozenset[Place]:
        """The tiles of what moves of the field clear away on this map."""
        return self.people(OBSTACLES)

    @property
    def last_heal(self) -> MapId:
        """The map where a lost battle ends."""
        group, number = struct.unpack("<2b", self.memory.read(self.block + LAST_HEAL, 2))
        return group, number

    # ---- what is on the screen ----

    @property
    def in_battle(self) -> bool:
        """Whether a battle, or a screen that it opened, is on."""
        return bool(self.number(IN_BATTLE, "<B") & 2)

    @property
    def message_open(self) -> bool:
        """Whether the message box is on the screen."""
        return self.number(MESSAGE_BOX, "<H") == MESSAGE_BOX_OPEN

    @property
    def busy(self) -> bool:
        """Whether a script or a fade goes on by itself."""
        running = self.number(SCRIPT_STATUS, "<B") != SCRIPT_STOPPED
        return running or bool(self.number(FADE, "<B") & 0x80)

    @property
    def free(self) -> bool:
        """Whether keys move the player now."""
        return not self.busy and not self.number(LOCKED, "<B")

    @cached_property
    def tasks(self) -> frozenset[int]:
        """The tasks that run: they say which menu is open."""
        rows = TASK.iter_unpack(self.memory.read(TASKS, TASK_BYTES))
        return frozenset(function for function, active in rows if active)

    @property
    def menu_cursor(self) -> int:
        """Where the cursor of a box is."""
        return self.number(MENU_CURSOR, "<b")

    @property
    def party_slot(self) -> int:
        """Where the cursor of the party's screen is."""
        return self.number(PARTY_SLOT, "<b")

    # ---- the party ----

    @cached_property
    def _members(self) -> list[bytes]:
        count = self.number(PARTY_COUNT, "<B")
        data = self.memory.read(PARTY, MEMBER * count) if count else b""
        return [data[at : at + MEMBER] for at in range(0, len(data), MEMBER)]

    @property
    def level(self) -> int:
        """The highest in the party."""
        return max((data[LEVEL] for data in self._members), default=0)

    @property
    def weak(self) -> bool:
        """Whether the one with the highest level has less than a third of its HP."""
        hp, most = self._best_hp
        return 3 * hp < most

    @property
    def hurt(self) -> bool:
        """Whether the one with the highest level has less than two thirds of its HP."""
        hp, most = self._best_hp
        return 3 * hp < 2 * most

    @property
    def _best_hp(self) -> tuple[int, int]:
        rows = [struct.unpack_from("<Bx2H", data, LEVEL) for data in self._members]
        _, hp, most = max(rows, key=lambda row: row[0], default=(0, 0, 0))
        return hp, most

    @property
    def poisoned_hp(self) -> int:
        """The HP of the one with the highest level, if poison hurts it; else 0."""
        best = max(self._members, key=lambda data: data[LEVEL], default=None)
        if best is None or not struct.unpack_from("<I", best, STATUS)[0] & POISONED:
            return 0
        return int(struct.unpack_from("<H", best, HP)[0])

    @cached_property
    def party(self) -> list[PartyMon]:
        """Everybody in it."""
        return [_member(data) for data in self._members]

    # ---- the story ----

    @cached_property
    def flags(self) -> bytes:
        """All event flags."""
        return self.memory.read(self.block + FLAGS, FLAG_BYTES)

    @cached_property
    def _vars(self) -> tuple[int, ...]:
        return VARIABLES.unpack(self.memory.read(self.block + VARS, VARIABLES.size))

    def flag(self, flag: int) -> bool:
        """Returns an event flag."""
        return bool(self.flags[flag // 8] >> flag % 8 & 1)

    def story(self, kind: str, number: int) -> int:
        """Returns what an errand is done by."""
        if kind == "party":
            return len(self._members)
        if kind == "move":
            return any(number in member.moves for member in self.party)
        if kind == "var":
            return self._vars[number - VARS_FROM]
        return self.flag(number)


def _member(data: bytes) -> PartyMon:
    personality, owner = struct.unpack_from("<2I", data)
    order, key = ORDERS[personality % 24], personality ^ owner
    words = struct.unpack_from("<12I", data, SECRET)
    secret = struct.pack("<12I", *(word ^ key for word in words))
    (species,) = struct.unpack_from("<H", secret, PART * order.index(0))
    moves = struct.unpack_from("<4H", secret, PART * order.index(1))
    return PartyMon(species, moves, struct.unpack_from("<H", data, HP)[0])
