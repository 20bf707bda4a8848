"""A recorded run, as `record.py` and `keep.py` wrote it, and what is said about it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from baselines.diagnostics import Diagnosis, Finding, Severity
from experiments.recorded_runs.recipes import RECIPES, Recipe

RUNS = Path(__file__).resolve().parents[2] / "tests" / "data" / "runs"
LAST = 5  # share of a run's updates (1/LAST) whose mean is how it ended


@dataclass(frozen=True)
class RecordedRun:
    """One run's curves, what it was, and what is said about it."""

    recipe: Recipe
    variant: int
    settings: dict[str, Any]
    n_actions: int | None
    ended: str
    steps: list[int]
    series: dict[str, list[float | None]]  # metric -> one value an update

    @classmethod
    def load(cls, path: Path) -> "RecordedRun":
        """Reads what `record.py` wrote."""
        run = json.loads(path.read_text())
        series = {
            name: [None if value is None else float(value) for value in values]
            for name, values in run["series"].items()
        }
        steps = [int(step or 0) for step in series.pop("step")]
        return cls(
            RECIPES[run["recipe"]],
            run["variant"],
            run["settings"],
            run["n_actions"],
            run["ended"],
            steps,
            series,
        )

    @property
    def name(self) -> str:
        """The recipe and its variant."""
        return f"{self.recipe.name}_{self.variant}"

    @property
    def judging(self) -> bool:
        """Whether it belongs to the half that thresholds are judged on."""
        return self.variant % 2 == 1

    def rows(self) -> Iterator[tuple[int, dict[str, float]]]:
        """Yields env steps and numbers, an update at a time."""
        for index, step in enumerate(self.steps):
            values = ((name, column[index]) for name, column in self.series.items())
            yield step, {name: value for name, value in values if value is not None}

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """What the diagnostics say about it."""
        numbers = {k: v for k, v in self.settings.items() if isinstance(v, (int, float))}
        diagnosis = Diagnosis(self.n_actions, numbers)
        for step, row in self.rows():
            diagnosis.add(step, row)
        return diagnosis

    @property
    def said(self) -> dict[str, Finding]:
        """The warnings and worse, by code; the first of each."""
        found: dict[str, Finding] = {}
        for finding in self.diagnosis.findings:
            if finding.severity > Severity.NOTE:
                found.setdefault(finding.code, finding)
        return found

    @property
    def named(self) -> dict[str, Finding]:
        """Everything said, notes too, by code; the worst of each.

        A sickness that does no harm, because the reward rises all the same, is a note.
        """
        return self.said | {f.code: f for f in self.diagnosis.findings if f.code not in self.said}

    def share(self, finding: Finding) -> float:
        """Returns the share of the run that was over when a finding was said."""
        return finding.said / self.steps[-1]

    def smoothed(self, name: str) -> np.ndarray[Any, Any]:
        """Returns trailing means of a metric over a fifth of the run, finite values only."""
        values = np.array(
            [v for v in self.series.get(name, []) if v is not None and np.isfinite(v)]
        )
        width = max(1, len(self.steps) // LAST)
        return np.array([values[max(0, i - width + 1) : i + 1].mean() for i in range(len(values))])


def load_runs(folder: Path = RUNS) -> list[RecordedRun]:
    """Returns every recorded run."""
    return [RecordedRun.load(path) for path in sorted(folder.glob("*.json"))]
