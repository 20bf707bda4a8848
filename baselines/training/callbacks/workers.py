"""How often a worker process had to be replaced."""

from stable_baselines3.common.callbacks import BaseCallback

from emerald_env.parallel.vec_env import SharedMemoryVecEnv


class WorkersCallback(BaseCallback):
    """Logs `time/worker_restarts`: workers that crashed, hung or were killed, since the start."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        games = self.training_env.unwrapped
        if isinstance(games, SharedMemoryVecEnv):
            self.logger.record("time/worker_restarts", games.restarts)
