"""How much of a run explores: a fixed share, or as much as the agent can keep up with."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.exploration.exploration import (
    AHEAD,
    AUTO,
    BEHIND,
    GAIN,
    HEAD_START,
    KEEPS_UP,
    LAST,
    PACE,
    STUCK,
    STUCK_AFTER,
    TIRED,
    ExploringSchedule,
)
from baselines.settings.train_config import TrainConfig
from baselines.training.session_callbacks import head_start

TOTAL, ROLLOUT = 10_000_000, 4096


def fixed(share, total, learnt, head_start=HEAD_START):
    return ExploringSchedule(share, total, head_start).due(learnt, 0, 0.0, 0, 0.0)


@given(
    st.floats(0, 0.99),
    st.integers(0, 10**8),
    st.lists(st.integers(0, 10**8), min_size=2, max_size=2),
)
def test_a_fixed_share_gets_a_head_start_and_is_never_exceeded(share, total, learnt):
    fewer, more = sorted(learnt)
    explored = fixed(share, total, fewer)
    assert 0 <= explored <= fixed(share, total, more) <= share * total
    assert explored <= max(PACE * fewer, fewer * share / (1 - share))
    # when all the steps that do not explore are learnt from, the share is used up
    assert fixed(share, total, total) == int(share * total)
    assert fixed(share, total, fewer, 0) == int(min(share * total, fewer * share / (1 - share)))
    # a short run explores at one pace
    short = fixed(share, 500_000, fewer)
    assert short == min(int(share * 500_000), PACE * fewer) or share > 0.8


def play(schedule, frontier, since_found=0, learnt=0, explored=0, rollouts=200, reached=0.0):
    """Returns the steps learnt from and explored after some rollouts."""
    for _ in range(rollouts):
        learnt += ROLLOUT
        explored = max(explored, schedule.due(learnt, explored, frontier, since_found, reached))
    return learnt, explored


@pytest.mark.parametrize(
    ("frontier", "since_found", "share"),
    [(1.0, 0, AHEAD), (KEEPS_UP, 0, AHEAD), (KEEPS_UP - 0.01, 0, BEHIND), (1.0, TIRED, BEHIND)],
)
def test_it_explores_much_while_the_agent_reaches_all_that_was_found(frontier, since_found, share):
    learnt, explored = play(ExploringSchedule(AUTO, TOTAL, 0), frontier, since_found)
    assert explored / (learnt + explored) == pytest.approx(share, abs=1e-5)


def ratio(schedule, learnt, explored, reached, steps):
    """The share of some steps that explore, and where the run is after them."""
    begun, had, end = learnt, explored, learnt + steps
    while learnt < end:
        learnt += ROLLOUT
        explored = max(explored, schedule.due(learnt, explored, 0.0, 0, reached))
    return (explored - had) / (learnt + explored - begun - had), learnt, explored


@given(st.floats(GAIN, 30), st.integers(0, 10**6))
def test_an_agent_that_gains_nothing_gets_another_way_looked_for_until_it_does(reached, learnt):
    schedule = ExploringSchedule(AUTO, 10 * TOTAL, 0)
    schedule.set_state({"learnt": learnt, "planned": 0.0})
    share, learnt, explored = ratio(schedule, learnt, 0, 0.0, 2 * STUCK_AFTER)
    assert share == pytest.approx(BEHIND, abs=0.01)  # no episode has ended
    share, learnt, explored = ratio(schedule, learnt, explored, reached, STUCK_AFTER)
    assert share == pytest.approx(BEHIND, abs=0.01)
    share, learnt, explored = ratio(schedule, learnt, explored, reached + GAIN / 2, STUCK_AFTER)
    assert share == pytest.approx(STUCK, abs=0.01)
    share, *_ = ratio(schedule, learnt, explored, reached + 2 * GAIN, STUCK_AFTER)
    assert share == pytest.approx(BEHIND, abs=0.01)


def test_the_head_start_comes_first_and_the_last_tenth_is_for_learning():
    schedule = ExploringSchedule(AUTO, TOTAL)
    assert schedule.due(ROLLOUT, 0, 0.0, 0, 0.0) == PACE * ROLLOUT
    learnt, explored = play(schedule, 0.0, rollouts=HEAD_START // PACE // ROLLOUT + 1)
    assert explored == pytest.approx(HEAD_START, abs=ROLLOUT)
    nearly = int(LAST * TOTAL) - explored
    assert schedule.due(nearly, explored, 1.0, 0, 0.0) == explored


@given(st.integers(1, 60), st.lists(st.floats(0, 1), min_size=61, max_size=61))
def test_a_schedule_resumes_exactly_from_its_state(stopped, frontiers):
    def run(schedule, rollouts, first=0, explored=0):
        for number in range(first, rollouts):
            at = (number + 1) * ROLLOUT * 10
            explored = schedule.due(at, explored, frontiers[number], 0, 24 * frontiers[number])
        return explored

    whole, before, after = (ExploringSchedule(AUTO, TOTAL) for _ in range(3))
    explored = run(before, stopped)
    after.set_state(before.get_state())
    assert run(after, 61, stopped, explored) == run(whole, 61)


@pytest.mark.parametrize(
    ("known", "steps"),
    [
        ({}, HEAD_START),
        ({"ways": (Path("way"),)}, 0),
        ({"archive": Path("archive")}, 0),
        ({"init_from": "jade"}, 0),
    ],
)
def test_who_knows_a_way_explores_nothing_first(known, steps):
    assert head_start(TrainConfig(**known)) == steps


@pytest.mark.parametrize(("share", "expected"), [(0.2, 0.25), (AUTO, AHEAD / (1 - AHEAD))])
def test_where_no_more_is_known_of_a_run_nothing_is_due_for_its_past(share, expected):
    """In shares of the steps learnt from."""
    schedule = ExploringSchedule(share, TOTAL)
    schedule.begin_at(2_000_000)
    assert schedule.due(2_000_000, 0, 1.0, 0, 5.0) == 0
    assert schedule.due(2_100_000, 0, 1.0, 0, 5.0) == int(100_000 * expected)
    again = ExploringSchedule(share, TOTAL)
    again.set_state(schedule.get_state())
    assert again.due(2_200_000, 0, 1.0, 0, 5.0) == int(200_000 * expected)


@pytest.mark.parametrize("share", [AUTO, 0.5])
def test_a_run_that_is_resumed_for_more_steps_explores_at_its_pace_from_there(share):
    """In the last tenth nothing is explored, and a fixed share plans nothing."""
    before, after = ExploringSchedule(share, 4_000_000), ExploringSchedule(AUTO, 20_000_000)
    learnt = explored = 0
    while learnt + explored < 4_000_000:
        learnt += ROLLOUT
        explored = max(explored, before.due(learnt, explored, 1.0, 0, 5.0))
    after.set_state(before.get_state())
    due = after.due(learnt + ROLLOUT, explored, 1.0, 0, 5.0) - explored
    assert 4096 < due <= 12_288  # three explored for each of 4,096 learnt


def test_steps_learnt_while_nothing_was_explored_make_nothing_due():
    schedule = ExploringSchedule(AUTO, TOTAL)
    schedule.resume_at(2_000_000)
    assert schedule.due(2_000_000, 0, 1.0, 0, 5.0) == HEAD_START
    assert schedule.due(2_100_000, HEAD_START, 1.0, 0, 5.0) == HEAD_START + 300_000
    schedule.resume_at(2_000_000)
    assert schedule.due(2_200_000, HEAD_START, 1.0, 0, 5.0) == HEAD_START + 600_000
