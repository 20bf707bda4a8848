"""A reward of named values of memory, in a game that has no state to read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emerald_env.env.any_game.scenario import Values, read_data
from emerald_env.env.any_game.watched_values import Read, check_readable
from emerald_env.env.reward_function import RewardFunction


class ValueReward:
    """Hands a reward the values before and after each step, in place of the states.

    Args:
        reward: whose functions take values by name, `(before, after)`.
        read: returns bytes of the memory of the game that is played now, by address and size.
        data: the file that names the values, see `read_data`.

    Raises:
        OSError, ValueError: the file cannot be read, or the game has no memory at an address.
    """

    def __init__(self, reward: RewardFunction, read: Read, data: Path) -> None:
        self._reward: Any = reward
        self._read_memory, self._watched = read, read_data(data)
        check_readable(self._watched, read)
        self._before: Values = {}

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the reward's parts."""
        terms: tuple[str, ...] = self._reward.terms
        return terms

    def _read(self) -> Values:
        return {name: value.read(self._read_memory) for name, value in self._watched.items()}

    def reset(self, state: object) -> None:
        """Begins an episode."""
        self._before = self._read()
        self._reward.reset(self._before)

    def __call__(self, before: object, after: object) -> dict[str, float]:
        """Returns what the step pays, by term."""
        values = self._read()
        paid: dict[str, float] = self._reward(self._before, values)
        self._before = values
        return paid

    def get_state(self) -> dict[str, Any]:
        """Returns what the reward remembers; the values are read again."""
        return {**self._reward.get_state(), "last": None}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned, with the game as it was then."""
        self._before = self._read()
        self._reward.set_state({**state, "last": self._before})


def nothing(before: Values, after: Values) -> float:
    """Pays nothing: what a run has that is given no reward, and learns from novelty alone."""
    return 0.0
