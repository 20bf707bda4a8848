"""Runs a sweep's trainings on this machine alone, as many at a time as it has processors for."""

from collections import deque
from collections.abc import Callable
from pathlib import Path

from baselines.cluster.sweep.plan import Plan
from baselines.cluster.sweep.results import Result, Results
from baselines.cluster.sweep.sweep_run import TrainingRun, run_name
from emerald_env.files.printable import warn
from emerald_env.parallel.cpu_placement import available_cores

ROUND_SECONDS = 1.0  # between two looks at all runs


def run_here(plan: Plan, folder: Path, results: Results, ended: Callable[[Result], object]) -> int:
    """Makes the missing runs of a sweep without Ray; returns how many failed.

    Args:
        plan: of the sweep, with neither `trials` nor `stop_after`.
        folder: for the files of the runs.
        results: the finished runs; `ended` adds more.
        ended: called for each.
    """
    waiting = deque(results.missing(plan))
    running: dict[TrainingRun, Result] = {}
    failed = 0
    try:
        while waiting or running:
            while waiting and len(running) < max(1, available_cores() // plan.cpus):
                settings, seed = waiting.popleft()
                where = folder / "runs" / run_name(settings, seed)
                run = TrainingRun(where, plan.command(settings, seed), plan.cpus)
                running[run] = Result(settings, seed, {})
            for run, result in list(running.items()):
                try:
                    if not run.wait(ROUND_SECONDS / len(running)):
                        continue
                    ended(Result(result.settings, result.seed, run.result()))
                except RuntimeError as error:
                    warn(error)
                    failed += 1
                del running[run]
    finally:
        for run in running:
            run.stop()
    return failed
