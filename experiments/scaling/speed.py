"""What Ray costs on this machine, or brings: `python -m experiments.scaling.speed`.

The default command's learner with and without Ray, side by side: all of them take turns, so that
whatever else the machine does is the same for all.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

import tyro
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from baselines.learner.ppo import PPO
from baselines.training.callbacks import ThreadsCallback
from baselines.training.config import LOCAL, TrainConfig
from baselines.training.model import fit_to_machine, make_games, make_model
from cluster.start import running
from cluster.train import open_games
from emerald_env.cli.command import run_command
from emerald_env.env.settings import check_numbers

WITHOUT = "without Ray"
CORES = os.cpu_count() or 1
ALONE = TrainConfig(n_envs=16, n_workers=CORES, device="cpu")
EACH = replace(ALONE, ray=LOCAL, actors=CORES, n_workers=1)
SETUPS = {
    WITHOUT: ALONE,
    "one actor": replace(ALONE, ray=LOCAL, actors=1),
    "an actor for each core": EACH,
    "the same with overlap": replace(EACH, overlap=True),
}


@dataclass(frozen=True)
class SpeedConfig:
    """Measure training with and without Ray."""

    rounds: int = 5
    """Turns that each takes."""
    updates: int = 2
    """Rollouts with their updates in a turn."""

    def __post_init__(self) -> None:
        """Raises ValueError with a setting that cannot be."""
        check_numbers(self, "rounds", "updates")


def turn(model: PPO, updates: int) -> float:
    """Returns the samples a second of some rollouts and updates.

    One before them is not counted: with overlap it has nothing to overlap with. A rollout that is
    under way at the end is waited for, so as not to slow others down.
    """
    train(model, 1)
    start = perf_counter()
    samples = train(model, updates)
    seconds = perf_counter() - start
    games = model.get_env()
    assert games is not None
    games.env_is_wrapped(Monitor)  # answered after the rollout
    return samples / seconds


def train(model: PPO, updates: int) -> int:
    """Trains; returns how many samples it learnt from."""
    samples = updates * model.n_steps * model.n_envs
    model.learn(samples, [ThreadsCallback()], reset_num_timesteps=False)
    return samples


def learner(config: TrainConfig, open_them: Callable[[TrainConfig], VecEnv], s: ExitStack) -> PPO:
    """Returns a learner with its games, which end with the stack."""
    games = s.enter_context(closing(open_them(config)))
    model = make_model(config, games)
    model.set_logger(Logger(None, []))
    return model


def measure(config: SpeedConfig) -> dict[str, list[float]]:
    """Returns the samples a second of each setup in each round but the first."""
    speeds: dict[str, list[float]] = {name: [] for name in SETUPS}
    with running(LOCAL, cpus=4 * CORES), ExitStack() as stack:  # room for all at once
        models = {}
        for name, setup in SETUPS.items():
            opener = open_games if setup.ray else make_games
            models[name] = learner(fit_to_machine(setup), opener, stack)
        for number in range(config.rounds + 1):
            for name, model in models.items():
                speed = turn(model, config.updates)
                if number:
                    speeds[name].append(speed)
    return speeds


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table; returns the exit status."""
    speeds = measure(tyro.cli(SpeedConfig, args=arguments))
    print("| | samples/s | ratio, median | of the rounds |\n|---|---|---|---|")
    for name, found in speeds.items():
        ratios = [own / plain for own, plain in zip(found, speeds[WITHOUT], strict=True)]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"| {name} | {median(found):,.0f} | {median(ratios):.2f} | {spread} |")
    return 0


if __name__ == "__main__":
    run_command(main)
