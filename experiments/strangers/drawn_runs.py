"""Runs drawn by a seed, so that rules can be judged on runs that nobody has seen."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.strangers.stranger import Stranger

WORLDS = (
    "catch reach lights long cartpole bandit noisy_bandit track track_small knobs maze "
    "costly_maze dodge doors lottery corridor"
).split()
LATER = ("actions ignored", "picture frozen", "picture of noise", "no reward")
ALWAYS = ("actions ignored", "picture of noise", "picture frozen", "noise reward", "no reward")


class Dice:
    """Draws runs.

    Args:
        seed: of the draws.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def pick(self, choices: Sequence[Any]) -> Any:
        """Returns one of some choices."""
        return choices[int(self._random.integers(len(choices)))]

    def run(self, number: int) -> Stranger:
        """Returns a run: four of nine are healthy, the others have a fault each."""
        world, kind = self.pick(WORLDS), number % 9
        same: dict[str, Any] = {"seed": 200 + number, "steps": self.pick([0.7, 1.0, 1.4])}
        if kind in (0, 2, 4, 6):
            return Stranger(world, "as it should be, varied", self._varied(), **same)
        if kind == 1:
            fault = self.pick(LATER)
            at = float(self._random.uniform(0.4, 0.75))
            return Stranger(world, f"{fault} from the middle on", fault=fault, at=at, **same)
        if kind == 3:
            rate = float(self.pick([0.02, 0.05, 0.15]))
            return Stranger(world, "learning rate too large", {"learning_rate": rate}, **same)
        if kind == 5:
            fault = self.pick(ALWAYS)
            return Stranger(world, f"{fault} all the time", fault=fault, **same)
        if kind == 7:
            return self._misled(world, same)
        jump = float(self._random.uniform(0.45, 0.75)), float(self.pick([50.0, 200.0]))
        return Stranger(world, "the learning rate jumps", jump=jump, **same)

    def _varied(self) -> dict[str, Any]:
        return {
            "learning_rate": float(self.pick([5e-4, 1e-3, 2e-3])),
            "ent_coef": float(self.pick([0.0, 0.005, 0.01])),
            "n_epochs": int(self.pick([3, 6, 10])),
            "clip_range": float(self.pick([0.1, 0.2, 0.3])),
        }

    def _misled(self, world: str, same: dict[str, Any]) -> Stranger:
        entropy = float(self.pick([1.0, 5.0]))
        return self.pick([  # type: ignore[no-any-return]
            Stranger(world, "learning rate far too small", {"learning_rate": 1e-8}, **same),
            Stranger(world, "entropy pays too well", {"ent_coef": entropy}, **same),
            Stranger(world, "advantages belong to other samples", shuffled="advantages", **same),
            Stranger(world, "clip range 1e-5", {"clip_range": 1e-5}, **same),
        ])  # fmt: skip


def drawn(seed: int, count: int, logs: Sequence[str]) -> list[tuple[Stranger, str]]:
    """Returns some runs, each with the program whose log it is written as."""
    dice = Dice(seed)
    return [(dice.run(number), dice.pick(logs)) for number in range(count)]
