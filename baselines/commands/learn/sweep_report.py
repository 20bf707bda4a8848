"""Makes a sweep's runs, and its table and picture."""

from collections.abc import Sequence
from pathlib import Path

from baselines.cluster.start import running
from baselines.cluster.sweep.local_sweep import run_here
from baselines.cluster.sweep.picture import Curve, curve_of, draw
from baselines.cluster.sweep.plan import Plan, name_of
from baselines.cluster.sweep.results import Result, Results, Row, rows, table
from baselines.cluster.sweep.sweep_run import run_name
from baselines.runs.session_folder import newest_first
from baselines.settings.train_config import LOCAL

RESULTS, TABLE, PICTURE = "results.jsonl", "table.md", "sweep.png"
NO_EPISODE = "no episode ended"


def run_sweep(plan: Plan, folder: Path, ray: str) -> int:
    """Makes the runs that are missing, and prints the table; returns the exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    results = Results(folder / RESULTS)

    def ended(result: Result) -> None:
        results.add(result)
        found = NO_EPISODE
        if result.has_episodes:
            found = f"{plan.score} {result.values[plan.score]:.2f}"
        print(f"{name_of(result.settings)}, seed {result.seed}: {found}", flush=True)

    if ray == LOCAL and plan.trials is None and plan.stop_after is None:
        failed = run_here(plan, folder, results, ended)
    else:
        with running(ray):
            from baselines.cluster.sweep.sweep_search import run_all  # Ray may be absent

            failed = run_all(plan, folder, results, ended)
    if results.all:
        report(rows(results.all, plan.score), plan.score, folder)
    if failed:
        print(f"{failed} runs failed; the same command tries them again")
    return 1 if failed else 0


def report(found: Sequence[Row], score: str, folder: Path) -> None:
    """Prints the table, and writes table and picture into a sweep's folder."""
    lines = table(found, score)
    print("\n".join(lines))
    if without := sum(row.without_episodes for row in found):
        print(f"{NO_EPISODE} in {without} runs, which no mean counts: give more --total-timesteps")
    (folder / TABLE).write_text("\n".join(lines) + "\n")
    curves = [
        [curve(folder / "runs" / run_name(row.settings, run.seed), score) for run in row.results]
        for row in found
    ]
    draw(found, curves, score, folder / PICTURE)
    print(f"wrote {folder / TABLE} and {folder / PICTURE}")


def curve(run: Path, score: str) -> Curve:
    """Returns the episodes of a run: the step at which each ended, and its score."""
    sessions = newest_first(run / "sessions")
    return curve_of(list(sessions[0].read_episodes()) if sessions else [], score)
