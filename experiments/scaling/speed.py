"""Measures the speed with and without Ray on this machine: `python -m experiments.scaling.speed`.

The default command's learner trains with and without Ray in turns, so that other load on the
machine affects both alike. Processor time counts the learner, actors, games and all of Ray's own
processes; it depends little on other load.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import NamedTuple

import psutil
import tyro
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from baselines.cluster.remote_training import open_games
from baselines.cluster.start import running
from baselines.commands.command import run_command
from baselines.learner.ppo import PPO
from baselines.playing.intervals import median_of
from baselines.settings.train_config import LOCAL, TrainConfig
from baselines.training.callbacks.threads import ThreadsCallback
from baselines.training.model import fit_to_machine, make_games, make_model
from emerald_env.env.setting_types import Count, checked
from emerald_env.parallel.cpu_placement import available_cores

WITHOUT = "without Ray"
CORES = available_cores()
ALONE = TrainConfig(n_envs=16, n_workers=CORES, device="cpu")
EACH = replace(ALONE, ray=LOCAL, actors=CORES, n_workers=1)
SETUPS = {
    "one actor": replace(ALONE, ray=LOCAL, actors=1),
    "an actor for each core": EACH,
    "the same with overlap": replace(EACH, overlap=True),
}


@checked
@dataclass(frozen=True)
class SpeedConfig:
    """Measure training with and without Ray."""

    setups: tuple[str, ...] = tuple(SETUPS)
    """Setups to compare with a run without Ray."""
    rounds: Count = 12
    """Turns of each setup; a 95 % interval needs six."""
    updates: Count = 2
    """Updates in a turn, each with its rollout."""
    n_steps: Count = 128
    """Steps of a rollout."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        if unknown := set(self.setups) - set(SETUPS):
            raise ValueError(f"no setup {', '.join(unknown)}: there are {', '.join(SETUPS)}")


class Turn(NamedTuple):
    """The speed and cost of a turn."""

    speed: float  # samples/s
    processor: float  # seconds of all processes per sample


def turn(model: PPO, updates: int, with_ray: bool) -> Turn:
    """Trains for some updates; returns their speed and cost.

    One update before them is not counted: with overlap it has nothing to overlap with. A rollout
    still in progress at the end is waited for, so that it does not slow the next turn down.
    """
    train(model, 1)
    clock, processor = perf_counter(), processor_seconds(with_ray)
    samples = train(model, updates)
    seconds = perf_counter() - clock
    games = model.get_env()
    assert games is not None
    games.env_is_wrapped(Monitor)  # actors answer after the rollout
    return Turn(samples / seconds, (processor_seconds(with_ray) - processor) / samples)


def processor_seconds(with_ray: bool) -> float:
    """Returns the processor time of this process and its games, and of all Ray's processes."""
    own = psutil.Process()
    total: float = sum(own.cpu_times()[:2])
    for child in own.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            games = child.ppid() == own.pid and "multiprocessing" in " ".join(child.cmdline())
            total += sum(child.cpu_times()[:2]) if with_ray or games else 0.0
    return total


def train(model: PPO, updates: int) -> int:
    """Trains; returns the number of samples."""
    samples = updates * model.n_steps * model.n_envs
    model.learn(samples, [ThreadsCallback()], reset_num_timesteps=False)
    return samples


def learner(config: TrainConfig, open_them: Callable[[TrainConfig], VecEnv], s: ExitStack) -> PPO:
    """Returns a learner; the stack closes its games."""
    games = s.enter_context(closing(open_them(config)))
    model = make_model(config, games)
    model.set_logger(Logger(None, []))
    return model


def measure(config: SpeedConfig, names: Sequence[str]) -> dict[str, list[Turn]]:
    """Returns each setup's turns on one cluster, without the first."""
    turns: dict[str, list[Turn]] = {name: [] for name in names}
    with running(LOCAL, cpus=CORES), ExitStack() as stack:
        models = {}
        for name in names:
            setup = SETUPS.get(name, ALONE)
            opener = open_games if setup.ray else make_games
            setup = replace(setup, ppo=replace(setup.ppo, n_steps=config.n_steps))
            models[name] = learner(fit_to_machine(setup), opener, stack)
        for number in range(config.rounds + 1):
            for name, model in models.items():
                done = turn(model, config.updates, name != WITHOUT)
                if number:
                    turns[name].append(done)
    return turns


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table; returns the exit status."""
    config = tyro.cli(SpeedConfig, args=arguments)
    print("| | samples/s | ratio, of the rounds | processor time, us a sample | ratio |")
    print("|---|---|---|---|---|")
    for name in config.setups:  # each on its own cluster: idle actors cost time, too
        turns = measure(config, (WITHOUT, name))
        for each in (WITHOUT, name):
            print(row(each, turns[each], turns[WITHOUT]), flush=True)
    return 0


def row(name: str, found: Sequence[Turn], plain: Sequence[Turn]) -> str:
    """Returns a row of the table: a setup's turns, and their ratio to those without Ray."""
    pairs = list(zip(found, plain, strict=True))
    fast = [own.speed / other.speed for own, other in pairs]
    cost = [own.processor / other.processor for own, other in pairs]
    speed, used = (median(column) for column in zip(*found, strict=True))
    cells = f"{speed:,.0f} | {spread(fast)} | {1e6 * used:,.0f} | {spread(cost)}"
    return f"| {name} | {cells} |"


def spread(values: Sequence[float]) -> str:
    """Returns a median with its 95 % interval."""
    found = median_of(values)
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


if __name__ == "__main__":
    run_command(main)
