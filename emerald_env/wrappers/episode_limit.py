"""The wrapper that ends an episode: after so many steps, or where it gets nowhere."""

from collections.abc import Mapping
from typing import Any

import gymnasium

from emerald_env.state import GameState, milestone_bits

ALLOWANCE = "allowance"  # option of a reset: steps without a new milestone that an episode may last

STEPS_FOR_REWARD = 400  # that a reward of 1 buys: a new tile, at 0.01, is worth four


class EpisodeLimit(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Truncates an episode after so many steps, or sooner where it gets nowhere.

    An episode begins with `patience` steps. Each step takes one, a reward gives `STEPS_FOR_REWARD`
    for each 1 that is paid, up to `patience` again; without any left it ends. Where `reset` is
    given an ALLOWANCE, that many steps are left instead, and only a new milestone gives them back.

    Args:
        env: a game.
        most: steps of an episode.
        patience: see above; None: `most` alone counts.
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
        """Begins to count anew."""
        self._allowance = (options or {}).get(ALLOWANCE)
        self._length, self._left = 0, self._allowance or self._patience
        result = super().reset(seed=seed, options=options)
        self._milestones = self._reached()
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; truncates where a limit is reached."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._length += 1
        self._left = self._after(float(reward))
        truncated = truncated or self._length >= self._most or self._left <= 0
        return observation, reward, terminated, truncated, info

    def _after(self, reward: float) -> float:
        """Returns how many steps are left after one that was paid so much."""
        if self._allowance is None:
            return min(self._left - 1 + STEPS_FOR_REWARD * reward, self._patience)
        before, self._milestones = self._milestones, self._reached()
        return self._left - 1 if self._milestones == before else self._allowance

    def _reached(self) -> int:
        state: GameState | None = self.env.unwrapped.state  # type: ignore[attr-defined]
        return self._milestones if state is None else self._milestones | milestone_bits(state)

    def get_state(self) -> dict[str, Any]:
        """Returns how long the episode is, and how long it may last."""
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
