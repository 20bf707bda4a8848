"""Rewards scaled for a value network."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv, VecNormalize


class RewardScale(VecNormalize):
    """SB3's `VecNormalize` of rewards: divides them by the deviation of the discounted return.

    The return is the discounted sum of the rewards so far; its variance is over all steps of all
    games so far. Scaled rewards are clipped to +-10. They are for learning only: reported rewards,
    curves and comparisons are not scaled.

    Args:
        venv: the games.
        gamma: the learner's discount.
    """

    def __init__(self, venv: VecEnv, gamma: float) -> None:
        super().__init__(venv, norm_obs=False, gamma=gamma)

    def normalize_obs(self, obs: Any) -> Any:
        """Returns the observations; the base copies them."""
        return obs

    def get_state(self) -> dict[str, Any]:
        """Returns the returns so far and their moments, as plain values."""
        moments = {name: float(getattr(self.ret_rms, name)) for name in ("mean", "var", "count")}
        return {**moments, "returns": self.returns.copy()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned.

        Raises:
            ValueError: if it is of another number of games.
        """
        returns = np.asarray(state["returns"], np.float64)
        if returns.shape != (self.num_envs,):
            raise ValueError(f"returns of {returns.shape} games, not {self.num_envs}")
        self.returns = returns.copy()
        for name in ("mean", "var", "count"):
            setattr(self.ret_rms, name, float(state[name]))
