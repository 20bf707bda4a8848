"""Compares the learner's options on small tasks: `python -m experiments.compare_options RESULTS`.

It trains with and without each option, several seeds each, on Ray, appends one JSON line per run
to the file RESULTS, and prints the table of `docs/PPO.md`. Runs already in the file are not
repeated. `emerald sweep experiments/options.toml` compares the options on the game itself.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
import tyro
from gymnasium import spaces
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.cluster.start import running
from baselines.commands.command import reports_user_errors, run_command
from baselines.learner.masks_in_observation import ActionMasks
from baselines.learner.ppo import PPO
from baselines.learner.recurrent_ppo import RecurrentPPO
from baselines.learner.schedules import LinearSchedule
from baselines.settings.train_config import LOCAL
from emerald_env.env.setting_types import Count, checked
from emerald_env.files.output_files import check_writable

N_ENVS = 8
# The settings of CleanRL's ppo.py, with twice the games and half the steps
BASE: dict[str, Any] = {
    "learning_rate": LinearSchedule(1e-3, 0.0),
    "n_steps": 64,
    "batch_size": 128,
    "n_epochs": 4,
    "ent_coef": 0.01,
}


class WithoutVelocities(gymnasium.ObservationWrapper[Any, Any, Any]):
    """CartPole in which only position and angle are observed."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)

    def observation(self, observation: Any) -> Any:
        """Returns (position, angle)."""
        return observation[[0, 2]]


class TaxiMasks(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Taxi's own masks: no driving into walls, no pick-up or drop-off elsewhere."""

    def action_masks(self) -> Any:
        """Returns which of the six actions change anything."""
        taxi: Any = self.unwrapped
        return taxi.action_mask(taxi.s)


class Task(NamedTuple):
    """Something to learn, and how long."""

    make: Callable[[], gymnasium.Env[Any, Any]]
    total_timesteps: int
    settings: dict[str, Any]


def cartpole() -> gymnasium.Env[Any, Any]:
    """Returns CartPole."""
    return gymnasium.make("CartPole-v1")


def acrobot() -> gymnasium.Env[Any, Any]:
    """Returns Acrobot."""
    return gymnasium.make("Acrobot-v1")


def taxi(masked: bool) -> gymnasium.Env[Any, Any]:
    """Returns Taxi, with masks as part of the observation or without."""
    env = gymnasium.make("Taxi")  # the newest: v4 removes v3
    return ActionMasks(TaxiMasks(env)) if masked else env


def blind_cartpole() -> gymnasium.Env[Any, Any]:
    """Returns CartPole without velocities."""
    return WithoutVelocities(gymnasium.make("CartPole-v1"))


TASKS = {
    "CartPole": Task(cartpole, 40_000, {}),
    "Acrobot": Task(acrobot, 60_000, {}),
    "Taxi": Task(partial(taxi, False), 100_000, {}),
    "Taxi with masks": Task(partial(taxi, True), 100_000, {}),
    "CartPole without velocities": Task(blind_cartpole, 60_000, {}),
}
PLAIN = "the settings above"
OPTIONS: dict[str, dict[str, Any]] = {
    PLAIN: {},
    "lambda = 1 (no GAE)": {"gae_lambda": 1.0},
    "lambda = 0 (one step)": {"gae_lambda": 0.0},
    "without policy clipping": {"clip_range": 1e6},
    "with value clipping, 0.2": {"clip_range_vf": 0.2},
    "without advantage normalisation": {"normalize_advantage": False},
    "advantage normalisation over the rollout": {"advantage_scope": "batch"},
    "with observation normalisation": {"policy_kwargs": {"normalize_observations": True}},
    "with return normalisation": {"policy_kwargs": {"normalize_returns": True}},
    "without gradient clipping": {"max_grad_norm": 1e6},
    "without entropy bonus": {"ent_coef": 0.0},
    "without orthogonal initialisation": {"policy_kwargs": {"ortho_init": False}},
    "constant learning rate": {"learning_rate": 1e-3},
    "with warm-up, 0.1 of the run": {"learning_rate": LinearSchedule(1e-3, 0.0, 0.1)},
    "with annealed clip range": {"clip_range": LinearSchedule(0.2, 0.0)},
    "with target KL 0.02": {"target_kl": 0.02},
    "with recomputed advantages": {"recompute_advantage": True},
}
RECURRENT = {
    "policy_kwargs": {"lstm_hidden_size": 64, "normalize_observations": True},
    "batch_size": 128,
}


class Run(NamedTuple):
    """One training."""

    task: str
    option: str
    seed: int


class EpisodeReturns(BaseCallback):
    """Keeps the return of every episode."""

    def __init__(self) -> None:
        super().__init__()
        self.returns: list[float] = []

    def _on_step(self) -> bool:
        ended = [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
        self.returns.extend(ended)
        return True


@checked
@dataclass(frozen=True)
class CompareConfig:
    """Compare the learner's options, with and without each."""

    results: tyro.conf.Positional[Path]
    """File of the results, one line per run. Runs already in it are not repeated."""
    tasks: tuple[str, ...] = tuple(TASKS)
    """The tasks, by name."""
    options: tuple[str, ...] | None = None
    """The options to try, in this order. None: all of a task's."""
    seeds: Count = 3
    """Runs of each option."""
    plain_seeds: Count | None = None
    """Runs of the plain settings, made first: they show the effect of chance. None: as many as of
    each option."""

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown task or option."""
        if not self.tasks or self.options == ():
            raise ValueError("--tasks and --options need at least one name, or leave them out")
        if unknown := set(self.tasks) - set(TASKS):
            raise ValueError(f"no task {', '.join(unknown)}: there are {', '.join(TASKS)}")
        known = {option for task in self.tasks for option in options_of(task)}
        if unknown := set(self.options or ()) - known:
            raise ValueError(f"no option {', '.join(unknown)}: there are {', '.join(known)}")


def options_of(task: str) -> Sequence[str]:
    """Returns the options that are compared on a task."""
    if task == "CartPole without velocities":
        return PLAIN, "recurrent"
    return (PLAIN,) if task.startswith("Taxi") else tuple(OPTIONS)


def all_runs(config: CompareConfig) -> Iterator[Run]:
    """Yields every run of the tables: first the plain settings, then the others seed by seed."""
    for task in config.tasks:
        for seed in range(config.plain_seeds or config.seeds):
            yield Run(task, options_of(task)[0], seed)
    for seed in range(config.seeds):
        for task in config.tasks:
            _, *others = options_of(task)
            for option in others if config.options is None else config.options:
                if option in others:
                    yield Run(task, option, seed)


def summary(returns: list[float]) -> dict[str, float]:
    """Returns the mean over all episodes, and over the last tenth of them.

    Raises:
        SystemExit: no episode has ended.
    """
    if not returns:
        raise SystemExit("error: no episode has ended, so there is no mean: give it more steps")
    last = returns[-max(1, len(returns) // 10) :]
    return {"all": float(np.mean(returns)), "last": float(np.mean(last))}


def train(run: Run) -> dict[str, float]:
    """Returns the mean return over all episodes, and over the last tenth of them."""
    task = TASKS[run.task]
    games = DummyVecEnv([lambda: Monitor(task.make())] * N_ENVS)
    games.seed(run.seed)
    masked = isinstance(games.observation_space, spaces.Dict)
    policy = "MultiInputPolicy" if masked else "MlpPolicy"
    recurrent = run.option == "recurrent"
    settings = BASE | (RECURRENT if recurrent else OPTIONS[run.option])
    model = (RecurrentPPO if recurrent else PPO)(
        policy, games, seed=run.seed, device="cpu", **settings
    )
    episodes = EpisodeReturns()
    model.learn(task.total_timesteps, episodes)
    return summary(episodes.returns)


def table(results: dict[Run, dict[str, float]]) -> Iterator[str]:
    """Yields the rows: for each task and option the mean over seeds, and its standard error."""
    yield "| task | option | all episodes | last tenth | seeds |"
    yield "|---|---|---|---|---|"
    for task, option in dict.fromkeys((run.task, run.option) for run in results):
        scores = [v for run, v in results.items() if (run.task, run.option) == (task, option)]
        cells = []
        for part in ("all", "last"):
            values = [score[part] for score in scores]
            error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
            cells.append(f"{np.mean(values):.1f} ± {error:.1f}")
        yield f"| {task} | {option} | {' | '.join(cells)} | {len(scores)} |"


def make_runs(runs: Sequence[Run]) -> Iterator[tuple[Run, dict[str, float]]]:
    """Yields each run with its returns as it ends; Ray gives each a process and a core."""
    with running(LOCAL) as ray:
        task = ray.remote(alone).options(num_cpus=1, max_calls=1)
        waiting = {task.remote(run): run for run in runs}
        while waiting:
            (done,), _ = ray.wait(list(waiting))
            yield waiting.pop(done), ray.get(done)


def alone(run: Run) -> dict[str, float]:
    """Returns a run's result, with one thread: more would wait for one another."""
    torch.set_num_threads(1)
    return train(run)


def read_results(path: Path) -> dict[Run, dict[str, float]]:
    """Returns the runs in a file, none if there is no file yet.

    Raises:
        SystemExit: a line is not a run, or the file's folder does not exist.
        ValueError: the file is not writable.
    """
    if path.absolute().parent.is_dir():
        check_writable(path)
        if not path.exists():
            return {}
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError as error:
        raise SystemExit(f"error: {path} cannot be used: {error.strerror}") from error
    results = {}
    for number, line in enumerate(lines, start=1):
        try:
            values = json.loads(line)
            returns = {part: float(values["returns"][part]) for part in ("all", "last")}
            results[Run(*values["run"])] = returns
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"error: line {number} of {path} is not a run: {error}") from error
    return results


@reports_user_errors(RuntimeError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the runs missing in the file, and prints the table; returns the exit status."""
    config = tyro.cli(CompareConfig, args=arguments)
    results = read_results(config.results)
    wanted = list(all_runs(config))
    missing = [run for run in wanted if run not in results]
    try:
        for run, returns in make_runs(missing):
            results[run] = returns
            with config.results.open("a") as file:
                file.write(json.dumps({"run": run, "returns": returns}) + "\n")
    except KeyboardInterrupt:
        raise SystemExit(f"ended: the finished runs are in {config.results}") from None
    print("\n".join(table({run: results[run] for run in wanted})))
    return 0


if __name__ == "__main__":
    run_command(main)
