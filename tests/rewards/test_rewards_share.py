"""Shares of the terms over the last steps, and the alarm."""

import pytest

from emerald_env.game import tables
from rewards import Earned, Paid
from rewards.shares.shares import AlarmRule, Shares

FERRY = tables.flag_ids()["FLAG_HIDE_ROUTE_109_MR_BRINEY"]


def earned(steps=0, paid=(), milestones=(), **sums):
    return Earned(steps, sums, tuple(paid), frozenset(milestones))


def test_shares_are_parts_of_what_was_paid():
    shares = Shares(["tile", "badge", "clip"])
    shares.add_earned(earned(100, tile=1.0, badge=3.0, clip=-2.0))
    report = shares.report()
    assert report.shares == {"tile": 0.25, "badge": 0.75, "clip": 0.0}
    assert report.steps == 100 and report.total == 2.0


def test_shares_of_nothing_are_nothing():
    report = Shares(["tile"]).report()
    assert report.shares == {"tile": 0.0} and report.total == 0.0 and report.steps == 0


def test_what_fell_out_of_the_window_does_not_count():
    shares = Shares(["tile", "badge"], window=1000)
    shares.add_earned(earned(20, badge=5.0))
    for _ in range(50):
        shares.add_earned(earned(20, tile=0.1))
    report = shares.report()
    assert report.shares == {"tile": pytest.approx(1.0), "badge": 0.0}
    assert report.steps == 1000


def test_the_keys_that_paid_most_come_first():
    shares = Shares(["event", "tile"])
    paid = [*[Paid("event", FERRY, 0.15)] * 3, Paid("tile", (0, 9, 1, 1), 0.1)]
    shares.add_earned(earned(10, paid, event=0.45, tile=0.1))
    assert shares.report().top[0] == Paid("event", FERRY, pytest.approx(0.45))


def farming(milestones=()):
    shares = Shares(["event", "badge"])
    shares.add_earned(earned(milestones=milestones))
    for _ in range(60):
        shares.add_earned(earned(1000, [Paid("event", FERRY, 9.0)], event=9.0, badge=1.0))
    return shares


def test_a_term_that_is_most_of_the_reward_while_nothing_new_is_reached_raises_the_alarm():
    alarm = farming().report().alarm(AlarmRule())
    (part,) = alarm.parts
    assert part.term == "event" and part.share == pytest.approx(0.9)
    assert part.key == "FLAG_HIDE_ROUTE_109_MR_BRINEY"
    assert "event 90% (most for FLAG_HIDE_ROUTE_109_MR_BRINEY)" in str(alarm)


def alarm_of(**sums):
    """The alarm of a window in which terms paid these sums and nothing new was reached."""
    shares = Shares(list(sums))
    for _ in range(60):
        shares.add_earned(earned(1000, **sums))
    return shares.report().alarm(AlarmRule())


@pytest.mark.parametrize(
    ("sums", "named"),
    [
        ({"milestone": 20, "event": 80}, ["event"]),
        ({"milestone": 20, "event": 42, "trainer": 38}, ["event", "trainer"]),
        ({"milestone": 30, "search": 40, "tile": 20, "map": 10}, ["search", "tile"]),
        ({"milestone": 40, "experience": 60}, ["experience"]),
    ],
)
def test_what_is_farmed_is_named_be_it_one_term_or_several_together(sums, named):
    alarm = alarm_of(**sums)
    assert [part.term for part in alarm.parts] == named
    assert alarm.share == pytest.approx(1 - sums["milestone"] / 100)


@pytest.mark.parametrize(
    "sums",
    [
        {"milestone": 100},
        {"milestone": 2, "badge": 5, "town": 1, "champion": 0},
        {"visit_city": 30, "pokedex": 10, "badge": 20, "explore": 39},
        {"milestone": 41, "search": 35, "tile": 12, "map": 12},
        {"milestone": 40, "event": 40, "clip": 300},
    ],
)
def test_an_agent_on_a_plateau_that_earns_by_milestones_raises_no_alarm(sums):
    assert alarm_of(**sums) is None


def test_a_new_milestone_silences_the_alarm_and_an_old_one_does_not():
    shares = farming(["starter"])
    assert not shares.add_earned(earned(milestones=["starter"]))
    assert shares.report().alarm(AlarmRule())
    assert shares.add_earned(earned(milestones=["starter", "pokedex"]))
    assert shares.report().alarm(AlarmRule()) is None


@pytest.mark.parametrize(
    "rule", [AlarmRule(share=0.95), AlarmRule(patience=70_000), AlarmRule(least=1e6)]
)
def test_a_rule_can_ask_for_more(rule):
    assert farming().report().alarm(rule) is None


def test_the_window_must_fit_its_pieces():
    with pytest.raises(ValueError, match="at least 50 steps"):
        Shares(["event"], window=10)
