"""Scenes, in which nothing can be chosen, told apart in the atlas by what began them."""

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.exploration.atlas.atlas import Atlas
from emerald_env.explorer import Trail
from emerald_env.explorer.exact_places import CLOSED
from emerald_env.explorer.random_keys import KEYS

SHOWN = CLOSED - 1  # what `menu_visits` says of words on the screen
TILE, WORDS, ON_NO, ON_YES, GOAL = 1, 2, 3, 4, 5
A, UP, DOWN = (KEYS.index(key) for key in ("a", "up", "down"))


class Clock:
    """A clock that asks whether it is right, the cursor on No; all its words look the same."""

    def __init__(self, words):
        self.words, self.place, self.left, self.then = words, TILE, 0, TILE

    def press(self, key):
        if self.place == WORDS:
            self.left -= 1
            self.place = WORDS if self.left else self.then
        elif self.place == TILE and key == A:
            self._say(ON_NO)
        elif self.place in (ON_NO, ON_YES) and key == A:
            self._say(TILE if self.place == ON_NO else GOAL)
        elif (self.place, key) in ((ON_NO, UP), (ON_YES, DOWN)):
            self.place = ON_YES if key == UP else ON_NO

    def _say(self, then):
        self.place, self.left, self.then = WORDS, self.words, then


def played(dice, clock, most):
    """A trail of random keys, mostly A, of `most` steps or to the milestone."""
    places, keys = [clock.place], []
    while clock.place != GOAL and len(keys) < most:
        keys.append(dice.choice([A, A, A, *range(len(KEYS))]))
        clock.press(keys[-1])
        places.append(clock.place)
    walks = [place != WORDS for place in places]
    visits = [SHOWN if place in (WORDS, ON_NO, ON_YES) else CLOSED for place in places]
    return Trail(places, [int(p == GOAL) for p in places], walks, keys, places, visits)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), words=st.integers(1, 5))
def test_the_answer_that_leads_on_is_told_from_the_one_that_does_not(seed, words):
    dice, atlas = Random(seed), Atlas()
    for _ in range(60):
        atlas.add(played(dice, Clock(words), 200))
    atlas.solve()
    places = np.array([TILE, ON_NO, ON_YES])
    assert atlas.advice.look_up(places, places).tolist() == [A, UP, A]
    said = np.array([WORDS])  # in words that nobody has seen begin like this
    assert atlas.advice.look_up(np.array([777]), said).tolist() == [A]


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_ways_through_a_scene_that_is_longer_than_any_trail_are_known(seed):
    dice, atlas = Random(seed), Atlas()
    for _ in range(40):
        clock = Clock(words=30)
        while clock.place != GOAL:  # the next trail goes on where one ends
            atlas.add(played(dice, clock, 20))
    atlas.solve()
    assert atlas.advice.look_up(np.array([TILE])).tolist() == [A]


def test_a_scenes_places_differ_by_what_began_it_alone():
    places, walks = [1, 2, 2, 3, 2, 2, 1, 2, 2, 9], [True, False, False, True, False, False]
    walks += [True, False, False, True]
    visits = [CLOSED if walk else SHOWN for walk in walks]
    keys = [A, A, A, A, A, A, A, A, A]
    told = Trail(places, [0] * 10, walks, keys, places, visits).with_scenes_told_apart()
    first, second, third = (told.places[i : i + 2] for i in (1, 4, 7))
    assert first == third != second and len({*first, *second, 2}) == 3
    assert [told.places[at] for at in (0, 3, 6, 9)] == [1, 3, 1, 9]
    assert told.grounds == places
    other = Trail(places, [0] * 10, walks, [UP, *keys[1:]], places, visits)
    assert other.with_scenes_told_apart().places[1:3] != first


def test_the_ends_of_a_trail_in_a_scene_keep_their_numbers():
    walks, visits = [False, True, False, False], [SHOWN, CLOSED, SHOWN, SHOWN]
    told = Trail([2, 1, 2, 2], [0] * 4, walks, [A] * 3, [], visits).with_scenes_told_apart()
    assert told.places[:2] == [2, 1] and told.places[2] != 2 and told.places[3] == 2


@given(
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=9),
    keys=st.lists(st.integers(0, len(KEYS) - 1), min_size=8, max_size=8),
)
def test_the_numbers_of_scenes_fit_into_64_bits(numbers, keys):
    shown = [at % 3 != 0 for at in range(len(numbers))]
    visits = [SHOWN if is_shown else CLOSED for is_shown in shown]
    walks = [not is_shown for is_shown in shown]
    trail = Trail(numbers, [0] * len(numbers), walks, keys[: len(numbers) - 1], [], visits)
    assert np.array(trail.with_scenes_told_apart().places, np.int64).dtype == np.int64


def test_a_trail_that_tells_no_menus_apart_stays_as_it_is():
    trail = Trail([1, 2, 1], [0] * 3, [True, False, True], [A, A])
    assert trail.with_scenes_told_apart() is trail
