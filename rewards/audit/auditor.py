"""Follows a walk, keeps the books, and says what its loop paid round by round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rewards.audit.verdict import Verdict, farmed, quarter, worst
from rewards.audit.walk import State, StatesWalk, Walk
from rewards.kinds import Paid
from rewards.names import key_name
from rewards.preset import Preset
from rewards.reward import Reward

ROUNDS = 100
SHOWN = (1, 2, 10, 100)


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
    repeated: tuple[KeyLine, ...]  # what the last rounds still paid, dearest first
    ending: int  # so many rounds are the last ones
    verdicts: dict[str, Verdict]  # on each term that the loop paid
    verdict: Verdict  # the worst of them
    payments: tuple[Payment, ...]  # all of them, in order

    @property
    def farmable(self) -> bool:
        """Whether the loop pays for ever."""
        return self.verdict is Verdict.FARMABLE

    @property
    def farmed(self) -> list[str]:
        """The terms that pay for ever."""
        return [term for term, verdict in self.verdicts.items() if verdict is Verdict.FARMABLE]

    def as_dict(self) -> dict[str, Any]:
        """Returns the report without the single payments, fit for JSON (an endless bound: null)."""
        values = asdict(self)
        del values["payments"]
        bound = None if self.bound == float("inf") else self.bound
        verdicts = {term: verdict.name.lower() for term, verdict in self.verdicts.items()}
        verdict = {"verdict": self.verdict.name.lower(), "farmable": self.farmable}
        says = {"says": self.verdict.value}
        return {**values, "bound": bound, "verdicts": verdicts, **verdict, **says}


def audit(walk: Walk, preset: Preset, rounds: int = ROUNDS) -> AuditReport:
    """Returns what a walk pays under a preset, with its loop repeated; see `audits`."""
    return audits(walk, [preset], rounds)[0]


def audits(walk: Walk, presets: Sequence[Preset], rounds: int = ROUNDS) -> list[AuditReport]:
    """Returns what a walk pays under each of some presets; it is walked once for all of them.

    Args:
        walk: the states to follow; its `opening` once, its `round` as often as it is not empty,
            and the `ending` of a `StatesWalk` once.
        presets: what pays.
        rounds: how many rounds to try; a loop is known to pay no more, or less and less, only as
            far as they show it, see `verdict.verdict`.

    Raises:
        ValueError: fewer than 1 round.
    """
    if rounds < 1:
        raise ValueError(f"a loop must be gone round at least once, got {rounds} rounds")
    books = [_Book(preset) for preset in presets]
    _follow(books, walk.opening(), 0)
    for number in range(1, rounds + 1):
        if not _follow(books, walk.round(), number):
            break
    if isinstance(walk, StatesWalk):
        for book in books:
            book.end(walk.ending())
    return [book.report(walk.name) for book in books]


def _follow(books: Iterable[_Book], states: Iterable[State], number: int) -> bool:
    """Lets every book take the steps of a round; tells whether there were any."""
    followed = list(states)
    for book in books:
        book.follow(followed, number)
    return bool(followed)


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

    def follow(self, states: Sequence[State], number: int) -> None:
        """Takes the steps of a round, if there are any."""
        if states:
            self._totals.append(sum(self._take(state, number) for state in states))

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
        verdicts = farmed(self._rounds(), self._reward.left)
        ending = quarter(last)
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
            repeated=_key_lines(p for p in self._payments if p.round > max(1, last - ending)),
            ending=ending,
            verdicts=verdicts,
            verdict=worst(verdicts, last),
            payments=tuple(self._payments),
        )

    def _rounds(self) -> dict[str, list[float]]:
        """Returns what each term paid in each round."""
        rounds = {term: [0.0] * (len(self._totals) - 1) for term in self._reward.terms}
        for payment in self._payments:
            if payment.round:
                rounds[payment.paid.term][payment.round - 1] += payment.paid.amount
        return rounds

    def _round(self, number: int) -> RoundLine:
        terms: dict[str, float] = {}
        for payment in self._payments:
            if payment.round == number:
                term, _, amount = payment.paid
                terms[term] = terms.get(term, 0.0) + amount
        return RoundLine(number, self._totals[number], terms)


def _key_lines(payments: Iterable[Payment]) -> tuple[KeyLine, ...]:
    lines: dict[tuple[str, Any], KeyLine] = {}
    for payment in payments:
        term, key, amount = payment.paid
        new = KeyLine(term, key_name(term, key), 0.0, 0, payment.step)
        line = lines.get((term, key), new)
        total, times = line.amount + amount, line.times + 1
        lines[term, key] = KeyLine(term, line.key, total, times, line.first_step)
    return tuple(sorted(lines.values(), key=lambda line: -line.amount))
