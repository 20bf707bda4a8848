"""Follows a walk, records payments, and reports what its loop paid in each round."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rewards.audit.audited_walk import State, StatesWalk, Walk
from rewards.audit.verdict import LoopVerdict, collected, farmed, quarter, rounds_to_tell, worst
from rewards.kinds import Paid
from rewards.names import key_name
from rewards.preset import Preset
from rewards.reward import Reward
from rewards.terms.story import MILESTONE_TERMS

ROUNDS = 100
LONGER = 10  # times as many rounds at most, to distinguish an end from a long period
SHOWN = (1, 2, 10, 100)


@dataclass(frozen=True)
class Payment:
    """One payment, with its step and round; round 0 is the way to the loop and the end."""

    step: int
    round: int
    paid: Paid


@dataclass(frozen=True)
class KeyLine:
    """What a term paid for a key."""

    term: str
    key: str  # readable name
    amount: float
    times: int
    first_step: int


@dataclass(frozen=True)
class RoundLine:
    """What one round paid, by term; without terms that paid nothing."""

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
    keys: tuple[KeyLine, ...]  # what paid on the way and in the first round, highest first
    rounds: tuple[RoundLine, ...]  # those of `SHOWN`
    repeated: tuple[KeyLine, ...]  # what the last rounds still paid, highest first
    ending: int  # number of last rounds that a verdict rests on
    verdicts: dict[str, LoopVerdict]  # on each term that the loop paid
    verdict: LoopVerdict  # the worst of them
    left: dict[str, float]  # what each of these terms can still pay before the next milestone
    worth: float  # of a milestone
    collected: dict[str, float]  # by term, but those of milestones, after the first round
    payments: tuple[Payment, ...]  # all of them, in order

    @property
    def farmable(self) -> bool:
        """Whether repeating the loop pays more than a milestone."""
        return self.verdict is LoopVerdict.FARMABLE

    @property
    def says(self) -> str:
        """The verdict in a line, with what the deciding terms can still pay."""
        if self.verdict not in (LoopVerdict.FADES, LoopVerdict.BOUNDED, LoopVerdict.FARMABLE):
            return str(self.verdict.value)
        terms = (
            f"{term}: {self.collected.get(term, 0.0):,.3g} in later rounds, {more(self.left[term])}"
            for term, found in self.verdicts.items()
            if found is self.verdict
        )
        return f"{self.verdict.value} ({', '.join(terms)})"

    def as_dict(self) -> dict[str, Any]:
        """Returns the report without the single payments, fit for JSON (an endless bound: null)."""
        values = asdict(self)
        del values["payments"]
        bound = None if self.bound == float("inf") else self.bound
        verdicts = {term: verdict.name.lower() for term, verdict in self.verdicts.items()}
        left = {term: None if math.isinf(most) else most for term, most in self.left.items()}
        verdict = {"verdict": self.verdict.name.lower(), "farmable": self.farmable}
        more = {"left": left, "says": self.says}
        return {**values, "bound": bound, "verdicts": verdicts, **verdict, **more}


def more(left: float) -> str:
    """Describes what can still be paid."""
    return "forever" if math.isinf(left) else f"at most {left:,.3g} more"


def audit(walk: Walk, preset: Preset, rounds: int = ROUNDS) -> AuditReport:
    """Returns what a walk pays under a preset, with its loop repeated; see `audits`."""
    return audits(walk, [preset], rounds)[0]


def audits(walk: Walk, presets: Sequence[Preset], rounds: int = ROUNDS) -> list[AuditReport]:
    """Returns what a walk pays under each of some presets; the walk is played once for all of them.

    Args:
        walk: the states to follow; its `opening` once, its `round` as often as it is not empty,
            and the `ending` of a `StatesWalk` once.
        presets: what pays.
        rounds: how many rounds to play; a verdict rests on them alone, see `verdict.verdict`. After
            a late payment, which may recur, up to ten times as many are played.

    Raises:
        ValueError: fewer than 1 round.
    """
    if rounds < 1:
        raise ValueError(f"a loop must be repeated at least once, got {rounds} rounds")
    books = [_Book(preset) for preset in presets]
    _follow(books, walk.opening(), 0)
    number, most = 0, LONGER * rounds
    while number < rounds and _follow(books, walk.round(), number + 1):
        number += 1
        if number == rounds:
            rounds = min(most, max(book.rounds_to_tell() for book in books))
    if isinstance(walk, StatesWalk):
        for book in books:
            book.end(walk.ending())
    return [book.report(walk.name) for book in books]


def _follow(books: Iterable[_Book], states: Iterable[State], number: int) -> bool:
    """Records the steps of a round in every book; returns whether there were any."""
    followed = list(states)
    for book in books:
        book.follow(followed, number)
    return bool(followed)


class _Book:
    """The payments of a walk in progress."""

    def __init__(self, preset: Preset) -> None:
        self._reward = Reward(preset)
        self._worth = preset.weights.get("milestone", 0.0)
        self._story = MILESTONE_TERMS & preset.weights.keys()  # a function may call a part "badge"
        self._payments: list[Payment] = []
        self._totals: list[float] = []  # by round
        self._ending = 0.0
        self._before: State = None
        self._known: dict[str, int] = {}
        self._step: int | None = None  # of the last state; None before the first

    def follow(self, states: Sequence[State], number: int) -> None:
        """Records the steps of a round, if there are any."""
        if states:
            self._totals.append(sum(self._take(state, number) for state in states))

    def end(self, states: Iterable[State]) -> None:
        """Records the steps after the loop."""
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
        """Returns the report on all recorded steps."""
        last = len(self._totals) - 1
        terms = dict.fromkeys(self._reward.terms, 0.0)
        for payment in self._payments:
            terms[payment.paid.term] += payment.paid.amount
        left, worth = self._reward.left, self._worth
        verdicts = farmed(self._rounds(), left, worth, self._story)
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
            left={term: left.get(term, math.inf) for term in verdicts},
            worth=worth,
            collected=collected(self._rounds(), self._story),
            payments=tuple(self._payments),
        )

    def rounds_to_tell(self) -> int:
        """Returns how many rounds it takes until every term's verdict can be trusted.

        A loop that some term farms is farmable whatever the others would still pay.
        """
        left, terms = self._reward.left, self._rounds()
        if LoopVerdict.FARMABLE in farmed(terms, left, self._worth, self._story).values():
            return len(self._totals) - 1
        return max(
            rounds_to_tell(amounts, left.get(term, math.inf), self._worth)
            for term, amounts in terms.items()
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
