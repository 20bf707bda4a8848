"""The interface of a reward."""

import logging
import math
from collections.abc import Callable, Mapping
from numbers import Real
from time import perf_counter
from typing import Any, Protocol

from emerald_env.files.own_code import OwnCodeError, where
from emerald_env.state import GameState

LOG = logging.getLogger(__name__)
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
        RewardError: it is neither a finite number nor a dict of them.
    """
    amounts = returned if isinstance(returned, Mapping) else {name: returned}
    for value in amounts.values():
        if (wrong := _not_finite(value)) is not None:
            raise RewardError(
                f"the reward {name} returned {wrong}: it must return a finite number, "
                "or a dict of finite numbers by name"
            )
    return {str(term): float(value) for term, value in amounts.items()}


def _not_finite(value: Any) -> str | None:
    """Returns what a value is that is no finite number; None for a finite number."""
    try:
        return None if isinstance(value, Real) and math.isfinite(value) else f"{value!r:.60}"
    except OverflowError:  # an exact number that no float can hold
        return "a number beyond 1e308"


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
