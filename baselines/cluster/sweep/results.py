"""The results of a sweep's runs: stored line by line, and summarised over seeds."""

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ConfigDict
from scipy import stats
from typing_extensions import TypedDict

from baselines.cluster.sweep.plan import Plan, name_of
from baselines.playing.intervals import CONFIDENCE, Estimate, mean
from baselines.runs.json_lines import append_lines
from emerald_env.files.data import Count, JsonLines, Number, PlainText

Settings = Mapping[str, Any]
UNKNOWN = Estimate(math.nan, math.nan, math.nan)


class ResultLine(TypedDict):
    """A run in the file."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    settings: dict[PlainText, PlainText | Number | bool | None]
    seed: Count
    values: dict[PlainText, Number]


@dataclass(frozen=True)
class Result:
    """One run that has ended."""

    settings: Settings
    seed: int
    values: Mapping[str, float]  # see `result_of`

    @property
    def has_episodes(self) -> bool:
        """Whether an episode has ended; where none has, older results say that its score is 0."""
        return bool(self.values.get("episodes", 1))


class Results:
    """The finished runs, in a file of one line each.

    Args:
        path: the file; existing lines are read.

    Raises:
        ValueError: a line is not a result.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = JsonLines(path, ResultLine)
        self.all = [Result(**line) for line in lines]
        if lines.bad:
            raise ValueError(f"{lines.bad} lines of {path} are not results: remove them")

    def add(self, result: Result) -> None:
        """Adds a run, and writes it to the file at once."""
        self.all.append(result)
        content = {
            "settings": dict(result.settings),
            "seed": result.seed,
            "values": dict(result.values),
        }
        append_lines(self._path, [json.dumps(content)])

    def missing(self, plan: Plan) -> list[tuple[Settings, int]]:
        """Returns settings and seed of each run of a plan that has not ended.

        The first seed of all comes before the second of any.
        """
        tried = [settings for settings, _ in self.by_settings()]
        known = tried if plan.trials is not None else plan.all_settings()
        runs = itertools.product(range(plan.seeds), known)
        return [(settings, seed) for seed, settings in runs if not self.has(settings, seed)]

    def has(self, settings: Settings, seed: int) -> bool:
        """Returns whether a run has ended."""
        return any(r.settings == settings and r.seed == seed for r in self.all)

    def by_settings(self) -> list[tuple[Settings, list[Result]]]:
        """Returns the runs of each settings, in the order in which settings were first tried."""
        return by_settings(self.all)


def by_settings(results: Sequence[Result]) -> list[tuple[Settings, list[Result]]]:
    """Returns the runs of each settings, in the order in which settings first occur."""
    groups: dict[str, tuple[Settings, list[Result]]] = {}
    for result in results:
        key = json.dumps(dict(result.settings), sort_keys=True)
        groups.setdefault(key, (result.settings, []))[1].append(result)
    return list(groups.values())


def interquartile_mean(values: Any) -> float:
    """Returns the mean of the middle half of some values.

    Each of n values represents 1/n of the distribution, so that those on the quartiles count in
    part; with three the middle one counts fourfold (Agarwal et al. 2021, arXiv:2108.13264).
    """
    ordered = np.sort(np.asarray(values, float))
    edges = np.linspace(0, 1, len(ordered) + 1).clip(0.25, 0.75)
    return float(np.diff(edges) @ ordered / 0.5)


def interquartile(values: Sequence[float]) -> Estimate:
    """Returns the interquartile mean with its bootstrap interval; a single value is its own."""
    centre = interquartile_mean(values)
    if len(set(values)) < 2:
        return Estimate(centre, centre, centre)
    found = stats.bootstrap(
        (np.asarray(values, float),),
        interquartile_mean,
        vectorized=False,
        n_resamples=2000,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return Estimate(centre, float(found.low), float(found.high))


@dataclass(frozen=True)
class Row:
    """The results of settings over their seeds."""

    name: str
    settings: Settings
    results: Sequence[Result]

    def scores(self, of: str) -> list[float]:
        """Returns the milestones or reward of each run whose ended episodes tell them."""
        told = [run.values for run in self.results if run.has_episodes and of in run.values]
        return [float(values[of]) for values in told]

    def mean(self, of: str) -> Estimate:
        """Returns their mean with Student's interval, NaN if there is none."""
        scores = self.scores(of)
        return mean(scores) if scores else UNKNOWN

    def interquartile(self, of: str) -> Estimate:
        """Returns their interquartile mean with its bootstrap interval, NaN if there is none."""
        scores = self.scores(of)
        return interquartile(scores) if scores else UNKNOWN

    @property
    def without_episodes(self) -> int:
        """How many runs have no score, because no episode has ended in them."""
        return sum(not result.has_episodes for result in self.results)


def rows(results: Sequence[Result], score: str) -> list[Row]:
    """Returns the results of each settings, best first; those without a score come last."""
    found = [Row(name_of(settings), settings, runs) for settings, runs in by_settings(results)]
    means = {id(row): row.mean(score).value for row in found}
    return sorted(found, key=lambda row: (math.isnan(means[id(row)]), -means[id(row)]))


def table(found: Sequence[Row], score: str) -> list[str]:
    """Returns a Markdown table with a line for each settings."""
    other = "reward" if score == "milestones" else "milestones"
    lines = [
        f"| settings | seeds | {score}, mean (95 %) | interquartile mean (95 %) | {other}, mean |",
        "|---|---|---|---|---|",
    ]
    for row in found:
        means, middle = row.mean(score), row.interquartile(score)
        cells = [row.name, str(len(row.results)), words(means), words(middle)]
        mean_of_other = row.mean(other).value
        cells.append("-" if math.isnan(mean_of_other) else f"{mean_of_other:.2f}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def words(estimate: Estimate) -> str:
    """Returns a number with its interval, "-" for an unknown one."""
    if math.isnan(estimate.value):
        return "-"
    if not np.isfinite(estimate.low):
        return f"{estimate.value:.4g} (-)"
    return f"{estimate.value:.4g} ({estimate.low:.4g} to {estimate.high:.4g})"
