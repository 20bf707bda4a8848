"""The wrapper that truncates an episode at its step limit, or when it makes no progress."""

from collections.abc import Mapping
from typing import Any

import gymnasium

from emerald_env.env.config import whole_number
from emerald_env.env.setting_types import MAX_INT
from emerald_env.state import GameState, milestone_bits

ALLOWANCE = "allowance"  # option of `reset`: steps that an episode may go without a new milestone

STEPS_FOR_REWARD = 400  # added for a reward of 1: a new tile, at 0.01, adds four


class EpisodeLimit(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Truncates an episode at its step limit, or sooner when it makes no progress.

    An episode begins with a budget of `patience` steps. Each step takes one, a reward of r adds
    r * `STEPS_FOR_REWARD`, up to `patience`; without any left the episode ends. If `reset` is given
    an ALLOWANCE, that is the budget instead, and only a new milestone refills it.

    Args:
        env: a game.
        most: steps of an episode.
        patience: see above; None: only `most` applies.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], most: int, patience: int | None = None
    ) -> None:
        super().__init__(env)
        self._most, self._patience = most, patience or most
        self._allowance: int | None = None
        self._milestones = 0
        self._length = 0
        self._left = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Restarts the counts.

        Raises:
            ValueError: the ALLOWANCE is no number of steps.
        """
        given = (options or {}).get(ALLOWANCE)
        allowance = None if given is None else whole_number(ALLOWANCE, given, MAX_INT)
        result = super().reset(seed=seed, options=options)  # where it is refused, nothing changes
        self._allowance = allowance
        self._length, self._left = 0, allowance or self._patience
        self._milestones = self._reached()
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; truncates at a limit."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._length += 1
        self._left = self._after(float(reward))
        truncated = truncated or self._length >= self._most or self._left <= 0
        return observation, reward, terminated, truncated, info

    def _after(self, reward: float) -> float:
        """Returns how many steps are left after one with this reward."""
        if self._allowance is None:
            return min(self._left - 1 + STEPS_FOR_REWARD * reward, self._patience)
        before, self._milestones = self._milestones, self._reached()
        return self._left - 1 if self._milestones == before else self._allowance

    def _reached(self) -> int:
        state: GameState | None = self.env.unwrapped.state  # type: ignore[attr-defined]
        return self._milestones if state is None else self._milestones | milestone_bits(state)

    def get_state(self) -> dict[str, Any]:
        """Returns the episode's length, and its remaining budget."""
        return {
            "length": self._length,
            "left": self._left,
            ALLOWANCE: self._allowance,
            "milestones": self._milestones,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self._length, self._left = state["length"], state["left"]
        self._allowance, self._milestones = state[ALLOWANCE], state["milestones"]
