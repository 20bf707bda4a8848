"""Tracks: what rewards can see of an episode, kept and read back without a game."""

import json
from dataclasses import replace

import pytest
from helpers.fakes import (
    OLDALE,
    ROUTE_101,
    START,
    at,
    with_badges,
    with_flag,
    with_items,
    with_party,
    with_species,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emerald_env.game.flags import BADGES
from emerald_env.state import NOBODY, GameState, TrackError, TrackWriter, read_track
from emerald_env.state.parts.pokemon import SPECIES_EGG
from emerald_env.state.track import FIELDS, NOWHERE
from rewards import Reward, load_preset, preset_names
from rewards.audit.new_game import STARTER

HEALED = (*OLDALE, 6, 17)
WALK = [
    None,
    START,
    START,
    with_flag(START, BADGES[0]),
    at(with_flag(START, BADGES[0]), OLDALE, (-3, 300)),
    None,
    None,
    with_party(with_badges(START, 2), STARTER, replace(STARTER, personality=7, exp=999, hp=1)),
    with_party(with_badges(START, 2), STARTER, replace(STARTER, personality=7, exp=1200)),
    with_species(with_items(START, 259, 260), seen=(1, 386), caught=(25,)),
    replace(START, money=0, in_battle=True),
    NOWHERE,
    # a boy on the way, beaten there, and awake where the last white-out leads
    replace(START, player_gender=0),
    at(with_party(replace(START, last_heal=HEALED), replace(STARTER, hp=0)), ROUTE_101),
    at(with_party(replace(START, last_heal=HEALED), STARTER), OLDALE, HEALED[2:]),
]


def track(states):
    writer = TrackWriter()
    for state in states:
        writer.add(state)
    return writer.to_bytes()


def paid(states, preset):
    reward = Reward(load_preset(preset))
    reward.reset(states[0])
    payments = []
    for before, after in zip(states, states[1:], strict=False):
        reward(before, after)
        payments.append(reward.last_events)
    return payments


def visible(state: GameState | None):
    return state and [getattr(state, name) for name in FIELDS if name != "party"]


def test_what_rewards_can_see_reads_back_equal():
    states = list(read_track(track(WALK), len(WALK)))
    assert [visible(state) for state in states] == [visible(state) for state in WALK]
    members = [[(p.personality, p.exp, p.hp, p.moves) for p in s.party] for s in states if s]
    wanted = [[(p.personality, p.exp, p.hp, p.moves) for p in s.party] for s in WALK if s]
    assert members == wanted


@pytest.mark.parametrize("preset", preset_names())
def test_a_track_pays_what_the_states_paid(preset):
    assert paid(list(read_track(track(WALK), len(WALK))), preset) == paid(WALK, preset)


@settings(max_examples=500)
@given(st.lists(st.sampled_from(range(len(WALK))), min_size=1, max_size=30), st.integers(0, 30))
@example([7, 7], 1)  # a party that was read back has only what rewards can see
def test_a_track_can_be_put_down_and_taken_up_again(order, cut):
    states = [WALK[index] for index in order]
    whole = track(states)
    writer = TrackWriter.resume(track(states[:cut]), len(states[:cut]))
    for state in states[cut:]:
        writer.add(state)
    assert writer.to_bytes() == whole
    assert paid(list(read_track(whole, len(states))), "default") == paid(states, "default")


def test_a_track_without_gender_and_place_of_healing_reads_as_before():
    changed = {"money": 3000, "location": [0, 9]}
    (state,) = read_track(json.dumps([changed]).encode(), 1)
    assert (state.money, state.location) == (3000, (0, 9))
    assert (state.player_gender, state.last_heal) == (0, (0, 0, 0, 0))


def test_game_and_world_are_those_of_the_empty_state():
    empty = replace(NOWHERE, game="JADE", world="7:small")
    states = read_track(track(WALK), len(WALK), empty)
    assert {(s.game, s.world) for s in states if s} == {("JADE", "7:small")}


def test_steps_in_which_nothing_changes_take_no_room():
    assert len(track([START] * 10_000)) - len(track([START] * 2)) < 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a track"),
        (b"\xff", "not a track"),
        (b"{}", "a track is a list, not a dict"),
        (b"[0]", "not a step of a track: 0"),
        (b"[1]", "a track of fewer than 2 states"),
        (b"[999999999]", "a track of more than 2 states"),
        (b'[{"luck":1},1]', "not a track .'luck'."),
        (b'[{"location":[1,300]},1]', "300 is not a number from -128 to 127"),
        (b'[{"location":"ab"},1]', "is not a number"),
        (b'[{"flags":[300,1]},1]', "300 is not a number from 0 to 299"),
        (b'[{"flags":[1]},1]', "not a track"),
        (b'[{"money":true},1]', "True is not a number"),
        (b'[{"player_gender":2},1]', "2 is not a number from 0 to 1"),
        (b'[{"last_heal":[0,10,6]},1]', "not a track"),
        (b'[{"last_heal":[0,10,6,40000]},1]', "40000 is not a number from -32768 to 32767"),
        (b'[{"in_battle":1},1]', "1 is neither true nor false"),
        (b'[{"party":[[]]},1]', "not a track"),
        (b'[{"party":[1,2,3,4,5,6,7]},1]', "is not a party"),
        (b"[" * 100_000, "not a track"),
    ],
)
def test_what_is_not_a_track_is_refused(content, message):
    with pytest.raises(TrackError, match=message):
        list(read_track(content, 2))


BAD_EGG = replace(NOBODY, species=SPECIES_EGG, is_egg=True, is_bad_egg=True)


def test_a_bad_egg_reads_back_as_one():
    states = [NOWHERE, with_party(START, BAD_EGG)]
    assert list(read_track(track(states), 2))[1].party == (BAD_EGG,)


@pytest.mark.parametrize(
    "stranger",
    [
        replace(STARTER, species=SPECIES_EGG),
        replace(STARTER, species=9999),
        replace(BAD_EGG, species=SPECIES_EGG + 1),
        replace(STARTER, met_level=101),
    ],
)
def test_a_pokemon_that_no_table_has_is_refused_and_no_reward_sees_it(stranger):
    content = track([with_party(START, stranger)] * 2)
    with pytest.raises(TrackError, match="is not a number from 0 to"):
        paid(list(read_track(content, 2)), "original_2023")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=5))
def test_a_track_from_a_stranger_is_read_or_refused_and_nothing_else(steps):
    try:
        states = list(read_track(json.dumps(steps).encode(), 3))
    except TrackError:
        return
    assert len(states) == 3
