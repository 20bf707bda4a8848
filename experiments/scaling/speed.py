"""What Ray costs on this machine, or brings: `python -m experiments.scaling.speed`.

The default command's learner with and without Ray, side by side: both take turns, so that whatever
else the machine does is the same for both. The processor time of a sample counts learner,
actors, games and all of Ray's own processes; it hardly depends on who else uses the machine.
"""

import os
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

from baselines.playing.intervals import median_of
from baselines.training.callbacks import ThreadsCallback
from baselines.training.config import LOCAL, TrainConfig
from baselines.training.model import fit_to_machine, make_games, make_model
from cluster.start import running
from cluster.train import open_games
from emerald_env.cli.command import run_command
from emerald_env.env.settings import check_numbers
from learner.ppo import PPO

WITHOUT = "without Ray"
CORES = os.cpu_count() or 1
ALONE = TrainConfig(n_envs=16, n_workers=CORES, device="cpu")
EACH = replace(ALONE, ray=LOCAL, actors=CORES, n_workers=1)
SETUPS = {
    "one actor": replace(ALONE, ray=LOCAL, actors=1),
    "an actor for each core": EACH,
    "the same with overlap": replace(EACH, overlap=True),
}


@dataclass(frozen=True)
class SpeedConfig:
    """Measure training with and without Ray."""

    setups: tuple[str, ...] = tuple(SETUPS)
    """Which ways of playing take turns with a run without Ray."""
    rounds: int = 12
    """Turns that each takes; with fewer than six there is no 95 % interval."""
    updates: int = 2
    """Rollouts with their updates in a turn."""
    n_steps: int = 128
    """Steps of a rollout."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        if unknown := set(self.setups) - set(SETUPS):
            raise ValueError(f"no setup {', '.join(unknown)}: there are {', '.join(SETUPS)}")
        check_numbers(self, "rounds", "updates", "n_steps")


class Turn(NamedTuple):
    """How a learner's turn went."""

    speed: float  # samples a second
    processor: float  # seconds of all processes for a sample


def turn(model: PPO, updates: int, with_ray: bool) -> Turn:
    """Returns how some rollouts with their updates went.

    One before them is not counted: with overlap it has nothing to overlap with. A rollout that is
    under way at the end is waited for, so as not to slow others down.
    """
    train(model, 1)
    clock, processor = perf_counter(), processor_seconds(with_ray)
    samples = train(model, updates)
    seconds = perf_counter() - clock
    games = model.get_env()
    assert games is not None
    games.env_is_wrapped(Monitor)  # answered after the rollout
    return Turn(samples / seconds, (processor_seconds(with_ray) - processor) / samples)


def processor_seconds(with_ray: bool) -> float:
    """Returns what this process and its games have used, or these and all that Ray has started."""
    own = psutil.Process()
    total: float = sum(own.cpu_times()[:2])
    for child in own.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            games = child.ppid() == own.pid and "multiprocessing" in " ".join(child.cmdline())
            total += sum(child.cpu_times()[:2]) if with_ray or games else 0.0
    return total


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


def measure(config: SpeedConfig, names: Sequence[str]) -> dict[str, list[Turn]]:
    """Returns the turns but the first of setups that take turns on one cluster."""
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
    for name in config.setups:  # each on a cluster of its own: an actor that waits costs, too
        turns = measure(config, (WITHOUT, name))
        for each in (WITHOUT, name):
            print(row(each, turns[each], turns[WITHOUT]), flush=True)
    return 0


def row(name: str, found: Sequence[Turn], plain: Sequence[Turn]) -> str:
    """Returns a line of the table, with what a setup's turns are compared with."""
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
