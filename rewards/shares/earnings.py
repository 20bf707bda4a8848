"""What one game earns, collected until asked for."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from rewards.kinds import Key, Paid

KEYS_A_TERM = 10


class Earned(NamedTuple):
    """What a game earned over some steps; small enough to be sent to another process."""

    steps: int
    sums: dict[str, float]  # term -> what it paid; without terms that paid nothing
    top: tuple[Paid, ...]  # of each term the keys that paid most
    milestones: frozenset[str]  # that the game had reached at any time of these steps


class Earnings:
    """The earnings of one game, across episodes."""

    def __init__(self) -> None:
        self._empty()

    def _empty(self) -> None:
        self._steps = 0
        self._terms: dict[str, dict[Key, float]] = defaultdict(lambda: defaultdict(float))
        self._milestones: set[str] = set()

    def add(self, paid: Iterable[Paid]) -> None:
        """Adds a step and what it paid."""
        self._steps += 1
        for term, key, amount in paid:
            self._terms[term][key] += amount

    def reached(self, milestones: Iterable[str]) -> None:
        """Adds milestones that the game has reached."""
        self._milestones.update(milestones)

    def take(self) -> Earned:
        """Returns the earnings since the last call, and resets them."""
        top = (
            Paid(term, key, amount)
            for term, keys in self._terms.items()
            for key, amount in heapq.nlargest(KEYS_A_TERM, keys.items(), key=lambda item: item[1])
        )
        earned = Earned(
            self._steps,
            {term: sum(keys.values()) for term, keys in self._terms.items()},
            tuple(top),
            frozenset(self._milestones),
        )
        self._empty()
        return earned
