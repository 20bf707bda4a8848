"""Which runs of the late worlds, with their random and their good scores."""

from typing import Any

import torch

from experiments.strangers.others.fresh_runs import FAST
from experiments.strangers.stranger import Stranger

LATE_SETTINGS: dict[str, dict[str, Any]] = {
    "nim": {**FAST}, "sort": {**FAST}, "auction": {**FAST, "gamma": 0.5}, "lift": {**FAST},
    "spring": {**FAST, "gamma": 0.9}, "knight": {**FAST}, "noughts": {**FAST},
}  # fmt: skip
LATE_SCORES = {
    "nim": (0.05, 0.95), "sort": (-20.5, -3.4), "auction": (-16.5, 12.5), "lift": (1.0, 9.5),
    "spring": (-44.0, -2.5), "knight": (-1.44, 0.75), "noughts": (-0.87, 0.8),
}  # fmt: skip
LATE_STEPS = {
    "nim": 30_000, "sort": 25_000, "auction": 24_000, "lift": 30_000, "spring": 24_000,
    "knight": 40_000, "noughts": 50_000,
}  # fmt: skip


class NeverOn(torch.nn.Module):
    """Units that hardly anything switches on."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns what exceeds ten."""
        return torch.relu(x - 10)


class Forgetful(torch.nn.Module):
    """Units nine of ten of which are left out by chance while learning."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns a tenth of them."""
        return torch.dropout(torch.tanh(x), 0.9, self.training)


def _net(**policy: Any) -> dict[str, Any]:
    return {"policy_kwargs": policy}


def _healthy() -> list[Stranger]:
    return [
        *(Stranger(world, "as it should be", seed=20 + i) for i, world in enumerate(LATE_STEPS)),
        Stranger("nim", "SARSA", algorithm="sarsa", seed=21),
        Stranger("knight", "SARSA", algorithm="sarsa", seed=22, steps=2.5),
        Stranger("sort", "an actor and a critic", algorithm="actor_critic", seed=23),
        Stranger("auction", "evolution", algorithm="evolution", seed=24, steps=2),
        Stranger("spring", "evolution", algorithm="evolution", seed=25),
        Stranger("auction", "A2C", {"learning_rate": 2e-3}, algorithm="a2c", seed=26),
        Stranger("sort", "annealed to 0", {"learning_rate": "linear"}, seed=27),
        Stranger("lift", "much entropy", {"ent_coef": 0.03}, seed=28),
    ]  # fmt: skip


def _sick() -> list[Stranger]:
    return [
        *(Stranger(w, f"{fault} from the middle on", fault=fault, at=0.55, seed=30 + i)
          for i, (w, fault) in enumerate((
              ("lift", "keys late"), ("knight", "keys stick"), ("auction", "picture mirrored"),
              ("sort", "picture mirrored"), ("spring", "picture fades"),
              ("noughts", "picture fades")))),
        *(Stranger(w, "reward of another step all the time", fault="reward of another step",
                   seed=40 + i) for i, w in enumerate(("nim", "lift"))),
        Stranger("nim", "rewards late all the time", fault="rewards late", seed=42),
        Stranger("knight", "a single unit", _net(net_arch=[1]), seed=43),
        Stranger("auction", "units that are never on", _net(activation_fn=NeverOn), seed=44),
        Stranger("sort", "units left out", _net(activation_fn=Forgetful), seed=45),
        Stranger("lift", "new weights near the end", fresh=0.85, seed=46),
        Stranger("spring", "dice thrown far too wide", _net(log_std_init=4.0), seed=47),
        Stranger("knight", "learning rate x 100", {"learning_rate": 0.1}, seed=48),
        Stranger("spring", "learning rate 1e-7", {"learning_rate": 1e-7}, seed=49),
        Stranger("auction", "the learning rate jumps", jump=(0.6, 200.0), seed=50),
        Stranger("nim", "always by chance", {"chance": 1.0}, algorithm="sarsa", seed=51),
        Stranger("sort", "hardly any step", {"rate": 1e-7}, algorithm="actor_critic", seed=52),
        Stranger("spring", "downhill", {"rate": -0.5}, algorithm="evolution", seed=53),
        Stranger("knight", "keys stick from the middle on", fault="keys stick", at=0.5,
                 algorithm="sarsa", seed=54, steps=2.5),
    ]  # fmt: skip


LATE_RUNS = [*_healthy(), *_sick()]
