"""Walks to something that the map has: a door, an edge, somebody, an item, a sign."""

from collections.abc import Callable
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.state import GameState, Mode
from emerald_env.state.parts.around.targets import TargetKind

LookAround = Callable[[GameState], NDArray[np.uint8]]  # what `targets` returns
DIRECTIONS: Final = ("down", "up", "left", "right")  # as the bits of a target's first keys
BEGIN = 0.1  # chance that a step on foot begins a walk
PATIENCE = 6  # keys that may bring a walk no nearer: somebody stands in the way
NO_WAY = 255
BESIDE = 2  # steps at most, with a counter between
SPOKEN_TO: Final = {TargetKind.PERSON, TargetKind.ITEM, TargetKind.THING, TargetKind.SIGN}


class GoalWalks:
    """Now and then chooses something on the map, and the keys that lead there and act.

    A door, an edge or a scene is walked into; what else there is gets a key towards it and A.

    Args:
        dice: source of randomness.
        look: returns what can be walked to in a state.
    """

    def __init__(self, dice: Random, look: LookAround) -> None:
        self._dice, self._look = dice, look
        self._goal: tuple[int, ...] | None = None  # kind and which
        self._map = (-1, -1)
        self._nearest = NO_WAY
        self._last = NO_WAY  # steps that were left at the last key
        self._patience = 0

    def next_key(self, state: GameState | None) -> str | None:
        """Returns the key to press on a walk, None where there is none now."""
        if state is None or not state.controllable or state.mode is not Mode.OVERWORLD:
            return None
        if self._goal is not None and state.location != self._map:
            self._goal = None  # arrived
        if self._goal is None and self._dice.random() >= BEGIN:
            return None
        rows = [tuple(row) for row in self._look(state).tolist() if row[0] and row[4]]
        if self._goal is None and rows:
            self._begin(rows, state)
        return None if self._goal is None else self._towards(rows)

    def _begin(self, rows: list[tuple[int, ...]], state: GameState) -> None:
        self._goal, self._map = self._dice.choice(rows)[:3], state.location
        self._nearest, self._last, self._patience = NO_WAY, NO_WAY, PATIENCE

    def _towards(self, rows: list[tuple[int, ...]]) -> str | None:
        """Returns the next key; the walk ends with None or with A."""
        goal = self._goal
        steps, keys = min((row[3:] for row in rows if row[:3] == goal), default=(NO_WAY, 0))
        self._patience -= steps >= self._nearest
        if not keys or self._patience < 0:
            self._goal = None
            return None
        # a key against somebody turns the player; across a counter it does so from two steps away
        if steps == self._last and steps <= BESIDE and goal and goal[0] in SPOKEN_TO:
            self._goal = None
            return "a"
        self._nearest, self._last = min(self._nearest, steps), steps
        return self._dice.choice([key for bit, key in enumerate(DIRECTIONS) if keys >> bit & 1])
