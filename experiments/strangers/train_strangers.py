"""Trains the runs: `python -m experiments.strangers.train_strangers OUT [--part K/N]`.

Each gets a folder with its log and a truth.json: the true score of its episodes, counted inside the
world in 20 bins over the run, from which `judge.py` labels it.
"""

import json
import re
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from sb3_contrib import TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from experiments.recorded_runs.record import Shuffled
from experiments.strangers import catalogue, drawn_runs
from experiments.strangers.catalogue import MORE_LOGS, RUNS, log_of
from experiments.strangers.foreign_logs import EVALUATED, Row, write
from experiments.strangers.more_runs import MORE_SETTINGS
from experiments.strangers.others import other_runs
from experiments.strangers.others.learners import LEARNERS
from experiments.strangers.others.other_faults import Tampered
from experiments.strangers.others.other_worlds import OTHER_WORLDS
from experiments.strangers.stranger import Stranger
from experiments.strangers.worlds import SCORES, WORLDS, Broken

BINS = 20
SETTINGS = catalogue.SETTINGS | other_runs.SETTINGS
STEPS = catalogue.STEPS | other_runs.STEPS
ALGORITHMS: dict[str, Any] = {
    "ppo": PPO, "a2c": A2C, "trpo": TRPO, "recurrent": RecurrentPPO, "masked": MaskablePPO,
    "dqn": DQN,
}  # fmt: skip
EVALUATED_EVERY, EVALUATED_EPISODES = 3, 10


class Recorder(BaseCallback):
    """Keeps each episode, and a row for each update."""

    model: PPO

    def __init__(self, fresh: int | None = None) -> None:
        super().__init__()
        self.true: list[float] = []
        self._fresh_at = fresh
        self._won: deque[float] = deque(maxlen=100)
        self.rows: list[Row] = []
        self.episodes: list[tuple[int, float, float, int, int]] = []
        self._latest: deque[tuple[float, int]] = deque(maxlen=100)
        self._new: list[tuple[float, int]] = []
        self._row: Row = {}

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            info = self.locals["infos"][game]
            episode = info["episode"]
            if "is_success" in info:
                self._won.append(float(info["is_success"]))
            found = float(episode["r"]), int(episode["l"])
            self._new.append(found)
            self._latest.append(found)
            self.episodes.append((self.num_timesteps, time.time(), *found, int(game)))
        return True

    def _on_rollout_start(self) -> None:
        self.finish()
        if self._fresh_at is not None and self.num_timesteps >= self._fresh_at:
            self._fresh_at = None
            self.model.policy.load_state_dict(self.model.policy_class(
                self.model.observation_space, self.model.action_space, lambda _: 1e-3
            ).state_dict())  # fmt: skip

    def _on_rollout_end(self) -> None:
        self._row = {"steps": self.num_timesteps, "clock": time.time(), "updates": len(self.rows)}
        self._row["seconds"] = time.time() - self.model.start_time / 1e9
        self._row["vector_steps"] = self.num_timesteps / self.training_env.num_envs
        if self._won:
            self._row["success"] = float(np.mean(self._won))
        if len(self.rows) % EVALUATED_EVERY == 0 and len(self.true) >= EVALUATED_EPISODES:
            self._row["eval"] = float(np.mean(self.true[-EVALUATED_EPISODES:]))
        for name, found in (("", self._latest), ("fresh", self._new)):
            if found:
                reward, length = np.mean(list(found), axis=0)
                self._row[name or "reward"] = float(reward)
                self._row[f"{name}_length" if name else "length"] = float(length)
        self._new = []

    def finish(self) -> None:
        """Takes the numbers of the update that is over."""
        if not self._row:
            return
        logged = self.logger.name_to_value
        for key, (tag, factor) in EVALUATED.items():
            if tag in logged and tag.startswith("train/"):
                self._row[key] = float(logged[tag]) * factor
        if "train/policy_loss" in logged:  # A2C
            self._row["policy_loss"] = float(logged["train/policy_loss"])
        if "train/kl_divergence_loss" in logged:  # TRPO
            self._row["kl"] = float(logged["train/kl_divergence_loss"])
        steps, seconds = self._row["steps"], self._row["seconds"]
        if self.rows:
            steps, seconds = steps - self.rows[-1]["steps"], seconds - self.rows[-1]["seconds"]
        self._row |= {"fps": int(steps / max(seconds, 1e-3)), "collecting": 0.6 * seconds,
                      "learning": 0.4 * seconds}  # fmt: skip
        self._row["gradient_steps"] = float(logged.get("train/n_updates", 0))
        self.rows.append(self._row)
        self._row = {}


def _settings(run: Stranger) -> dict[str, Any]:
    settings = {**SETTINGS[run.world], **run.settings}
    rate = settings["learning_rate"]
    if rate == "linear":
        settings["learning_rate"] = lambda left: 1e-3 * left
    if rate == "short":
        settings["learning_rate"] = lambda left: 1e-3 * max(0.0, 1 - 8 * (1 - left))
    if run.jump is not None:
        share, factor, end = (*run.jump, 1.0)[:3]
        settings["learning_rate"] = lambda left: rate * (factor if share < 1 - left <= end else 1.0)
    settings.pop("normalize", None)
    if run.algorithm in ("a2c", "trpo", "dqn"):
        own = {k: v for k, v in run.settings.items() if k != "normalize"}
        settings = {"gamma": settings["gamma"], **own}
    if run.shuffled:
        settings["rollout_buffer_class"] = type("Mixed", (Shuffled,), {"what": run.shuffled})
    return settings


def _games(run: Stranger) -> int:
    if run.algorithm in LEARNERS:
        return 1
    usual = other_runs.N_ENVS if run.world in OTHER_WORLDS else 8
    return run.n_envs or (64 if run.world in MORE_SETTINGS else usual)


def _learned(
    run: Stranger, steps: int, n_envs: int, broken: Any, recorder: "Recorder"
) -> tuple[list[Row], list[Any], str | None]:
    """Trains; returns the log's rows, the episodes, and the error that ended it."""
    np.random.seed(run.seed)
    if run.algorithm in LEARNERS:
        env = broken()
        env.action_space.seed(run.seed)
        ledger = LEARNERS[run.algorithm](env, steps, run.seed, **run.settings)
        return ledger.rows, ledger.episodes, None
    games: Any = DummyVecEnv([lambda: Monitor(broken()) for _ in range(n_envs)])
    if {**SETTINGS[run.world], **run.settings}.get("normalize"):
        games = VecNormalize(games, gamma=SETTINGS[run.world]["gamma"])
    policy = "MlpLstmPolicy" if run.algorithm == "recurrent" else "MlpPolicy"
    model = ALGORITHMS[run.algorithm](policy, games, **_settings(run), seed=run.seed, device="cpu")
    model.set_logger(Logger(None, []))
    error = None
    try:
        model.learn(steps, recorder)
    except (ValueError, AssertionError) as found:
        error = f"{type(found).__name__}: {found}"[:200]
    recorder.finish()
    return recorder.rows, recorder.episodes, error


def train(run: Stranger, log: str, out: Path, name: str) -> None:
    """Trains one run and writes its folder."""
    steps = int(STEPS[run.world] * run.steps)
    n_envs = _games(run)
    bins: list[list[float]] = [[] for _ in range(BINS)]

    recorder = Recorder(None if run.fresh is None else int(run.fresh * steps))

    def score(step: int, value: float) -> None:
        recorder.true.append(value)
        bins[min(BINS - 1, (step * n_envs) * BINS // (steps + 1))].append(value)

    def broken() -> Any:
        start = int(run.at * steps / n_envs)
        world = OTHER_WORLDS.get(run.world) or WORLDS[run.world]
        tampered: Any = Tampered if run.world in OTHER_WORLDS else Broken
        return tampered(world(), run.fault, start, score)

    began = time.time()
    rows, episodes, error = _learned(run, steps, n_envs, broken, recorder)
    folder = out / name
    folder.mkdir(parents=True)
    write(log, folder, rows, episodes)
    random, good = (SCORES | other_runs.SCORES)[run.world]
    kls = [row["kl"] for row in rows[-len(rows) // 3 :] if "kl" in row]
    truth: dict[str, Any] = {
        "name": name, "env": run.world, "algo": run.algorithm, "steps": steps, "seed": run.seed,
        "what": f"{run.what}; {log}", "expected": "NaN" if "nan" in (run.fault or "") else "",
        "random": random, "good": good, "error": error, "seconds": round(time.time() - began, 1),
        "true_bins": [round(float(np.mean(b)), 4) if b else None for b in bins],
        "kl_median_last_third": float(np.median(kls)) if kls else None,
    }  # fmt: skip
    (folder / "truth.json").write_text(json.dumps(truth) + "\n")
    print(name, truth["seconds"], truth["true_bins"][::4], error, flush=True)


def name_of(index: int, run: Stranger) -> str:
    """Returns a run's folder; every third run is kept unseen."""
    what = re.sub(r"\W+", "_", run.what)[:30].strip("_")
    return f"{'unseen' if index % 3 == 2 else 'shown'}/{index:02}_{run.world}_{what}"


def _other_name(index: int, run: Stranger) -> str:
    name = f"{index:02}_{run.world}_{re.sub(r'[^A-Za-z0-9]+', '_', run.what)[:30].strip('_')}"
    return f"{other_runs.half_of(name)}/{name}"


def main(
    out: Path, /, part: str = "0/1", first: int = 0, drawn: int | None = None, others: bool = False
) -> None:
    """Trains what is missing.

    Args:
        out: folder of the runs.
        part: K/N: every N-th run, beginning with K.
        first: number of the first run.
        drawn: train 36 runs drawn by this seed instead.
        others: train those of others/ instead.
    """
    torch.set_num_threads(1)
    runs = [(name_of(index, run), run, log_of(index)) for index, run in enumerate(RUNS)]
    if drawn is not None:
        found = drawn_runs.drawn(drawn, 36, MORE_LOGS)
        runs = [(f"{n:02}_{run.world}", run, log) for n, (run, log) in enumerate(found)]
    if others:
        runs = [(_other_name(n, run), run, other_runs.log_of(n, run))
                for n, run in enumerate(other_runs.OTHER_RUNS)]  # fmt: skip
    begin, parts = map(int, part.split("/"))
    for name, run, log in runs[first:][begin::parts]:
        if not (out / name / "truth.json").exists():
            train(run, log, out, name)


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
