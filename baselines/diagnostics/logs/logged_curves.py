"""The curves of one run, from any kind of file."""

import bisect
import itertools
import math
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.history import EndedEpisode
from baselines.diagnostics.logs.logged_names import (
    EPISODE_RETURN,
    EPISODE_STEPS,
    GRADIENT_STEPS,
    ITERATION_SECONDS,
    ITERATION_SPEED,
    our_name,
)
from baselines.diagnostics.scores.score_curve import LARGEST
from emerald_env.files.data import MAX_LOG_BYTES, DataError, read_bytes

# The metric whose points count as the updates: the first that is present.
UPDATE_METRICS = (
    m.APPROX_KL,
    m.VALUE_LOSS,
    m.ENTROPY_LOSS,
    m.LOSS,
    m.EPISODE_REWARD,
    m.NEW_REWARD,
    m.EVALUATION,
)
MAX_POINTS = 5_000_000
MAX_CURVES = 5_000
MAX_STEP = 10**15
SESSION_SPEED = "time/steps_per_second"  # what our sessions logged before they were diagnosed live
EPISODES_IN_MEAN = 100  # as in SB3's rollout/ep_rew_mean
EPISODE_ROWS = 200  # of a run of which only the episodes are known
FIRST_INTERVALS = 2.5  # a run that starts at 0 has its first number within this many updates


class LogError(ValueError):
    """There is no log to read; the message says what was found instead."""


def read_log(file: Path) -> bytes:
    """Returns a log's contents.

    Raises:
        LogError: it cannot be opened, is no file, or too large.
    """
    try:
        return read_bytes(file, MAX_LOG_BYTES)
    except (OSError, DataError) as error:
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
        tags: the names in the file, if they were translated.
        run: the run's name, where a file holds several.
        identity: what is no number, but says what was tried, such as the game; if the log has it.
    """

    folder: Path
    points: Points
    settings: dict[str, float] = field(default_factory=dict)
    damage: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    run: str = ""
    identity: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Where it was found, and its name there if there are several."""
        return f"{self.folder}: {self.run}" if self.run else str(self.folder)

    @property
    def beat(self) -> str | None:
        """The metric whose points are the updates, None if there is nothing from a learner."""
        return next((name for name in UPDATE_METRICS if name in self.points), None)

    @property
    def start(self) -> int:
        """Env steps before its first update: 0, unless the log of what came before is elsewhere.

        A log that begins later than a run's first numbers do is taken to begin an update earlier.
        """
        steps = np.unique([p.step for p in self.points.get(self.beat or "", ())])
        if len(steps) < 2:
            return 0
        interval = float(np.median(np.diff(steps)))
        first = min(curve[0].step for curve in self.points.values())
        return round(steps[0] - interval) if first > FIRST_INTERVALS * interval else 0

    def rows(
        self, ended: Sequence[tuple[int, EndedEpisode]] = ()
    ) -> Iterator[tuple[int, dict[str, float], list[EndedEpisode]]]:
        """Yields env steps, numbers and new episodes, one update at a time.

        A number that was logged between two updates belongs to the later one.

        Args:
            ended: the single episodes, with the env steps at which they ended, where another file
                has them.
        """
        episodes = list(ended) or self._episodes()
        steps = self._beats(episodes)
        if not steps:
            return
        columns = {name: _latest(points, steps) for name, points in self.points.items()}
        # if only the ends of episodes are known, steps come in bursts
        if self.beat is not None and self.beat not in (m.EPISODE_REWARD, m.NEW_REWARD):
            if m.STEPS_PER_SECOND not in columns:
                known = columns.get(SESSION_SPEED)
                columns[m.STEPS_PER_SECOND] = known or _speeds(self.points[self.beat])
        # those of before a log that begins late are not new in its first update
        done = bisect.bisect_right(episodes, self.start, key=lambda pair: pair[0])
        for index, step in enumerate(steps):
            numbers = {n: v for n, column in columns.items() if (v := column[index]) is not None}
            end = bisect.bisect_right(episodes, step, lo=done, key=lambda pair: pair[0])
            latest = [episode for _, episode in episodes[max(0, end - EPISODES_IN_MEAN) : end]]
            if latest:
                numbers.setdefault(m.EPISODE_REWARD, _mean([e.reward for e in latest]))
                numbers.setdefault(m.EPISODE_LENGTH, _mean([e.length for e in latest]))
            yield step, numbers, [episode for _, episode in episodes[done:end]]
            done = end

    def _episodes(self) -> list[tuple[int, EndedEpisode]]:
        """Returns the single episodes with the env steps at which they ended, if they are known."""
        returns, lengths = self.points.get(EPISODE_RETURN, []), self.points.get(EPISODE_STEPS, [])
        paired = len(returns) == len(lengths)
        return [
            (point.step, EndedEpisode(point.value, lengths[i].value if paired else math.nan))
            for i, point in enumerate(returns)
        ]

    def _beats(self, episodes: list[tuple[int, EndedEpisode]]) -> list[int]:
        """Returns the env steps of the updates."""
        if self.beat is not None:
            return [point.step for point in self.points[self.beat]]
        every = -(-len(episodes) // EPISODE_ROWS) or 1
        return [step for step, _ in episodes[every - 1 :: every]]

    def begins_anew(self, before: "Curves") -> bool:
        """Whether this is another run than an earlier one, rather than its continuation.

        A restart continues from a later step; a run that starts at 0 logs the same numbers again
        within its first updates, also those that the earlier run had come to.
        """
        shared = [n for n in UPDATE_METRICS if n in self.points and n in before.points]
        if not shared:
            return False  # other numbers of the same run
        name = max(shared, key=lambda n: len(self.points[n]))
        steps = np.array([point.step for point in self.points[name]])
        if steps[0] > before.points[name][-1].step:
            return False
        if len(steps) < 2:
            return bool(steps[0] <= min(p[0].step for p in before.points.values()))
        return bool(steps[0] <= FIRST_INTERVALS * np.median(np.diff(steps)))

    def followed_by(self, later: "Curves") -> "Curves":
        """Returns this run continued by its restart, which replaces what it repeats."""
        restart = self._restart_step(later)
        points: Points = {}
        for name in self.points | later.points:
            kept, new = self.points.get(name, []), later.points.get(name, [])
            first = min([restart, *(point.step for point in new[:1])])
            points[name] = [*kept[: bisect.bisect_left(kept, first, key=_step)], *new]
        return replace(
            self,
            points={name: curve for name, curve in points.items() if curve},
            settings=self.settings | later.settings,
            identity=self.identity | later.identity,
            damage=self.damage + later.damage,
            tags=tuple(dict.fromkeys(self.tags + later.tags)),
        )

    def _restart_step(self, later: "Curves") -> float:
        """Returns the first step of a restart, infinity for other numbers of the same run.

        What was logged rarely, and not since, belongs to what the restart left behind, too.
        """
        if not any(name in self.points and name in later.points for name in UPDATE_METRICS):
            return math.inf
        there = (later.points.get(name) for name in (*UPDATE_METRICS, EPISODE_RETURN))
        return min(points[0].step for points in there if points)


def by_our_names(curves: Curves) -> Curves:
    """Returns curves by SB3's names, whoever wrote them."""
    points = _by_env_steps(_from_iterations(curves.points))
    named: Points = {}
    for tag, found in points.items():
        name, factor = our_name(tag)
        if found and (name not in points or name == tag):
            named[name] = (
                found if factor == 1 else [p._replace(value=factor * p.value) for p in found]
            )
    return replace(curves, points=_by_update(named), tags=tuple(curves.points))


def _from_iterations(points: Points) -> Points:
    """Returns rsl_rl's curves, whose step counts iterations, by env steps."""
    steps = _steps_of_an_iteration(points)
    last = max((p.step for found in points.values() for p in found), default=0)
    if not (1 + last) * steps <= MAX_STEP:  # nor where it is NaN
        return points
    return {
        tag: [p._replace(step=round((p.step + 1) * steps)) for p in found]
        for tag, found in points.items()
        if not tag.endswith("/time")  # against seconds
    }


def _steps_of_an_iteration(points: Points) -> float:
    """Returns how many env steps an iteration of rsl_rl's has, NaN where that is not known.

    An iteration that is incomplete, as the last one of a live log, or has a NaN tells nothing.
    """
    parts = [points[tag] for tag in ITERATION_SECONDS if tag in points]
    speeds, *times = (
        {p.step: p.value for p in part} for part in (points.get(ITERATION_SPEED, []), *parts)
    )
    sizes = [
        speed * sum(seconds[step] for seconds in times)
        for step, speed in speeds.items()
        if all(step in seconds for seconds in times)
    ]
    known = [size for size in sizes if math.isfinite(size)]
    return max(1.0, float(np.median(known))) if times and known else math.nan


def _by_env_steps(points: Points) -> Points:
    """Returns curves whose step counts gradient steps by the env steps at their time."""
    others = [tag for tag in points if tag.startswith(GRADIENT_STEPS)]
    clock = max((p for tag, p in points.items() if tag not in others), key=len, default=[])
    times, steps = [p.time for p in clock], [p.step for p in clock]
    if not others or len(clock) < 2 or not np.isfinite(times).all():
        return points
    moved = dict(points)
    for tag in others:
        when = [p.time for p in points[tag]]
        if not np.isfinite(when).all():
            continue
        at = np.interp(when, times, steps)
        moved[tag] = [p._replace(step=round(s)) for p, s in zip(points[tag], at, strict=True)]
    return moved


def _by_update(points: Points) -> Points:
    """Returns curves in which returns that are logged once an update are not single episodes."""
    updates = {p.step for name in UPDATE_METRICS for p in points.get(name, ())}
    single = points.get(EPISODE_RETURN, [])
    if not single or not updates or any(p.step not in updates for p in single):
        return points
    steps = [p.step for p in single]
    if len(set(steps)) < len(steps):
        return points
    names = {EPISODE_RETURN: m.NEW_REWARD, EPISODE_STEPS: m.NEW_LENGTH}
    return {names.get(name, name): found for name, found in points.items()}


def is_possible(step: float, value: float) -> bool:
    """Whether a number can be judged; NaN and infinity can."""
    return abs(step) <= MAX_STEP and not LARGEST < abs(value) < math.inf


def check_size(points: Sized, count: int, source: Path) -> None:
    """Raises LogError for more numbers than we support."""
    if count > MAX_POINTS or len(points) > MAX_CURVES:
        raise LogError(f"{source}: more than {MAX_POINTS:,} points or {MAX_CURVES:,} curves")


_step = attrgetter("step")


def in_order(points: Points) -> Points:
    """Returns curves in the order of their steps, without those that have no point left."""
    return {tag: sorted(curve, key=_step) for tag, curve in points.items() if curve}


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


def _mean(values: list[float]) -> float:
    with np.errstate(invalid="ignore"):  # that of infinity and its negative is NaN
        return float(np.mean(values))


def _speeds(points: list[Point]) -> list[float | None]:
    """Returns the steps per second since the update before."""
    speeds: list[float | None] = [None]
    for before, now in itertools.pairwise(points):
        seconds = now.time - before.time
        speeds.append((now.step - before.step) / seconds if seconds > 0 else None)
    return speeds
