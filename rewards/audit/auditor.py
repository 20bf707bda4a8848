"""Follows a walk, keeps the books, and says whether its loop can be farmed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from rewards.audit.walk import State, StatesWalk, Walk
from rewards.kinds import Paid
from rewards.names import key_name
from rewards.preset import Preset
from rewards.reward import Reward

ROUNDS = 100
SHOWN = (1, 2, 10, 100)
NOTHING = 1e-9
FADING = 0.99  # a loop fades if its later rounds pay at most this share of its earlier ones
SELDOM = 0.25  # ... or if no more than this share of the later ones pays at all: that was news


class Verdict(Enum):
    """What a loop is worth to somebody who never leaves it."""

    NO_LOOP = "nothing to repeat: the walk does not come back to where it was"
    ONCE = "not farmable: every round after the first pays nothing"
    FADES = "not farmable: the rounds pay less and less, up to a bound"
    FARMABLE = "FARMABLE: the loop pays for ever"


@dataclass(frozen=True)
class Payment:
    """One payment, with the step and round it fell into; round 0 is the way there and back."""

    step: int
    round: int
    paid: Paid


@dataclass(frozen=True)
class KeyLine:
    """What a term paid for a key."""

    term: str
    key: str  # as people call it
    amount: float
    times: int
    first_step: int


@dataclass(frozen=True)
class RoundLine:
    """What one round paid, by term; terms that paid nothing are left out."""

    number: int
    total: float
    terms: dict[str, float]


@dataclass(frozen=True)
class AuditReport:
    """What a walk paid under a preset; `as_dict` is its JSON."""

    walk: str
    preset: str
    bound: float  # what the preset can pay at most in an episode
    steps: int
    total: float
    terms: dict[str, float]  # every term of the preset
    known: dict[str, int]  # keys of each term that were true at the start and pay nothing
    keys: tuple[KeyLine, ...]  # what paid on the way and in the first round, dearest first
    rounds: tuple[RoundLine, ...]  # those of `SHOWN`
    repeated: tuple[KeyLine, ...]  # what the last round still paid, dearest first
    verdict: Verdict
    payments: tuple[Payment, ...]  # all of them, in order

    @property
    def farmable(self) -> bool:
        """Whether the loop pays for ever."""
        return self.verdict is Verdict.FARMABLE

    def as_dict(self) -> dict[str, Any]:
        """Returns the report without the single payments, fit for JSON (an endless bound: null)."""
        values = asdict(self)
        del values["payments"]
        bound = None if self.bound == float("inf") else self.bound
        verdict = {"verdict": self.verdict.name.lower(), "farmable": self.farmable}
        return {**values, "bound": bound, **verdict, "says": self.verdict.value}


def audit(walk: Walk, preset: Preset, rounds: int = ROUNDS) -> AuditReport:
    """Returns what a walk pays under a preset, with its loop repeated.

    Args:
        walk: the states to follow; its `opening` once, its `round` as often as it is not empty,
            and the `ending` of a `StatesWalk` once.
        preset: what pays.
        rounds: how many rounds to try; fewer than 3 tell no fading from farming.
    """
    book = _Book(preset)
    book.follow(walk.opening(), 0)
    for number in range(1, rounds + 1):
        if not book.follow(walk.round(), number):
            break
    if isinstance(walk, StatesWalk):
        book.end(walk.ending())
    return book.report(walk.name)


class _Book:
    """The payments of a walk in progress."""

    def __init__(self, preset: Preset) -> None:
        self._reward = Reward(preset)
        self._payments: list[Payment] = []
        self._totals: list[float] = []  # by round
        self._ending = 0.0
        self._before: State = None
        self._known: dict[str, int] = {}
        self._step: int | None = None  # of the last state; None before the first

    def follow(self, states: Iterable[State], number: int) -> bool:
        """Takes the steps of a round; tells whether there were any."""
        paid = [self._take(state, number) for state in states]
        if paid:
            self._totals.append(sum(paid))
        return bool(paid)

    def end(self, states: Iterable[State]) -> None:
        """Takes the steps after the loop."""
        self._ending = sum(self._take(state, 0) for state in states)

    def _take(self, state: State, number: int) -> float:
        before, self._before = self._before, state
        if self._step is None:
            self._step = 0
            self._reward.reset(state)
            self._known = dict(self._reward.known)
            return 0.0
        self._step += 1
        terms = self._reward(before, state)
        for paid in self._reward.last_events:
            self._payments.append(Payment(self._step, number, paid))
        return sum(terms.values())

    def report(self, walk: str) -> AuditReport:
        """Returns the report on all steps taken."""
        last = len(self._totals) - 1
        terms = dict.fromkeys(self._reward.terms, 0.0)
        for payment in self._payments:
            terms[payment.paid.term] += payment.paid.amount
        return AuditReport(
            walk=walk,
            preset=self._reward.preset.name,
            bound=self._reward.bound,
            steps=self._step or 0,
            total=sum(self._totals) + self._ending,
            terms=terms,
            known=self._known,
            keys=_key_lines(p for p in self._payments if p.round <= 1),
            rounds=tuple(self._round(number) for number in SHOWN if number <= last),
            repeated=_key_lines(p for p in self._payments if p.round == last > 1),
            verdict=verdict(self._totals[1:]),
            payments=tuple(self._payments),
        )

    def _round(self, number: int) -> RoundLine:
        terms: dict[str, float] = {}
        for payment in self._payments:
            if payment.round == number:
                term, _, amount = payment.paid
                terms[term] = terms.get(term, 0.0) + amount
        return RoundLine(number, self._totals[number], terms)


def verdict(totals: list[float]) -> Verdict:
    """Returns what is to be said of a loop whose rounds paid these totals."""
    if len(totals) < 2:
        return Verdict.NO_LOOP
    repeated = totals[1:]
    if max(repeated) <= NOTHING:
        return Verdict.ONCE
    half = max(1, len(repeated) // 2)
    early, late = repeated[:half], repeated[-half:]
    often = sum(total > NOTHING for total in late) > SELDOM * half
    fades = sum(late) <= max(FADING * sum(early), NOTHING)
    return Verdict.FARMABLE if often and not fades else Verdict.FADES


def _key_lines(payments: Iterable[Payment]) -> tuple[KeyLine, ...]:
    lines: dict[tuple[str, Any], KeyLine] = {}
    for payment in payments:
        term, key, amount = payment.paid
        new = KeyLine(term, key_name(term, key), 0.0, 0, payment.step)
        line = lines.get((term, key), new)
        total, times = line.amount + amount, line.times + 1
        lines[term, key] = KeyLine(term, line.key, total, times, line.first_step)
    return tuple(sorted(lines.values(), key=lambda line: -line.amount))
