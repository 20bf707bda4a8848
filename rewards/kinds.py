"""The two kinds of reward term: events that pay once, and marks that only rise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from emerald_env.state import GameState

Key = Hashable


class Paid(NamedTuple):
    """One payment: this term paid this amount for this key."""

    term: str
    key: Key
    amount: float


class Allowance:
    """What a term may still pay before the next milestone.

    An amount `a` under a limit `L` pays the fraction `a / L` of what is left. Frequent payments
    thus shrink, the first payment is paid in full, and the sum never exceeds the limit and does not
    depend on the order.

    Args:
        limit: the most that is paid between two milestones; infinite: everything is paid in full.
    """

    def __init__(self, limit: float = math.inf) -> None:
        self.limit = limit
        self.left = limit

    def take(self, amount: float) -> float:
        """Returns how much of an amount is paid, and deducts it."""
        if self.limit == math.inf:
            return amount
        paid = min(amount / self.limit, 1.0) * self.left if self.limit else 0.0
        self.left -= paid
        return paid

    def renew(self) -> None:
        """Restores the full allowance: a milestone was reached."""
        self.left = self.limit


class Stateless(ABC):
    """A term without state: copies share it, and a pickle holds only its class."""

    kind: str
    name: str
    needs: tuple[str, ...]  # fields of a state; if none of them changes, the term pays nothing

    def __deepcopy__(self, memo: dict[int, Any]) -> Stateless:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


class Events(Stateless):
    """A term that pays for keys, each the first time in the episode.

    The n-th key of a bucket (n = 0, 1, ...) pays ``weight * decay ** n``, so the sum depends on
    how many keys were met and not on their order (except for `worth` and an `Allowance`). Keys that
    hold at the start of the episode are known and pay nothing. A subclass has no state: it
    says what happened between two states.
    """

    kind = "event"
    keys: float = math.inf  # how many keys there can be
    decay: float = 1.0  # in (0, 1]; a preset may set another
    buckets: float = 1

    @abstractmethod
    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the keys of what happened in this step; keys already paid may be among them."""

    @abstractmethod
    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the keys that are already true in a state, and so can no longer be earned."""

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the keys that this step made true in a way that never pays."""
        return ()

    def bucket(self, key: Key) -> Hashable:
        """Returns the bucket in which a key is counted; all keys share one unless overridden."""
        return None

    def worth(self, key: Key, state: GameState) -> float:
        """Returns the share of the weight, 0 to 1, that a key met in this state pays."""
        return 1.0

    def bound(self, weight: float, decay: float) -> float:
        """Returns the most that an episode can pay; infinite only for endless keys at decay 1.

        That is for all keys, spread evenly over the buckets: a geometric series in each.
        """
        if not weight or decay == 1.0:
            return weight * self.keys if weight else 0.0
        share = (1.0 - float(decay ** (self.keys / self.buckets))) / (1.0 - decay)
        return weight * self.buckets * share


class Marks(Stateless):
    """A term that pays for the rise of quantities over their highest values so far.

    Each item has a high-water mark. Rises of all items add up to the progress of the stage they
    happen in, and a stage has paid ``weight * (1 - exp(-progress / scale))``: concave, and never
    more than the weight. An item that was not there before the step joins with the value it has,
    unpaid: catching, trading or withdrawing a Pokémon pays nothing by itself.
    """

    kind = "mark"
    scales: tuple[float, ...]  # one per stage

    @abstractmethod
    def values(self, state: GameState) -> Mapping[Key, float]:
        """Returns the quantity of each item present in a state."""

    @abstractmethod
    def stage(self, state: GameState) -> int:
        """Returns the stage, an index of `scales`, that a state belongs to."""

    def unchanged(self, before: GameState, after: GameState) -> bool:
        """Returns, cheaply, whether certainly no value has changed."""
        return False

    def bound(self, weight: float, decay: float = 1.0) -> float:
        """Returns the most that an episode can pay."""
        return weight * len(self.scales)


class EventAccount:
    """What one events term has paid in this episode, and for which keys.

    It enforces the bound that the term declares, whatever keys the term yields.
    """

    def __init__(self, term: Events, weight: float, decay: float, limit: float = math.inf) -> None:
        self.term = term
        self.weight = weight
        self.decay = decay
        self.allowance = Allowance(limit)
        self.known: dict[Key, float] = {}  # key -> amount paid, 0.0 where it held before
        self.left = term.bound(weight, decay)  # what it can still pay
        self._counts: dict[Hashable, int] = {}
        self._absorbs = type(term).absorbed is not Events.absorbed

    def absorb(self, state: GameState) -> None:
        """Marks everything that holds in a state as known, unpaid."""
        for key in self.term.holds(state):
            self.known.setdefault(key, 0.0)

    def pay(self, before: GameState, after: GameState) -> Iterable[tuple[Key, float]]:
        """Returns (key, amount) of each key that is new in the episode."""
        if self._absorbs:
            for key in self.term.absorbed(before, after):
                self.known.setdefault(key, 0.0)
        known, paid = self.known, []
        for key in self.term.happened(before, after):
            if key not in known:  # one that happens twice in a step is known at its second turn
                paid.append((key, self._pay(key, after)))
        return paid

    def _pay(self, key: Key, state: GameState) -> float:
        bucket = self.term.bucket(key)
        count = self._counts.get(bucket, 0)
        self._counts[bucket] = count + 1
        worth = self.weight * self.decay**count * self.term.worth(key, state)
        amount = self.allowance.take(min(worth, self.left))
        self.left -= amount
        self.known[key] = amount
        return amount

    def get_state(self) -> dict[str, Any]:
        """Returns what was paid and is known, as plain values."""
        return {
            "known": dict(self.known),
            "counts": dict(self._counts),
            "allowance": self.allowance.left,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self.known, self._counts = dict(state["known"]), dict(state["counts"])
        self.allowance.left = state.get("allowance", self.allowance.limit)
        self.left = self.term.bound(self.weight, self.decay)
        for amount in self.known.values():
            self.left -= amount  # one by one, as it was paid, for the same rounding

    def paid(self) -> Mapping[Key, float]:
        """Returns the amount paid for each key in this episode."""
        return {key: amount for key, amount in self.known.items() if amount}


class MarkAccount:
    """The high-water marks of one marks term in this episode, and the progress of each stage."""

    def __init__(self, term: Marks, weight: float, limit: float = math.inf) -> None:
        self.term = term
        self.weight = weight
        self.allowance = Allowance(limit)
        self._highest: dict[Key, float] = {}
        self._progress: dict[int, float] = {}
        self._paid: dict[int, float] = {}

    def absorb(self, state: GameState) -> None:
        """Raises the marks to the values of a state, unpaid."""
        for item, value in self.term.values(state).items():
            self._highest[item] = max(value, self._highest.get(item, value))

    def pay(self, before: GameState, after: GameState) -> Iterable[tuple[Key, float]]:
        """Returns (stage, amount) if something rose above its mark."""
        if self.term.unchanged(before, after):
            return ()
        gain = self._raise(self.term.values(before), self.term.values(after))
        if not gain:
            return ()
        stage = self.term.stage(after)
        earned = self._earned(stage)
        self._progress[stage] = self._progress.get(stage, 0.0) + gain
        amount = self.allowance.take(self._earned(stage) - earned)
        self._paid[stage] = self._paid.get(stage, 0.0) + amount
        return ((stage, amount),)

    def _raise(self, old: Mapping[Key, float], new: Mapping[Key, float]) -> float:
        gain = 0.0
        for item, value in new.items():
            highest = self._highest.get(item, value)
            if value > highest and item in old:
                gain += value - highest
            self._highest[item] = max(value, highest)
        return gain

    @property
    def left(self) -> float:
        """What the stages begun can still pay."""
        return sum(self.weight - self._earned(stage) for stage in self._progress)

    def _earned(self, stage: int) -> float:
        progress = self._progress.get(stage, 0.0)
        return self.weight * -math.expm1(-progress / self.term.scales[stage])

    def get_state(self) -> dict[str, Any]:
        """Returns the marks and the progress, as plain values."""
        return {
            "highest": dict(self._highest),
            "progress": dict(self._progress),
            "paid": dict(self._paid),
            "allowance": self.allowance.left,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self._highest, self._progress = dict(state["highest"]), dict(state["progress"])
        self._paid = dict(state.get("paid", {}))
        self.allowance.left = state.get("allowance", self.allowance.limit)

    def paid(self) -> Mapping[Key, float]:
        """Returns the amount paid in each stage of this episode."""
        return {stage: amount for stage, amount in self._paid.items()}
