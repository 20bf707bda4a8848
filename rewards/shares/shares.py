"""Which terms earn the reward: shares over the last steps, the keys that paid most, an alarm.

Numbers in, findings out; the trainer feeds it and shows its reports.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from rewards.kinds import Key, Paid
from rewards.names import key_name
from rewards.original_2023 import CLIP
from rewards.shares.earnings import Earned
from rewards.terms.story import MILESTONE_TERMS

WINDOW = 50_000  # steps
CHUNKS = 50  # number of pieces in which the window moves
MAX_KEYS = 10
SHOWN = 4  # terms and keys in a line
Name = TypeVar("Name")


@dataclass(frozen=True)
class AlarmRule:
    """When to raise the alarm: too much reward besides the story, without progress."""

    share: float = 0.6  # of the reward in the window, of all terms but those of milestones together
    patience: int = WINDOW  # steps without a milestone that this run had not reached before
    least: float = 1.0  # reward in the window below which shares mean nothing


class EarningTerm(NamedTuple):
    """A term that makes up some of the reward."""

    term: str
    share: float  # 0..1
    key: str | None  # what paid most in the term, by name; None where no keys were reported

    def __str__(self) -> str:
        """Returns the term with its share, and what paid most in it."""
        return f"{self.term} {self.share:.0%}" + (f" (most for {self.key})" if self.key else "")


@dataclass(frozen=True)
class Alarm:
    """Terms other than milestones make up most of the reward while nothing new is reached."""

    parts: tuple[EarningTerm, ...]  # the largest ones that together reach the rule's share
    share: float  # of all terms but those of milestones
    steps: int  # since the last new milestone

    def __str__(self) -> str:
        """Returns a line for a console."""
        terms = " and ".join(part.term for part in self.parts)
        return (
            f"{self.share:.0%} of the reward was not for milestones: "
            f"{', '.join(map(str, self.parts))}; and no new milestone was reached for "
            f"{self.steps:,} steps: {terms} may be farmed. Audit a recording with "
            f"emerald audit, or lower the weight of {terms}"
        )


@dataclass(frozen=True)
class ShareReport:
    """What the window holds; its text is a line for a console."""

    steps: int
    total: float  # reward in the window
    shares: Mapping[str, float]  # term -> 0..1; they add up to 1 unless nothing was paid
    top: tuple[Paid, ...]  # the keys that paid most, highest first
    since_milestone: int  # steps since the last new milestone
    story: Collection[str] = MILESTONE_TERMS  # the terms that pay for milestones

    def alarm(self, rule: AlarmRule) -> Alarm | None:
        """Returns the alarm that a rule raises, if it does.

        Milestones are the goal: an agent that earns only by them is on a plateau, not farming. What
        clipping adds has no key of its own, so it counts for the terms that it enlarges.
        """
        shares = {term: share for term, share in self.shares.items() if term != CLIP}
        whole = sum(shares.values())
        if not whole or self.total < rule.least or self.since_milestone < rule.patience:
            return None
        others = [
            (term, share / whole)
            for term, share in sorted(shares.items(), key=lambda item: -item[1])
            if term not in self.story
        ]
        sums = list(accumulate(share for _, share in others))
        if not sums or sums[-1] < rule.share:
            return None
        most = others[: 1 + bisect_left(sums, rule.share)]
        parts = tuple(EarningTerm(term, share, self._dearest(term)) for term, share in most)
        return Alarm(parts, sums[-1], self.since_milestone)

    def _dearest(self, term: str) -> str | None:
        return next((key_name(*paid[:2]) for paid in self.top if paid.term == term), None)

    def __str__(self) -> str:
        """Returns the largest shares and the keys that paid most, in a line."""
        terms = sorted(self.shares.items(), key=lambda item: -item[1])
        shares = [f"{term} {share:.0%}" for term, share in terms[:SHOWN] if share]
        keys = [f"{paid.term} {key_name(*paid[:2])} {paid.amount:.3g}" for paid in self.top[:SHOWN]]
        return f"reward of the last {self.steps:,} steps: {', '.join(shares) or 'none'}" + (
            f"; most for {', '.join(keys)}" if keys else ""
        )


@dataclass
class _Chunk:
    steps: int = 0
    terms: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    keys: dict[tuple[str, Key], float] = field(default_factory=lambda: defaultdict(float))


class Shares:
    """Sums up the reward of all games over a moving window of steps.

    Args:
        terms: the reward's terms; a function of the user's own may name further ones when it is
            called.
        window: steps of all games together; it moves in pieces of a fiftieth.
    """

    def __init__(self, terms: Sequence[str], window: int = WINDOW) -> None:
        if window < CHUNKS:
            raise ValueError(f"the window must have at least {CHUNKS} steps, got {window}")
        self._terms = tuple(terms)
        self._size = window // CHUNKS
        self._window = window
        self._chunks = deque([_Chunk()])
        self._steps = 0  # in all chunks
        self._reached: set[str] = set()
        self._since = 0

    def get_state(self) -> dict[str, Any]:
        """Returns what the window holds, as plain values."""
        return {
            "chunks": [
                (chunk.steps, dict(chunk.terms), dict(chunk.keys)) for chunk in self._chunks
            ],
            "reached": sorted(self._reached),
            "since": self._since,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self._chunks = deque(
            _Chunk(steps, defaultdict(float, terms), defaultdict(float, keys))
            for steps, terms, keys in state["chunks"]
        )
        self._steps = sum(chunk.steps for chunk in self._chunks)
        self._reached, self._since = set(state["reached"]), state["since"]

    def add_earned(self, earned: Earned) -> bool:
        """Adds what one game earned; returns whether it reached a milestone new to the run."""
        if self._chunks[-1].steps >= self._size:
            self._chunks.append(_Chunk())
        chunk = self._chunks[-1]
        chunk.steps += earned.steps
        self._steps += earned.steps
        self._since += earned.steps
        while self._steps - self._chunks[0].steps >= self._window:
            self._steps -= self._chunks.popleft().steps
        for term in self._named(earned.sums):
            if amount := earned.sums.get(term):
                chunk.terms[term] += float(amount)
        for term, key, amount in earned.top:
            chunk.keys[term, key] += amount
        new = earned.milestones - self._reached
        self._reached |= new
        if new:
            self._since = 0
        return bool(new)

    def _named(self, others: Iterable[str]) -> Iterable[str]:
        """Returns the reward's terms, then others that its functions named later."""
        return dict.fromkeys((*self._terms, *others))

    def report(self) -> ShareReport:
        """Returns what the window holds; a term that lost more than it paid has the share 0."""
        terms = _add_up(chunk.terms for chunk in self._chunks)
        keys = _add_up(chunk.keys for chunk in self._chunks)
        top = heapq.nlargest(MAX_KEYS, keys.items(), key=lambda item: item[1])
        gains = {term: max(0.0, terms.get(term, 0.0)) for term in self._named(terms)}
        whole = sum(gains.values()) or 1.0
        return ShareReport(
            steps=self._steps,
            total=sum(terms.values()),
            shares={term: gain / whole for term, gain in gains.items()},
            top=tuple(Paid(term, key, amount) for (term, key), amount in top),
            since_milestone=self._since,
            story=MILESTONE_TERMS.intersection(self._terms),  # a function may call a part "badge"
        )


def _add_up(parts: Iterable[Mapping[Name, float]]) -> dict[Name, float]:
    sums: dict[Name, float] = defaultdict(float)
    for part in parts:
        for name, amount in part.items():
            sums[name] += amount
    return sums
