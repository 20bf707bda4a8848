"""Terms of the user's own: a function of two states, or a class, in a Python file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MemberDescriptorType, MethodType
from typing import Any

from emerald_env.env.reward_function import RewardError, UsersCalls, named_amounts, total_of
from emerald_env.files.own_code import OwnCode
from emerald_env.state import GameState
from rewards.kinds import Events, Marks, Paid
from rewards.own.own_kinds import OwnEvents, OwnMarks, check_kind, check_numbers, is_kind

LOG = logging.getLogger(__name__)
PLAIN = (bool, int, float, str, type(None))
StepReward = Callable[[GameState, GameState], "float | Mapping[str, float]"]


@dataclass(frozen=True)
class OwnTerm:
    """A term of the user's own, as it can be sent to another process.

    Args:
        name: how reports call it: FILE.py:NAME, or a function's name.
        code: the file; None: `function` is given instead.
        function: a function of two states, or a class of such functions.
    """

    name: str
    code: OwnCode | None = None
    function: Any = None

    def __post_init__(self) -> None:
        """Raises ValueError if it is not what a term can be, or cannot be made."""
        made = self._found
        if is_kind(made):
            check_kind(self.name, made)
            check_numbers(self.name, self._made(made))
        elif not callable(made):
            raise ValueError(
                f"{self.name} is a {type(made).__name__}: it must be a function of two states, "
                "(before, after) -> float or dict of floats, or a class as in rewards/terms"
            )

    @property
    def _found(self) -> Any:
        if self.code is None:
            return self.function
        return self.code.get(self.name.rpartition(":")[2])

    @property
    def term(self) -> Events | Marks | None:
        """The term, if it is a class of one of the two kinds; None for a function.

        Its methods raise RewardError where the user's raise, or return what they must not.
        """
        found = self._found
        if not is_kind(found):
            return None
        made = self._made(found)
        made.name = self.name
        again = partial(getattr, self, "term")
        if isinstance(made, Marks):
            return OwnMarks(made, self._file, again)
        return OwnEvents(made, self._file, again)

    def _made(self, kind: type) -> Any:
        return UsersCalls(f"the reward {self.name}", self._file)(kind)

    @property
    def _file(self) -> str:
        return "" if self.code is None else self.code.file

    def account(self, weight: float) -> OwnAccount:
        """Returns a game's own account of a function.

        A class is made again for each game; an object that keeps something is copied.

        Raises:
            RewardError: the object cannot be copied, or the class not be made.
        """
        found = self._found
        function = self._made(found) if isinstance(found, type) else self._copied(found)
        return OwnAccount(self.name, function, weight, self._file)

    def _copied(self, found: StepReward) -> StepReward:
        try:
            return deepcopy(found)
        except Exception as error:
            raise RewardError(
                f"the reward {self.name} is a {type(found).__name__} that cannot be copied, and "
                f"each game needs one of its own ({error}): give its class instead, or give it "
                "__deepcopy__(memo)"
            ) from error


def is_plain(value: Any) -> bool:
    """Returns whether a value is made of numbers, texts, lists, tuples and dictionaries."""
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(is_plain(part) for pair in value.items() for part in pair)
    return type(value) in PLAIN


def odd_names(kept: Mapping[str, Any]) -> list[str]:
    """Returns the names of the values that are not plain."""
    return [name for name, value in kept.items() if not is_plain(value)]


def attributes(holder: object) -> dict[str, Any]:
    """Returns what an object keeps, also in slots."""
    slots = (
        name
        for kind in type(holder).__mro__
        if "__slots__" in vars(kind)
        for name, member in vars(kind).items()
        if isinstance(member, MemberDescriptorType) and hasattr(holder, name)
    )
    return getattr(holder, "__dict__", {}) | {name: getattr(holder, name) for name in slots}


def holder_of(function: Any) -> Any:
    """Returns what keeps something between the calls of a function: of a method its object."""
    while isinstance(function, partial):
        function = function.func
    owner = function.__self__ if isinstance(function, MethodType) else function
    return function if isinstance(owner, type) else owner


class OwnAccount:
    """Calls a function of two states at each step, and checks what it returns."""

    def __init__(self, name: str, function: StepReward, weight: float, file: str) -> None:
        self.name, self.weight = name, weight
        self._function, self._holder = function, holder_of(function)
        self._call = UsersCalls(f"the reward {name}", file)
        self._warned = False
        self.seen: tuple[str, ...] = ()  # names that it has returned so far

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of its parts: all that it has returned; its own until then."""
        return self.seen or (self.name,)

    def restart(self, state: GameState | None) -> None:
        """Tells a function that keeps something, by its method `reset`, that an episode begins."""
        if hasattr(self._holder, "reset"):
            self._call(self._holder.reset, state)

    def pay(self, before: GameState, after: GameState) -> list[Paid]:
        """Returns what a step pays, one payment for each name that the function returns.

        Raises:
            RewardError: the function raises, or returns something else than finite numbers, or
                too large ones.
        """
        amounts = named_amounts(self.name, self._call(self._function, before, after))
        self.seen = tuple(dict.fromkeys((*self.seen, *amounts)))
        weighted = {name: self.weight * amount for name, amount in amounts.items()}
        total_of(weighted, self.name)
        return [Paid(name, None, amount) for name, amount in weighted.items()]

    def get_state(self) -> dict[str, Any] | None:
        """Returns what the function remembers: what its own `get_state` returns, or its attributes.

        What is not of plain values cannot be saved: a warning names it, the first of attributes,
        and the state is None.
        """
        if hasattr(self._holder, "get_state"):
            told: dict[str, Any] = self._call(self._holder.get_state)
            if isinstance(told, dict) and is_plain(told) and all(isinstance(n, str) for n in told):
                return deepcopy(told)
            self._warn("returns from get_state() what is no dict of plain values by name")
            return None
        kept = self._kept()
        if odd := odd_names(kept):
            self._warn(f"keeps a {type(kept[odd[0]]).__name__} in {odd[0]}")
        return None if odd else deepcopy(kept)

    def _warn(self, what: str) -> None:
        if not self._warned:
            self._warned = True
            LOG.warning(
                "the reward %s %s, which cannot be saved: what is resumed begins with a new one; "
                "give it get_state() and set_state(state) of plain values",
                self.name,
                what,
            )

    def set_state(self, state: Mapping[str, Any] | None) -> None:
        """Restores what `get_state` returned; None: the function remains as it is."""
        if state is None:
            return
        if hasattr(self._holder, "set_state"):
            self._call(self._holder.set_state, deepcopy(dict(state)))
            return
        kept = self._kept()
        # older versions saved {} of methods, and where nothing could be saved
        if not state and (odd_names(kept) or self._holder is not self._function):
            return
        for name in kept.keys() - state.keys():
            delattr(self._holder, name)
        for name, value in deepcopy(dict(state)).items():
            setattr(self._holder, name, value)

    def _kept(self) -> dict[str, Any]:
        return {} if isinstance(self._holder, FunctionType) else attributes(self._holder)
