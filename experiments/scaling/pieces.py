"""Measures what training on actors consists of: `python -m experiments.scaling.pieces PIECES.json`.

The time of a game's step, of the policy's forward pass, of taking in a fragment, of an update, and
of sending a fragment with Ray. The simulation is built from these.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import torch
import tyro
from scipy.stats import linregress
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from baselines.checkpoints.network import tensors_of
from baselines.cluster.actor import Actor, ActorPart
from baselines.cluster.fragment import Fragment, joined
from baselines.cluster.games import RemoteGames, beginning
from baselines.cluster.home import Home
from baselines.cluster.start import running
from baselines.commands.command import reports_user_errors, run_command
from baselines.learner.ppo import PPO
from baselines.settings.train_config import TrainConfig
from baselines.training.model import as_learnt, fit_to_machine, make_model
from emerald_env.env.setting_types import NotNegative, Positive, Real, checked
from emerald_env.files.atomic import write_atomically
from emerald_env.files.output_files import check_output

GAMES = (4, 16)  # games of an actor whose rollouts are timed
WIDE = (16, 64, 128)  # games of a learner that takes in rollouts
ROLLOUTS = 4  # timed


@checked
@dataclass(frozen=True)
class Pieces:
    """Times in seconds and sizes in bytes, on one core unless stated otherwise.

    Slopes that were fitted may be slightly below 0, if there is nothing to measure.
    """

    game_step: Positive  # one game with its reward
    game_spread: NotNegative  # standard deviation of an actor's rollouts / their mean
    look_fixed: NotNegative  # the policy's forward pass for an actor's games, one step
    look_game: Real  # more for each game
    take_fixed: NotNegative  # the learner's taking in of one step of all games
    take_game: Real  # more for each game
    learn_sample: NotNegative  # an update, per sample
    learn_speedup: Positive  # gain of a second core
    sample_bytes: NotNegative  # of a fragment
    weights_bytes: NotNegative
    send_fixed: NotNegative  # sending a fragment with Ray on one machine
    send_byte: Real  # more for each byte


class Canned:
    """Stands for `Actors`: every rollout is the same."""

    def __init__(self, fragment: Fragment, n_envs: int, space: Any) -> None:
        self.games, self.firsts, self.losses = [range(n_envs)], [0], 0
        self._fragment, self._n_envs = fragment, n_envs
        parts = space.spaces.items()
        self._seen = {key: np.zeros((n_envs, *part.shape), part.dtype) for key, part in parts}

    def share(self, value: Any) -> Any:
        """Returns it."""
        return value

    def use_joined(self) -> None:
        """Does nothing."""

    def bring(self, paths: Sequence[Path]) -> None:
        """Does nothing."""

    def send(self, questions: Sequence[Any]) -> list[Any]:
        """Answers at once."""
        return [self._fragment for _ in questions]

    def answers(self, questions: Sequence[Any], sent: list[Any]) -> list[Any]:
        """Returns the answers."""
        return sent

    def each(self, method: str, arguments: Sequence[Any]) -> list[Any]:
        """Returns first observations."""
        return [self._seen]


def timed(
    work: Callable[[], Any], times: int = ROLLOUTS, clock: Callable[[], float] = process_time
) -> list[float]:
    """Returns the seconds of each repetition, after one that is not counted.

    The default clock is this process's processor time, which depends little on other load.
    """
    found = []
    for _ in range(times + 1):
        start = clock()
        work()
        found.append(clock() - start)
    return found[1:]


def part_of(n_envs: int) -> ActorPart:
    """Returns the part of an actor with `n_envs` games on one worker."""
    config = fit_to_machine(TrainConfig(n_envs=n_envs, n_workers=1, device="cpu"))
    return ActorPart(range(n_envs), 1, config, Home.here(None))


class Played:
    """An actor with its games, and weights to play with."""

    def __init__(self, n_envs: int) -> None:
        self.part = part_of(n_envs)
        self.actor = Actor(self.part)
        self.model: PPO = self.actor._model
        self.actor.reset([0])
        games = self.model.get_env()
        assert games is not None
        self.model._last_obs = games.reset()
        self.model._last_episode_starts = np.ones(n_envs, np.bool_)
        parts = tensors_of(self.model.policy).items()
        self.weights = {name: part.numpy().copy() for name, part in parts}
        self.fragment: Any = None

    def play(self) -> None:
        """Plays a rollout."""
        self.fragment = self.actor.play(self.weights, beginning(self.model))

    def look(self) -> None:
        """Runs the policy's forward pass as often as in a rollout."""
        for _ in range(self.model.n_steps):
            self.model.act()


def widened(fragment: Fragment, times: int) -> Fragment:
    """Returns a fragment whose games are repeated `times` times."""
    games = fragment.rewards.shape[1]
    copies = [fragment._replace(endings=[[] for _ in fragment.endings])] * times
    return joined(copies, range(0, times * games, games))


class Nothing(BaseCallback):
    """A callback that does nothing."""

    def _on_step(self) -> bool:
        return True


def taking(played: Played, n_envs: int) -> tuple[PPO, Callable[[], Any]]:
    """Returns a learner with `n_envs` games, and a function that takes in a rollout of them."""
    config = replace(played.part.config, n_envs=n_envs)
    fragment = widened(played.fragment, n_envs // len(played.part.games))
    space = played.actor._games.observation_space
    games = as_learnt(config, RemoteGames(config, Canned(fragment, n_envs, space)))  # type: ignore[arg-type]
    model = make_model(config, games)
    model.set_logger(Logger(None, []))
    _, callback = model._setup_learn(1 << 40, Nothing())

    def take() -> None:
        torch.set_num_threads(1)
        model.collect_rollouts(model.get_env(), callback, model.rollout_buffer, model.n_steps)  # type: ignore[arg-type]

    return model, take


def learning(model: PPO, threads: int) -> float:
    """Returns the seconds of an update per sample."""
    torch.set_num_threads(threads)
    model.speed = model.speed._replace(shards=threads)
    clock = process_time if threads == 1 else perf_counter
    seconds = min(timed(model.train, 2, clock))
    return seconds / (model.n_steps * model.n_envs)


def line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Returns offset and slope of the straight line through points."""
    fitted = linregress([x for x, _ in points], [y for _, y in points])
    return max(0.0, float(fitted.intercept)), float(fitted.slope)


def sending(fragment: Fragment) -> tuple[float, float]:
    """Returns the seconds in which Ray sends a fragment: a fixed part, and a part per byte."""
    points = []
    with running("local") as ray:
        sender = ray.remote(Sender).remote()
        for times in (1, 4):
            what = widened(fragment, times)
            seconds = min(timed(partial(brought, ray, sender, what), 20, perf_counter))
            points.append((float(size_of(what)), seconds / 2))  # there and back
    return line(points)


class Sender:
    """An actor that returns its argument."""

    def bring(self, what: Any) -> Any:
        """Returns it."""
        return what


def brought(ray: Any, sender: Any, what: Any) -> Any:
    """Returns what an actor returns."""
    return ray.get(sender.bring.remote(what))


def size_of(fragment: Fragment) -> int:
    """Returns the bytes of a fragment's arrays."""
    arrays = [*fragment.observations.values(), *fragment[1:6]]
    return sum(array.nbytes for array in arrays)


def measure() -> Pieces:
    """Measures all pieces on this machine."""
    torch.set_num_threads(1)
    looks, steps, spreads = [], [], []
    for n_envs in GAMES:
        played = Played(n_envs)
        rollouts = timed(played.play)
        n_steps = played.model.n_steps
        look = median(timed(played.look)) / n_steps
        looks.append((float(n_envs), look))
        steps.append((median(rollouts) / n_steps - look) / n_envs)
        spreads.append(float(np.std(rollouts) / np.mean(rollouts)))
    takes, learn = [], {}
    for n_envs in WIDE:
        model, take = taking(played, n_envs)
        takes.append((float(n_envs), median(timed(take, 3)) / model.n_steps))
        if n_envs == WIDE[0]:
            learn = {threads: learning(model, threads) for threads in (1, 2)}
    samples = played.fragment.rewards.size
    send_fixed, send_byte = sending(played.fragment)
    look_fixed, look_game = line(looks)
    take_fixed, take_game = line(takes)
    return Pieces(
        game_step=steps[-1],
        game_spread=spreads[0],
        look_fixed=look_fixed,
        look_game=look_game,
        take_fixed=take_fixed,
        take_game=take_game,
        learn_sample=learn[1],
        learn_speedup=learn[1] / learn[2],
        sample_bytes=size_of(played.fragment) / samples,
        weights_bytes=float(sum(part.nbytes for part in played.weights.values())),
        send_fixed=send_fixed,
        send_byte=send_byte,
    )


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints and writes the pieces; returns the exit status."""
    path: Path = tyro.cli(tyro.conf.Positional[Path], args=arguments)
    check_output(path)  # before minutes of measuring
    pieces = measure()
    content = json.dumps(asdict(pieces), indent=1)
    write_atomically(path, (content + "\n").encode())
    print(content)
    return 0


if __name__ == "__main__":
    run_command(main)
