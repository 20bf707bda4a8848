"""Judges the diagnosis on runs with known outcomes: `python -m experiments.strangers.judge RUNS`.

A run's label follows from the true score of its episodes, counted inside the world, and not from
what was intended; it is known before the run is diagnosed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from baselines.commands.learn.diagnose import TOO_LITTLE, examine
from baselines.diagnostics import Severity
from baselines.diagnostics.logs import LogError, read_runs

# Faults that the true score does not show, since they only change what is paid.
TAMPERED = {
    "no reward from the middle on": ("sick", "collapsed: nothing is paid any more"),
    "huge reward from the middle on": ("grey", "plays well, but is paid in another unit"),
}


@dataclass(frozen=True)
class Judged:
    """One run: what it is, and what is said about it."""

    name: str
    label: str  # healthy, sick or grey, which is not scored
    why: str
    status: int
    codes: tuple[str, ...]

    @property
    def warned(self) -> bool:
        """Whether it is called sick."""
        return self.status in (1, 2)

    @property
    def collapsed(self) -> bool:
        """Whether it truly collapsed."""
        return self.why.startswith(("collapsed", "crashed"))


def label(truth: dict[str, Any]) -> tuple[str, str]:
    """Returns healthy, sick or grey, and why."""
    for what, said in TAMPERED.items():
        if truth["what"].startswith(what):
            return said
    if truth["error"] or truth["expected"] == "NaN":
        return "sick", "crashed"
    random, good = truth["random"], truth["good"]
    # of games that start together the shortest episodes end first: the first bin is not typical
    bins = [value for value in truth["true_bins"] if value is not None][1:]
    shares = [(value - random) / (good - random) for value in bins]
    if len(shares) < 3:
        return "grey", "too few episodes"
    smooth = [_mean(shares[max(0, i - 1) : i + 1]) for i in range(len(shares))]
    end, best, last = _mean(shares[-3:]), max(smooth), shares[-1]
    kl = truth.get("kl_median_last_third")
    if kl is not None and kl > 0.1 and end >= 0.4:
        return "grey", f"kl {kl:.2f}, but learns: {end:.2f}"
    if best >= 0.4 and end <= 0.6 * best:
        came_back = last >= 0.75 * best
        return ("grey", "fell and came back") if came_back else ("sick", f"collapsed: {end:.2f}")
    if end < 0.2 and best < 0.35:
        return "sick", f"never learnt: {end:.2f}"
    if end >= 0.75 and end >= 0.8 * best:
        return "healthy", f"solved: {end:.2f}"
    third = _mean(smooth[: max(1, len(smooth) // 3)])
    if end >= 0.4 and end >= 0.85 * best and end >= third + 0.15:
        return "healthy", f"learning: {end:.2f}"
    return "grey", f"end {end:.2f}, best {best:.2f}"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def judged(folder: Path) -> Judged:
    """Returns what is said about one run, after its label."""
    truth = json.loads((folder / "truth.json").read_text())
    what, why = label(truth)
    try:
        (report,) = [examine(run) for run in read_runs([folder])]
    except (LogError, ValueError) as error:
        return Judged(truth["name"], what, why, 3, (str(error)[:60],))
    codes = [f.code for f in report.diagnosis.active if f.severity > Severity.NOTE]
    return Judged(truth["name"], what, why, report.status, tuple(codes))


def scores(runs: Iterable[Judged]) -> list[str]:
    """Returns precision and recall as lines of Markdown; an unjudged sick run is missed."""
    runs = list(runs)
    sick = [run for run in runs if run.label == "sick"]
    healthy = [run for run in runs if run.label == "healthy"]
    lost = [run for run in sick if run.collapsed]
    right, wrong = sum(r.warned for r in sick), sum(r.warned for r in healthy)
    return [
        f"| runs | {len(runs)}: {len(healthy)} healthy, {len(sick)} sick, of which {len(lost)} "
        f"collapsed, {len(runs) - len(sick) - len(healthy)} not scored |",
        f"| precision | {right / max(right + wrong, 1):.2f} ({right} of {right + wrong}) |",
        f"| recall | {right / max(len(sick), 1):.2f} ({right} of {len(sick)}) |",
        f"| collapsed ones called collapsed | {sum(r.status == 2 for r in lost)} of {len(lost)} |",
        f"| healthy ones called collapsed | {sum(r.status == 2 for r in healthy)} |",
        f"| not judged | {sum(r.status >= TOO_LITTLE - 1 for r in sick + healthy)} |",
    ]


def main(folder: Path, /, all: bool = False, labels: bool = False) -> None:
    """Prints every run that is judged wrongly, and the scores.

    Args:
        folder: in which the runs are.
        all: print the runs judged rightly, too.
        labels: print the labels, and judge nothing.
    """
    paths = sorted(folder.rglob("truth.json"))
    if labels:
        for path in paths:
            print(path.parent.name, *label(json.loads(path.read_text())), sep="  ")
        return
    runs = [judged(path.parent) for path in paths]
    for run in runs:
        wrong = run.label != "grey" and run.warned != (run.label == "sick")
        if wrong or all or run.status >= TOO_LITTLE - 1:
            mark = "WRONG" if wrong else "     "
            codes = ", ".join(run.codes)
            print(f"{mark} {run.label:8}{run.status} {run.name:45} {run.why:24} {codes}")
    print("\n".join(scores(runs)))


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
