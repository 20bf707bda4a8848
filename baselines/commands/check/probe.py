"""Trains our PPO on five worlds that test one part of it each: `emerald probe`.

If a run learns nothing, this tells a broken learner from a hard game: which world fails first says
which part is broken. After Andy Jones, "Debugging Reinforcement Learning Systems" (2021).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from rich.console import Console

from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import Count, Seed, checked

Observation = NDArray[np.float32]
GAMMA = 0.5
NEAR = 0.2  # a right value or reward is that near
BROKEN = 1  # exit status


@dataclass(frozen=True)
class Probe:
    """A world of one or two steps, and what a working learner makes of it.

    Attributes:
        tests: what is broken if it fails, given that those before it do not.
        reward: of (observation, action) in the last step.
        values: what the value function must say to each observation.
        actions: how many there are.
        observed: the first observation is 1 or -1 by chance; otherwise it is always 0.
        steps: one, or two: the second observation is 1, and only the second step pays.
    """

    tests: str
    reward: Callable[[float, int], float]
    values: dict[float, float]
    actions: int = 1
    observed: bool = False
    steps: int = 1


PROBES = (
    Probe("the value's loss and the optimizer", lambda seen, action: 1.0, {0: 1.0}),
    Probe(
        "the gradient through the value function",
        lambda seen, action: seen,
        {1: 1.0, -1: -1.0},
        observed=True,
    ),
    Probe("discounting", lambda seen, action: 1.0, {0: GAMMA, 1: 1.0}, steps=2),
    Probe("advantages and the policy's update", lambda seen, action: 2.0 * action - 1, {0: 1.0}, 2),
    Probe(
        "a policy that depends on what it sees",
        lambda seen, action: seen * (2.0 * action - 1),
        {1: 1.0, -1: 1.0},
        actions=2,
        observed=True,
    ),
)


class ProbeEnv(gymnasium.Env[Observation, np.int64]):
    """Plays one of the probes."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self.observation_space = spaces.Box(-1, 1, (1,), np.float32)
        self.action_space = spaces.Discrete(probe.actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode; no options are known."""
        super().reset(seed=seed)
        self._left = self._probe.steps
        self._seen = float(self.np_random.choice([-1, 1])) if self._probe.observed else 0.0
        return np.array([self._seen], np.float32), {}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Ends the episode and pays, or goes on to its second step."""
        self._left -= 1
        done = not self._left
        reward = self._probe.reward(self._seen, int(action)) if done else 0.0
        return np.ones(1, np.float32), reward, done, False, {}


@checked
@dataclass(frozen=True)
class ProbeConfig:
    """Train the learner on five tiny worlds: does each of its parts work?"""

    seed: Seed = 0
    """Of the weights and the worlds."""
    steps: Count = 8192
    """To train in each world."""


def values_after(probe: Probe, config: ProbeConfig) -> dict[float, float]:
    """Returns what the value function says to each of a probe's observations after training."""
    import torch
    from stable_baselines3.common.vec_env import DummyVecEnv

    from baselines.learner.ppo import PPO

    learner = PPO(
        "MlpPolicy",
        DummyVecEnv([lambda: ProbeEnv(probe)] * 8),
        n_steps=32,
        batch_size=64,
        learning_rate=1e-3,
        gamma=GAMMA,
        seed=config.seed,
        device="cpu",
    )
    learner.learn(config.steps)
    seen = torch.tensor([[float(key)] for key in probe.values])
    with torch.no_grad():
        found = learner.policy.predict_values(seen).flatten().tolist()
    return dict(zip(probe.values, found, strict=True))


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each world; returns 1 if the learner fails in any."""
    config = read_flags(ProbeConfig, arguments)
    console, status = Console(), 0
    for probe in PROBES:
        found = values_after(probe, config)
        right = all(abs(found[seen] - value) < NEAR for seen, value in probe.values.items())
        text = ", ".join(f"{found[s]:.2f} for {v:g}" for s, v in probe.values.items())
        word = "[green]works[/]" if right else "[red]broken[/]"
        console.print(f"{word}  {probe.tests}: values {text}", highlight=False)
        status = status if right else BROKEN
    return status
