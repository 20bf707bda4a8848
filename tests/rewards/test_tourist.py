"""The story pays more than sightseeing, from every milestone of the built-in game on."""

from functools import cache

import pytest

from baselines.settings.train_config import PPOConfig
from emerald_env.state import milestones_done
from rewards import Reward, load_preset, preset_names
from rewards.audit.tourist import TILES_A_MAP, earned, sightseeing, story_legs
from rewards.shares.shares import WINDOW, AlarmRule, Shares

RATIO = 1.5
legs = cache(story_legs)


@cache
def tours():
    return [sightseeing(leg) for leg in legs()]


@pytest.mark.parametrize("gamma", [1, PPOConfig().gamma])
@pytest.mark.parametrize("preset", ["default", "exploration"])
def test_from_every_milestone_on_the_story_pays_more_than_sightseeing(preset, gamma):
    def total(states):
        return sum(earned(load_preset(preset), states, gamma).values())

    short = {
        leg.milestone: (total(leg.states), total(walk))
        for leg, walk in zip(legs(), tours(), strict=True)
        if total(leg.states) < RATIO * total(walk)
    }
    assert short == {}


@pytest.mark.parametrize(
    "world",
    ["1:large", *(pytest.param(str(number), marks=pytest.mark.long) for number in range(1, 11))],
)
def test_in_other_worlds_the_story_pays_more_than_sightseeing_too(world):
    for leg in story_legs(world):
        walk = sightseeing(leg)
        for preset in map(load_preset, ("default", "exploration")):
            story, seen = (sum(earned(preset, each).values()) for each in (leg.states, walk))
            assert story >= RATIO * seen, (preset.name, leg.milestone)


def test_the_story_is_played_from_milestone_to_milestone():
    for leg in legs():
        first, *between, last = [milestones_done(state) for state in leg.states if state]
        assert first[-1] == leg.milestone and set(between) <= {first}
        assert len(last) > len(first)


def alarm_of(walks, preset="default"):
    shares = Shares(Reward(load_preset(preset)).terms)
    steps = sum(map(len, walks))
    while shares.report().since_milestone < WINDOW:
        for walk in walks:
            shares.add(list(earned(load_preset(preset), walk).values()), len(walk))
    assert steps < WINDOW
    return shares.report().alarm(AlarmRule())


def test_the_tourists_mix_raises_the_alarm_in_training_and_the_experts_does_not():
    alarm = alarm_of(tours())
    assert {part.term for part in alarm.parts} <= {
        "search",
        "tile",
        "map",
        "way",
    } and alarm.share > 0.9


@pytest.mark.parametrize("preset", preset_names())
def test_an_honest_run_raises_no_alarm_under_any_preset(preset):
    assert alarm_of([leg.states for leg in legs()], preset) is None


def test_a_tourist_sees_some_of_every_map_takes_as_long_and_reaches_no_milestone():
    for leg, walk in zip(legs(), tours(), strict=True):
        states = [state for state in walk if state]
        assert {len(milestones_done(state)) for state in states} == {
            len(milestones_done(states[0]))
        }
        assert len(walk) <= leg.steps + 1
    seen = {(state.location, state.position) for state in tours()[-1] if state}
    maps = {location for location, _ in seen}
    assert len(maps) > 2
    # some more where it walks through what it has seen enough of
    assert TILES_A_MAP * len(maps) / 2 < len(seen) < 2 * TILES_A_MAP * len(maps)
