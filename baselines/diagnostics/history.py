"""The numbers of a run so far, one row per update, and its episodes."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.scores.columns import Column, Numbers
from baselines.diagnostics.scores.progress import FLAT_EPISODES, Progress, State, progress
from baselines.diagnostics.scores.score_curve import ScoreCurve, SlidingMean

FRESH = 200  # what is computed over all updates is computed again after 1/FRESH more of them
WINDOW = 200  # episodes; a mean over the last hundred is new twice over then
LEAST_UPDATES, MOST_TIMES = 3, 2  # of the updates that a window is; times a rule's usual ones
EVALUATED = 5  # episodes of an evaluation, SB3's `n_eval_episodes`
REWARD = "reward"
# Scores by trust, the most trusted first: what the learner is paid comes last.
SLIDING = {"success": m.SUCCESS_RATE, "milestones": m.MILESTONES, REWARD: m.EPISODE_REWARD}
TRUST = ("evaluation", *SLIDING)
LOSING = frozenset({State.FALLING, State.BELOW})
MOVED = frozenset({State.RISING, *LOSING})


class EndedEpisode(NamedTuple):
    """One episode's score."""

    reward: float
    length: float
    milestones: float = math.nan


class History:
    """Every metric's finite values in order.

    A NaN or infinite value is only in `row`, so that it does not spoil any window.

    Args:
        settings: the run's settings, by SB3's names.
        start: env steps before the first update: more than 0 where what came before is not known.
    """

    def __init__(self, settings: Mapping[str, float | None] | None = None, start: int = 0) -> None:
        self.settings = dict(settings or {})
        self.row: dict[str, float] = {}
        self.step = self._start = start
        self.updates = 0
        self.scores = {name: ScoreCurve() for name in TRUST}
        self._means = {name: SlidingMean() for name in SLIDING}
        self._measured: dict[str, int] = {}  # score -> env steps at its last mean
        self._each = False  # whether every episode is known
        self._columns: dict[str, Column] = {}
        self._steps: dict[str, Column] = {}
        self._kept: dict[str, tuple[int, float]] = {}
        self._progress: dict[str, Progress] = {}
        self._ended = Column()  # episodes that had ended by each update
        self._fresh_until = 0
        self._trusted: tuple[str, Progress] | None = None
        self._trusted_since = -1  # the update it was chosen at

    def add(
        self, step: int, metrics: Mapping[str, float], episodes: Iterable[EndedEpisode] = ()
    ) -> None:
        """Takes one update's numbers, any of which may be missing, and the new episodes."""
        self.row = {name: float(value) for name, value in metrics.items()}
        for mean, new in ((m.EPISODE_REWARD, m.NEW_REWARD), (m.EPISODE_LENGTH, m.NEW_LENGTH)):
            if new in self.row:
                self.row.setdefault(mean, self.row[new])
        since, self.step = step - self.step, step
        self.updates += 1
        for name, value in self.row.items():
            if not math.isfinite(value):
                continue
            if name not in self._columns:
                self._columns[name], self._steps[name] = Column(), Column()
            self._columns[name].append(value)
            self._steps[name].append(step)
        episodes = list(episodes)
        length = self.now(m.EPISODE_LENGTH)
        guessed = length is not None and not (self._each or episodes)
        count = since / max(length or 1.0, 1.0) if guessed else float(len(episodes))
        self._ended.append((self._ended.values[-1] if self._ended.size else 0.0) + count)
        self._score(step, episodes)

    def window(self, usual: int) -> int:
        """Returns in how many updates the last `WINDOW` episodes ended.

        An update may be a hundred episodes, or a hundredth of one.

        Args:
            usual: updates where no episode is known; at most `MOST_TIMES` as many are returned.
        """
        ended = self._ended.values
        if not len(ended) or ended[-1] <= 0:
            return usual
        updates = len(ended) - int(np.searchsorted(ended, ended[-1] - WINDOW, side="right"))
        enough = updates if ended[-1] >= WINDOW else MOST_TIMES * usual
        return min(max(enough, LEAST_UPDATES), MOST_TIMES * usual)

    def _score(self, step: int, episodes: Iterable[EndedEpisode]) -> None:
        for episode in episodes:
            self._each = True
            self.scores[REWARD].add(step, episode.reward)
            self.scores["milestones"].add(step, episode.milestones)
        if (evaluated := self.now(m.EVALUATION)) is not None:
            self.scores["evaluation"].add(step, evaluated, EVALUATED)
        if not self._each and m.NEW_REWARD in self.row:
            self._add_mean(REWARD, m.NEW_REWARD, step, sliding=False)
        elif not self._each:
            self._add_mean(REWARD, m.EPISODE_REWARD, step)
        for name in ("success", "milestones"):
            if not (self._each and len(self.scores[name])):
                self._add_mean(name, SLIDING[name], step)

    def _add_mean(self, score: str, metric: str, step: int, sliding: bool = True) -> None:
        mean, length = self.now(metric), self.now(m.EPISODE_LENGTH)
        if mean is None:
            return
        steps = step - self._measured.get(score, self._start)
        self._measured[score] = step
        if sliding:
            self.scores[score].means.add(mean, steps / max(length or steps, 1.0))
            sample = self._means[score].add(mean, length or steps, steps)
        else:
            sample = (mean, steps / max(length or steps, 1.0))
        if sample is not None:
            self.scores[score].add(step, *sample)

    def _refresh(self) -> None:
        if self.updates < self._fresh_until:
            return
        found = {name: progress(score) for name, score in self.scores.items()}
        self._progress = {name: far for name, far in found.items() if far is not None}
        self._fresh_until = self.updates + max(1, self.updates // FRESH)

    def progress_of(self, score: str) -> Progress | None:
        """Returns the progress of one score, None before there are enough episodes."""
        self._refresh()
        return self._progress.get(score)

    @property
    def trusted(self) -> tuple[str, Progress] | None:
        """The most trusted score that has moved, else that of which least is known."""
        if self._trusted_since != self.updates:  # every rule asks
            self._trusted, self._trusted_since = self._most_trusted(), self.updates
        return self._trusted

    def _most_trusted(self) -> tuple[str, Progress] | None:
        self._refresh()
        there = [(name, self._progress[name]) for name in TRUST if name in self._progress]
        moved = [pair for pair in there if pair[1].state in MOVED]
        if REWARD not in self._progress and len(self.scores[REWARD]) and not moved:
            return None  # of milestones there are few: that they rest says little
        unknown = [pair for pair in there if pair[1].state is State.UNKNOWN]
        paid = self._progress.get(REWARD)
        # a few evaluations are no reason to doubt many episodes
        if paid and paid.state in LOSING and paid.episodes >= FLAT_EPISODES:
            moved = [
                (name, far)
                for name, far in moved
                if far.state in LOSING or far.episodes >= FLAT_EPISODES
            ]
        if paid and paid.state is State.FLAT and paid.episodes >= FLAT_EPISODES:
            unknown = [pair for pair in unknown if pair[1].episodes >= FLAT_EPISODES]
            there = [pair for pair in there if pair[1].episodes >= FLAT_EPISODES]
        return next(iter([*moved, *unknown, *there]), None)

    @property
    def progress(self) -> Progress | None:
        """The progress of learning, None before there are enough episodes."""
        return self.trusted[1] if self.trusted else None

    @property
    def state(self) -> State:
        """How the run goes."""
        return self.progress.state if self.progress else State.UNKNOWN

    def kept(self, name: str, compute: Callable[[], float]) -> float:
        """Returns a number over all updates, recomputed only after 1/200 more of them."""
        until, value = self._kept.get(name, (0, math.nan))
        if self.updates >= until:
            value = compute()
            self._kept[name] = (self.updates + max(1, self.updates // FRESH), value)
        return value

    @property
    def names(self) -> set[str]:
        """The metrics that have had a finite value."""
        return set(self._columns)

    def all(self, name: str) -> Numbers:
        """Returns all finite values of a metric so far."""
        column = self._columns.get(name)
        return column.values if column else np.empty(0)

    def steps(self, name: str) -> Numbers:
        """Returns the env steps of each of a metric's finite values."""
        column = self._steps.get(name)
        return column.values if column else np.empty(0)

    def last(self, name: str, count: int) -> Numbers:
        """Returns the last `count` finite values, empty if there are fewer."""
        values = self.all(name)
        return values[-count:] if len(values) >= count else np.empty(0)

    def now(self, name: str) -> float | None:
        """Returns this row's value, None if it is missing or not finite."""
        value = self.row.get(name, math.nan)
        return value if math.isfinite(value) else None


def median(values: Numbers) -> float:
    """Returns the median of at least one finite value.

    numpy's own imports its masked arrays (0.1 s) and checks for NaN; this is ten times faster for a
    handful of numbers.
    """
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float((ordered[middle] + ordered[~middle]) / 2)
