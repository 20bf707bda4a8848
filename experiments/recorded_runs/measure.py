"""Measures the diagnostics' accuracy: `python -m experiments.recorded_runs.measure [--write]`.

Every recorded run is diagnosed as if it were live, and the findings are compared with those that
its recipe expects (`recipes.py`). `--write` puts the tables into docs/DIAGNOSTICS.md.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro

from baselines.diagnostics import EPISODE_REWARD, RULES, Finding, Severity
from baselines.diagnostics.history import WINDOW
from experiments.recorded_runs.recipes import RECIPES
from experiments.recorded_runs.recorded_run import RUNS, RecordedRun, load_runs

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "DIAGNOSTICS.md"
# Limits of a collapsed outcome, see `collapsed`.
FAILED, WAS_GOOD, UNHARMED = 0.25, 0.5, 0.75


@dataclass(frozen=True)
class Scale:
    """A world's scale of rewards: 0 is a new policy's, 1 the median healthy run's at its end."""

    new: float
    healthy: float

    def __call__(self, reward: float) -> float:
        """Returns a reward on this scale."""
        return (reward - self.new) / (self.healthy - self.new)


def scales(runs: Iterable[RecordedRun]) -> dict[str, Scale]:
    """Returns each world's scale, from its healthy runs; worlds without any have none."""
    ends: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        if not run.recipe.sick:
            rewards = run.smoothed(EPISODE_REWARD)
            ends.setdefault(run.recipe.world, []).append((rewards[0], rewards[-1]))
    return {
        world: Scale(*(float(np.median(column)) for column in zip(*values, strict=True)))
        for world, values in ends.items()
    }


def collapsed(run: RecordedRun, scale: Scale | None) -> bool:
    """Returns whether a run collapsed, judged by its outcome, independently of the rules.

    It did if it stopped with NaN, or if it ended below a quarter of what healthy runs of its world
    reach, although it had been above half of that.
    """
    if run.ended != "in time":
        return True
    # a reward that was tampered with means nothing on the healthy scale
    tampered = any(name.startswith("env_") and name != "env_swap_start" for name in run.settings)
    if scale is None or tampered:
        return False
    rewards = run.smoothed(EPISODE_REWARD)
    return scale(float(rewards[-1])) < FAILED and scale(float(rewards.max())) > WAS_GOOD


@dataclass(frozen=True)
class Score:
    """The accuracy of one finding."""

    right: int
    missed: int
    wrong: int
    beside: int  # reported where the fault may cause it
    shares: tuple[float, ...] = ()  # of the run, at each correct report

    @property
    def precision(self) -> float:
        """The share of reports that were right; 1 if there were none."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of expected reports that were made; 1 if none was expected."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0

    @property
    def when(self) -> float | None:
        """The median share of the run after which it was reported."""
        return float(np.median(self.shares)) if self.shares else None


def harmless(run: RecordedRun, scale: Scale | None) -> bool:
    """Returns whether a fault did no harm: the run ended as well as most healthy ones."""
    tampered = any(name.startswith("env_") for name in run.settings) or bool(run.recipe.env)
    if scale is None or tampered or run.ended != "in time":
        return False
    return scale(float(run.smoothed(EPISODE_REWARD)[-1])) > UNHARMED


def score(runs: Iterable[RecordedRun], code: str, scale: dict[str, Scale]) -> Score:
    """Returns a finding's accuracy over some runs; the fault that did no harm need not be said."""
    right = missed = wrong = beside = 0
    shares = []
    for run in runs:
        if code in run.recipe.must:
            named = run.named.get(code)
            right += named is not None
            missed += named is None and not harmless(run, scale.get(run.recipe.world))
            shares += [run.share(named)] if named else []
        elif code in run.said:
            beside += code in run.recipe.may
            wrong += code not in run.recipe.may
    return Score(right, missed, wrong, beside, tuple(shares))


def total(scores: Iterable[Score]) -> Score:
    """Returns the sum over findings."""
    scores = list(scores)
    return Score(
        sum(s.right for s in scores),
        sum(s.missed for s in scores),
        sum(s.wrong for s in scores),
        sum(s.beside for s in scores),
        tuple(share for s in scores for share in s.shares),
    )


def sick_or_healthy(runs: Iterable[RecordedRun], scale: dict[str, Scale]) -> Score:
    """Returns how often a run was rightly called sick: any warning, or its fault as a note."""
    runs = list(runs)
    kept = [r for r in runs if not (r.recipe.sick and harmless(r, scale.get(r.recipe.world)))]

    def said(run: RecordedRun) -> list[Finding]:
        notes = [f for code, f in run.named.items() if code in run.recipe.must]
        return list(run.said.values()) or notes

    return _runs_score(kept, lambda run: run.recipe.sick, said)


def collapse_score(runs: Iterable[RecordedRun], scale: dict[str, Scale]) -> Score:
    """Returns how often a collapse was reported at the end, as in `diagnose.py`'s exit status.

    Only healthy runs count as wrong: a sick run may be lost without having collapsed.
    """
    runs = list(runs)
    true = {run.name: collapsed(run, scale.get(run.recipe.world)) for run in runs}

    def critical(run: RecordedRun) -> list[Finding]:
        return [f for f in run.diagnosis.active if f.severity is Severity.CRITICAL]

    kept = [run for run in runs if true[run.name] or not run.recipe.sick]
    return _runs_score(kept, lambda run: true[run.name], critical)


def _runs_score(
    runs: Iterable[RecordedRun],
    truth: Callable[[RecordedRun], bool],
    said: Callable[[RecordedRun], list[Finding]],
) -> Score:
    right = missed = wrong = 0
    shares = []
    for run in runs:
        findings = said(run)
        right += bool(truth(run) and findings)
        missed += bool(truth(run) and not findings)
        wrong += bool(not truth(run) and findings)
        if truth(run) and findings:
            shares.append(min(run.share(finding) for finding in findings))
    return Score(right, missed, wrong, 0, tuple(shares))


def tables(runs: list[RecordedRun]) -> str:
    """Returns the results as Markdown."""
    scale = scales(runs)
    halves = {
        "judging": [r for r in runs if r.judging],
        "choosing": [r for r in runs if not r.judging],
    }
    lines = [
        f"{len(runs)} runs: {sum(not r.recipe.sick for r in runs)} healthy, "
        f"{sum(r.recipe.sick for r in runs)} made sick; {len(halves['choosing'])} chose the "
        f"thresholds, {len(halves['judging'])} judge them.",
        *_incomplete(runs),
    ]
    for name, half in halves.items():
        found = {
            "all findings": total(score(half, code, scale) for code in RULES),
            "sick or healthy": sick_or_healthy(half, scale),
            "collapsed (exit status 2)": collapse_score(half, scale),
        }
        lines += _table(f"over the {name} half", found)
    each = {f"`{code}`": score(halves["judging"], code, scale) for code in RULES}
    lines += _table("finding, judging half", each)
    return "\n".join(lines)


def _table(what: str, results: dict[str, Score]) -> list[str]:
    return [
        "",
        f"| {what} | right | missed | wrong | precision | recall | said after |",
        "|---|---|---|---|---|---|---|",
        *(_line(name, result) for name, result in results.items()),
    ]


def _incomplete(runs: list[RecordedRun]) -> list[str]:
    planned = sum(len(recipe.variants) for recipe in RECIPES.values())
    if len(runs) == planned:
        return []
    return [
        "",
        f"**Not complete: {planned - len(runs)} of the {planned} planned runs are missing.**",
    ]


def _line(name: str, result: Score) -> str:
    asked = result.right + result.missed
    cells = (
        name,
        str(result.right),
        str(result.missed),
        f"{result.wrong} (+{result.beside})" if result.beside else str(result.wrong),
        f"{result.precision:.2f}" if asked else "no run",
        f"{result.recall:.2f}" if asked else "no run",
        "–" if result.when is None else f"{result.when:.0%} of the run",
    )
    return f"| {' | '.join(cells)} |"


def errors(runs: Iterable[RecordedRun]) -> Iterator[str]:
    """Yields a line for each finding that was missed or wrong."""
    for run in runs:
        missed = sorted(run.recipe.must - run.named.keys())
        wrong = sorted(run.said.keys() - run.recipe.must - run.recipe.may)
        if missed or wrong:
            said = {code: f"{run.share(f):.0%}" for code, f in run.said.items()}
            yield f"{run.name}: missed {missed}, wrong {wrong}; said {said}"


def thresholds_table() -> str:
    """Returns the thresholds as Markdown."""
    lines = ["| finding | what is compared | warning | critical | holds for | from |"]
    lines += ["|---|---|---|---|---|---|"]
    for code, limit in RULES.items():
        critical = "–" if limit.critical is None else f"{limit.critical:g}"
        warn = f"{limit.limit({}):.3g}"
        holds = f"{WINDOW} episodes" if limit.in_episodes else f"{limit.patience} updates"
        holds = holds.removesuffix("s") if limit.patience == 1 else holds
        cells = (f"`{code}`", limit.measure, warn, critical, holds)
        lines.append(f"| {' | '.join(cells)} | {limit.source} |")
    return "\n".join(lines)


def written_between(text: str, mark: str, content: str) -> str:
    """Returns a document with the text between two marks replaced."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{content}\n{end}{rest.partition(end)[2]}"


def main(runs: Path = RUNS, write: bool = False) -> None:
    """Prints the tables and every error.

    Args:
        runs: folder of the recorded runs.
        write: put the tables into the document.
    """
    loaded = load_runs(runs)
    measured = tables(loaded)
    print(measured, *errors(loaded), sep="\n")
    if write:
        text = written_between(DOCUMENT.read_text("utf-8"), "thresholds", thresholds_table())
        DOCUMENT.write_text(written_between(text, "measured", measured), "utf-8")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
