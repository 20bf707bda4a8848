"""The speed of training end to end, ours and stock stable-baselines3's, on Jade.

`python -m experiments.benchmarks.training [--rounds N]`. In each round every trainer, in turn,
learns from the same number of steps, in wall-clock time; ratios are taken within a round. Stock is
SB3's PPO with NatureCNN on SB3's SubprocVecEnv, a process for each game. The games, their number,
observation and rewards, n_steps, batch_size and n_epochs are the same for all but those named by
flags, which see something else: each plays and learns with what `emerald train` sets for them. Ours
also learns with `--bf16` where the processor has instructions for it.
"""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Literal

import stable_baselines3
import tyro
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.vec_env import SubprocVecEnv, VecFrameStack

from baselines.commands.command import run_command
from baselines.games.game import make_env
from baselines.learner.policy.cnn.networks import policy_kwargs, policy_name
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import TrainConfig
from baselines.training.callbacks.threads import ThreadsCallback
from baselines.training.command_line import parse
from baselines.training.model import fit_to_machine, make_games, make_model
from baselines.training.resources import processor_has_bf16
from emerald_env.env.setting_types import Count, checked
from experiments.benchmarks.report import Row, machine

STOCK, SAME, DEFAULT = "stock SB3, NatureCNN", "ours, NatureCNN", "ours, default network"
IN_BF16 = ", --bf16"
# kinds of eyes, as flags; the last is a student of labels, which sees one grey picture
STATE, BOTH = "--observation state --targets", "--observation full --targets"
STUDENT = "--teacher guide"
TARGETS: dict[str, float | None] = {
    SAME: 2.3,
    SAME + IN_BF16: 2.3,
    DEFAULT: 6.0,
    DEFAULT + IN_BF16: 6.0,
    STATE: None,
    BOTH: None,
    STUDENT: None,
    STUDENT + IN_BF16: None,
}
NATURE = TrainConfig(
    network="nature",
    novelty_coef=0.0,
    env=GameConfig(observation="dict"),
    policy=PolicyConfig(),
)


@checked
@dataclass(frozen=True)
class TrainingBenchmark:
    """Measure samples per second end to end, relative to stock SB3."""

    rounds: Count = 3
    """Rounds, in each of which every trainer learns once."""
    updates: Count = 2
    """Rollouts and updates of each trainer in a round."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Where all of them learn; games play on the CPU."""


class Split(BaseCallback):
    """Times the rollouts and the updates."""

    rollout = total = 0.0

    def _on_training_start(self) -> None:
        self.rollout, self._begun = 0.0, perf_counter()

    def _on_rollout_start(self) -> None:
        self._started = perf_counter()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.rollout += perf_counter() - self._started

    def _on_training_end(self) -> None:
        self.total = perf_counter() - self._begun


@contextmanager
def stock(config: TrainConfig) -> Iterator[OnPolicyAlgorithm]:
    """Opens stock SB3 with its own network and processes."""
    n_envs = config.n_envs or 1
    games = SubprocVecEnv([partial(make_env, config.env, "rgb_array")] * n_envs)
    games.seed(config.seed)
    stacked = VecFrameStack(games, config.n_stack)
    ppo = config.ppo
    with closing(stacked):
        yield stable_baselines3.PPO(
            policy_name(stacked.observation_space),
            stacked,
            learning_rate=ppo.learning_rate,
            n_steps=ppo.n_steps,
            batch_size=ppo.batch_size,
            n_epochs=ppo.n_epochs,
            ent_coef=ppo.ent_coef,
            policy_kwargs=policy_kwargs("nature", stacked.observation_space),
            device=config.device,
        )


@contextmanager
def ours(config: TrainConfig) -> Iterator[OnPolicyAlgorithm]:
    """Opens our learner and workers with all defaults of a training."""
    with closing(make_games(config)) as games:
        yield make_model(config, games)


def seconds(model: OnPolicyAlgorithm, updates: int) -> Split:
    """Continues a trainer's learning; returns how long it took."""
    split = Split()
    callbacks: list[BaseCallback] = [split]
    on_cpu = model.device.type == "cpu"
    if on_cpu and not type(model).__module__.startswith("stable_baselines3"):
        callbacks.append(ThreadsCallback())
    steps = updates * model.n_steps * model.n_envs
    model.learn(steps, callbacks, reset_num_timesteps=False)
    return split


def trainer(name: str, device: str) -> AbstractContextManager[OnPolicyAlgorithm]:
    """Opens the trainer of this name."""
    plain = name.removesuffix(IN_BF16)
    if plain.startswith("--"):
        config = parse([*plain.split(), "--device", device])
    else:
        config = TrainConfig() if plain == DEFAULT else NATURE
    config = fit_to_machine(replace(config, device=device, bf16=name.endswith(IN_BF16)))
    return stock(config) if name == STOCK else ours(config)


def names(device: str) -> list[str]:
    """Returns the trainers that this machine can run, stock first."""
    bf16 = device == "cuda" or processor_has_bf16()
    return [STOCK, *(name for name in TARGETS if not name.endswith(IN_BF16) or bf16)]


def serve(name: str, device: str, connection: Connection) -> None:
    """Learns on request, in a process of its own, so that trainers do not affect each other."""
    with trainer(name, device) as model:
        model.set_logger(Logger(None, []))
        seconds(model, 1)  # warm-up
        connection.send(model.n_steps * model.n_envs)
        while updates := connection.recv():
            split = seconds(model, updates)
            connection.send((split.total, split.rollout))


def measure(config: TrainingBenchmark, show: Callable[[str], None]) -> list[Row]:
    """Returns the ratios round by round; shows each trainer's times."""
    context = multiprocessing.get_context("spawn")
    trainers = {name: context.Pipe() for name in names(config.device)}
    samples = {}
    for name, (connection, theirs) in trainers.items():
        context.Process(target=serve, args=(name, config.device, theirs)).start()
        theirs.close()  # so that a trainer's failure is seen as an end of file
        samples[name] = config.updates * connection.recv()
    found: dict[str, list[float]] = {name: [] for name in trainers}
    for _ in range(config.rounds):
        for name, (connection, _) in trainers.items():
            connection.send(config.updates)
            total, rollout = connection.recv()
            speeds = (samples[name] / part for part in (total, rollout, total - rollout))
            show("{}: {:,.0f} samples/s, rollout {:,.0f}, update {:,.0f}".format(name, *speeds))
            found[name].append(samples[name] / total)
    for connection, _ in trainers.values():
        connection.send(0)
    return [
        Row(
            f"{name} / {STOCK}",
            target,
            tuple(a / b for a, b in zip(found[name], found[STOCK], strict=True)),
        )
        for name, target in TARGETS.items()
        if name in found
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints a table."""
    config = tyro.cli(TrainingBenchmark, args=arguments)
    rows = measure(config, lambda line: print(line, flush=True))
    print("\n| what | ratio | lowest | highest | target | |\n|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row.line()) + " |")
    print(machine())
    return 0


if __name__ == "__main__":
    run_command(main)
