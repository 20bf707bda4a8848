"""The interface of a reward."""

import logging
from collections.abc import Callable, Mapping
from numbers import Rational, Real
from time import perf_counter
from typing import Any, Protocol

from emerald_env.files.own_code import OwnCodeError, where
from emerald_env.state import GameState

LOG = logging.getLogger(__name__)
MAX_AMOUNT = 1e12  # of a step; squares of sums over an episode still fit into float32
SLOW_SECONDS = 0.1  # of a call; a step of a game takes a hundredth of that


class RewardError(OwnCodeError):
    """A reward raised, or returned what is no reward; the message is one line."""


class UsersCalls:
    """Calls functions of the user's: an error is one line, and slowness is warned of once.

    Args:
        name: what messages call them, such as "the reward my.py:f".
        file: in which they were written, for the line in a message.
    """

    def __init__(self, name: str, file: str = "") -> None:
        self._name, self._file = name, file
        self._is_slow = False

    def __call__(self, function: Callable[..., Any], *states: Any) -> Any:
        """Returns what a function returns.

        Raises:
            RewardError: it raises.
        """
        begun = perf_counter()
        try:
            returned = function(*states)
        except Exception as error:
            raise RewardError(f"{self._name} raised {where(error, self._file)}") from error
        seconds = perf_counter() - begun
        if seconds > SLOW_SECONDS and not self._is_slow:
            self._is_slow = True
            LOG.warning(
                "%s took %.1f seconds for a step: every game waits for it", self._name, seconds
            )
        return returned


def named_amounts(name: str, returned: Any) -> dict[str, float]:
    """Returns what a function of the user's pays, by name; a number has the function's.

    Raises:
        RewardError: it is neither a finite number nor a dict of them, or one is too large.
    """
    amounts = returned if isinstance(returned, Mapping) else {name: returned}
    for value in amounts.values():
        if not isinstance(value, Real) or not -MAX_AMOUNT <= value <= MAX_AMOUNT:  # type: ignore[operator]
            raise RewardError(
                f"the reward {name} returned {shown(value)}: it must return a finite number, or a "
                f"dict of finite numbers by name, none beyond {MAX_AMOUNT:g}"
            )
    return {str(term): float(value) for term, value in amounts.items()}


def shown(value: Any) -> str:
    """Returns what a message says that a value is, in a line."""
    number = value  # mypy knows no order of `Rational`
    if isinstance(value, Rational) and not -1e308 <= number <= 1e308:
        return "a number beyond 1e308"  # Python refuses to write one of many digits
    try:
        return " ".join(repr(value).split())[:60]
    except Exception:  # the user's own `__repr__`
        return f"a {type(value).__name__}"


def total_of(terms: Mapping[str, float], name: str = "") -> float:
    """Returns what a step pays: the sum of its terms.

    Args:
        terms: amounts by name.
        name: the reward's, for a message.

    Raises:
        RewardError: it is too large for a network to learn from, or no number.
    """
    total = float(sum(terms.values()))
    if not -MAX_AMOUNT <= total <= MAX_AMOUNT:
        largest = max(terms, key=lambda term: abs(terms[term]))
        raise RewardError(
            f"the reward {name or largest} pays {total:g} for a step, of that {terms[largest]:g} "
            f"for {largest}: a step may pay from -{MAX_AMOUNT:g} to {MAX_AMOUNT:g}; pay or weigh "
            "it less"
        )
    return total


class RewardFunction(Protocol):
    """Pays for what happens between two successive states of the game."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the reward's parts, in the order of reports."""

    def reset(self, state: GameState | None) -> None:
        """Begins an episode; what its first state already has pays nothing.

        Args:
            state: the first state; None if it could not be read.
        """

    def __call__(self, before: GameState | None, after: GameState | None) -> dict[str, float]:
        """Returns each term's pay for a step; the reward is their sum."""

    def get_state(self) -> dict[str, Any]:
        """Returns everything that later payments depend on."""

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores what `get_state` returned."""


class NoReward:
    """Pays nothing."""

    terms: tuple[str, ...] = ()

    def reset(self, state: GameState | None) -> None:
        """Does nothing."""

    def __call__(self, before: GameState | None, after: GameState | None) -> dict[str, float]:
        """Returns no terms."""
        return {}

    def get_state(self) -> dict[str, Any]:
        """Returns nothing: it has no state."""
        return {}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Does nothing."""
