"""Terms for places: maps entered and tiles stood on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from functools import cache, lru_cache

from emerald_env.game import tables
from emerald_env.state import GameState, milestone_bits
from rewards.kinds import Events, Key
from rewards.terms.whiteout import woke_up

AHEAD = 8  # milestones of the main story; a game need not have every one of them
BEHIND = 0.25  # share that other tiles pay of what tiles ahead pay


class MapsEntered(Events):
    """Maps entered; the key is (group, number).

    Must not reward waking up after a white-out, nor maps that do not exist in the game.
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


class TilesWalked(Events):
    """Tiles stood on; the key is (map group, map number, x, y), the bucket the map.

    That is the tile's place in the world, indoors too; `global_position` is None there, and the
    same for a place under water as for the surface above it.

    Each map pays less and less for more of its tiles: must not reward searching one place instead
    of moving on. Pictures, menus and battles are no tiles; walking back and forth pays once.
    """

    name = "tile"
    needs = ("location", "position")
    decay = 0.995

    def __init__(self) -> None:
        self._maps = frozenset(tables.maps())
        self.buckets = len(self._maps)

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the tile, if this step entered it."""
        if before.position == after.position and before.location == after.location:
            return ()
        if after.location not in self._maps or woke_up(before, after):
            return ()
        return (after.location + after.position,)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the current tile."""
        return (state.location + state.position,)

    def bucket(self, key: Key) -> Hashable:
        """Returns the tile's map."""
        return key[:2]  # type: ignore[index,no-any-return]


class GroundSearched(Events):
    """Tiles stood on since the last milestone; the key is (milestones reached, tile as above).

    Each milestone makes all tiles pay again: a dead end may now lead on, and nothing in the picture
    says so. The bucket is the number of milestones with the map: must not reward searching one
    place instead of trying another. That number is bounded, so however milestones come and go, a
    stage's tiles pay once.

    Tiles on the way to one of the next milestones pay in full, others a quarter: must not reward
    walking back instead of onwards.
    """

    name = "search"
    needs = ("location", "position")
    decay = 0.95

    def __init__(self) -> None:
        self._maps = frozenset(tables.maps())
        self.buckets = (len(tables.milestones()) + 1) * len(self._maps)

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the tile with the stage, if this step entered it."""
        if before.position == after.position and before.location == after.location:
            return ()
        if after.location not in self._maps or woke_up(before, after):
            return ()
        return self.holds(after)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the current tile, with the stage."""
        return ((milestone_bits(state).bit_count(),) + state.location + state.position,)

    def worth(self, key: Key, state: GameState) -> float:
        """Returns 1 on the way to the next milestones, a quarter elsewhere."""
        return 1.0 if state.location in _ahead(milestone_bits(state)) else BEHIND

    def bucket(self, key: Key) -> Hashable:
        """Returns the stage with the tile's map."""
        return key[:3]  # type: ignore[index,no-any-return]


@lru_cache(maxsize=256)
def _ahead(reached: int) -> frozenset[tuple[int, int]]:
    """Returns the maps on the way to the next milestones of the main story.

    Those are the ones after the furthest reached, so that a milestone that a game lacks, or that
    was skipped, does not block the rest.
    """
    main = [step for step in tables.milestones() if step.track == "main"]
    done = [i for i, step in enumerate(main) if reached >> (step.order - 1) & 1]
    coming = main[done[-1] + 1 if done else 0 :][:AHEAD]
    return frozenset().union(*(_ways()[step.order] for step in coming))


@cache
def _ways() -> dict[int, set[tuple[int, int]]]:
    ways: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for way in tables.story_ways():
        ways[way.milestone].add((way.group, way.num))
    return ways
