"""Which runs, with their random and their good scores, and the program whose log each is."""

import hashlib
from typing import Any

import torch

from experiments.strangers.catalogue import MORE_LOGS
from experiments.strangers.others.fresh_runs import (
    FAST,
    FRESH_RUNS,
    FRESH_SCORES,
    FRESH_SETTINGS,
    FRESH_STEPS,
)
from experiments.strangers.others.late_runs import (
    LATE_RUNS,
    LATE_SCORES,
    LATE_SETTINGS,
    LATE_STEPS,
)
from experiments.strangers.others.learners import LEARNERS
from experiments.strangers.stranger import Stranger

SETTINGS: dict[str, dict[str, Any]] = {
    "pig": {**FAST}, "stock": {**FAST, "gamma": 0.9}, "wind": {**FAST, "gamma": 0.98},
    "key": {**FAST, "ent_coef": 0.01}, "apples": {**FAST, "gamma": 0.9},
    "heater": {**FAST, "gamma": 0.5}, "guess": {**FAST}, "lake": {**FAST},
    "ice": {**FAST, "gamma": 0.99}, "cliff": {**FAST, "normalize": True}, "pole": {**FAST},
    "hill": {**FAST, "gamma": 0.99},
}  # fmt: skip
SCORES = {
    "pig": (2.8, 8.0), "stock": (36.0, 65.0), "wind": (-19.5, 8.5), "key": (0.117, 1.0),
    "apples": (1.27, 17.0), "heater": (-27.7, -2.5), "guess": (-4.2, -3.1), "lake": (0.01, 1.0),
    "ice": (0.02, 0.7), "cliff": (-1050.0, -17.0), "pole": (22.0, 190.0), "hill": (-200.0, -120.0),
}  # fmt: skip
STEPS = {
    "pig": 30_000, "stock": 40_000, "wind": 30_000, "key": 50_000, "apples": 60_000,
    "heater": 40_000, "guess": 40_000, "lake": 25_000, "ice": 60_000, "cliff": 60_000,
    "pole": 40_000, "hill": 40_000,
}  # fmt: skip
N_ENVS = 16
TABLE_LOGS = ("cleanrl_dqn", "monitor", "spinningup", "cleanrl_dqn", "progress_csv", "torchrl")
SLOPE = {"optimizer_class": torch.optim.SGD, "optimizer_kwargs": {}}
DEEP = {"net_arch": [16] * 8, "activation_fn": torch.nn.Sigmoid}
DECAYS = {"optimizer_class": torch.optim.Adam, "optimizer_kwargs": {"weight_decay": 1.0}}


def _healthy() -> list[Stranger]:
    return [
        *(Stranger(world, "as it should be", seed=i)
          for i, world in enumerate(SETTINGS) if world != "hill"),
        *(Stranger(w, "A2C", {"learning_rate": 2e-3}, algorithm="a2c", seed=1)
          for w in ("apples", "guess", "pole")),
        *(Stranger(w, "a table of values", algorithm="q", seed=2)
          for w in ("lake", "cliff", "wind")),
        *(Stranger(w, "a table of preferences", {"rate": rate}, algorithm="reinforce", seed=3)
          for w, rate in (("guess", 0.1), ("apples", 0.1), ("pig", 0.02), ("lake", 0.3))),
        *(Stranger(w, "a line", algorithm="line", seed=4) for w in ("pole", "heater")),
        Stranger("apples", "one game", {"n_steps": 1024}, n_envs=1, seed=5, steps=0.6),
        Stranger("stock", "normalised", {"normalize": True}, seed=5),
        Stranger("wind", "annealed to 0", {"learning_rate": "linear"}, seed=5),
        Stranger("pole", "buttons swapped soon", fault="buttons swapped", at=0.15, seed=5,
                 steps=1.5),
        Stranger("heater", "a small network", {"policy_kwargs": {"net_arch": [8]}}, seed=5),
        Stranger("key", "much entropy", {"ent_coef": 0.03}, seed=6),
    ]  # fmt: skip


def _sick() -> list[Stranger]:
    wrong: list[tuple[str, str, dict[str, Any]]] = [
        ("apples", "plain gradient descent", {"policy_kwargs": SLOPE}),
        ("pole", "plain gradient descent", {"policy_kwargs": SLOPE}),
        ("stock", "eight layers of sigmoids", {"policy_kwargs": DEEP}),
        ("wind", "eight layers of sigmoids", {"policy_kwargs": DEEP}),
        ("apples", "weights decay", {"policy_kwargs": DECAYS}),
        ("guess", "weights decay", {"policy_kwargs": DECAYS}),
        ("apples", "learning rate x 100", {"learning_rate": 0.1}),
        ("heater", "learning rate x 100", {"learning_rate": 0.1}),
        ("stock", "learning rate x 60", {"learning_rate": 0.06}),
        ("key", "gamma 0", {"gamma": 0.0}),
        ("ice", "learning rate 1e-7", {"learning_rate": 1e-7}),
        ("hill", "never met", {}),
    ]
    later = (
        ("apples", "buttons swapped"), ("wind", "game stuck"), ("apples", "game stuck"),
        ("pole", "ends at once"), ("stock", "ends at once"), ("guess", "picture dark"),
        ("apples", "picture dark"), ("wind", "picture of another time"),
        ("stock", "picture of another time"),
    )  # fmt: skip
    always = (
        ("apples", "picture late"), ("wind", "picture dark"), ("key", "picture dark"),
        ("guess", "rewards late"), ("apples", "rewards late"), ("pole", "rewards late"),
    )  # fmt: skip
    return [
        *(Stranger(world, what, settings, seed=i)
          for i, (world, what, settings) in enumerate(wrong)),
        *(Stranger(w, f"{fault} from the middle on", fault=fault, at=0.55, seed=i)
          for i, (w, fault) in enumerate(later)),
        *(Stranger(w, f"{fault} all the time", fault=fault, seed=i)
          for i, (w, fault) in enumerate(always)),
        *(Stranger(w, "the learning rate jumps", jump=(0.6, 200.0), seed=i)
          for i, w in enumerate(("apples", "wind", "heater", "pole"))),
        Stranger("lake", "always by chance", {"stays": 1.0}, algorithm="q", seed=1),
        Stranger("cliff", "values hardly move", {"rate": 1e-6}, algorithm="q", seed=2),
        Stranger("apples", "values overshoot", {"rate": 1.9}, algorithm="q", seed=3),
        Stranger("apples", "too large steps", {"rate": 200.0}, algorithm="reinforce", seed=4),
        Stranger("guess", "downhill", {"rate": -0.1}, algorithm="reinforce", seed=5),
        Stranger("lake", "hardly any step", {"rate": 1e-7}, algorithm="reinforce", seed=6),
        Stranger("heater", "the worst are kept", {"worst": True}, algorithm="line", seed=7),
        Stranger("pole", "no search", {"width": 1e-9}, algorithm="line", seed=8),
        Stranger("lake", "picture of another time", fault="picture of another time", at=0.7,
                 algorithm="q", seed=9),
        Stranger("apples", "buttons swapped from the middle on", fault="buttons swapped", at=0.7,
                 algorithm="reinforce", seed=10),
    ]  # fmt: skip


OTHER_RUNS = [*_healthy(), *_sick(), *LATE_RUNS, *FRESH_RUNS]
SETTINGS |= LATE_SETTINGS | FRESH_SETTINGS
SCORES |= LATE_SCORES | FRESH_SCORES
STEPS |= LATE_STEPS | FRESH_STEPS


def log_of(index: int, run: Stranger) -> str:
    """Returns the program whose log a run is written as."""
    if run.algorithm in LEARNERS or run.algorithm == "dqn":
        return TABLE_LOGS[index % len(TABLE_LOGS)]
    return MORE_LOGS[(7 * index + index // 20) % len(MORE_LOGS)]


def half_of(name: str) -> str:
    """Returns which half a run belongs to, by its name's hash."""
    return ("choosing", "judging")[hashlib.sha256(name.encode()).digest()[0] % 2]
