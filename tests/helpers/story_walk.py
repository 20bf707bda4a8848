"""Emerald's story walked through a reward: synthetic states, one a tile, along its passages."""

import heapq
from dataclasses import replace
from itertools import pairwise

from rewards import Reward
from rewards.audit.changes import apply
from rewards.audit.new_game import NEW_GAME
from rewards.terms.story_ways import WayLeg, _passages, main_story, way_to


def tiles_of(leg):
    """Yields the tiles after a leg's first: as many different ones as the game makes one walk."""
    *here, x, y = leg.start
    to_x, to_y = leg.end[2:]
    extra = max(0, leg.tiles - abs(x - to_x) - abs(y - to_y)) // 2  # ledges: two tiles a step
    if tuple(here) != leg.end[:2]:
        yield leg.end
        return
    if x == to_x:
        corners = [(x, y), (x + extra, y), (x + extra, to_y), (to_x, to_y)]
    else:
        far = max(y, to_y) + extra
        corners = [(x, y), (x, far), (to_x, far), (to_x, to_y)]
    for (x1, y1), (x2, y2) in pairwise(corners):
        for step in range(1, abs(x2 - x1) + abs(y2 - y1) + 1):
            dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
            yield (*here, x1 + step * dx, y1 + step * dy)


def at(state, place):
    """Returns the state with the player on another tile."""
    elsewhere = {"location": place[:2], "position": place[2:]}
    return replace(state, **elsewhere, component=None, global_position=None)


def reached(state, step):
    """Returns the state with a milestone."""
    change = {
        "flag": {"set": [step.id]},
        "party": {"party": [{"id": 1}]},
        "var": {"vars": {step.name: step.at_least}},
    }
    return apply(state, change[step.kind])


class Walker:
    """Walks tile by tile, from the first milestone of the main story."""

    def __init__(self, preset):
        first = main_story()[0]
        start = (first.group, first.num, first.x, first.y)
        self.state = reached(at(NEW_GAME, start), first)
        self.reward = Reward(preset)
        self.reward.reset(self.state)

    def go(self, state):
        before, self.state = self.state, state
        return sum(self.reward(before, state).values())

    def to(self, place):
        return self.go(at(self.state, place))

    def reach(self, step):
        return self.go(reached(self.state, step))

    def along(self, legs):
        """Returns what each tile of some legs pays."""
        return [self.to(place) for leg in legs for place in tiles_of(leg)]


def stretches():
    """Yields (milestone, its way, slugs of those before) along the main story."""
    slugs = [step.slug for step in main_story()]
    for index, step in enumerate(main_story()[1:], 1):
        yield step, way_to(step.slug), frozenset(slugs[:index])


def sightseeing(start, slugs, seen, length, avoid):
    """Returns legs from one nearest map that is not seen yet to the next, so many tiles long."""
    seen, legs, here = set(seen), [], start
    while sum(leg.tiles for leg in legs) < length:
        way = _nearest_new(here, slugs, seen, avoid)
        if not way:
            break
        legs += way
        seen.update(leg.end[:2] for leg in way)
        here = way[-1].end
    return legs


def _nearest_new(here, slugs, seen, avoid):
    queue, known = [(0, here, None, 0)], {}
    while queue:
        distance, place, before, tiles = heapq.heappop(queue)
        if place in known:
            continue
        known[place] = before, tiles
        if place[:2] not in seen:
            return _legs_to(place, known)
        for after, steps, needs in _passages().get(place, ()):
            if after not in known and needs <= slugs and not {after, after[:2]} & avoid:
                heapq.heappush(queue, (distance + steps, after, place, steps))
    return []


def _legs_to(place, known):
    legs = []
    while known[place][0] is not None:
        before, tiles = known[place]
        legs.append(WayLeg(before, place, tiles, 0))
        place = before
    return legs[::-1]
