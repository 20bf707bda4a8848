"""Walks: what the auditor follows, a way to a loop and rounds of that loop."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Protocol

from emerald_env.state import GameState

State = GameState | None


class Walk(Protocol):
    """States of a game, one per step; anything that plays or has recorded a game can be a walk."""

    name: str

    def opening(self) -> Iterable[State]:
        """Returns the states up to the loop, the first state of the episode first."""

    def round(self) -> Iterable[State]:
        """Returns the states of one more round of the loop, none if there is nothing to repeat."""


class StatesWalk:
    """A walk along given states: those before the loop once, those in it repeatedly.

    Args:
        name: what reports call it.
        states: one per step, the first state of the episode first.
        loop: (first, last) indices of equal states around the loop; None: the longest stretch
            between two states of the same place and flags, see `find_loop`.

    Raises:
        ValueError: there are no states, or the loop is outside them.
    """

    def __init__(
        self, name: str, states: Sequence[State], loop: tuple[int, int] | None = None
    ) -> None:
        if not states:
            raise ValueError(f"{name} has no states: nothing can be audited")
        if loop is not None and not 0 <= loop[0] < loop[1] < len(states):
            raise ValueError(
                f"{name} has states 0 to {len(states) - 1}, so its loop cannot go from "
                f"{loop[0]} to {loop[1]}"
            )
        self.name = name
        self._states = states
        self._loop = loop or find_loop(states) or (len(states) - 1, len(states) - 1)

    def opening(self) -> Iterator[State]:
        """Yields the states up to the loop's first."""
        yield from self._states[: self._loop[0] + 1]

    def round(self) -> Iterator[State]:
        """Yields the states after the loop's first up to its last, which is like the first."""
        first, last = self._loop
        yield from self._states[first + 1 : last + 1]

    def ending(self) -> Iterator[State]:
        """Yields the states after the loop, to be followed once at the end."""
        yield from self._states[self._loop[1] + 1 :]


def find_loop(states: Sequence[State]) -> tuple[int, int] | None:
    """Returns the first and last index of the longest stretch that ends where it began.

    That means the same tile of the same map and the same flags, with something else in between.
    Returns None if there is no such stretch.
    """
    first: dict[Hashable, int] = {}
    longest = None
    before: Hashable = None
    changed = 0  # where it last differed from just before
    for index, state in enumerate(states):
        if state is None:
            continue
        here = (state.location, state.position, state.flags)
        if here != before:
            changed, before = index, here
        start = first.setdefault(here, index)
        is_longer = longest is None or index - start > longest[1] - longest[0]
        if start < changed and is_longer:
            longest = (start, index)
    return longest
