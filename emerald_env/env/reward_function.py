"""The interface of a reward."""

from collections.abc import Mapping
from typing import Any, Protocol

from emerald_env.state import GameState


class RewardError(ValueError):
    """A reward raised, or returned what is no reward; the message is one line."""


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
