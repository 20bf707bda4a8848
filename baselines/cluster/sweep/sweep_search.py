"""Runs a sweep's trainings in parallel with Ray Tune, and Optuna for ranges."""

import logging
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ray import tune
from ray.tune.schedulers import ASHAScheduler, FIFOScheduler
from ray.tune.search import Repeater
from ray.tune.search.optuna import OptunaSearch

from baselines.cluster.sweep.plan import Plan, name_of
from baselines.cluster.sweep.results import Result, Results, Row
from baselines.cluster.sweep.sweep_run import TrainingRun, run_name

REPORT_SECONDS = 5.0  # between two checks of a run's progress
ATTEMPTS = 3  # of a run whose machine is lost; it resumes from its session
SEED = "__trial_index__"  # the number of a repetition in Tune's Repeater
Ended = Callable[[Result], object]

# Tune's own files and pictures of trials: ours are in the sweep's folder
os.environ.setdefault("TUNE_DISABLE_AUTO_CALLBACK_LOGGERS", "1")
os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
# One misses those files in the end, the other tells of every study
for talker in ("ray.tune.analysis.experiment_analysis", "optuna"):
    logging.getLogger(talker).setLevel(logging.ERROR)


class Trial(tune.Trainable):  # type: ignore[misc]
    """One run of a sweep, as Tune sees it."""

    def setup(
        self, config: dict[str, Any], plan: Plan | None = None, folder: Path | None = None
    ) -> None:
        """Starts or resumes the run."""
        assert plan is not None and folder is not None
        settings, seed = split(config)
        self._score = plan.score
        where = folder / run_name(settings, seed)
        self._run = TrainingRun(where, plan.command(settings, seed), plan.cpus)

    def step(self) -> dict[str, Any]:
        """Returns the run's progress after a while; its score is NaN until an episode has ended."""
        ended = self._run.wait(REPORT_SECONDS)
        return {self._score: math.nan} | self._run.result() | {"done": ended}

    def cleanup(self) -> None:
        """Ends the run."""
        self._run.stop()

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """Does nothing: the run's session has its own."""

    def load_checkpoint(self, checkpoint: Any) -> None:
        """Does nothing: the run resumes from its session."""


class ReportEnds(tune.Callback):  # type: ignore[misc]
    """Reports each run that ends, by itself or because it was stopped."""

    def __init__(self, ended: Ended) -> None:
        self._ended = ended

    def on_trial_complete(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """Passes a result on."""
        settings, seed = split(trial.config)
        last = trial.last_result
        scores = ("milestones", "reward") if last["episodes"] else ()
        kept = ("steps", "episodes", *scores)
        self._ended(Result(settings, seed, {name: last[name] for name in kept}))


class ScoreSearch(OptunaSearch):  # type: ignore[misc]
    """Optuna, which is told that settings failed if no episode has ended in any of their runs."""

    def on_trial_complete(
        self, trial_id: str, result: Mapping[str, Any] | None = None, error: bool = False
    ) -> None:
        """Passes a mean score on; NaN, which Optuna does not take, as a failure."""
        if result is not None and math.isnan(result[self.metric]):
            result, error = None, True
        super().on_trial_complete(trial_id, result, error)


def split(config: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Returns the settings and the seed of a trial."""
    whole = dict(config.get("run", config))
    seed = int(whole.pop(SEED))
    return whole, seed


def run_all(plan: Plan, folder: Path, results: Results, ended: Ended) -> int:
    """Makes the missing runs of a sweep; returns how many failed.

    Args:
        plan: of the sweep.
        folder: for the files of runs and of Tune.
        results: the finished runs; `ended` adds more.
        ended: called for each.
    """
    missing = [{**settings, SEED: seed} for settings, seed in results.missing(plan)]
    failed = 0
    if missing:
        space = {"run": tune.grid_search(missing)}
        failed += tuned(plan, folder, ended, space)
    if plan.trials is not None and (left := plan.trials - len(results.by_settings())) > 0:
        failed += tuned(plan, folder, ended, search_space(plan), optuna(plan, results, left))
    return failed


def tuned(plan: Plan, folder: Path, ended: Ended, space: dict[str, Any], search: Any = None) -> int:
    """Runs Tune once; returns how many runs failed."""
    trainable = tune.with_parameters(Trial, plan=plan, folder=folder / "runs")
    scheduler: Any = FIFOScheduler()
    if plan.stop_after is not None:
        scheduler = ASHAScheduler(
            time_attr="steps",
            grace_period=plan.stop_after,
            max_t=1 << 40,
            reduction_factor=1 / plan.stop_share,
        )
    samples = 1 if search is None else search.left * plan.seeds
    tuner = tune.Tuner(
        tune.with_resources(trainable, {"cpu": plan.cpus}),
        param_space=space,
        tune_config=tune.TuneConfig(
            metric=plan.score,
            mode="max",
            num_samples=samples,
            search_alg=search,
            scheduler=scheduler,
        ),
        run_config=tune.RunConfig(
            name="tune",
            storage_path=str(folder.resolve()),
            callbacks=[ReportEnds(ended)],
            checkpoint_config=tune.CheckpointConfig(checkpoint_at_end=False),
            failure_config=tune.FailureConfig(max_failures=ATTEMPTS - 1),
            verbose=0,
        ),
    )
    return int(tuner.fit().num_errors)


def search_space(plan: Plan) -> dict[str, Any]:
    """Returns Tune's search space."""
    return {name: distribution(choice) for name, choice in plan.choices.items()}


def distribution(choice: Any) -> Any:
    """Returns Tune's distribution of a list of values, or of a range."""
    if isinstance(choice, list):
        return tune.choice(choice)
    low, high = choice["low"], choice["high"]
    whole = isinstance(low, int) and isinstance(high, int)
    if choice.get("log"):
        return tune.lograndint(low, high + 1) if whole else tune.loguniform(low, high)
    return tune.randint(low, high + 1) if whole else tune.uniform(low, high)


def optuna(plan: Plan, results: Results, left: int) -> Any:
    """Returns Optuna behind Tune's Repeater, which knows what was tried before.

    It maximises the mean score over the seeds of the same settings.
    """
    known = [Row(name_of(settings), settings, runs) for settings, runs in results.by_settings()]
    scored = [row for row in known if row.scores(plan.score)]
    points = [dict(row.settings) for row in scored]
    scores = [row.mean(plan.score).value for row in scored]
    tried = {"points_to_evaluate": points, "evaluated_rewards": scores} if scored else {}
    search = ScoreSearch(metric=plan.score, mode="max", seed=len(known), **tried)
    repeated = Repeater(search, repeat=plan.seeds, set_index=True)
    repeated.left = left
    return repeated
