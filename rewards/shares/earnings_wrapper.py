"""The wrapper that records what a game earns."""

from typing import Any

import gymnasium

from emerald_env.env.env import EmeraldEnv
from emerald_env.state import milestones_done
from rewards.reward import Reward
from rewards.shares.earnings import Earned, Earnings


class EarningsWrapper(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds up what a game's steps pay, across episodes.

    Args:
        env: the game.
        reward: the game's reward.
    """

    def __init__(self, env: EmeraldEnv, reward: Reward) -> None:
        super().__init__(env)
        self._game = env
        self._reward = reward
        self._earnings = Earnings()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; the previous one's milestones are kept."""
        self._note_milestones()
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps and adds what the step paid."""
        result = self.env.step(action)
        self._earnings.add(self._reward.last_events)
        return result

    def take_earnings(self) -> Earned:
        """Returns what was paid since the last call."""
        self._note_milestones()
        return self._earnings.take()

    def _note_milestones(self) -> None:
        if self._game.state is not None:
            self._earnings.reached(milestones_done(self._game.state))
