"""Trains the recorded runs: `python -m experiments.recorded_runs.record [--only NAME] [--out DIR]`.

Each run becomes one small JSON file of its curves. The same command makes the same files again, but
for the speeds, and for the last digits where torch or the machine is another.
"""

import json
import math
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import gymnasium
import numpy as np
import torch
import tyro
from gymnasium.wrappers import TimeLimit
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.diagnostics import STEPS_PER_SECOND
from baselines.diagnostics.metrics import APPROX_KL
from baselines.training.callbacks.episodes import episode_means, episode_record
from baselines.training.callbacks.health.health_metrics import HealthMetrics
from experiments.recorded_runs.probes import (
    MEADOW_STEPS,
    Frozen,
    Lights,
    Meadow,
    MenuTrap,
    ScaledReward,
    Slowing,
    SwappedActions,
    Unreadable,
)
from experiments.recorded_runs.recipes import N_ENVS, RECIPES, RECORDED_HERE, WORLDS, Recipe
from experiments.recorded_runs.recorded_run import RUNS

DIGITS = 4
CLASSIC = {
    "cartpole": "CartPole-v1",
    "acrobot": "Acrobot-v1",
    "pendulum": "Pendulum-v1",
    "mountaincar": "MountainCar-v0",
}
LEFT_OUT = ("n_updates", "clip_range_vf", "time/")


class Recorder(BaseCallback):
    """Keeps a row of numbers for each update: its own, and those of the rollout before it."""

    model: PPO

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, float]] = []
        self._episodes: list[dict[str, Any]] = []
        self._row: dict[str, float] = {}
        self._names: set[str] = set()

    def _on_training_start(self) -> None:
        self._health = HealthMetrics(self.model)
        self._time = process_time()

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            info = self.locals["infos"][game]
            self._episodes.append(episode_record(info, int(game), self.num_timesteps))
        return True

    def _on_rollout_end(self) -> None:
        self._row = {"step": self.num_timesteps, **self._health.rollout()}
        latest = [episode for episode in self._episodes[-100:] if episode["terms"]]
        means = episode_means(latest, self._names)
        self._names |= means.keys()
        self._row |= means
        # the machine was shared: what another job took is no fault of this run
        before, self._time = self._time, process_time()
        self._row.pop(STEPS_PER_SECOND, None)
        if self.rows:
            self._row[STEPS_PER_SECOND] = N_ENVS * self.model.n_steps / (self._time - before)

    def _on_rollout_start(self) -> None:
        self.finish()

    def finish(self) -> None:
        """Takes the numbers of an update that is over."""
        if not self._row:
            return
        logged = self.logger.name_to_value
        kept = {k: v for k, v in logged.items() if not any(part in k for part in LEFT_OUT)}
        self.rows.append({**self._row, **kept, **self._health.update(kept.get(APPROX_KL))})
        self._row = {}


class Shuffled(RolloutBuffer):
    """A rollout in which one quantity belongs to other samples: the value targets."""

    what = "returns"

    def compute_returns_and_advantage(self, *args: Any, **kwargs: Any) -> None:
        """Computes both and shuffles one."""
        super().compute_returns_and_advantage(*args, **kwargs)
        values = getattr(self, self.what)
        setattr(self, self.what, np.random.permutation(values.ravel()).reshape(values.shape))


def make_env(world: str, changes: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """Returns one env of a world, with what a recipe changes in it."""
    inner = {k: v for k, v in changes.items() if k in ("lever_pays", "move_costs", "closed")}
    if world == "meadow":
        env: gymnasium.Env[Any, Any] = TimeLimit(Meadow(**inner), MEADOW_STEPS)
    elif world == "lights":
        env = Lights(changes.get("clock", True))
    else:
        env = gymnasium.make(CLASSIC[world])
    if "scale" in changes:
        env = ScaledReward(env, changes["scale"], changes.get("scale_start", 0))
    if "swap_start" in changes:
        env = SwappedActions(env, changes["swap_start"])
    if "slow_start" in changes:
        env = Slowing(env, changes["slow_start"], changes["slow_seconds"])
    if changes.get("frozen"):
        env = Frozen(env)
    if "menu_opens" in changes:
        env = MenuTrap(env, changes["menu_opens"])
    if "unreadable" in changes:
        env = Unreadable(env, changes["unreadable"])
    return Monitor(env)


def learning_rate(settings: dict[str, Any]) -> Any:
    """Takes rate, "schedule_end" and "jump" out of the settings; returns SB3's schedule."""
    rate = settings.pop("learning_rate")
    end, jump = settings.pop("schedule_end", None), settings.pop("jump", None)
    if end is not None:
        return lambda left: rate * max(0.0, 1 - (1 - left) / end)
    if jump is not None:
        return lambda left: rate * (jump if left < 0.5 else 1.0)
    return rate


def record(recipe: Recipe, variant: int) -> dict[str, Any]:
    """Trains one run and returns its curves and what it was."""
    settings, env_changes = recipe.settings(variant)
    told = dict(settings)
    n_updates = WORLDS[recipe.world][1]
    games = DummyVecEnv([partial(make_env, recipe.world, env_changes)] * N_ENVS)
    buffer = Shuffled if settings.pop("shuffled", False) else None
    settings["learning_rate"] = learning_rate(settings)
    np.random.seed(variant)
    model = PPO(
        "MlpPolicy",
        games,
        **settings,
        seed=1000 + variant,
        device="cpu",
        rollout_buffer_class=buffer,
    )
    model.set_logger(Logger(None, []))
    recorder = Recorder()
    ended = "in time"
    try:
        model.learn(n_updates * N_ENVS * settings["n_steps"], recorder)
    except ValueError as error:  # torch refuses a distribution made of NaN
        ended = str(error).partition("(")[0].strip()
    recorder.finish()
    space = model.action_space
    return {
        "recipe": recipe.name,
        "variant": variant,
        "world": recipe.world,
        "settings": {**told, **{f"env_{k}": v for k, v in env_changes.items()}},
        "n_actions": int(space.n) if isinstance(space, gymnasium.spaces.Discrete) else None,
        "ended": ended,
        "series": columns(recorder.rows),
    }


def columns(rows: list[dict[str, float]]) -> dict[str, list[float | str | None]]:
    """Returns rows as columns, `DIGITS` significant digits; None where a row lacks a number."""
    names = sorted({name for row in rows for name in row})
    return {name: [_short(row.get(name)) for row in rows] for name in names}


def _short(value: float | None) -> float | str | None:
    if value is None:
        return None
    value = float(value)
    if not math.isfinite(value):
        return str(value)  # JSON has no NaN
    value = float(f"{value:.{DIGITS}g}") if abs(value) < 1e5 else value
    return int(value) if value.is_integer() else value


def main(out: Path = RUNS, only: str = "", variants: tuple[int, ...] | None = None) -> None:
    """Records the runs that are not there yet.

    Args:
        out: folder of the recorded runs.
        only: recipes whose name contains this.
        variants: only these.
    """
    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    for variant in range(max(len(recipe.variants) for recipe in RECIPES.values())):
        for recipe in RECIPES.values():
            wanted = variants is None or variant in variants
            path = out / f"{recipe.name}_{variant}.json"
            if variant >= len(recipe.variants) or path.exists() or not wanted:
                continue
            if recipe.world not in RECORDED_HERE or only not in recipe.name:
                continue
            run = record(recipe, variant)
            path.write_text(json.dumps(run, separators=(",", ":")) + "\n")
            print(path.name, run["ended"], len(run["series"]["step"]), "updates", flush=True)


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
