"""One run: a world, a learner, changes of its settings, a fault, and the program whose log."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Stranger:
    """One run."""

    world: str
    what: str
    settings: dict[str, Any] = field(default_factory=dict)
    fault: str | None = None
    at: float = 0.0  # share of the run at which the fault begins
    algorithm: str = "ppo"
    n_envs: int | None = None  # None: eight, in the further worlds 64
    seed: int = 0
    steps: float = 1.0  # times the world's
    # the learning rate's factor from a share on, and to another share
    jump: tuple[float, float] | tuple[float, float, float] | None = None
    fresh: float | None = None  # share of the run at which the weights are new again
    shuffled: str | None = None  # "advantages" or "returns" belong to other samples
    log: str | None = None  # None: the next in turn
