"""An open menu as numbers, with what a menu is for on the story's way: moves to teach."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.state_vector.details import POWER_SCALE
from emerald_env.game.symbols import BAG_POCKETS
from emerald_env.game.tables import moves
from emerald_env.state import GameState, Menu, MenuKind
from emerald_env.state.parts.field_moves import (
    FIELD_MOVES,
    FIRST_MACHINE,
    lessons_waiting,
    machines_held,
    moves_known,
)

ENTRIES = 8  # of a menu or box; further ones only differ in the row
ROWS = 64
ITEMS = 377
SCREEN_POCKETS: Final = ("items", "poke_balls", "tm_hm", "berries", "key_items")
"""The pockets in the order of the bag's screen."""
_KIND = 0
_KNOWN = len(MenuKind)
_CURSOR = _KNOWN + 1
_ROW = _CURSOR + ENTRIES
_POCKET = _ROW + 1
_WORDS = _POCKET + BAG_POCKETS
_ITEM = _WORDS + ENTRIES
_TEACHES = _ITEM + 1
_MOVES = _TEACHES + 1
_MACHINES = _MOVES + len(FIELD_MOVES)
SIZE = _MACHINES + len(FIELD_MOVES)
KNOWN_MOVES = slice(_MOVES, _MACHINES)
"""Which of `FIELD_MOVES` the party knows."""
HELD_MACHINES = slice(_MACHINES, SIZE)
"""Whose HMs the bag has."""
SCREENS = slice(_KIND, _KIND + len((MenuKind.START, MenuKind.BAG, MenuKind.PARTY)))
"""The kinds of menus for which it does not matter where the player stands."""
ACTIONS, MOVES = _KIND + MenuKind.ACTION - 1, _KIND + MenuKind.MOVE - 1
"""Whether a battle asks for an action; whether the list of moves is open."""
BOX, SCREEN, LESSON_POWER = _KIND + MenuKind.WORDS - 1, _KIND + MenuKind.OTHER - 1, _ITEM
"""Whether a box of words is open, or another screen; the power/150 of a move to forget one for."""
CURSOR = slice(_CURSOR, _CURSOR + ENTRIES)


def menu_scales() -> NDArray[np.float64]:
    """Returns the factors that make the numbers whole, (SIZE,); 0: not used to tell places."""
    scales = np.ones(SIZE)
    scales[_ROW], scales[_ITEM], scales[_KNOWN] = ROWS, 0, 0
    return scales


def is_known(menus: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Returns whether a cursor is known in each of (n, SIZE) vectors, (n,)."""
    known: NDArray[np.bool_] = menus[:, _KNOWN] > 0
    return known


class MenuVector:
    """`observe_menu` of successive states, computed anew where something in it has changed."""

    def __init__(self) -> None:
        self._seen: tuple[object, ...] | None = None
        self._numbers = observe_menu(None)

    def of(self, state: GameState | None) -> NDArray[np.float32]:
        """Returns `observe_menu(state)`, not to be written to."""
        seen = None if state is None else _depends_on(state)
        if seen != self._seen:
            self._seen, self._numbers = seen, observe_menu(state)
        return self._numbers


_depends_on = attrgetter("menu", "bag_data", "party")


def observe_menu(state: GameState | None) -> NDArray[np.float32]:
    """Returns (SIZE,) numbers from 0 to 1, all zero without a game.

    In order: the kind of the open menu (one-hot, `MenuKind`), whether a cursor is known, the cursor
    (one-hot, the last for all further ones) and as row/64, the bag's pocket (one-hot; in the
    party's menu that of the item one is chosen for), the cursor of a box of words over the menu
    (one-hot); the item at the bag's cursor/377 (where it is asked which move to forget, the new
    one's power/150) and whether it teaches a field move that nobody knows; which of `FIELD_MOVES`
    the party knows, and which of their HMs the bag has.
    """
    vector = np.zeros(SIZE, np.float32)
    if state is None:
        return vector
    for start, bits in ((_MOVES, moves_known(state)), (_MACHINES, machines_held(state))):
        for bit in range(len(FIELD_MOVES)):
            vector[start + bit] = bits >> bit & 1
    if state.menu is not None:
        for index, value in _of_menu(state, state.menu):
            vector[index] = value
    return vector


def _of_menu(state: GameState, menu: Menu) -> Iterator[tuple[int, float]]:
    yield _KIND + menu.kind - 1, 1
    yield _KNOWN, menu.is_known
    if menu.cursor is not None:
        yield _CURSOR + min(menu.cursor, ENTRIES - 1), 1
        yield _ROW, min(menu.cursor / ROWS, 1.0)
    if menu.words is not None:
        yield _WORDS + min(menu.words, ENTRIES - 1), 1
    if menu.pocket is not None:
        yield _POCKET + menu.pocket, 1
    if menu.lesson is not None:
        yield _ITEM, min(moves()[menu.lesson].power / POWER_SCALE, 1.0)
    if menu.kind is MenuKind.BAG:
        item = item_at(state, menu)
        yield _ITEM, min(item / ITEMS, 1.0)
        bit = item - FIRST_MACHINE
        yield _TEACHES, bit >= 0 and bool(lessons_waiting(state) >> bit & 1)


def item_at(state: GameState, menu: Menu) -> int:
    """Returns the item at the bag's cursor, 0 for none."""
    if menu.kind is not MenuKind.BAG or menu.pocket is None or menu.cursor is None:
        return 0
    slots = state.pocket(SCREEN_POCKETS[menu.pocket])
    return slots[menu.cursor].item if menu.cursor < len(slots) else 0
