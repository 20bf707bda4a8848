"""The kind of screen of each main callback, and which callbacks leave memory at rest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from emerald_env.game.editions import Edition
from emerald_env.state.game_state import Mode
from emerald_env.state.rejection import Rejection

_MENUS = (
    "bag_menu party_menu summary_screen pc_storage pokedex pokenav options trainer_card shop "
    "naming_screen choose_starter learn_move wall_clock map_screen diploma other"
).split()
_TITLES = ("title", "main_menu", "new_game")
_AT_REST_TRANSITIONS = ("evolution", "egg_hatch", "hall_of_fame")

MODES = {
    "overworld": Mode.OVERWORLD,
    "battle": Mode.BATTLE,
    **dict.fromkeys(_MENUS, Mode.MENU),
    **dict.fromkeys(_TITLES, Mode.TITLE),
    **dict.fromkeys(_AT_REST_TRANSITIONS, Mode.TRANSITION),
}
"""The mode of each kind in ``callbacks.csv`` that does not touch the save blocks.

All others (loading a map, entering or leaving a battle, a white-out) move and re-encrypt the
blocks, which may then be half old and half new.
"""


@cache
def screen_modes(edition: Edition) -> Mapping[int, Mode | Rejection]:
    """Returns, by main callback, its mode, or why memory cannot be trusted meanwhile."""
    return {pointer: _mode(callback.kind) for pointer, callback in edition.screens.items()}


def _mode(kind: str) -> Mode | Rejection:
    if kind == "credits":
        return Rejection.CREDITS
    mode = MODES.get(kind, Rejection.LOADING)
    return Rejection.NOT_STARTED if mode is Mode.TITLE else mode
