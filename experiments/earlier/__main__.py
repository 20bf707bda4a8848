"""Trains healthy runs and breakdowns and says what warned first: `python -m experiments.earlier`.

A number's limit is its worst value in the healthy runs of seed 0, with a tenth more; it warns when
it is beyond that for three updates. Healthy runs of seed 1 say how often it warns falsely.
"""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.diagnostics import Diagnosis, Severity
from baselines.diagnostics.history import EndedEpisode
from baselines.learner.ppo import PPO
from experiments.earlier.network_health import LOW_IS_BAD, NAMES, health
from experiments.strangers.catalogue import SETTINGS
from experiments.strangers.worlds import SCORES, WORLDS

STEPS, SEEDS, HOLDS, MORE = 24_000, (0, 1), 3, 1.1
RISES = 1e-3  # the learning rate of a run in which it rises to a hundred times that
GAMES = {"catch": ("relu",), "lights": ("tanh",)}
UNITS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}
KINDS: dict[str, dict[str, Any]] = {
    "healthy": {},
    "the learning rate rises to 100 times": {
        "learning_rate": lambda left: RISES * 100 ** (1 - left)
    },
    "learning rate x 20": {"learning_rate": 0.02},
    "30 epochs, hardly clipped": {"n_epochs": 30, "clip_range": 0.9, "learning_rate": 3e-3},
    "entropy is punished": {"ent_coef": -0.1},
}


class Watch(BaseCallback):
    """Keeps the network's health, the new episodes and the diagnosis of each update."""

    model: Any

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__()
        self.rows: list[dict[str, Any]] = []
        self._episodes: list[EndedEpisode] = []
        self._row: dict[str, Any] = {}
        self._dice = np.random.default_rng(0)
        plain = {k: v for k, v in settings.items() if isinstance(v, int | float)}
        self._diagnosis = Diagnosis(None, plain)
        self.seconds = 0.0

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            found = self.locals["infos"][game]["episode"]
            self._episodes.append(EndedEpisode(float(found["r"]), float(found["l"])))
        return True

    def _on_rollout_end(self) -> None:
        began = time.process_time()
        self._row = health(self.model, self._dice)
        self.seconds += time.process_time() - began
        self._row["score"] = float(np.mean([e.reward for e in self._episodes] or [np.nan]))

    def _on_rollout_start(self) -> None:
        if not self._row:
            return
        logged = self.logger.name_to_value
        numbers = {k: float(v) for k, v in logged.items() if k.startswith("train/")}
        self._diagnosis.add(self.num_timesteps, numbers, self._episodes)
        self._row["said"] = self._diagnosis.status > Severity.NOTE
        self._row["kl"] = numbers["train/approx_kl"]
        self.rows.append(self._row)
        self._row, self._episodes = {}, []


def trained(world: str, units: str, kind: str, seed: int, out: Path) -> list[dict[str, Any]]:
    """Returns a run's updates, trained if they are missing."""
    file = out / f"{world}_{units}_{kind.replace(' ', '_')}_{seed}.json"
    if not file.exists():
        settings = {**SETTINGS[world], "n_epochs": 4, **KINDS[kind]}
        n_envs = 64 if settings["n_steps"] < 64 else 8
        games = DummyVecEnv([lambda: Monitor(WORLDS[world]())] * n_envs)
        net = {"activation_fn": UNITS[units]}
        model = PPO("MlpPolicy", games, seed=seed, device="cpu", policy_kwargs=net, **settings)
        watch = Watch(settings)
        began = time.process_time()
        model.learn(STEPS, watch)
        spent = time.process_time() - began
        print(file.name, f"{watch.seconds:.2f} of {spent:.1f} s", flush=True)
        file.write_text(json.dumps(watch.rows))
    return list(json.loads(file.read_text()))


def broke_at(rows: list[dict[str, Any]], world: str) -> int | None:
    """Returns the update from which the score has lost half of its share for good."""
    random, good = SCORES[world]
    shares = [(row["score"] - random) / (good - random) for row in rows]
    best = max(shares)
    if best < 0.4 or shares[-1] > best / 2:
        return None
    return max(i for i, share in enumerate(shares) if share > best / 2) + 1


def warned_at(values: list[float], limit: float, low: bool) -> int | None:
    """Returns the update at which a number has been beyond its limit for `HOLDS` updates."""
    beyond = [value < limit if low else value > limit for value in values]
    for index in range(HOLDS - 1, len(beyond)):
        if all(beyond[index - HOLDS + 1 : index + 1]):
            return index
    return None


def main(out: Path, /) -> None:
    """Prints what each number said, and when.

    Args:
        out: folder of the runs.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    plans = [(world, units) for world, kinds in GAMES.items() for units in kinds]
    runs = {
        (world, units, kind, seed): trained(world, units, kind, seed, out)
        for world, units in plans for kind in KINDS for seed in SEEDS
    }  # fmt: skip
    for name in NAMES:
        print(summary(name, runs))


def summary(name: str, runs: dict[Any, list[dict[str, Any]]]) -> str:
    """Returns one number's line: breakdowns warned of, lead over the diagnosis, false alarms."""
    low = name in LOW_IS_BAD
    limits, false, healthy = {}, 0, 0
    for (world, units, kind, seed), rows in runs.items():
        if kind == "healthy" and seed == SEEDS[0]:
            values = [row[name] for row in rows]
            limits[world, units] = min(values) / MORE if low else max(values) * MORE
    leads: list[int] = []
    missed, before, broken, wrong = 0, 0, 0, 0
    for (world, units, kind, seed), rows in runs.items():
        at = warned_at([row[name] for row in rows], limits[world, units], low)
        if kind == "healthy":
            healthy += seed != SEEDS[0]
            false += at is not None and seed != SEEDS[0]
            continue
        broke = broke_at(rows, world)
        if broke is None:
            wrong += at is not None
            continue
        broken += 1
        said = next((i for i, row in enumerate(rows) if row["said"]), len(rows))
        missed += at is None
        if at is not None:
            before += at < broke
            leads.append(said - at)
    lead = f"{np.median(leads):.0f} ({min(leads)} to {max(leads)})" if leads else "–"
    return (
        f"| {name} | {broken - missed} of {broken} | {before} | {lead} | {false} of {healthy} | "
        f"{wrong} of {len(runs) - 2 * len(limits) - broken} |"
    )


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
