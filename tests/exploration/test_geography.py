"""Ways over land that was crossed in another chapter of the story."""

from collections import deque
from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.exploration.atlas import geography
from baselines.exploration.atlas.atlas import Atlas
from emerald_env.env.observation import observe_fully
from emerald_env.explorer import Trail
from emerald_env.explorer.exact_places import UNKNOWN, chapter_numbers, places_and_grounds
from emerald_env.explorer.random_keys import DIRECTIONS, KEYS
from emerald_env.game.flags import FLAG_COUNT
from emerald_env.game.tables import flags
from rewards.audit.new_game import FLAGS, NEW_GAME

LANDS = 14
EARLY, LATE = 10**6, 5 * 10**9  # what each chapter adds to a ground's number
GOAL = LANDS  # the land that one steps onto with the milestone of a chapter
START = KEYS.index("start")


def random_land(dice):
    """Where each direction leads from each land; half of them lead nowhere."""
    nexts = {}
    for land in range(LANDS):
        for key in range(len(DIRECTIONS)):
            nexts[land, key] = dice.randrange(LANDS) if dice.random() < 0.5 else land
    return nexts


def step(chapter, progress, land, key, after):
    """A trail of one key."""
    places, chapters = [chapter + land, chapter + after], [chapter, chapter]
    return Trail(places, [progress] * 2, [True] * 2, [key], [*places], [], chapters)


def goes_on(chapter, progress, land, key):
    """A trail of the key that brings a chapter's milestone, in another place and chapter."""
    places, chapters = [chapter + land, chapter * 3 + GOAL], [chapter, chapter * 3]
    return Trail(places, [progress, progress + 1], [True] * 2, [key], [*places], [], chapters)


def distances_to(end, nexts):
    """The least number of steps to a land: a search from its end, without any table."""
    far, queue = {end: 0}, deque([end])
    while queue:
        land = queue.popleft()
        for (before, _), after in nexts.items():
            if after == land and before not in far:
                far[before] = far[land] + 1
                queue.append(before)
    return far


def crossed(nexts, end):
    """An atlas of who crossed all of the land early, and late only left it at one end."""
    atlas = Atlas()
    for (land, key), after in nexts.items():
        atlas.add(step(EARLY, 1, land, key, after))
    atlas.add(goes_on(LATE, 2, end, 0))
    atlas.solve()
    return atlas


def told(atlas, chapter, land):
    """The advice for somebody whose history nobody has had."""
    return int(atlas.advice.look_up(np.array([-1]), np.array([chapter + land]))[0])


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_who_is_lost_in_a_late_chapter_takes_the_shortest_way_that_was_seen_early(seed):
    dice = Random(seed)
    nexts, end = random_land(dice), dice.randrange(LANDS)
    atlas, far = crossed(nexts, end), distances_to(end, nexts)
    for land in range(LANDS):
        key = told(atlas, LATE, land)
        if land == end:
            assert key == 0, "its own chapter's"
        elif land in far:
            assert far[nexts[land, key]] == far[land] - 1
        else:
            assert key == UNKNOWN, "there is no way"
        assert told(atlas, EARLY, land) == UNKNOWN, "nobody has gone on from there"


def test_a_door_that_was_closed_for_long_is_tried():
    atlas = Atlas()
    for after in [0] * 60 + [1]:
        atlas.add(step(EARLY, 1, 0, 2, after))
    atlas.add(goes_on(LATE, 2, 1, 0))
    atlas.solve()
    assert told(atlas, LATE, 0) == 2
    for _ in range(60):
        atlas.add(step(EARLY, 1, 0, 2, 0))
    atlas.solve()
    assert told(atlas, LATE, 0) == UNKNOWN, "once in more than a hundred times: a fluke"


def test_no_way_leads_through_the_menu():
    atlas = Atlas()
    for land, key, after in ((0, START, 1), (1, 0, 2)):
        atlas.add(step(EARLY, 1, land, key, after))
    atlas.add(goes_on(LATE, 2, 2, 0))
    atlas.solve()
    assert told(atlas, LATE, 1) == 0 and told(atlas, LATE, 0) == UNKNOWN


def test_when_there_are_too_many_the_latest_chapters_come_first(monkeypatch):
    atlas = crossed({(land, 0): land + 1 for land in range(LANDS - 1)}, LANDS - 1)
    atlas.add(goes_on(2 * LATE, 3, LANDS - 1, 0))
    monkeypatch.setattr(geography, "MOST_HINTS", LANDS + 1)
    atlas.solve()
    assert told(atlas, 2 * LATE, 0) == 0 and told(atlas, LATE, 0) == UNKNOWN


def test_the_chapter_is_what_the_milestones_add_to_a_grounds_number():
    number = {flag.name: flag.id for flag in flags().values()}
    towns = ("LITTLEROOT_TOWN", "OLDALE_TOWN", "PETALBURG_CITY")
    states, reached = [NEW_GAME], FLAGS
    for town in towns:
        reached |= 1 << number[f"FLAG_VISITED_{town}"]
        states.append(replace(NEW_GAME, flags=reached.to_bytes(FLAG_COUNT // 8, "little")))
    vectors = np.stack([observe_fully(state) for state in states])
    lands = places_and_grounds(vectors)[1] - chapter_numbers(vectors)
    assert len({*chapter_numbers(vectors).tolist()}) == len(states) and len({*lands.tolist()}) == 1
