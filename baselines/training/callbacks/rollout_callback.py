"""The base of callbacks that act between rollouts."""

from stable_baselines3.common.callbacks import BaseCallback


class RolloutCallback(BaseCallback):
    """Does nothing at a step; SB3 requires this method."""

    def _on_step(self) -> bool:
        return True
