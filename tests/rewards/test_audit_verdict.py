"""The auditor's verdict: which loops pay forever, by what a hundred rounds of them paid."""

import pytest
from helpers.fakes import START, at, with_var
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rewards import TERMS, Events, Marks, Preset, preset
from rewards.audit import LoopVerdict, StatesWalk, audit
from rewards.audit.verdict import farmed, rounds_to_tell, verdict, worst

CLOCK = 0x40F0  # a variable that nothing else counts
FINITE = (LoopVerdict.ONCE, LoopVerdict.ENDS, LoopVerdict.FADES, LoopVerdict.BOUNDED)
# A busy machine is no counterexample
SEARCH = settings(suppress_health_check=[HealthCheck.too_slow])
amounts = st.floats(0.001, 100.0)


@st.composite
def habits(draw):
    """(rounds, period, phase) of a loop that pays every few rounds, often enough to be seen."""
    rounds = draw(st.integers(4, 300))
    period = draw(st.integers(1, rounds // 4))
    return rounds, period, draw(st.integers(0, period - 1))


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ([], LoopVerdict.NO_LOOP),
        ([5.0], LoopVerdict.ONE_ROUND),
        ([5.0, 0.0, 0.0], LoopVerdict.ONCE),
        ([5.0, 5.0], LoopVerdict.FARMABLE),
        ([5.0, 4.0, 3.0], LoopVerdict.FARMABLE),  # too few rounds to see an end
        ([0.0, 0.0, 1.0], LoopVerdict.ENDS),
        ([5.0, *[1.0, 0.0] * 50], LoopVerdict.FARMABLE),
        ([5.0, *[0.0] * 80, 2.0, *[0.0] * 18], LoopVerdict.ENDS),  # something new, met late
        ([5.0, *[1.0] * 60, *[0.0] * 39], LoopVerdict.ENDS),
        ([5.0, *(0.9**n for n in range(99))], LoopVerdict.FADES),
        ([1.0 / n for n in range(1, 101)], LoopVerdict.FARMABLE),  # has no bound, slow as it is
        ([1.0, -1.0, -1.0], LoopVerdict.ONCE),
    ],
)
def test_the_verdict_on_what_rounds_paid(totals, expected):
    assert verdict(totals) is expected


@pytest.mark.parametrize("rounds", [4, 10, 40, 100, 101, 102, 103])
def test_a_loop_that_pays_every_few_rounds_for_ever_is_farmable(rounds):
    for period in range(1, rounds // 4 + 1):
        for phase in range(period):
            paid = [float(number % period == phase) for number in range(rounds)]
            assert verdict(paid) is LoopVerdict.FARMABLE, (period, phase)


@SEARCH
@given(habit=habits(), data=st.data())
def test_whatever_pattern_a_loop_repeats_it_is_farmable(habit, data):
    rounds, period, _ = habit
    chance = data.draw(st.randoms(use_true_random=False))
    pattern = [chance.choice([0.0, chance.random(), 100.0]) for _ in range(period)]
    pattern[data.draw(st.integers(0, period - 1))] = 1.0
    start = data.draw(
        st.lists(amounts, max_size=min(9, rounds // 8))
    )  # what is new in its first rounds
    paid = start + pattern * rounds
    assert verdict(paid[:rounds]) is LoopVerdict.FARMABLE


@SEARCH
@given(habit=habits(), paid=amounts, once=amounts, when=st.integers(0, 299))
def test_something_new_met_on_the_way_does_not_hide_what_pays_for_ever(habit, paid, once, when):
    rounds, period, phase = habit
    series = [paid * (number % period == phase) for number in range(rounds)]
    series[when % rounds] += once
    assert verdict(series) is LoopVerdict.FARMABLE


@SEARCH
@given(
    rounds=st.integers(32, 300),
    faster=st.floats(0.01, 1.0),
    first=amounts,
    data=st.data(),
)
def test_a_sum_that_dies_away_is_not_farmable(rounds, faster, first, data):
    keeps = 0.5 ** (4.5 / rounds) * faster  # of each round's amount, the next one pays
    chance = data.draw(st.randoms(use_true_random=False))
    series = [first * keeps**number * chance.uniform(0.9, 1.0) for number in range(rounds)]
    if faster > 0.98:
        series = [first * keeps**number for number in range(rounds)]
    assert verdict(series) in FINITE


@SEARCH
@given(rounds=st.integers(8, 300), data=st.data())
def test_what_stops_before_the_last_quarter_is_not_farmable(rounds, data):
    paid = data.draw(st.lists(amounts, max_size=min(20, rounds - rounds // 4)))
    assert verdict(paid + [0.0] * (rounds - len(paid))) in FINITE


@SEARCH
@given(rounds=st.integers(4, 300), first=st.floats(0.1, 100.0), left=st.floats(0.0, 1.0))
def test_what_has_paid_more_than_its_bound_leaves_is_not_farmable(rounds, first, left):
    series = [first] * rounds
    assert verdict(series, left * sum(series) * 0.999) is LoopVerdict.BOUNDED
    assert verdict(series, sum(series) * 1.001) is LoopVerdict.FARMABLE


@SEARCH
@given(
    paid=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=200),
    worth=st.floats(0.1, 10.0),
    share=st.floats(0.0, 0.999),
)
def test_what_cannot_bring_more_than_a_milestone_is_never_farmable(paid, worth, share):
    left = share * worth - sum(paid[1:])
    assert left < 0 or verdict(paid, left, worth) in FINITE
    assert verdict([1.0] * 20, left=20 * (1 + worth), worth=worth) is LoopVerdict.FARMABLE


@SEARCH
@given(period=st.integers(1, 250), phase=st.integers(0, 249), rounds=st.integers(4, 120))
def test_however_long_a_period_is_enough_rounds_are_tried_to_find_it(period, phase, rounds):
    """All that is needed is to see the period once, from the first round on or in between."""
    phase %= period

    def series(length):
        return [float(number % period == phase) for number in range(length)]

    tried, wanted = 0, rounds
    while tried < wanted:
        tried, wanted = wanted, rounds_to_tell(series(wanted))
    seen = sum(series(rounds)[1:])
    if seen > 1 or (seen and phase == 0):
        assert verdict(series(tried)) is LoopVerdict.FARMABLE
    if not seen:
        assert verdict(series(tried)) is LoopVerdict.ONCE and tried == rounds


def test_what_has_ended_or_cannot_bring_much_more_is_not_tried_any_longer():
    ended = [1.0] * 60 + [0.0] * 40
    late = [0.0] * 97 + [1.0] + [0.0] * 2
    assert rounds_to_tell(ended) == 100
    assert rounds_to_tell(late, left=4.0, worth=5.0) == 100
    assert rounds_to_tell(late) == 98 + 3 * 97


def test_what_begins_after_the_last_round_cannot_be_known():
    seldom = [float(number > 0 and number % 200 == 0) for number in range(1000)]
    assert verdict(seldom[:100]) is LoopVerdict.ONCE
    assert verdict(seldom[:250]) is LoopVerdict.ENDS
    assert verdict(seldom) is LoopVerdict.FARMABLE


def test_a_term_that_fades_hides_none_that_continues():
    fading = [2.0 * 0.9**number for number in range(100)]
    forever = [0.001 * (number % 25 == 0) for number in range(100)]
    together = [sum(pair) for pair in zip(fading, forever, strict=True)]
    assert verdict(together) is LoopVerdict.FADES  # which is why each is judged by itself
    found = farmed({"experience": fading, "event": forever, "badge": [0.0] * 100})
    assert found == {"experience": LoopVerdict.FADES, "event": LoopVerdict.FARMABLE}
    assert worst(found, 100) is LoopVerdict.FARMABLE
    assert worst({}, 100) is LoopVerdict.ONCE and worst({}, 1) is LoopVerdict.ONE_ROUND
    assert worst({}, 0) is LoopVerdict.NO_LOOP


def test_what_was_collected_counts_even_where_it_has_ended():
    rounds = {"experience": [9.0, 4.0, 2.0] + [0.0] * 97, "milestone": [50.0] * 2 + [0.0] * 98}
    assert farmed(rounds, {"experience": 0.0}, worth=5.0)["experience"] is LoopVerdict.FARMABLE
    assert farmed(rounds, {"experience": 0.0}, worth=6.0)["experience"] is LoopVerdict.ENDS
    assert farmed(rounds, {}, worth=5.0)["milestone"] is LoopVerdict.ENDS


def test_a_farm_split_over_terms_is_one_farm():
    rounds = {name: [0.0, 2.0] + [0.0] * 98 for name in ("seen", "caught", "found")}
    rounds["heal"] = [0.0, 0.01] + [0.0] * 98
    verdicts = farmed(rounds, dict.fromkeys(rounds, 0.0), worth=5.0)
    assert [term for term, found in verdicts.items() if found is LoopVerdict.FARMABLE] == [
        "seen",
        "caught",
        "found",
    ]
    assert LoopVerdict.FARMABLE not in farmed(rounds, {}, worth=7.0).values()


def test_what_one_term_takes_another_may_give():
    up, down = [1.0] * 20, [-1.0] * 20
    assert LoopVerdict.FARMABLE not in farmed({"exp": up, "clip": down}).values()
    assert farmed({"exp": up, "clip": [-0.9] * 20})["exp"] is LoopVerdict.FARMABLE


# Terms that somebody might write


class Clock(Events):
    """Pays for time that goes by, in a variable; said to have few keys, or many."""

    name = "clock"
    needs = ("vars",)

    def __init__(self, keys):
        self.keys = keys

    def happened(self, before, after):
        return [after.var(CLOCK)] if after.var(CLOCK) != before.var(CLOCK) else ()

    def holds(self, state):
        return (state.var(CLOCK),)


class Age(Marks):
    """Pays for the same, as if it had no end."""

    name = "age"
    needs = ("vars",)
    scales = (1e9,)

    def values(self, state):
        return {"clock": state.var(CLOCK)}

    def stage(self, state):
        return 0


class Rounds:
    """A walk that stands still; every few rounds some time has passed."""

    name = "rounds"

    def __init__(self, every):
        self._every = every
        self._number = 0

    def opening(self):
        return [START]

    def round(self):
        self._number += 1
        return [with_var(START, CLOCK, 50 * (self._number // self._every))]


@pytest.fixture
def term(monkeypatch):
    def add(term):
        monkeypatch.setitem(TERMS, term.name, term)
        monkeypatch.setitem(preset.FORMULAS, "once", tuple(TERMS))
        monkeypatch.setattr(preset, "DECAYING", (*preset.DECAYING, term.name))

    return add


@pytest.mark.parametrize("every", [1, 5, 25, 40, 97])
def test_a_reward_for_time_is_farmable_and_the_report_names_it(term, every):
    term(Clock(1_000_000))
    report = audit(Rounds(every), Preset("mine", {"clock": 1.0, "badge": 5.0}))
    assert report.farmable
    assert {line.term for line in report.repeated} == {"clock"}
    assert report.as_dict()["verdicts"] == {"clock": "farmable"}


def test_a_farm_is_reported_at_once_whatever_else_pays_late(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "def late(before, after): return float(before.vars != after.vars)\n"
        "def farm(before, after): return {'late': late(before, after), 'each': 0.01}\n"
    )
    played = {}
    for name in ("late", "farm"):
        walk = Rounds(97)
        assert audit(walk, preset.load_preset(f"{mine}:{name}")).farmable
        played[name] = walk._number
    assert played == {"late": 1 + 96 + 3 * 96, "farm": 100}


def test_of_a_bounded_term_the_report_says_how_much_more_it_can_pay(term):
    term(Clock(1_000_000))
    limited = Preset("mine", {"clock": 0.01, "milestone": 5.0}, limits={"clock": 4.0})
    report = audit(Rounds(1), limited)
    assert report.verdict is LoopVerdict.BOUNDED and not report.farmable
    paid = sum(p.paid.amount for p in report.payments)
    assert report.left["clock"] == pytest.approx(4.0 - paid)
    assert report.says.endswith(f", at most {4.0 - paid:.3g} more)")
    many = Preset("mine", {"clock": 0.01, "milestone": 5.0})
    report = audit(Rounds(1), many)
    assert report.farmable and ", at most 1e+04 more)" in report.says
    assert "forever" not in report.says


def test_a_mark_so_flat_that_its_bound_means_nothing_is_farmable(term):
    term(Age())
    assert audit(Rounds(1), Preset("mine", {"age": 1e6})).farmable


def test_a_term_with_more_keys_than_it_declares_keeps_to_its_bound(term):
    term(Clock(10))
    report = audit(Rounds(1), Preset("mine", {"clock": 2.0}))
    assert report.bound == 20.0 and report.total == 20.0
    assert report.verdict is LoopVerdict.ENDS
    report = audit(Rounds(1), Preset("mine", {"clock": 2.0}, {"clock": 0.5}))
    assert report.total == pytest.approx(report.bound)
    assert report.verdict is LoopVerdict.ENDS


def test_a_loop_must_be_gone_round_at_least_once():
    walk = StatesWalk("to and fro", [START, at(START), START])
    with pytest.raises(ValueError, match="at least once, got 0"):
        audit(walk, Preset("mine", {"map": 1.0}), 0)
    assert audit(walk, Preset("mine", {"map": 1.0}), 1).verdict is LoopVerdict.ONE_ROUND
