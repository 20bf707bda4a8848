"""Reads and rewrites the tables of Jade's ROM: layouts, events, scripts, words.

The forms are those of jade/src/system/emerald.h and jade/src/events/command.h.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from emerald_env.jade.maps import COLLISION, MAP_DIRECTORY, MapId

ROM = 0x08000000
ENGINE = 0x080000FB  # 1 in jade_full.gba (jade/src/system/demands.h)
# Commands of scripts (enum Operation)
SAY, GOTO, IF_FLAG, IF_NOT_FLAG, IF_VAR_BELOW, IF_FACING, GIVE_ITEM = 1, 2, 3, 4, 5, 6, 10
WALK, FACE, PLACE, ASK, NOTE, IF_NO, BATTLE, TRAVEL = 13, 14, 17, 19, 20, 21, 24, 26
PAUSE = 28
JUMPS: Final = {GOTO, IF_FLAG, IF_NOT_FLAG, IF_VAR_BELOW, IF_FACING, IF_NO}
COMMAND = struct.Struct("<2B3HI")
TEMPLATE = struct.Struct("<2B7xB3HIH2x")  # of a person: the numbers in `Person`
FACING, TRAINER_TYPE, SIGHT = 10, 12, 14  # offsets in a template
LAYOUT_ID = 18  # in a map's header
# kind of event: (size of one, where its x and y are)
EVENTS: Final = {
    "person": (24, 4, "<2h"),
    "warp": (8, 0, "<2h"),
    "trigger": (16, 0, "<2h"),
    "sign": (12, 0, "<2H"),
}


@dataclass(frozen=True)
class Thing:
    """A person, warp, trigger or sign of a map; the same one in every world."""

    map: MapId
    kind: str
    number: int  # place in the map's table

    @classmethod
    def of(cls, at: MapId, name: str) -> "Thing":
        """Returns "person 0" of a map, or "warp 1"."""
        kind, number = name.split()
        return cls(at, kind, int(number))

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of map {self.map}"


class Person(NamedTuple):
    """Somebody, or something like a tree or a beam, as his map's table says."""

    thing: Thing
    tile: tuple[int, int]
    number: int  # by which scripts name him (localId)
    look: int  # graphicsId
    movement: int
    facing: int
    fights: int  # at sight, if it is not 0 (trainerType)
    sight: int
    script: int
    flag: int  # that hides him; 0: he is always there


class RomTables:
    """A copy of Jade's ROM whose tables can be changed.

    Attributes:
        data: the whole ROM.
        headers: each map's header address.
    """

    def __init__(self, rom: bytes) -> None:
        self.data = bytearray(rom)
        self.headers: dict[MapId, int] = {}
        entry = self.word(MAP_DIRECTORY)
        while header := self.word(entry + 4):
            group, number = self.unpack("<2b", entry)
            self.headers[group, number] = header
            entry += 8
        self._free = ROM + len(rom.rstrip(b"\xff")) + 0x100 & ~0xFF

    @property
    def is_full(self) -> bool:
        """Whether this is jade_full.gba, or a world of it."""
        return bool(self.byte(ENGINE))

    # ---- bytes ----

    def read(self, address: int, size: int) -> bytes:
        """Returns bytes of the ROM, as `GBA.read` does."""
        return bytes(self.data[address - ROM : address - ROM + size])

    def unpack(self, form: str, address: int) -> tuple[int, ...]:
        """Returns numbers at an address."""
        return struct.unpack_from(form, self.data, address - ROM)

    def byte(self, address: int) -> int:
        """Returns the 8 bits at an address."""
        return self.data[address - ROM]

    def word(self, address: int) -> int:
        """Returns the 32 bits at an address."""
        return self.unpack("<I", address)[0]

    def pack(self, form: str, address: int, *numbers: int) -> None:
        """Writes numbers at an address."""
        struct.pack_into(form, self.data, address - ROM, *numbers)

    def find(self, data: bytes) -> int:
        """Returns the address of the first such bytes, on a multiple of four.

        Raises:
            ValueError: there are none.
        """
        at = self.data.index(data)
        while at % 4:
            at = self.data.index(data, at + 1)
        return ROM + at

    def add(self, data: bytes) -> int:
        """Puts bytes where the ROM is free; returns their address.

        Raises:
            ValueError: nothing is free any more.
        """
        at = self._free
        if at - ROM + len(data) > len(self.data):
            raise ValueError(f"the ROM is full: {len(data)} bytes more do not fit")
        self.data[at - ROM : at - ROM + len(data)] = data
        self._free = (at + len(data) + 3) & ~3
        return at

    def text(self, address: int) -> str:
        """Returns a script's words, or its letters for steps."""
        end = self.data.index(0, address - ROM)
        return self.data[address - ROM : end].decode("ascii")

    def add_text(self, text: str) -> int:
        """Puts other words into the ROM; returns their address."""
        return self.add(text.encode("ascii") + b"\0")

    # ---- maps ----

    def size(self, at: MapId) -> tuple[int, int]:
        """Returns a map's width and height."""
        width, height = self.unpack("<2i", self.word(self.headers[at]))
        return width, height

    def grid(self, at: MapId) -> tuple[int, ...]:
        """Returns a map's cells, row by row."""
        width, height = self.size(at)
        return self.unpack(f"<{width * height}H", self._cells(at))

    def free_tiles(self, at: MapId) -> set[tuple[int, int]]:
        """Returns the tiles of a map without walls, as columns and rows."""
        width, _ = self.size(at)
        cells = enumerate(self.grid(at))
        return {(n % width, n // width) for n, cell in cells if not cell & COLLISION}

    def set_cell(self, at: MapId, x: int, y: int, cell: int) -> None:
        """Changes one cell where it is."""
        width, _ = self.size(at)
        self.pack("<H", self._cells(at) + 2 * (y * width + x), cell)

    def set_grid(self, at: MapId, width: int, height: int, grid: list[int]) -> None:
        """Gives a map a layout of its own; in jade_full.gba where the old one was, if it fits."""
        header = self.headers[at]
        old = self.read(self.word(header), 24)
        if self.is_full and self._can_replace(at, len(grid)):
            self.pack("<2i", self.word(header), width, height)
            self.pack(f"<{len(grid)}H", self._cells(at), *grid)
            return
        cells = self.add(struct.pack(f"<{len(grid)}H", *grid))
        layout = struct.pack("<2i", width, height) + old[8:12] + struct.pack("<I", cells)
        self.pack("<I", header, self.add(layout + old[16:24]))

    def _cells(self, at: MapId) -> int:
        """Returns the address of a map's cells."""
        return self.word(self.word(self.headers[at]) + 12)

    def _can_replace(self, at: MapId, cells: int) -> bool:
        """Returns whether a map's layout is nobody else's, and large enough."""
        width, height = self.size(at)
        layout = self.word(self.headers[at])
        sharing = sum(self.word(header) == layout for header in self.headers.values())
        return sharing == 1 and cells <= width * height

    def things(self, at: MapId) -> Iterator[tuple[Thing, tuple[int, int]]]:
        """Yields a map's events with their tiles."""
        events = self.word(self.headers[at] + 4)
        counts = self.unpack("<4B", events)
        for (kind, (size, offset, form)), count, row in zip(
            EVENTS.items(), counts, range(4), strict=True
        ):
            first = self.word(events + 4 + 4 * row)
            for number in range(count):
                x, y = self.unpack(form, first + size * number + offset)
                yield Thing(at, kind, number), (x, y)

    def people(self, at: MapId) -> Iterator[Person]:
        """Yields everybody on a map."""
        for thing, tile in self.things(at):
            if thing.kind == "person":
                yield Person(thing, tile, *self.unpack(TEMPLATE.format, self.address(thing)))

    def address(self, thing: Thing) -> int:
        """Returns where an event's entry is."""
        row = list(EVENTS).index(thing.kind)
        first = self.word(self.word(self.headers[thing.map] + 4) + 4 + 4 * row)
        return first + EVENTS[thing.kind][0] * thing.number

    def place(self, thing: Thing) -> tuple[int, int]:
        """Returns the tile of an event."""
        _, offset, form = EVENTS[thing.kind]
        x, y = self.unpack(form, self.address(thing) + offset)
        return x, y

    def move(self, thing: Thing, x: int, y: int) -> None:
        """Puts an event on another tile."""
        _, offset, form = EVENTS[thing.kind]
        self.pack(form, self.address(thing) + offset, x, y)

    # ---- scripts ----

    def commands(self, script: int, *only: int) -> Iterator[int]:
        """Yields the addresses of a script's commands, and of those that it jumps to.

        Args:
            script: its address; 0: there is none.
            only: the operations that are asked for; none: all.
        """
        seen, todo = set(), [script]
        while todo:
            at = todo.pop()
            while at and at not in seen:
                op, *_, pointer = COMMAND.unpack_from(self.data, at - ROM)
                if not op:
                    break
                seen.add(at)
                if not only or op in only:
                    yield at
                if op in JUMPS:
                    todo.append(pointer)
                if op in (GOTO, TRAVEL):
                    break
                at += COMMAND.size

    def script(self, thing: Thing) -> int:
        """Returns the script of an event; 0 for warps and for people who fight at sight."""
        at = self.address(thing)
        if thing.kind == "person":
            return 0 if self.unpack("<H", at + TRAINER_TYPE)[0] else self.word(at + 16)
        return {"trigger": self.word(at + 12), "sign": self.word(at + 8)}.get(thing.kind, 0)

    def map_commands(self, at: MapId) -> set[int]:
        """Returns the addresses of all commands of a map's scripts, its events' and its own."""
        scripts = {self.script(thing) for thing, _ in self.things(at)} | {*self.map_scripts(at)}
        return {command for script in scripts for command in self.commands(script)}

    def map_scripts(self, at: MapId) -> list[int]:
        """Returns what a map runs when the player arrives, and when he can walk."""
        pointer = self.word(self.headers[at] + 8)
        return [self.word(pointer), self.word(pointer + 4)]


def obstacles(tables: RomTables) -> dict[MapId, dict[tuple[int, int], Person]]:
    """Returns by map and tile the people and things that never step aside."""
    return {at: obstacles_on(tables, at) for at in tables.headers}


def obstacles_on(tables: RomTables, at: MapId) -> dict[tuple[int, int], Person]:
    """Returns those of one map."""
    movers = {
        tables.byte(command + 1)
        for script in tables.map_scripts(at)
        for command in tables.commands(script, PLACE)
    }
    return {each.tile: each for each in tables.people(at) if each.number not in movers}
