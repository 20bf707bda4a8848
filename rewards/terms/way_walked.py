"""The term for progress on the way to what the story asks for next."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, lru_cache
from operator import attrgetter
from typing import Protocol

from emerald_env.game import tables
from emerald_env.jade.worlds.errand_ways import errand_ways_of
from emerald_env.state import GameState, milestone_bits
from rewards.kinds import Events, Key
from rewards.terms.story_ways import (
    CLOSE,
    Place,
    home_of_neighbours,
    length_of,
    main_story,
    next_milestone,
    tiles_left,
)
from rewards.terms.whiteout import woke_up

SLICE = 16  # tiles of a way


class StoryWays(Protocol):
    """The ways of a game: to what the story asks for next, and how much of them is left."""

    def next(self, state: GameState) -> int | None:
        """Returns the number of what comes next; None when the story is over."""

    def length(self, number: int) -> int:
        """Returns the length of the way there, in tiles."""

    def left(self, number: int, state: GameState) -> int | None:
        """Returns how many tiles of it lie ahead of the player; None off the way."""

    def key(self, number: int, part: int) -> Key:
        """Returns the key of a slice of the way; the number comes first in it."""


class EmeraldWays:
    """The ways over Emerald's maps to the milestones of the main story, numbered by their bits."""

    def next(self, state: GameState) -> int | None:
        """Returns the bit of the milestone after the furthest reached."""
        step = next_milestone(milestone_bits(state))
        return None if step is None else step.bit

    def length(self, number: int) -> int:
        """Returns the length of the way to a milestone from the one before."""
        return length_of(_slugs()[number])

    def left(self, number: int, state: GameState) -> int | None:
        """Returns how many tiles lie ahead; None on a map that the way does not cross."""
        lives_opposite = bool(state.player_gender) and state.game != "JADE"
        return _left(number, state.location, state.position, lives_opposite)

    def key(self, number: int, part: int) -> Key:
        """Returns the milestone's bit and the slice."""
        return number, part


class JadeWays:
    """The ways over the maps of a world of Jade to what its story asks for, in its order.

    Args:
        world: its name.

    Raises:
        ValueError: there is no such world.
    """

    def __init__(self, world: str) -> None:
        self._ways = errand_ways_of(world)

    def next(self, state: GameState) -> int | None:
        """Returns the number of the errand that comes next."""
        moves = tuple(pokemon.moves for pokemon in state.party)
        return self._ways.next(state.flags, state.vars, moves)

    def length(self, number: int) -> int:
        """Returns the steps to an errand from where the one before ended."""
        return self._ways.length(number)

    def left(self, number: int, state: GameState) -> int | None:
        """Returns the steps to an errand; None where no way leads there."""
        return self._ways.left(number, (*state.location, *state.position))

    def key(self, number: int, part: int) -> Key:
        """Returns the errand's number, the slice and the errand's name: worlds number their own."""
        return number, part, self._ways.name(number)


class WayWalked(Events):
    """Progress on the way to what comes next; the key is its number and a slice of the way.

    A way is cut into equal slices of about sixteen tiles, which together pay the weight: so the
    last tiles of a long way pay like the first. In Emerald and in Jade as it comes it leads to the
    milestone after the furthest reached, over Emerald's maps (`story_ways`); in a world with maps
    of its own over those, to what its story asks for. Must not reward waking up after a white-out,
    what lay behind when something became the next, nor walking back and forth.
    """

    name = "way"
    needs = ("location", "position", "flags", "vars", "party")

    def __init__(self) -> None:
        self.keys = sum(_slices(_EMERALD.length(step.bit)) for step in main_story())

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the slices passed, if this step led further."""
        if before.position == after.position and before.location == after.location:
            return ()
        ways = ways_in(after.world)
        number = ways.next(after)
        if number is None or _passed(ways, number, before) == _passed(ways, number, after):
            return ()
        return self.holds(after)

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the slices passed where something became the next, or where one woke up."""
        if _story_of(before) == _story_of(after):  # so for most steps
            return ()
        ways = ways_in(after.world)
        if ways.next(before) == ways.next(after) and not woke_up(before, after):
            return ()
        return self.holds(after)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the slices that lie behind the current tile."""
        ways = ways_in(state.world)
        number = ways.next(state)
        if number is None:
            return []
        return [ways.key(number, part) for part in range(_passed(ways, number, state))]

    def worth(self, key: Key, state: GameState) -> float:
        """Returns the share of the slice in its way."""
        slices = _slices(ways_in(state.world).length(key[0]))  # type: ignore[index]
        return 1.0 / slices

    def bound(self, weight: float, decay: float) -> float:
        """Returns the weight for each way."""
        return weight * len(main_story())


_EMERALD = EmeraldWays()
_story_of = attrgetter("flags", "vars", "party")  # whatever milestones and white-outs depend on


def ways_in(world: str | None) -> StoryWays:
    """Returns the ways in a world of Jade with maps of its own; None: those over Emerald's maps."""
    return _EMERALD if world is None else JadeWays(world)


def _passed(ways: StoryWays, number: int, state: GameState) -> int:
    """Returns how many slices of a way lie behind the player."""
    left, length = ways.left(number, state), ways.length(number)
    if left is None:
        return 0
    share = 1.0 - max(0, left - CLOSE) / max(1, length - CLOSE)
    return int(max(0.0, share) * _slices(length))


def _slices(length: int) -> int:
    """Returns into how many slices a way is cut."""
    return math.ceil(length / SLICE) or 1


@cache
def _slugs() -> dict[int, str]:
    return {step.bit: step.slug for step in main_story()}


@lru_cache(maxsize=4096)
def _left(
    number: int, location: tuple[int, int], position: tuple[int, int], lives_opposite: bool
) -> int | None:
    place = _as_boy(location, position) if lives_opposite else (*location, *position)
    return tiles_left(_slugs()[number], place)


def _as_boy(location: tuple[int, int], position: tuple[int, int]) -> Place:
    """Returns where Emerald's girl is, in the houses of Littleroot as if she were the boy.

    In Jade she lives in the boy's house.
    """
    home, (x, y) = home_of_neighbours(location), position
    if home == location or location not in tables.maps():
        return (*location, x, y)
    return (*home, tables.maps()[home].width - 1 - x, y)
