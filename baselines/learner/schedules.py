"""How the learning rate and the clip range change over a run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LinearSchedule:
    """Rises from 0 to `start` during the warm-up, then changes linearly to `end`.

    It has the signature of SB3's schedules, and is plain data, so a checkpoint can hold it.

    Args:
        start: the value after the warm-up.
        end: the value at the run's last step.
        warmup: the share of the run, from 0 to below 1, in which the value rises.

    Raises:
        ValueError: `warmup` is not in that range.
    """

    start: float
    end: float
    warmup: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.warmup < 1:
            raise ValueError(f"warmup is {self.warmup}: it must be at least 0 and below 1")

    def __call__(self, progress_remaining: float) -> float:
        """Returns the value when this share of the run is left, from 1 to 0.

        The value is never negative, nor beyond `end` after the last step.
        """
        done = min(max(1 - progress_remaining, 0.0), 1.0)
        if done < self.warmup:
            return self.start * done / self.warmup
        return self.start + (self.end - self.start) * (done - self.warmup) / (1 - self.warmup)
