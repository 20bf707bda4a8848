"""The speed of an update: ours, stable-baselines3's and sb3-contrib's with equal settings.

`python -m experiments.benchmarks.learner [--rounds N]`. Each round times every learner once, in
turn, in processor time of one thread; the median over the rounds is printed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import gymnasium
import numpy as np
import sb3_contrib
import stable_baselines3
import torch
import tyro
from gymnasium import spaces
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.commands.command import run_command
from baselines.learner.ppo import PPO, Speed
from baselines.learner.recurrent_ppo import RecurrentPPO
from emerald_env.env.setting_types import Count, checked

N_ENVS = 8
NUMBERS = spaces.Box(-1, 1, (8,), np.float32)
PICTURES = spaces.Box(0, 255, (84, 84, 4), np.uint8)
SMALL_PICTURES = spaces.Box(0, 255, (40, 60, 1), np.uint8)
Make = Callable[[], OnPolicyAlgorithm]


class Noise(gymnasium.Env[Any, Any]):
    """Always the same observation; episodes of `length` steps on average."""

    def __init__(self, space: spaces.Space[Any], length: int) -> None:
        self.observation_space, self.action_space = space, spaces.Discrete(15)
        self._seen, self._length = space.sample(), length

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        return self._seen, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Ignores the action."""
        ended = self.np_random.random() < 1 / self._length
        return self._seen, float(ended), bool(ended), False, {}


def learner(
    kind: Any, policy: str, space: spaces.Space[Any], length: int = 1000, **settings: Any
) -> OnPolicyAlgorithm:
    """Returns a learner with a full rollout, which can be trained on repeatedly."""
    games = DummyVecEnv([lambda: Noise(space, length)] * N_ENVS)
    games.seed(0)
    model: OnPolicyAlgorithm = kind(policy, games, seed=0, device="cpu", **settings)
    model.set_logger(Logger(None, []))
    _, callback = model._setup_learn(1)
    seen: Any = model.env  # the games as the model sees them, channels first
    model.collect_rollouts(seen, callback, model.rollout_buffer, model.n_steps)
    return model


FEEDFORWARD = {"n_steps": 32, "batch_size": 64, "n_epochs": 1}
RECURRENT = {"n_steps": 128, "batch_size": 256, "n_epochs": 1}
SB3, CONTRIB = stable_baselines3.PPO, sb3_contrib.RecurrentPPO
# name -> learners with equal settings; the first is the reference
COMPARISONS: dict[str, dict[str, Make]] = {
    "MLP, 8 numbers": {
        "SB3": lambda: learner(SB3, "MlpPolicy", NUMBERS, **FEEDFORWARD),
        "ours": lambda: learner(PPO, "MlpPolicy", NUMBERS, **FEEDFORWARD),
    },
    "NatureCNN, 84 x 84 x 4": {
        "SB3": lambda: learner(SB3, "CnnPolicy", PICTURES, **FEEDFORWARD),
        "ours": lambda: learner(PPO, "CnnPolicy", PICTURES, **FEEDFORWARD),
        "ours, channels last": lambda: learner(
            PPO, "CnnPolicy", PICTURES, speed=Speed(channels_last=True), **FEEDFORWARD
        ),
    },
    **{
        f"LSTM 256, 8 numbers, episodes of {length}": {
            "sb3-contrib": lambda length=length: learner(  # type: ignore[misc]
                CONTRIB, "MlpLstmPolicy", NUMBERS, length, **RECURRENT
            ),
            "ours": lambda length=length: learner(  # type: ignore[misc]
                RecurrentPPO, "MlpPolicy", NUMBERS, length, **RECURRENT
            ),
            "ours, sequences of 32": lambda length=length: learner(  # type: ignore[misc]
                RecurrentPPO, "MlpPolicy", NUMBERS, length, sequence_length=32, **RECURRENT
            ),
        }
        for length in (50, 1000)
    },
    "LSTM 256 on NatureCNN, 40 x 60, episodes of 1000": {
        "sb3-contrib": lambda: learner(CONTRIB, "CnnLstmPolicy", SMALL_PICTURES, **RECURRENT),
        "ours": lambda: learner(RecurrentPPO, "CnnPolicy", SMALL_PICTURES, **RECURRENT),
    },
}


def compare(makers: dict[str, Make], rounds: int) -> dict[str, tuple[float, float]]:
    """Returns each learner's samples per second, and its speed relative to the first."""
    learners = {name: make() for name, make in makers.items()}
    seconds: dict[str, list[float]] = {name: [] for name in learners}
    for _ in range(rounds + 1):
        for name, model in learners.items():
            begun = process_time()
            model.train()
            seconds[name].append(process_time() - begun)
    medians = {name: float(np.median(times[1:])) for name, times in seconds.items()}
    first = next(iter(medians.values()))
    return {
        name: (N_ENVS * learners[name].n_steps / median, first / median)
        for name, median in medians.items()
    }


@checked
@dataclass(frozen=True)
class LearnerBenchmark:
    """Measure the speed of an update: ours, SB3's and sb3-contrib's with equal settings."""

    rounds: Count = 10
    """Updates of each learner, after one to warm up."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints all comparisons."""
    config = tyro.cli(LearnerBenchmark, args=arguments)
    torch.set_num_threads(1)
    print("| update | learner | samples/s | ratio |\n|---|---|---|---|")
    for title, makers in COMPARISONS.items():
        for name, (speed, ratio) in compare(makers, config.rounds).items():
            print(f"| {title} | {name} | {speed:,.0f} | {ratio:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    run_command(main)
