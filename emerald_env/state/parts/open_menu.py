"""Which menu is open, and where its cursor is.

The game keeps cursors after a menu has closed, so each is believed only while what moves it runs.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum

from emerald_env.game import symbols as sym
from emerald_env.game.addresses import MenuAddresses
from emerald_env.game.tables import moves

_CURSORS = struct.Struct(f"<Bb bxB B2x{2 * sym.BAG_POCKETS}H {sym.MAX_BATTLERS}I8BH")
_SUMMARY = struct.Struct("<HB")
_NEW = 4  # cursor of the move that would be new
_OWN = (0, 2)  # battlers on the player's side


class MenuKind(IntEnum):
    """What is open."""

    START = 1  # the start menu
    BAG = 2
    PARTY = 3
    ACTION = 4  # in a battle: fight, bag, Pokémon, run
    MOVE = 5  # in a battle
    WORDS = 6  # a box of words: yes and no, or several; in a battle, the moves to forget one of
    OTHER = 7  # another screen: Pokédex, options, summary, naming, shop ...


@dataclass(frozen=True, slots=True)
class Menu:
    """An open menu; what is unknown, or not there, is None."""

    kind: MenuKind
    cursor: int | None = None  # entry, row of the bag, place in the party, action ...; from 0
    pocket: int | None = None  # items, balls, TMs and HMs, berries, key items: the bag's open one,
    # or where the item comes from that one of the party is chosen for
    words: int | None = None  # cursor of a box of words over a screen: use, toss; yes, no
    battler: int = 0  # for whom a battle waits: 2 is the right one of the player's two
    lesson: int | None = None  # the move for which one of four is to be forgotten

    @property
    def is_known(self) -> bool:
        """Whether a cursor is known, so that its keys can be told apart."""
        return self.cursor is not None or self.words is not None


class _Cursors:
    """The stretches `state_memory.CURSORS`, decoded."""

    def __init__(self, at: MenuAddresses, memory: bytes) -> None:
        start, words, slot, action, pocket, *rest = _CURSORS.unpack(memory)
        self.start = start if at.s_start_menu_cursor_pos else None
        self.words = words if at.s_menu and words >= 0 else None
        self.slot = slot if at.g_party_menu and slot >= 0 else None
        is_pocket = at.g_bag_position and pocket < sym.BAG_POCKETS
        self.pocket = pocket if is_pocket else None
        self.from_pocket = self.pocket if action == sym.PARTY_ACTION_USE_ITEM else None
        self.row = rest[pocket] + rest[sym.BAG_POCKETS + pocket] if is_pocket else None
        self.controllers = rest[2 * sym.BAG_POCKETS :][: sym.MAX_BATTLERS]
        *rest, lesson = rest
        self.lesson = lesson if at.g_move_to_learn and 0 < lesson < len(moves()) else None
        self.actions, self.moves = rest[-2 * sym.MAX_BATTLERS : -sym.MAX_BATTLERS], rest[-4:]


def overworld_menu(
    at: MenuAddresses, memory: bytes, is_start_menu: bool, tasks: AbstractSet[int]
) -> Menu | None:
    """Returns the menu that is open over the overworld; None if there is none.

    Args:
        at: the edition's addresses.
        memory: the stretches `state_memory.CURSORS`.
        is_start_menu: whether the start menu is open.
        tasks: pointers of the tasks that run.
    """
    if is_start_menu:
        return Menu(MenuKind.START, _Cursors(at, memory).start)
    if at.box_tasks.isdisjoint(tasks):
        return None
    return Menu(MenuKind.WORDS, _Cursors(at, memory).words)


def screen_menu(at: MenuAddresses, memory: bytes, screen: str, tasks: Mapping[int, int]) -> Menu:
    """Returns the menu that a screen of its own is.

    Args:
        at: the edition's addresses.
        memory: the stretches `state_memory.CURSORS`.
        screen: its kind in callbacks.csv.
        tasks: pointers of the tasks that run, each with its first number.
    """
    here = _Cursors(at, memory)
    words = None if at.box_tasks.isdisjoint(tasks) else here.words
    if screen == "bag_menu":
        return Menu(MenuKind.BAG, here.row, here.pocket, words)
    if screen == "party_menu":
        return Menu(MenuKind.PARTY, here.slot, here.from_pocket, words)
    if screen == "options":
        option = tasks.get(at.task_option_menu_process_input, -1)
        return Menu(MenuKind.OTHER, option if option >= 0 else None)
    return Menu(MenuKind.OTHER, words=words)


def summary_menu(at: MenuAddresses, memory: bytes) -> Menu:
    """Returns the menu that the summary's screen is while it asks which move to forget.

    Its cursor counts from the first of the four moves to the new one, which is 4.

    Args:
        at: the edition's addresses.
        memory: the stretch `state_memory.SUMMARY`.
    """
    lesson, cursor = _SUMMARY.unpack(memory)
    if not at.s_mon_summary_screen or cursor > _NEW:
        return Menu(MenuKind.OTHER)
    return Menu(MenuKind.OTHER, cursor, lesson=lesson if 0 < lesson < len(moves()) else None)


def battle_menu(at: MenuAddresses, memory: bytes, tasks: AbstractSet[int]) -> Menu | None:
    """Returns the choice that a battle waits for; None if there is none, or it is unknown.

    Jade asks for the move to forget in a box of words, Emerald in the summary's screen.

    Args:
        at: the edition's addresses.
        memory: the stretches `state_memory.CURSORS`.
        tasks: pointers of the tasks that run.
    """
    here = _Cursors(at, memory)
    if not at.box_tasks.isdisjoint(tasks):
        return Menu(MenuKind.WORDS, here.words, lesson=here.lesson)
    if not (at.g_battler_controller_funcs and at.handle_input_choose_action):
        return None
    for battler in _OWN:
        if here.controllers[battler] == at.handle_input_choose_action:
            return Menu(MenuKind.ACTION, here.actions[battler], battler=battler)
        if here.controllers[battler] == at.handle_input_choose_move:
            return Menu(MenuKind.MOVE, here.moves[battler], battler=battler)
    return None
