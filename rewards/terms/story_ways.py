"""The ways of the story: how one walks from each milestone to the next.

They are the shortest ways over ``tables.passages()``, on each of which one needs nothing that the
milestones before do not give: flags, badges, field moves.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from emerald_env.game import tables
from emerald_env.game.tables import Milestone

Place = tuple[int, int, int, int]  # map group, map number, x, y

AHEAD = 8  # milestones of the main story; a game need not have every one of them
SKIPPED = 3  # latest milestones of the main story that still count as ahead where they are missing
CLOSE = 2  # tiles from which one talks to whoever stands on a milestone's tile


class WayLeg(NamedTuple):
    """A stretch of a way on one map."""

    start: Place
    end: Place
    tiles: int
    left: int  # tiles from its end to the way's end


@cache
def main_story() -> tuple[Milestone, ...]:
    """Returns the milestones of the main story in their usual order."""
    return tuple(step for step in tables.milestones() if step.track == "main")


@cache
def way_to(slug: str) -> tuple[WayLeg, ...]:
    """Returns the way to a milestone of the main story from the one before.

    Raises:
        ValueError: what is there before does not suffice to get there: a fault of the tables.
    """
    story = main_story()
    index = [step.slug for step in story].index(slug)
    earlier = frozenset(step.slug for step in story[:index])
    here, there = _place(story[max(0, index - 1)]), _place(story[index])
    return shortest(here, there, earlier)


def shortest(here: Place, there: Place, reached: frozenset[str]) -> tuple[WayLeg, ...]:
    """Returns the shortest way between two ends of passages, by Dijkstra's algorithm.

    Args:
        here: where it begins.
        there: where it ends.
        reached: slugs of the milestones reached; they are what one has and may pass.

    Raises:
        ValueError: there is no way.
    """
    queue: list[tuple[int, Place, Place | None]] = [(0, here, None)]
    known: dict[Place, tuple[int, Place | None]] = {}
    while queue and there not in known:
        distance, place, before = heapq.heappop(queue)
        if place in known:
            continue
        known[place] = (distance, before)
        for after, tiles, needs in _passages().get(place, ()):
            if after not in known and needs <= reached:
                heapq.heappush(queue, (distance + tiles, after, place))
    if there not in known:
        raise ValueError(f"no passages lead from {here} to {there} with {sorted(reached)}")
    length = known[there][0]
    stops = [there]
    while (before := known[stops[-1]][1]) is not None:
        stops.append(before)
    if len(stops) == 1:
        return (WayLeg(here, there, 0, 0),)
    return tuple(
        WayLeg(a, b, known[b][0] - known[a][0], length - known[b][0])
        for a, b in pairwise(reversed(stops))
    )


@cache
def _passages() -> dict[Place, list[tuple[Place, int, frozenset[str]]]]:
    table = defaultdict(list)
    for row in tables.passages():
        here, there = row[:4], row[4:8]
        table[here].append((there, row.tiles, frozenset(row.needs.split())))
    return dict(table)


def _place(step: Milestone) -> Place:
    return step.group, step.num, step.x, step.y


@lru_cache(maxsize=256)
def next_milestone(reached: int) -> Milestone | None:
    """Returns the milestone of the main story after the furthest reached, by ``milestone_bits``."""
    furthest = max((i for i, s in enumerate(main_story()) if reached >> s.bit & 1), default=-1)
    return main_story()[furthest + 1] if furthest + 1 < len(main_story()) else None


@lru_cache(maxsize=256)
def coming(reached: int) -> tuple[Milestone, ...]:
    """Returns the next milestones of the main story, given ``milestone_bits``.

    Those are the ones after the furthest reached, so that a milestone that a game lacks does not
    block the rest, and before them those of the latest few that were skipped.
    """
    story, following = main_story(), next_milestone(reached)
    first = story.index(following) if following else len(story)
    skipped = [s for s in story[max(0, first - SKIPPED) : first] if not reached >> s.bit & 1]
    return (*skipped, *story[first : first + AHEAD])


@lru_cache(maxsize=256)
def maps_ahead(reached: int) -> frozenset[tuple[int, int]]:
    """Returns the maps on the ways to the `coming` milestones; both houses of Littleroot."""
    maps = {
        place[:2]
        for step in coming(reached)
        for leg in way_to(step.slug)
        for place in (leg.start, leg.end)
    }
    return frozenset(maps | {home_of_neighbours(location) for location in maps})


def home_of_neighbours(location: tuple[int, int]) -> tuple[int, int]:
    """Returns the same storey of Littleroot's other house; another map remains what it is."""
    group, number = location
    return (1, number ^ 2) if group == 1 and number < 4 else location  # noqa: PLR2004


def tiles_left(slug: str, place: Place) -> int | None:
    """Returns how many tiles of the way to a milestone lie ahead of a place on one of its maps.

    Where the way crosses the map several times, the crossing counts from which the place is the
    smallest detour. Returns None on a map that the way does not cross.
    """
    best = min(_detours(slug, place), default=None)
    return None if best is None else best[1]


def _detours(slug: str, place: Place) -> Iterator[tuple[int, int]]:
    for leg in _by_map(slug).get(place[:2], ()):
        ahead = _steps(place, leg.end)
        yield _steps(leg.start, place) + ahead - leg.tiles, leg.left + min(ahead, leg.tiles)


@cache
def _by_map(slug: str) -> dict[tuple[int, int], list[WayLeg]]:
    legs = defaultdict(list)
    for leg in way_to(slug):
        if leg.start[:2] == leg.end[:2]:
            legs[leg.end[:2]].append(leg)
    return legs


def length_of(slug: str) -> int:
    """Returns the length in tiles of the way to a milestone."""
    first = way_to(slug)[0]
    return first.tiles + first.left


def _steps(here: Place, there: Place) -> int:
    return abs(here[2] - there[2]) + abs(here[3] - there[3])
