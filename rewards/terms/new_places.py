"""Terms for places: maps entered and tiles stood on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from emerald_env.game import tables
from emerald_env.state import GameState, milestone_bits
from rewards.kinds import Events, Key
from rewards.terms.story_ways import maps_ahead
from rewards.terms.whiteout import woke_up

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
