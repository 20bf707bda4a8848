"""What moves do, who learns them, and which of them is best: from the tables of Jade's ROM."""

import struct
from dataclasses import dataclass
from typing import Final

from emerald_env.jade.worlds.guidance.taught_moves import FIELD_MOVES
from emerald_env.jade.worlds.rom_tables import RomTables

TABLES_AT: Final = 0x080000FC  # jade/src/world/world.c: of moves, types, machines' learners
MOVE: Final = struct.Struct("<H6x3B9x")  # jade/src/data/data.h: number, power, type, accuracy
TYPES: Final = 18
PLAIN_MACHINES: Final = 2  # the first of `FIELD_MOVES`, which jade.gba has, too
SPECIAL_FROM: Final = 10  # types from Fire on use the special stats
NEVER_FORGOTTEN: Final = frozenset(FIELD_MOVES)


@dataclass(frozen=True)
class Fighter:
    """One of those that fight: `gBattleMons`."""

    stats: tuple[int, ...]  # attack, defense, speed, special attack, special defense
    moves: tuple[int, ...]
    types: tuple[int, int]
    pp: tuple[int, ...]
    hp: int

    @classmethod
    def of(cls, data: bytes) -> "Fighter":
        """Reads one's 88 bytes."""
        return cls(
            struct.unpack_from("<5H", data, 2),
            struct.unpack_from("<4H", data, 12),
            (data[0x21], data[0x22]),
            tuple(data[0x24:0x28]),
            struct.unpack_from("<H", data, 0x28)[0],
        )


class Lessons:
    """The tables of one ROM.

    Attributes:
        moves: each move's power, type and accuracy (0: it never misses).
        learners: the species that a machine can teach each field move.
    """

    def __init__(self, tables: RomTables) -> None:
        first = tables.word(TABLES_AT)
        machines = len(FIELD_MOVES) if tables.is_full else PLAIN_MACHINES
        moves, types, *learners = (tables.word(first + 4 * i) for i in range(2 + machines))
        self.moves: dict[int, tuple[int, int, int]] = {}
        while (row := MOVE.unpack(tables.read(moves, MOVE.size)))[0]:
            self.moves[row[0]] = row[1:]
            moves += MOVE.size
        self.effects = tables.read(types, TYPES * TYPES)
        self.learners = {
            move: _numbers(tables, at) for move, at in zip(FIELD_MOVES, learners, strict=False)
        }

    def promise(self, move: int, own: Fighter, foe: Fighter) -> float:
        """Returns what a move may be expected to hurt, in parts of its foe's HP or so."""
        power, kind, accuracy = self.moves.get(move, (0, 0, 0))
        attack, defense = (3, 4) if kind >= SPECIAL_FROM else (0, 1)
        promise = power * (accuracy or 100) * own.stats[attack] / max(1, foe.stats[defense])
        for against in set(foe.types):
            promise *= self.effects[TYPES * kind + against] / 10
        return promise * (1.5 if kind in own.types else 1)

    def best(self, own: Fighter, foe: Fighter) -> int:
        """Returns the place of the move that hurts most, among those with PP."""
        return max(
            range(4),
            key=lambda i: (bool(own.moves[i] and own.pp[i]), self.promise(own.moves[i], own, foe)),
        )

    def worst(self, moves: tuple[int, ...], new: int) -> int | None:
        """Returns the place of the move to forget for a new one; None: rather not learn it."""
        loss = {i: self._worth(move) for i, move in enumerate(moves) if move not in NEVER_FORGOTTEN}
        place = min(loss, key=lambda i: loss[i], default=None)
        if place is None or new not in NEVER_FORGOTTEN and loss[place] >= self._worth(new):
            return None
        return place

    def _worth(self, move: int) -> int:
        power, _, accuracy = self.moves.get(move, (0, 0, 0))
        return power * (accuracy or 100)


def _numbers(tables: RomTables, at: int) -> frozenset[int]:
    found = set()
    while number := tables.unpack("<H", at)[0]:
        found.add(number)
        at += 2
    return frozenset(found)
