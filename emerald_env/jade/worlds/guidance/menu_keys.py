"""The keys to press in a menu: each function continues from whatever is open."""

import struct
from typing import Final

from emerald_env.jade.maps import Stuck
from emerald_env.jade.walker import START_CURSOR
from emerald_env.jade.worlds.guidance.lessons import Lessons
from emerald_env.jade.worlds.guidance.look import (
    MULTICHOICE,
    OVERWORLD,
    START_MENU,
    TOSSING,
    YES_NO,
    Look,
)
from emerald_env.jade.worlds.guidance.taught_moves import FieldMove

A, B, START = frozenset({"a"}), frozenset({"b"}), frozenset({"start"})
UP_OR_DOWN: Final = frozenset({"up", "down"})
PARTY_SCREEN, BAG_SCREEN = 0x081B01B1, 0x081AAD5D
BEFORE_BAG: Final = (0x861, 0x860)  # flags: each adds an entry above the bag
BAG, POCKETS, MACHINES = 0x0203CE58, 5, 2  # gBagPosition: pocket, rows, first entries
MACHINE_SLOTS, MACHINES_IN_BLOCK = 64, 0x690  # in SaveBlock1
PARTY_USE, USE_ITEM = 0x0203CED3, 3  # in gPartyMenu: what it is for, then the item
MENU_COLUMNS = 0x0203CD99  # in sMenu


def answer(look: Look, yes: bool) -> frozenset[str]:
    """Returns the keys that answer a question, or read on until it is asked."""
    if not yes:
        return B
    return UP_OR_DOWN if YES_NO in look.tasks and look.menu_cursor else A


def towards(cursor: int, wanted: int, count: int, columns: int = 1) -> frozenset[str]:
    """Returns the keys that bring a cursor nearer, A where it is there.

    Args:
        cursor: where it is.
        wanted: where it should be.
        count: of the choices.
        columns: they stand in.
    """
    if cursor == wanted:
        return A
    keys = set()
    row, wanted_row = cursor // columns, wanted // columns
    if row != wanted_row and cursor + (columns if row < wanted_row else -columns) < count:
        keys.add("down" if row < wanted_row else "up")
    if cursor % columns != wanted % columns:
        side = 1 if cursor % columns < wanted % columns else -1
        if cursor + side < count:
            keys.add("right" if side > 0 else "left")
    return frozenset(keys)


def teach(look: Look, lessons: Lessons, lesson: FieldMove) -> frozenset[str] | None:
    """Returns the keys that teach a machine's move to one of the party; None: wait, or read on.

    Args:
        look: at the game.
        lessons: of its world.
        lesson: the move, which nobody in the party knows; its machine is in the bag.
    """
    if look.callback == OVERWORLD:
        if START_MENU in look.tasks:
            entry = sum(look.flag(flag) for flag in BEFORE_BAG)
            return towards(look.number(START_CURSOR, "<B"), entry, entry + 1)
        return START if look.free else None
    if look.callback == BAG_SCREEN:
        return _take(look, lesson.item)
    if look.callback == PARTY_SCREEN and _used(look) == lesson.item:
        return _choose_pupil(look, lessons, lesson.move)
    return None


def pupils(look: Look, lessons: Lessons, move: int) -> list[int]:
    """Returns the places of those in the party who can learn a move, best first."""
    able = [
        i
        for i, one in enumerate(look.party)
        if one.species in lessons.learners[move] and move not in one.moves
    ]
    return sorted(able, key=lambda i: (all(look.party[i].moves), -i))


def forget(look: Look, lessons: Lessons, moves: tuple[int, ...], new: int) -> frozenset[str]:
    """Returns the keys that forget a move for a new one, in a box with all four."""
    columns = look.number(MENU_COLUMNS, "<B") or 1
    place = lessons.worst(moves, new)
    return B if place is None else towards(look.menu_cursor, place, len(moves), columns)


def _take(look: Look, item: int) -> frozenset[str]:
    if not look.tasks.isdisjoint((TOSSING, YES_NO)):
        return B
    if MULTICHOICE in look.tasks:
        return towards(look.menu_cursor, 0, 2)
    pocket, *rows = struct.unpack("<5xBxx10H", look.memory.read(BAG, 28))
    if pocket != MACHINES:
        return frozenset({"right" if (MACHINES - pocket) % POCKETS <= POCKETS // 2 else "left"})
    slots = look.memory.read(look.block + MACHINES_IN_BLOCK, 4 * MACHINE_SLOTS)
    items = [number for number, _ in struct.iter_unpack("<2H", slots) if number]
    if item not in items:
        raise Stuck(f"item {item} is to be taught, and is not in the bag")
    return towards(rows[MACHINES] + rows[MACHINES + POCKETS], items.index(item), len(items))


def _used(look: Look) -> int:
    """Returns the item that somebody of the party shall get; 0 where the screen is for others."""
    purpose, item = struct.unpack("<BH", look.memory.read(PARTY_USE, 3))
    return item if purpose == USE_ITEM else 0


def _choose_pupil(look: Look, lessons: Lessons, move: int) -> frozenset[str]:
    if MULTICHOICE in look.tasks:
        return forget(look, lessons, look.party[look.party_slot].moves, move)
    return towards(look.party_slot, pupils(look, lessons, move)[0], len(look.party))
