"""How often a worker process had to be replaced."""

from stable_baselines3.common.callbacks import BaseCallback


class WorkersCallback(BaseCallback):
    """Logs `time/worker_restarts`: workers that crashed, hung or were killed, since the start."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        restarts = getattr(self.training_env.unwrapped, "restarts", None)  # SB3's have none
        if restarts is not None:
            self.logger.record("time/worker_restarts", restarts)
