"""What holds for every walk through every state, found by search for a counterexample."""

import math
from dataclasses import replace

import pytest
from fakes import START, at, flag_bytes, pokemon, with_flag, with_items, with_species, with_var
from hypothesis import given, settings
from hypothesis import strategies as st

from emerald_env import tables
from rewards import TERMS, Reward, load_preset

SEARCH = settings(deadline=None)  # a busy machine is no counterexample
ONCE = ["default", "exploration"]
SOME_FLAGS = [
    *range(0x50, 0x60),  # scripts
    *range(738, 745),  # the ferry
    0x3E8, 0x1F4, 0x4F0, 0x4FB, 0x500, 0x501, 0x624, *range(0x860, 0x868), 0x86E, 0x87E, 0x87F,
    0x888, 0x920, 3,
]  # fmt: skip
MAPS = [(0, 9), (0, 10), (0, 16), (1, 0), (24, 4), (0, 0), (99, 99)]
VARS = [0x4092, 0x408D, 0x4060, 0x402A]
KEY_ITEMS = [item.id for item in tables.items() if item.pocket == "key_items"][:6]

numbers = st.integers(0, 3)
pokemons = st.builds(
    lambda who, level, exp, hp, moves, egg: pokemon(
        who, level=level, exp=exp, hp=hp, moves=tuple(moves), is_egg=egg
    ),
    numbers,
    st.integers(1, 100),
    st.integers(0, 200_000),
    st.sampled_from([0, 5, 20]),
    st.lists(st.integers(1, 20), max_size=4, unique=True),
    st.booleans(),
)
parties = st.lists(pokemons, max_size=3, unique_by=lambda one: one.personality).map(tuple)


@st.composite
def states(draw):
    """A state of anything anywhere; nothing about it need be possible in a game."""
    state = at(START, draw(st.sampled_from(MAPS)), (draw(numbers), draw(numbers)))
    state = with_species(
        state,
        seen=draw(st.lists(st.integers(1, 386), max_size=3)),
        caught=draw(st.lists(st.integers(1, 386), max_size=3)),
    )
    state = with_items(state, *draw(st.lists(st.sampled_from(KEY_ITEMS), max_size=2)))
    for var in draw(st.lists(st.sampled_from(VARS), max_size=2)):
        state = with_var(state, var, draw(st.integers(0, 9)))
    flags = draw(st.lists(st.sampled_from(SOME_FLAGS), max_size=6))
    return replace(
        state, flags=flag_bytes(flags), party=draw(parties), in_battle=draw(st.booleans())
    )


maybe_states = st.one_of(states(), st.none())
walks = st.lists(states(), min_size=1, max_size=6)


def reward_of(preset, start):
    reward = Reward(load_preset(preset))
    reward.reset(start)
    return reward


def pay(reward, walk):
    return sum(sum(reward(a, b).values()) for a, b in zip(walk, walk[1:], strict=False))


@pytest.mark.parametrize("preset", ONCE)
@SEARCH
@given(walk=walks)
def test_a_closed_walk_repeated_pays_nothing_more(preset, walk):
    reward = reward_of(preset, walk[0])
    closed = [*walk, walk[0]]
    assert pay(reward, closed) >= 0.0
    assert pay(reward, closed) == 0.0
    assert pay(reward, closed) == 0.0


@pytest.mark.parametrize("preset", ONCE)
@SEARCH
@given(opening=walks, loop=walks)
def test_a_closed_walk_in_the_middle_of_another_pays_nothing_more(preset, opening, loop):
    reward = reward_of(preset, opening[0])
    pay(reward, [*opening, loop[0]])
    closed = [*loop, loop[0]]
    pay(reward, closed)
    assert pay(reward, closed) == 0.0


@pytest.mark.parametrize("preset", ONCE)
@SEARCH
@given(walk=walks, loaded=states())
def test_loading_any_state_pays_nothing(preset, walk, loaded):
    reward = reward_of(preset, walk[0])
    pay(reward, walk)
    assert pay(reward, [loaded, loaded]) == 0.0  # loaded without a word
    reward.reset(loaded)
    assert pay(reward, [loaded, loaded]) == 0.0
    assert reward.paid == {}


@pytest.mark.parametrize("preset", ONCE)
@SEARCH
@given(walk=st.lists(maybe_states, min_size=2, max_size=12))
def test_a_walk_pays_no_more_than_the_declared_bound_and_never_less_than_nothing(preset, walk):
    reward = reward_of(preset, walk[0])
    sums = dict.fromkeys(reward.terms, 0.0)
    for before, after in zip(walk, walk[1:], strict=False):
        terms = reward(before, after)
        assert all(math.isfinite(amount) and amount >= 0.0 for amount in terms.values())
        assert sum(terms.values()) == pytest.approx(sum(e.amount for e in reward.last_events))
        for term, amount in terms.items():
            sums[term] += amount
    for term, amount in sums.items():
        bound = TERMS[term].bound(reward.preset.weights[term], reward.preset.decay_of(term))
        assert amount <= bound + 1e-9
    assert sum(sums.values()) == pytest.approx(sum(reward.paid.values()))
    assert sum(sums.values()) <= reward.bound


# Events that have nothing to do with one another: none undoes or hinders another. The term `search`
# ties steps to milestones, so where it counts a step and a milestone are not independent.
independent = st.one_of(
    st.sampled_from(SOME_FLAGS).map(lambda flag: lambda state: with_flag(state, flag)),
    st.integers(1, 386).map(lambda n: lambda state: with_species(state, seen=[n])),
    st.integers(1, 386).map(lambda n: lambda state: with_species(state, caught=[n])),
    st.tuples(st.sampled_from(MAPS), numbers, numbers).map(
        lambda place: lambda state: at(state, place[0], place[1:])
    ),
)


@pytest.mark.parametrize("preset", ONCE)
@SEARCH
@given(data=st.data(), events=st.lists(independent, min_size=1, max_size=8))
def test_the_order_of_independent_events_does_not_change_the_sum(preset, data, events):
    def total(order):
        walk = [START]
        for event in order:
            walk.append(event(walk[-1]))
        reward = Reward(load_preset(preset, {"search": 0.0}))
        reward.reset(START)
        return pay(reward, walk)

    assert total(events) == pytest.approx(total(data.draw(st.permutations(events))))


@pytest.mark.parametrize("preset", ONCE)
@SEARCH
@given(walk=walks)
def test_a_detour_to_another_state_never_makes_the_rest_of_a_walk_pay_more(preset, walk):
    """What was met on a detour is known: the same walk pays at most what it would have without."""
    straight = reward_of(preset, walk[0])
    detoured = reward_of(preset, walk[0])
    pay(detoured, [walk[0], *walk, walk[0]])
    assert pay(detoured, walk) <= pay(straight, walk) + 1e-9


@SEARCH
@given(walk=st.lists(maybe_states, min_size=2, max_size=12))
def test_the_originals_step_is_the_clipping_of_its_terms_and_never_out_of_its_range(walk):
    reward = reward_of("original_2023", walk[0])
    for before, after in zip(walk, walk[1:], strict=False):
        terms = reward(before, after)
        raw = sum(amount for term, amount in terms.items() if term != "clip")
        expected = (5.0 if raw > 0 else 0.3) * math.tanh(raw)
        assert sum(terms.values()) == pytest.approx(expected, abs=1e-9)
