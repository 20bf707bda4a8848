"""What the episode reward says about how far the learning has come."""

from dataclasses import dataclass

import numpy as np

from baselines.diagnostics.history import Numbers, median, smooth

WIDTH = 5  # updates in a mean
START = 5  # updates whose mean is where learning began
# A rise counts as learnt from here on, in units of its noise and of what there was at first.
SURE_NOISE, SURE_SHARE = 6.0, 0.2


@dataclass(frozen=True, slots=True)
class Progress:
    """The mean episode reward: at first, at its best, and now; each a mean over `WIDTH` updates."""

    start: float
    best: float
    now: float
    noise: float  # how far it moves by chance within `WIDTH` updates
    since_best: int  # updates

    @property
    def rise(self) -> float:
        """How far the best is above the start, in units of the noise."""
        return (self.best - self.start) / self.noise

    @property
    def learnt(self) -> bool:
        """Whether the reward has risen beyond chance."""
        enough = SURE_SHARE * abs(self.start)
        return self.rise > SURE_NOISE and self.best - self.start > enough

    @property
    def lost(self) -> float:
        """The share of what was learnt that is lost again: 0 at the best, 1 back at the start."""
        return (self.best - self.now) / (self.best - self.start) if self.learnt else 0.0

    @property
    def lost_noise(self) -> float:
        """What is lost, in units of the noise."""
        return (self.best - self.now) / self.noise


def progress(rewards: Numbers) -> Progress | None:
    """Returns how far the learning has come, None before there are enough updates.

    Args:
        rewards: the mean episode reward of every update so far.
    """
    if len(rewards) < START + WIDTH:
        return None
    smoothed = smooth(rewards, WIDTH)[WIDTH - 1 :]
    best = int(np.argmax(smoothed))
    # differences of neighbours: a steady rise is no noise
    steps = np.diff(rewards)
    noise = median(np.abs(steps - median(steps))) * 1.5
    floor = 1e-6 * max(1.0, float(np.abs(rewards).max()))
    return Progress(
        start=float(rewards[:START].mean()),
        best=float(smoothed[best]),
        now=float(smoothed[-1]),
        noise=max(noise, floor),
        since_best=len(smoothed) - 1 - best,
    )
