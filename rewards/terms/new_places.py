"""Terms for places: maps entered and tiles stood on."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from functools import cache, lru_cache
from operator import attrgetter

from emerald_env.game import tables
from emerald_env.state import GameState, milestone_bits
from rewards.kinds import Events, Key
from rewards.terms.story_ways import (
    CLOSE,
    Place,
    home_of_neighbours,
    length_of,
    main_story,
    maps_ahead,
    next_milestone,
    tiles_left,
)
from rewards.terms.whiteout import woke_up

SLICE = 16  # tiles of a way
BEHIND = 0.25  # share that other tiles pay of what tiles ahead pay


class Ahead(Events):
    """Places that pay in full on the way to the next milestones, and a quarter elsewhere."""

    def worth(self, key: Key, state: GameState) -> float:
        """Returns 1 on the way to the next milestones, a quarter elsewhere."""
        return 1.0 if state.location in maps_ahead(milestone_bits(state)) else BEHIND


class MapsEntered(Ahead):
    """Maps entered; the key is (group, number).

    Maps on the way to one of the next milestones pay in full, others a quarter. Must not reward
    waking up after a white-out, maps that do not exist in the game, nor sightseeing.
    """

    name = "map"
    needs = ("location",)

    def __init__(self) -> None:
        self._maps = frozenset(tables.maps())
        self.keys = len(self._maps)

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the map, if this step entered it."""
        if before.location == after.location or after.location not in self._maps:
            return ()
        return () if woke_up(before, after) else (after.location,)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the current map."""
        return (state.location,)


class Tiles(Ahead):
    """Tiles that a step enters."""

    needs = ("location", "position")

    def __init__(self) -> None:
        self._maps = frozenset(tables.maps())

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the tile, if this step entered it."""
        if before.position == after.position and before.location == after.location:
            return ()
        if after.location not in self._maps or woke_up(before, after):
            return ()
        return self.holds(after)


class TilesWalked(Tiles):
    """Tiles stood on; the key is (map group, map number, x, y), the bucket the map.

    That is the tile's place in the world, indoors too; `global_position` is None there, and the
    same for a place under water as for the surface above it.

    Each map pays less and less for more of its tiles, and off the ways to the next milestones a
    quarter: must not reward searching one place instead of moving on. Pictures, menus and battles
    are no tiles; walking back and forth pays once.
    """

    name = "tile"
    decay = 0.995

    def __init__(self) -> None:
        super().__init__()
        self.buckets = len(self._maps)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the current tile."""
        return (state.location + state.position,)

    def bucket(self, key: Key) -> Hashable:
        """Returns the tile's map."""
        return key[:2]  # type: ignore[index,no-any-return]


class GroundSearched(Tiles):
    """Tiles stood on since the last milestone; the key is (milestones reached, tile as above).

    Each milestone makes all tiles pay again: a dead end may now lead on, and nothing in the picture
    says so. The bucket is the number of milestones with the map: must not reward searching one
    place instead of trying another. That number is bounded, so however milestones come and go, a
    stage's tiles pay once.

    Tiles on the way to one of the next milestones pay in full, others a quarter: must not reward
    walking back instead of onwards.
    """

    name = "search"
    decay = 0.95

    def __init__(self) -> None:
        super().__init__()
        self.buckets = (len(tables.milestones()) + 1) * len(self._maps)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the current tile, with the stage."""
        return ((milestone_bits(state).bit_count(),) + state.location + state.position,)

    def bucket(self, key: Key) -> Hashable:
        """Returns the stage with the tile's map."""
        return key[:3]  # type: ignore[index,no-any-return]


class WayWalked(Events):
    """Progress on the way to the next milestone; the key is (its bit, a slice of the way).

    A way (`story_ways`) is cut into equal slices of about sixteen tiles, which together pay the
    weight: so the last tiles of a long way pay like the first. The next milestone is the one
    after the furthest reached. Must not reward waking up after a white-out, what lay behind when
    the milestone became the next, nor walking back and forth.
    """

    name = "way"
    needs = ("location", "position", "flags", "vars", "party")

    def __init__(self) -> None:
        self.keys = sum(_slices(step.bit) for step in main_story())

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the slices passed, if this step led further."""
        if before.position == after.position and before.location == after.location:
            return ()
        bits = milestone_bits(after)
        return () if _way(bits, before) == _way(bits, after) else self.holds(after)

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the slices passed where a milestone became the next, or where one woke up."""
        if _story_of(before) == _story_of(after):  # so for most steps
            return ()
        if milestone_bits(before) == milestone_bits(after) and not woke_up(before, after):
            return ()
        return self.holds(after)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the slices that lie behind the current tile."""
        bit, passed = _way(milestone_bits(state), state)
        return [(bit, number) for number in range(passed)]

    def worth(self, key: Key, state: GameState) -> float:
        """Returns the share of the slice in its way."""
        slices: int = _slices(key[0])  # type: ignore[index]
        return 1.0 / slices

    def bound(self, weight: float, decay: float) -> float:
        """Returns the weight for each way."""
        return weight * len(main_story())


_story_of = attrgetter("flags", "vars", "party")  # whatever milestones and white-outs depend on


def _way(reached: int, state: GameState) -> tuple[int, int]:
    """Returns the next milestone's bit and how many slices of its way lie behind the player."""
    return _passed(reached, state.location, state.position, state.player_gender)


@lru_cache(maxsize=4096)
def _passed(
    reached: int, location: tuple[int, int], position: tuple[int, int], gender: int
) -> tuple[int, int]:
    place = _as_boy(location, position) if gender else (*location, *position)
    step = next_milestone(reached)
    left = tiles_left(step.slug, place) if step else None
    if step is None or left is None:
        return 0, 0
    share = 1.0 - max(0, left - CLOSE) / max(1, length_of(step.slug) - CLOSE)
    return step.bit, int(max(0.0, share) * _slices(step.bit))


def _as_boy(location: tuple[int, int], position: tuple[int, int]) -> Place:
    """Returns where a girl is, in the houses of Littleroot as if she were the boy."""
    home, (x, y) = home_of_neighbours(location), position
    if home == location or location not in tables.maps():
        return (*location, x, y)
    return (*home, tables.maps()[home].width - 1 - x, y)


@cache
def _slices(bit: int) -> int:
    (slug,) = (step.slug for step in main_story() if step.bit == bit)
    return math.ceil(length_of(slug) / SLICE) or 1
