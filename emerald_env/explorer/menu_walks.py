"""Walks to an entry of an open menu: a line, an item of the bag, one of the party, a word."""

from collections.abc import Iterator
from random import Random
from typing import Final

from emerald_env.env.state_vector.menu_numbers import SCREEN_POCKETS
from emerald_env.state import GameState, Menu, MenuKind

WALKS = 0.8  # chance that what is chosen in a menu is walked to
LEAVES = 0.25  # chance that it is the way out
PATIENCE = 14  # keys until the entry must be reached
LINES, WORDS = 7, 4  # at most, of the start menu and of a box
Goal = tuple[int | None, int | None, int | None]  # pocket, cursor, words


def known_menu(state: GameState) -> Menu | None:
    """Returns the open menu whose cursor is known, outside battles; None if there is none."""
    if state.in_battle or state.menu is None or not state.menu.is_known:
        return None
    return state.menu


class MenuWalks:
    """Chooses something in each menu that opens, and the keys that lead there and choose it.

    Args:
        dice: source of randomness.
    """

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._open: tuple[MenuKind, bool] | None = None
        self._goal: Goal | None = None
        self._patience = 0

    def next_key(self, state: GameState | None) -> str | None:
        """Returns the key to press in an open menu, None where there is no walk."""
        if state is None or (menu := known_menu(state)) is None:
            self._open = None
            return None
        if self._open != (menu.kind, menu.words is not None):
            self._open, self._patience = (menu.kind, menu.words is not None), PATIENCE
            self._goal = self._choose(state, menu) if self._dice.random() < WALKS else None
        if self._goal is None:
            return None
        self._patience -= 1
        key = next(_keys(menu, self._goal), None) if self._patience else "a"
        if key is None or key == "a":
            self._open = None  # chosen; whatever is open next is chosen from anew
        return key or "a"

    def _choose(self, state: GameState, menu: Menu) -> Goal:
        dice = self._dice
        if dice.random() < LEAVES:
            return LEAVE
        if menu.words is not None:
            return None, None, dice.randrange(WORDS)
        if menu.kind is MenuKind.WORDS:
            return None, dice.randrange(WORDS), None
        if menu.kind is MenuKind.BAG:
            filled = [place for place, name in enumerate(SCREEN_POCKETS) if state.pocket(name)]
            pocket = dice.choice(filled or [0])
            return pocket, dice.randrange(max(len(state.pocket(SCREEN_POCKETS[pocket])), 1)), None
        count = len(state.party) if menu.kind is MenuKind.PARTY else LINES
        return None, dice.randrange(max(count, 1)), None


LEAVE: Final[Goal] = (None, None, None)


def _keys(menu: Menu, goal: Goal) -> Iterator[str]:
    """Yields keys that bring a menu's cursor nearer to the goal, the first of them now."""
    pocket, cursor, words = goal
    if goal == LEAVE:
        yield "b"
    if pocket is not None and menu.pocket is not None and pocket != menu.pocket:
        yield "right" if (pocket - menu.pocket) % len(SCREEN_POCKETS) < 3 else "left"
    for wanted, here in ((words, menu.words), (cursor, menu.cursor)):
        if wanted is not None and here is not None and wanted != here:
            yield "down" if wanted > here else "up"
