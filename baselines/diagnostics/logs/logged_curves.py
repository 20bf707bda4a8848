"""The curves of one run, from any kind of file."""

import bisect
import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from baselines.diagnostics import metrics as m

# The metric whose points count as the updates: the first that is present.
UPDATE_METRICS = (m.APPROX_KL, m.VALUE_LOSS, m.ENTROPY_LOSS, m.LOSS, m.EPISODE_REWARD)
MAX_POINTS = 5_000_000
MAX_CURVES = 5_000
SESSION_SPEED = "time/steps_per_second"  # what our sessions logged before they were diagnosed live
EPISODES_IN_MEAN = 100  # as in SB3's rollout/ep_rew_mean
EPISODE_ROWS = 200  # of a run of which only the episodes are known
FIRST_INTERVALS = 2.5  # a run that starts at 0 has its first number within this many updates


class LogError(ValueError):
    """There is no log to read; the message says what was found instead."""


@contextmanager
def log_errors(file: Path) -> Iterator[None]:
    """Raises LogError if a file cannot be opened or read."""
    try:
        yield
    except OSError as error:
        raise LogError(f"{file} cannot be read: {error}") from error


class Point(NamedTuple):
    """One logged number."""

    step: int
    time: float  # seconds since 1970
    value: float


Points = dict[str, list[Point]]


@dataclass(frozen=True)
class Curves:
    """Every scalar of one run, by SB3's names.

    Attributes:
        folder: where it was found: a folder, or a file.
        points: metric -> its points in the order of their steps.
        settings: the learner's settings, by SB3's names, if the log has them.
        damage: what could not be read, a sentence each; empty if everything was read.
    """

    folder: Path
    points: Points
    settings: dict[str, float] = field(default_factory=dict)
    damage: tuple[str, ...] = ()

    @property
    def beat(self) -> str | None:
        """The metric whose points are the updates, None if there is nothing from a learner."""
        return next((name for name in UPDATE_METRICS if name in self.points), None)

    def rows(self) -> Iterator[tuple[int, dict[str, float]]]:
        """Yields env steps and numbers, one update at a time.

        A number that was logged between two updates belongs to the later one.
        """
        if self.beat is None:
            return
        beat = self.points[self.beat]
        if self.beat == m.EPISODE_REWARD and len(beat) > EPISODE_ROWS:
            beat = beat[:: -(-len(beat) // EPISODE_ROWS)]
        steps = [point.step for point in beat]
        columns = {name: _latest(points, steps) for name, points in self.points.items()}
        # if only the ends of episodes are known, steps come in bursts
        if m.STEPS_PER_SECOND not in columns and self.beat != m.EPISODE_REWARD:
            columns[m.STEPS_PER_SECOND] = columns.get(SESSION_SPEED) or _speeds(beat)
        for index, step in enumerate(steps):
            values = ((name, column[index]) for name, column in columns.items())
            yield step, {name: value for name, value in values if value is not None}

    def begins_anew(self, before: "Curves") -> bool:
        """Whether this is another run than an earlier one, rather than its continuation.

        A restart continues from a later step; a run that starts at 0 logs the same numbers again
        within its first updates.
        """
        shared = [self.points[n] for n in UPDATE_METRICS if n in self.points and n in before.points]
        if not shared:
            return False  # other numbers of the same run
        steps = np.array([point.step for point in max(shared, key=len)])
        if len(steps) < 2:
            return bool(steps[0] <= min(p[0].step for p in before.points.values()))
        return bool(steps[0] <= FIRST_INTERVALS * np.median(np.diff(steps)))

    def followed_by(self, later: "Curves") -> "Curves":
        """Returns this run continued by its restart, which replaces what it repeats."""
        points = dict(self.points)
        for name, new in later.points.items():
            kept = points.get(name, [])
            points[name] = [*kept[: bisect.bisect_left(kept, new[0].step, key=_step)], *new]
        return replace(
            self,
            points=points,
            settings=self.settings | later.settings,
            damage=self.damage + later.damage,
        )


def by_sb3_names(found: Points) -> Points:
    """Returns curves by SB3's names: CleanRL's are translated, and its episodes averaged."""
    named: Points = {}
    for tag, points in found.items():
        name, factor = m.SYNONYMS.get(tag, (tag, 1.0))
        if tag in m.PER_EPISODE:
            points = episode_means(points)
        if points and (name not in found or name == tag):
            named[name] = (
                points
                if factor == 1
                else [Point(step, time, factor * value) for step, time, value in points]
            )
    return named


def episode_means(points: list[Point]) -> list[Point]:
    """Returns for each episode the mean over it and up to 99 before it."""
    values = [point.value for point in points]
    sums = [0.0, *itertools.accumulate(v if math.isfinite(v) else 0.0 for v in values)]
    means = []
    for end, point in enumerate(points, start=1):
        begin = max(0, end - EPISODES_IN_MEAN)
        means.append(Point(point.step, point.time, (sums[end] - sums[begin]) / (end - begin)))
    return means


def check_size(points: Points, count: int, source: Path) -> None:
    """Raises LogError for more numbers than we support."""
    if count > MAX_POINTS or len(points) > MAX_CURVES:
        raise LogError(f"{source}: more than {MAX_POINTS:,} points or {MAX_CURVES:,} curves")


_step = attrgetter("step")


def _latest(points: list[Point], steps: list[int]) -> list[float | None]:
    """Returns for each update the last value since the one before, None if there is none."""
    if len(points) == len(steps) and all(map(int.__eq__, map(_step, points), steps)):
        return [point.value for point in points]
    values: list[float | None] = []
    done = 0
    for step in steps:
        end = bisect.bisect_right(points, step, lo=done, key=_step)
        values.append(points[end - 1].value if end > done else None)
        done = end
    return values


def _speeds(points: list[Point]) -> list[float | None]:
    """Returns the steps per second since the update before."""
    speeds: list[float | None] = [None]
    for before, now in itertools.pairwise(points):
        seconds = now.time - before.time
        speeds.append((now.step - before.step) / seconds if seconds > 0 else None)
    return speeds
