"""What holds for every walk through every state, found by search for a counterexample."""

import math
import random
from collections import defaultdict
from dataclasses import replace

import pytest
from helpers.examples import examples
from helpers.fakes import (
    START,
    at,
    flag_bytes,
    pokemon,
    with_flag,
    with_items,
    with_species,
    with_var,
    without_flags,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emerald_env.game import tables
from emerald_env.game.flags import FLAG_COUNT
from emerald_env.state import milestone_bits
from rewards import TERMS, Events, Preset, Reward, load_preset
from rewards.kinds import Allowance, EventAccount, MarkAccount, Marks

# A busy machine is no counterexample
SEARCH = settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
# Every term, none hidden by another; and so steep that a short walk comes near the bounds
EACH = Preset(
    "each",
    dict.fromkeys(TERMS, 1.0),
    dict.fromkeys(["tile", "search", "level", "caught"], 0.5),
)
LIMITED = replace(EACH, name="limited", limits=dict.fromkeys(TERMS, 1.5))
ONCE = [load_preset(), load_preset("exploration"), EACH, LIMITED]
once = pytest.mark.parametrize("preset", ONCE, ids=lambda preset: preset.name)
SOME_FLAGS = [
    *range(0x50, 0x60),  # scripts
    *range(738, 745),  # the ferry
    0x3E8, 0x1F4, 0x4F0, 0x4FB, 0x500, 0x501, 0x624, *range(0x860, 0x868), 0x86E, 0x87E, 0x87F,
    0x888, 0x920, 3,
]  # fmt: skip
MAPS = [(0, 9), (0, 10), (0, 16), (1, 0), (24, 4), (0, 0), (99, 99)]
VARS = sorted({step.id for step in tables.milestones() if step.kind == "var"})
MAX_HP = 20
MAX_LEVEL = 100
FLAG_TERMS = {"event", "badge", "trainer", "town", "champion", "pokedex", "pokenav", "found"}
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


def someone(change):
    """Changes the first of the party, if there is one."""
    return lambda state: (
        replace(state, party=(change(state.party[0]), *state.party[1:])) if state.party else state
    )


def grow(points, levels):
    return someone(
        lambda p: replace(
            p, exp=max(0, p.exp + points), level=min(MAX_LEVEL, max(1, p.level + levels))
        )
    )


def all_have(hp):
    return lambda state: replace(state, party=tuple(replace(p, hp=hp) for p in state.party))


def join(new):
    """Somebody joins the party, or comes back into it."""
    return lambda state: replace(
        state,
        party=(*(p for p in state.party if p.personality != new.personality), new)[-6:],
    )


def _flag(chance):
    return chance.choice([chance.choice(SOME_FLAGS), chance.randrange(FLAG_COUNT)])


def _tile(chance):
    return chance.randrange(4), chance.randrange(4)


WITH_PARTY = replace(START, party=(pokemon(1), pokemon(2, level=9)))
# What happens to a game, one thing at a time and most of it both ways
HAPPENINGS = [
    lambda chance, state: with_flag(state, _flag(chance)),
    lambda chance, state: without_flags(state, _flag(chance)),
    lambda chance, state: with_var(state, chance.choice(VARS), chance.randrange(10)),
    lambda chance, state: at(state, chance.choice(MAPS), _tile(chance)),
    *[lambda chance, state: at(state, position=_tile(chance))] * 4,
    lambda chance, state: someone(lambda p: replace(p, hp=chance.choice([0, 5, 15, MAX_HP])))(
        state
    ),
    *[lambda chance, state: all_have(chance.choice([0, 10, 15, MAX_HP, MAX_HP]))(state)] * 2,
    *[lambda chance, state: grow(chance.randint(-500, 5_000), chance.randint(-2, 20))(state)] * 2,
    lambda chance, state: someone(lambda p: replace(p, moves=(chance.randrange(355), 43)))(state),
    lambda chance, state: join(
        pokemon(chance.randrange(4), level=chance.randint(1, 100), exp=chance.randrange(200_000))
    )(state),
    lambda chance, state: replace(state, party=state.party[1:]),
    lambda chance, state: with_species(state, seen=[chance.randint(1, 386)]),
    lambda chance, state: with_species(state, caught=[chance.randint(1, 386)]),
    lambda chance, state: with_items(state, chance.choice(KEY_ITEMS)),
    lambda chance, state: replace(state, bag_data=bytes(len(state.bag_data))),
    lambda chance, state: replace(state, in_battle=chance.random() < 0.3),
    lambda chance, state: replace(state, money=chance.randrange(1_000_000)),
]


def journey(seed):
    """States of which each came from the one before by something that happened."""
    chance = random.Random(seed)
    walk = [chance.choice([START, WITH_PARTY])]
    for _ in range(chance.randint(1, 30)):
        walk.append(chance.choice(HAPPENINGS)(chance, walk[-1]))
    return walk


# By seed: lists drawn one by one come out too much alike to go far
journeys = st.integers(0, 2**32 - 1).map(journey)
maybe_states = st.one_of(states(), st.none())
walks = st.one_of(journeys, journeys, st.lists(states(), min_size=1, max_size=6))


def reward_of(preset, start):
    reward = Reward(preset)
    reward.reset(start)
    return reward


def terms_of(reward, walk):
    """What each term pays for a walk; terms that pay nothing are left out."""
    sums = defaultdict(float)
    for before, after in zip(walk, walk[1:], strict=False):
        for term, amount in reward(before, after).items():
            sums[term] += amount
    return {term: amount for term, amount in sums.items() if amount}


def pay(reward, walk):
    return sum(terms_of(reward, walk).values())


@once
@SEARCH
@given(walk=walks)
def test_a_closed_walk_repeated_pays_nothing_more(preset, walk):
    reward = reward_of(preset, walk[0])
    closed = [*walk, walk[0]]
    assert all(amount > 0.0 for amount in terms_of(reward, closed).values())
    assert terms_of(reward, closed) == {}
    assert terms_of(reward, closed) == {}


@once
@SEARCH
@given(opening=walks, loop=walks)
def test_a_closed_walk_in_the_middle_of_another_pays_nothing_more(preset, opening, loop):
    reward = reward_of(preset, opening[0])
    pay(reward, [*opening, loop[0]])
    closed = [*loop, loop[0]]
    pay(reward, closed)
    assert terms_of(reward, closed) == {}


@once
@SEARCH
@given(walk=walks, loaded=states(), away=walks)
def test_loading_any_state_pays_nothing_and_neither_does_coming_back_to_it(
    preset, walk, loaded, away
):
    reward = reward_of(preset, walk[0])
    pay(reward, walk)
    assert terms_of(reward, [loaded, loaded]) == {}  # loaded without a word
    pay(reward, [loaded, *away])
    assert terms_of(reward, [away[-1], loaded]).keys() <= {"heal"}  # which no state shows
    reward.reset(loaded)
    assert terms_of(reward, [loaded, loaded]) == {}
    assert reward.paid == {}
    pay(reward, [loaded, *away])
    assert terms_of(reward, [away[-1], loaded]).keys() <= {"heal"}


@once
@SEARCH
@given(walk=st.one_of(st.lists(maybe_states, min_size=2, max_size=12), journeys))
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
        assert amount <= preset.bound_of(term) + 1e-9
    assert sum(sums.values()) == pytest.approx(sum(reward.paid.values()))
    assert sum(sums.values()) <= reward.bound


@pytest.mark.parametrize(("term", "change"), [("move", {"moves": (99,)}), ("level", {"level": 6})])
def test_what_two_in_the_party_do_in_one_step_pays_once(term, change):
    pair = (pokemon(1), pokemon(2))
    before = replace(START, party=pair)
    after = replace(START, party=tuple(replace(each, **change) for each in pair))
    assert reward_of(EACH, before)(before, after)[term] == 1.0


@once
@SEARCH
@given(walk=walks)
def test_no_part_of_a_term_pays_more_than_its_share_of_the_bound(preset, walk):
    """The bounds of the terms of places are far away; those of a single map or badge are not."""
    reward = reward_of(preset, walk[0])
    pay(reward, walk)
    parts = defaultdict(float)
    keys = defaultdict(int)
    for (name, key), amount in reward.paid.items():
        term = TERMS[name]
        part = term.bucket(key) if isinstance(term, Events) else key
        parts[name, part] += amount
        keys[name] += 1
    for (name, _), amount in parts.items():
        term, weight, decay = TERMS[name], preset.weights[name], preset.decay_of(name)
        most = term.keys if isinstance(term, Events) else 1.0
        assert amount <= weight * (most if decay == 1.0 else 1 / (1 - decay)) + 1e-9
    for name, count in keys.items():
        term = TERMS[name]
        assert count <= (term.keys if isinstance(term, Events) else len(term.scales))


@pytest.mark.parametrize("preset", [load_preset(), LIMITED], ids=lambda preset: preset.name)
@SEARCH
@given(walk=st.one_of(journeys, walks))
def test_no_term_pays_more_between_two_milestones_than_its_limit(preset, walk):
    reward = reward_of(preset, walk[0])
    reached, sums = milestone_bits(walk[0]), defaultdict(float)
    for before, after in zip(walk, walk[1:], strict=False):
        if milestone_bits(after) & ~reached:
            reached |= milestone_bits(after)
            sums.clear()
        for term, amount in reward(before, after).items():
            sums[term] += amount
            assert sums[term] <= preset.limit_of(term) * (1 + 1e-9)


@SEARCH
@given(walk=journeys, cut=st.integers(0, 30))
def test_a_reward_restored_from_its_state_pays_the_same(walk, cut):
    whole, first = reward_of(LIMITED, walk[0]), reward_of(LIMITED, walk[0])
    terms_of(first, walk[: cut + 1])
    second = Reward(LIMITED)
    second.set_state(first.get_state())
    paid = [whole(*pair) for pair in zip(walk, walk[1:], strict=False)]
    rest = [second(*pair) for pair in zip(walk[cut:], walk[cut + 1 :], strict=False)]
    assert rest == paid[cut:]


@SEARCH
@given(walk=walks)
def test_each_term_alone_pays_what_it_pays_in_company(walk):
    together = terms_of(reward_of(EACH, walk[0]), walk)
    for term in TERMS:
        decay = {name: value for name, value in EACH.decay.items() if name == term}
        alone = terms_of(reward_of(Preset("alone", {term: 1.0}, decay), walk[0]), walk)
        assert alone == {name: paid for name, paid in together.items() if name == term}


@settings(SEARCH, max_examples=examples(100))
@given(walk=journeys)
def test_what_pays_is_what_the_terms_are_for(walk):
    """Nothing is paid for what was there, comes and goes, was not needed or is too high."""
    reward = reward_of(EACH, walk[0])
    for before, after in zip(walk, walk[1:], strict=False):
        reward(before, after)
        for term, key, _ in reward.last_events:
            if key in range(FLAG_COUNT) and term in FLAG_TERMS:
                info = tables.flags()[key]
                assert not info.initial and not info.toggles
                assert after.has(key) and not before.has(key) and not walk[0].has(key)
            if term == "heal":
                weak = sum(p.hp for p in before.party if not p.is_egg)
                assert 0 < weak <= sum(p.max_hp for p in before.party if not p.is_egg) / 2
                assert not before.in_battle and not after.in_battle
            if term in ("tile", "search"):
                assert key[-4:] == (*after.location, *after.position)
            if term == "level":
                highest = [max((p.level for p in s.party if not p.is_egg), default=0) for s in walk]
                assert highest[0] < key <= min(max(highest), 58)


# Events that have nothing to do with one another: none undoes or hinders another. The terms for
# ground tie steps to milestones, and so do limits: there neither is independent of the other.
GROUND = ("map", "tile", "search", "way")
independent = st.one_of(
    st.sampled_from(SOME_FLAGS).map(lambda flag: lambda state: with_flag(state, flag)),
    st.integers(1, 386).map(lambda n: lambda state: with_species(state, seen=[n])),
    st.integers(1, 386).map(lambda n: lambda state: with_species(state, caught=[n])),
    st.tuples(st.sampled_from(MAPS), numbers, numbers).map(
        lambda place: lambda state: at(state, place[0], place[1:])
    ),
)


@once
@SEARCH
@given(data=st.data(), events=st.lists(independent, min_size=1, max_size=8))
def test_the_order_of_independent_events_does_not_change_the_sum(preset, data, events):
    def total(order):
        walk = [START]
        for event in order:
            walk.append(event(walk[-1]))
        unlimited = replace(preset.with_weights(dict.fromkeys(GROUND, 0.0)), limits={})
        return terms_of(reward_of(unlimited, START), walk)

    assert total(events) == pytest.approx(total(data.draw(st.permutations(events))))


@SEARCH
@given(
    limit=st.floats(0.01, 100.0),
    amounts=st.lists(st.floats(0.0, 100.0), max_size=20),
    chance=st.randoms(use_true_random=False),
)
def test_payments_share_an_allowance_in_whatever_order_they_come(limit, amounts, chance):
    """The sum is limit * (1 - product of (1 - a / limit))."""

    def total(order):
        allowance = Allowance(limit)
        return sum(allowance.take(amount) for amount in order)

    paid = total(amounts)
    expected = limit * (1 - math.prod(1 - min(amount / limit, 1.0) for amount in amounts))
    assert paid == pytest.approx(expected, abs=1e-9 * limit)
    assert paid <= min(limit, sum(amounts)) * (1 + 1e-9)
    assert paid == pytest.approx(total(chance.sample(amounts, len(amounts))), abs=1e-9 * limit)


@once
@SEARCH
@given(walk=walks)
def test_a_detour_to_another_state_never_makes_the_rest_of_a_walk_pay_more(preset, walk):
    """What was met on a detour is known: the same walk pays at most what it would have without."""
    straight = reward_of(preset, walk[0])
    detoured = reward_of(preset, walk[0])
    pay(detoured, [walk[0], *walk, walk[0]])
    assert terms_of(detoured, walk) == {}
    assert pay(straight, walk) >= 0.0


@SEARCH
@given(walk=st.lists(maybe_states, min_size=2, max_size=12))
def test_the_originals_step_is_the_clipping_of_its_terms_and_never_out_of_its_range(walk):
    reward = reward_of(load_preset("original_2023"), walk[0])
    for before, after in zip(walk, walk[1:], strict=False):
        terms = reward(before, after)
        raw = sum(amount for term, amount in terms.items() if term != "clip")
        expected = (5.0 if raw > 0 else 0.3) * math.tanh(raw)
        assert sum(terms.values()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("term", TERMS)
@SEARCH
@given(before=states(), after=states())
def test_a_term_pays_nothing_where_no_field_that_it_names_changes(term, before, after):
    preset = replace(load_preset("default"), weights={term: 1.0})
    account = MarkAccount if isinstance(TERMS[term], Marks) else EventAccount
    settings = () if account is MarkAccount else (preset.decay_of(term),)
    opened = account(TERMS[term], 1.0, *settings)
    opened.absorb(before)
    same = replace(after, **{field: getattr(before, field) for field in TERMS[term].needs})
    assert not list(opened.pay(before, same))
