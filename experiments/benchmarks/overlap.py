"""What two halves of the games that alternate would give.

`python -m experiments.benchmarks.overlap`

While one half's games run, the network looks at the other half. Both ways play the same number of
steps with the default network on one thread, take turns, and are timed by the clock.
"""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
import torch
import tyro
from stable_baselines3.common.utils import obs_as_tensor
from stable_baselines3.common.vec_env import VecEnv, VecTransposeImage

from baselines.learner.ppo import PPO
from baselines.training.config import TrainConfig
from baselines.training.model import fit_to_machine, make_games, make_model
from emerald_env.cli.command import run_command
from emerald_env.env.settings import check_numbers
from experiments.benchmarks.report import Row, machine


@dataclass(frozen=True)
class OverlapBenchmark:
    """Measure all games at once against two halves that alternate."""

    rounds: int = 20
    """Turns that each of the two takes."""
    steps: int = 64
    """Steps of every game in a turn."""

    def __post_init__(self) -> None:
        """Raises ValueError with a setting that cannot be."""
        check_numbers(self, "rounds", "steps")


class Part:
    """Some games with the network that plays them."""

    def __init__(self, games: VecEnv, model: PPO) -> None:
        self.games, self._model = games, model
        self._seen: Any = games.reset()

    @torch.no_grad()
    def send(self) -> None:
        """Lets the network look at the games, and each begin its step."""
        actions, _, _ = self._model.policy(obs_as_tensor(self._seen, self._model.device))
        self.games.step_async(actions.numpy())

    def wait(self) -> None:
        """Waits for all of them."""
        self._seen = self.games.step_wait()[0]


def at_once(part: Part, steps: int) -> float:
    """Returns the seconds that all games together take."""
    begun = perf_counter()
    for _ in range(steps):
        part.send()
        part.wait()
    return perf_counter() - begun


def alternating(first: Part, second: Part, steps: int) -> float:
    """Returns the seconds that two halves take, each looked at while the other runs."""
    begun = perf_counter()
    first.send()
    for _ in range(steps):
        second.send()
        first.wait()
        first.send()
        second.wait()
    first.wait()
    return perf_counter() - begun


def seen(config: TrainConfig) -> VecEnv:
    """Returns games as the network sees them, channels first."""
    return VecTransposeImage(make_games(config))


def measure(config: OverlapBenchmark) -> Row:
    """Returns by how much halves are faster than all at once, turn by turn."""
    whole = fit_to_machine(TrainConfig(device="cpu"))
    half = replace(whole, n_envs=(whole.n_envs or 2) // 2)
    torch.set_num_threads(1)
    with ExitStack() as stack:
        games = [stack.enter_context(closing(seen(c))) for c in (whole, half, half)]
        model = make_model(whole, games[0])
        all_games, first, second = (Part(g, model) for g in games)
        ratios = []
        for turn in range(config.rounds + 1):
            together = at_once(all_games, config.steps)
            apart = alternating(first, second, config.steps)
            if turn:  # the first one warms
                ratios.append(together / apart)
    return Row("two halves that alternate / all games at once", None, tuple(ratios))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints the ratio with its quartiles."""
    row = measure(tyro.cli(OverlapBenchmark, args=arguments))
    low, middle, high = np.percentile(row.ratios, (25, 50, 75))
    print(f"{row.name}: {middle:.2f} ({low:.2f} to {high:.2f})\n{machine()}")
    return 0


if __name__ == "__main__":
    run_command(main)
