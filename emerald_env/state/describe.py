"""A state as a page, and two states as a list of what changed, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emerald_env.tables import flag_name, item_name, map_name, move_name, species_by_national

if TYPE_CHECKING:
    from emerald_env.state.game_state import Battler, GameState
    from emerald_env.state.pokemon import Pokemon


def describe(state: GameState) -> str:
    """Returns a page of plain text."""
    return "\n".join(f"{name:<9}{text}" for name, text in _lines(state))


def difference(before: GameState, after: GameState) -> list[str]:
    """Returns what changed, one readable line each; empty if nothing but the clock did."""
    return []


def _lines(state: GameState) -> list[tuple[str, str]]:
    return [("mode", state.mode.value)]
