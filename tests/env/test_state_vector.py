"""The state as the network sees it: its numbers, and that writing only what changed is the same."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from emerald_env.env.observation import (
    FULL_SIZE,
    VECTOR_SIZE,
    StateVector,
    observe_fully,
    observe_state,
)
from emerald_env.env.state_vector.details import observe_details
from emerald_env.game.flags import BADGES, FLAG_COUNT
from emerald_env.game.tables import milestones
from emerald_env.state import NOBODY, NOWHERE, Facing, Mode, milestones_done


def expected(state):
    """Returns the vector, number by number, as the documentation lists them."""
    if state is None:
        return np.zeros(VECTOR_SIZE, np.float32)
    numbers = [float(state.mode is mode) for mode in Mode]
    numbers += [float(state.facing is facing) for facing in Facing]
    numbers += [float(state.controllable)]
    numbers += [state.location[0] / 34, state.location[1] / 128]
    numbers += [coordinate / 128 for coordinate in state.position]
    beyond = state.position if max(state.position) >= 128 else (0, 0)
    numbers += [coordinate / 1000 for coordinate in state.global_position or beyond]
    for slot in range(6):
        one = state.party[slot] if slot < len(state.party) else None
        numbers += [one.level / 100, one.hp / max(one.max_hp, 1)] if one else [0, 0]
    numbers += [float(state.has(badge)) for badge in BADGES]
    numbers += [len(state.seen) / 386, len(state.caught) / 386]
    known = sorted(milestones(), key=lambda one: one.bit)[:86]  # a layout that checkpoints have
    numbers += [float(one.slug in milestones_done(state)) for one in known]
    return np.clip(np.array(numbers, np.float32), -1, 1)


TILE = st.tuples(st.integers(-300, 300), st.integers(-300, 300))
MON = st.builds(
    lambda level, hp, most: replace(NOBODY, level=level, hp=hp, max_hp=most),
    st.integers(0, 100),
    st.integers(0, 700),
    st.integers(0, 700),
)
CHANGE = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(Mode),
        "facing": st.sampled_from([None, *Facing]),
        "controllable": st.booleans(),
        "location": st.tuples(st.integers(0, 33), st.integers(-128, 127)),
        "position": TILE,
        "global_position": st.none() | st.tuples(st.integers(-9, 1500), st.integers(-9, 1500)),
        "party": st.lists(MON, max_size=6).map(tuple),
        "flags": st.binary(min_size=FLAG_COUNT // 8, max_size=FLAG_COUNT // 8),
        "vars": st.binary(min_size=512, max_size=512),
        "in_battle": st.booleans(),
        "battle_type": st.sampled_from([0, 1, 8, 9]),
        "enemy_party": st.lists(MON, max_size=6).map(tuple),
        "pokedex_seen": st.integers(0, (1 << 386) - 1),
        "pokedex_caught": st.integers(0, (1 << 386) - 1),
    },
)


@settings(max_examples=100)
@given(st.lists(st.none() | CHANGE, min_size=1, max_size=8))
def test_a_vector_written_again_and_again_is_that_of_the_last_state(changes):
    vector, state = np.full(VECTOR_SIZE, 7, np.float32), NOWHERE
    full = np.full(FULL_SIZE, 7, np.float32)
    writer, all_of_it = StateVector(vector), StateVector(full)
    for change in changes:
        state = NOWHERE if state is None else state
        state = None if change is None else replace(state, **change)
        writer.write(state)
        np.testing.assert_array_equal(vector, expected(state))
        np.testing.assert_array_equal(observe_state(state), expected(state))
        all_of_it.write(state)
        details = np.zeros(FULL_SIZE - VECTOR_SIZE) if state is None else observe_details(state)
        np.testing.assert_array_equal(full[:VECTOR_SIZE], expected(state))
        np.testing.assert_array_equal(full[VECTOR_SIZE:], np.clip(details, -1, 1))
        np.testing.assert_array_equal(full, observe_fully(state))
