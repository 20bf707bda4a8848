"""Progress in the story."""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from emerald_env.game.symbols import VARS_SIZE, VARS_START
from emerald_env.game.tables import Milestone, milestones

if TYPE_CHECKING:
    from emerald_env.state.game_state import GameState

_WORDS = struct.Struct(f"<{VARS_SIZE // 2}H")


def milestones_done(state: GameState) -> tuple[str, ...]:
    """Returns the slugs of the milestones reached, in the story's usual order.

    A pure function of one state: a white-out undoes the Elite Four's four again, as in the game.
    """
    return tuple(milestone.slug for milestone in milestones_in(milestone_bits(state)))


def last_main_milestone(state: GameState) -> str | None:
    """Returns the slug of the furthest milestone of the main story, None before the first."""
    main = [entry.slug for entry in milestones_in(milestone_bits(state)) if entry.track == "main"]
    return main[-1] if main else None


def milestone_bits(state: GameState) -> int:
    """Returns the milestones reached as one number, by `Milestone.bit`."""
    return _bits(state.flags, state.vars, len(state.party))


@lru_cache(maxsize=256)
def milestones_in(reached: int) -> tuple[Milestone, ...]:
    """Returns the milestones of a number such as `milestone_bits`, in the story's usual order."""
    return tuple(entry for entry in milestones() if reached >> entry.bit & 1)


@lru_cache(maxsize=64)
def _bits(flags: bytes, variables: bytes, party: int) -> int:
    words = _WORDS.unpack(variables)
    return _reached(flags, tuple(words[number - VARS_START] for number in _variables()), party)


@cache
def _variables() -> tuple[int, ...]:
    return tuple(sorted({entry.id for entry in milestones() if entry.kind == "var"}))


@lru_cache(maxsize=256)
def _reached(flags: bytes, values: tuple[int, ...], party: int) -> int:
    variables = dict(zip(_variables(), values, strict=True))
    done = 0
    for entry in milestones():
        if entry.kind == "flag":
            reached = bool(flags[entry.id >> 3] >> (entry.id & 7) & 1)
        else:
            value = party if entry.kind == "party" else variables[entry.id]
            reached = value >= entry.at_least
        done |= reached << entry.bit
    return done
