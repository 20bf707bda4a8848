"""Steps per second, and how the time divides into playing and learning."""

from time import perf_counter

from baselines.training.callbacks.rollout_callback import RolloutCallback


class TimingCallback(RolloutCallback):
    """Logs the speed of the latest iteration; SB3's `time/fps` is the mean since the start.

    `time/steps_per_second` counts games and learning together; `time/rollout_seconds` is what the
    games took and `time/update_seconds` what came before them took: the learning and, where a run
    explores, the exploring (`time/explore_seconds`, logged with the rollout that it follows).
    `time/worker_restarts` counts workers that crashed, hung or were killed, since the start.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rollout_ended: float | None = None

    def _on_rollout_start(self) -> None:
        self._rollout_started = perf_counter()
        self._steps = self.num_timesteps

    def _on_rollout_end(self) -> None:
        now = perf_counter()
        self.logger.record("time/rollout_seconds", now - self._rollout_started)
        if self._rollout_ended is not None:
            update = self._rollout_started - self._rollout_ended
            speed = (self.num_timesteps - self._steps) / (now - self._rollout_ended)
            self.logger.record("time/update_seconds", update)
            self.logger.record("time/steps_per_second", speed)
        self._rollout_ended = now
        restarts = getattr(self.training_env.unwrapped, "restarts", None)  # SB3's have none
        if restarts is not None:
            self.logger.record("time/worker_restarts", restarts)
