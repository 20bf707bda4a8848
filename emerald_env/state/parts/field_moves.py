"""Moves that open ways on the map: which machines teach them, and who knows them."""

from __future__ import annotations

from functools import lru_cache

from emerald_env.state.game_state import GameState, item_counts

FIRST_MACHINE = 339  # HM01
FIELD_MOVES = (15, 19, 57, 70, 148, 249, 127, 291)
"""Cut, Fly, Surf, Strength, Flash, Rock Smash, Waterfall, Dive: those of HM01 to HM08."""
MACHINES = frozenset(range(FIRST_MACHINE, FIRST_MACHINE + len(FIELD_MOVES)))


def machines_held(state: GameState) -> int:
    """Returns which HMs the bag has: bit 0 for HM01 to bit 7."""
    return _machines(state.bag_data)


def moves_known(state: GameState) -> int:
    """Returns which of `FIELD_MOVES` the party knows, a bit for each."""
    known = {move for pokemon in state.party for move in pokemon.moves}
    return sum((move in known) << bit for bit, move in enumerate(FIELD_MOVES))


def lessons_waiting(state: GameState) -> int:
    """Returns which of `FIELD_MOVES` the bag can teach and nobody knows, a bit for each."""
    return machines_held(state) & ~moves_known(state)


@lru_cache(maxsize=64)
def _machines(bag: bytes) -> int:
    held = item_counts(bag)
    return sum((FIRST_MACHINE + bit in held) << bit for bit in range(len(FIELD_MOVES)))
