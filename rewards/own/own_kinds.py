"""Classes of events and marks of the user's own: what they say and return is checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields
from enum import Enum
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from emerald_env.env.reward_function import RewardError, UsersCalls, shown
from emerald_env.files.data import WHOLE_LIMIT
from emerald_env.state import NOWHERE, GameState, Mode
from rewards.kinds import Events, Key, Marks

MAX_PARTS = 16  # of a key
MAX_STAGES = 200
MAX_QUANTITY = 1e15  # so that rises that are added up remain below a file's 1e18
SAVABLE = (
    f"a key must be a number, a text, None, a state's mode, or a tuple of at most {MAX_PARTS} of "
    "them, so that it can be saved"
)


def is_key(key: Any) -> bool:
    """Returns whether a checkpoint can hold a key: a number, a text, a `Mode`, some, or None."""
    if isinstance(key, tuple):
        return len(key) <= MAX_PARTS and all(map(is_key, key))
    if isinstance(key, Enum):  # others could be written, but not read
        return isinstance(key, Mode)
    value = key.item() if isinstance(key, np.generic) else key
    if isinstance(value, int):
        return bool(abs(value) < WHOLE_LIMIT)
    is_finite = isinstance(value, float) and math.isfinite(value)
    return is_finite or value is None or isinstance(value, str)


def is_kind(found: Any) -> bool:
    """Returns whether it is a class of events or marks."""
    return isinstance(found, type) and issubclass(found, (Events, Marks))


def check_kind(name: str, kind: type[Events | Marks]) -> None:
    """Checks what a class of events or marks must have before one can be made.

    Raises:
        ValueError: it lacks something, or needs a field that no state has.
    """
    has = ("needs", "scales") if issubclass(kind, Marks) else ("needs",)
    missing = [each for each in has if not hasattr(kind, each)] + sorted(kind.__abstractmethods__)
    if missing:
        raise ValueError(f"{name} lacks {', '.join(missing)} (docs/REWARDS.md)")
    needs: Any = kind.needs
    is_listed = isinstance(needs, Iterable) and not isinstance(needs, str)
    if not is_listed or not all(isinstance(field, str) for field in needs):
        raise ValueError(f'{name}: needs is {shown(needs)}: give fields, such as ("money",)')
    if unknown := [field for field in needs if not hasattr(NOWHERE, field)]:
        known = ", ".join(field.name for field in fields(GameState))
        raise ValueError(f"{name} needs {', '.join(unknown)}, which no state has; it has: {known}")


def check_numbers(name: str, term: Events | Marks) -> None:
    """Checks the numbers by which a term's bound is computed.

    Raises:
        ValueError: one is no number, or none that it can be.
    """
    if isinstance(term, Marks):
        scales: Any = term.scales
        is_listed = isinstance(scales, tuple | list) and 1 <= len(scales) <= MAX_STAGES
        good = is_listed and all(_is_within(scale, 0, MAX_QUANTITY) and scale for scale in scales)
        must = f"a tuple of numbers above 0, one for each of 1 to {MAX_STAGES} stages"
        found = [("scales", good, must)]
    else:
        keys, decay, buckets = term.keys, term.decay, term.buckets
        how_many = _is_within(keys, 0, MAX_QUANTITY) or keys == math.inf
        found = [
            ("keys", how_many, "how many there can be, a number; leave it out if they have no end"),
            ("decay", _is_within(decay, 0, 1) and decay > 0, "a number above 0 and at most 1"),
            ("buckets", _is_within(buckets, 1, MAX_QUANTITY), "a number of at least 1"),
        ]
    for field, is_good, must in found:
        if not is_good:
            value = shown(getattr(term, field))
            raise ValueError(f"{name}: {field} is {value}: it must be {must}")


class _Checked:
    """Calls a term of the user's: an error in it is one line.

    Args:
        term: the user's.
        file: in which it was written, for the line in a message.
        again: makes this object again; a pickle holds only that.
    """

    def __init__(
        self, term: Events | Marks, file: str, again: Callable[[], Events | Marks]
    ) -> None:
        self.name, self.needs = term.name, tuple(term.needs)
        self.__doc__ = term.__doc__
        self._term, self._again = term, again
        self._call = UsersCalls(f"the reward {self.name}", file)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._again, ()

    def _ask(self, method: str, *arguments: Any) -> Any:
        return self._call(getattr(self._term, method), *arguments)

    def _refuse(self, found: str, method: str, must: str) -> NoReturn:
        raise RewardError(f"the reward {self.name} returned {found} from {method}: {must}")

    def _savable(self, key: Any, method: str) -> Any:
        """Returns a key; raises RewardError if a checkpoint could not hold it."""
        if not is_key(key):
            self._refuse(f"the key {shown(key)}", method, SAVABLE)
        return key

    def bound(self, weight: float, decay: float = 1.0) -> float:
        """Returns the most that an episode can pay."""
        most = self._ask("bound", weight, decay)
        if not _is_within(most, 0, math.inf):
            self._refuse(shown(most), "bound", "it must be a number of at least 0")
        return float(most)


class OwnEvents(_Checked, Events):
    """Events of the user's own."""

    def __init__(self, term: Events, file: str, again: Callable[[], Events | Marks]) -> None:
        super().__init__(term, file, again)
        self.keys, self.decay, self.buckets = term.keys, term.decay, term.buckets

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the keys of what happened in this step."""
        return self._keys("happened", before, after)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the keys that are already true in a state."""
        return self._keys("holds", state)

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the keys that this step made true in a way that never pays."""
        return self._keys("absorbed", before, after)

    def _keys(self, method: str, *states: GameState) -> list[Key]:
        found = self._call(_listed, getattr(self._term, method), *states)
        if not isinstance(found, list):
            self._refuse(shown(found), method, "it must return its keys, for instance in a list")
        return [self._savable(key, method) for key in found]

    def bucket(self, key: Key) -> Hashable:
        """Returns the bucket in which a key is counted."""
        bucket: Hashable = self._savable(self._ask("bucket", key), "bucket")
        return bucket

    def worth(self, key: Key, state: GameState) -> float:
        """Returns the share of the weight, 0 to 1, that a key met in this state pays."""
        share = self._ask("worth", key, state)
        if not _is_within(share, 0, 1):
            self._refuse(shown(share), "worth", "it must be a number from 0 to 1")
        return float(share)


class OwnMarks(_Checked, Marks):
    """Marks of the user's own."""

    def __init__(self, term: Marks, file: str, again: Callable[[], Events | Marks]) -> None:
        super().__init__(term, file, again)
        self.scales = tuple(term.scales)

    def values(self, state: GameState) -> Mapping[Key, float]:
        """Returns the quantity of each item present in a state."""
        found = self._ask("values", state)
        if not isinstance(found, Mapping):
            self._refuse(shown(found), "values", "it must be a dict of numbers")
        for quantity in found.values():
            if not _is_within(quantity, -MAX_QUANTITY, MAX_QUANTITY):
                must = f"each must be a number, and none beyond {MAX_QUANTITY:g}"
                self._refuse(shown(quantity), "values", must)
        return {self._savable(key, "values"): float(value) for key, value in found.items()}

    def stage(self, state: GameState) -> int:
        """Returns the stage, an index of `scales`, that a state belongs to."""
        stage = self._ask("stage", state)
        last = len(self.scales) - 1
        if not isinstance(stage, Integral) or not 0 <= int(stage) <= last:
            self._refuse(shown(stage), "stage", f"it must be an index of scales, 0 to {last}")
        return int(stage)

    def unchanged(self, before: GameState, after: GameState) -> bool:
        """Returns, cheaply, whether certainly no value has changed."""
        return bool(self._ask("unchanged", before, after))


def _listed(method: Callable[..., Any], *states: GameState) -> Any:
    """Returns what a method yields as a list, so that a generator runs to its end here."""
    found = method(*states)
    return list(found) if isinstance(found, Iterable) else found


def _is_within(value: Any, low: float, high: float) -> bool:
    number: Any = value  # mypy knows no order of `Real`
    return isinstance(value, Real) and bool(low <= number <= high)
