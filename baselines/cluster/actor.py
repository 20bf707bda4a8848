"""An actor's work: some of the games, with a copy of the policy. Independent of Ray."""

import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from baselines.checkpoints.network import tensors_of
from baselines.checkpoints.resume import show
from baselines.cluster import files
from baselines.cluster.fragment import Dice, Endings, Fragment, Memory, RolloutStart, together
from baselines.cluster.home import Home
from baselines.learner.ppo import PPO
from baselines.settings.train_config import TrainConfig
from baselines.training.model import as_seen, make_model, plain_games
from emerald_env.env.observation_parts import as_parts, parts_of, unwrapped

Weights = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class ActorPart:
    """What one actor plays."""

    games: range  # of all games
    n_workers: int
    config: TrainConfig  # of the whole run
    home: Home
    start: files.Contents = field(default_factory=dict, repr=False)  # where episodes begin

    def settings(self) -> TrainConfig:
        """Returns the settings of these games alone."""
        config, n_envs = self.config, len(self.games)
        return replace(
            config,
            n_envs=n_envs,
            # never trained on
            ppo=replace(config.ppo, batch_size=n_envs * config.ppo.n_steps),
            labels=replace(config.labels, stored=1),
            n_workers=self.n_workers,
            seed=config.seed + self.games.start,
            device="cpu",
            shards=1,
            ray=None,
            actors=None,
            overlap=False,
        )


class Tap(VecEnvWrapper):
    """Keeps the games' answers before frames are stacked.

    Attributes:
        cause: why all episodes end at the next step, in which no game is played; None: they do not.
        before: the observations before that step, (n_envs, ...) by key.
    """

    def __init__(self, games: VecEnv) -> None:
        super().__init__(games)
        self.cause: str | None = None
        self.before: dict[str, NDArray[Any]] = {}
        self.answers: list[tuple[Any, NDArray[Any], NDArray[Any]]] = []
        self.endings: list[Endings] = []
        self._first: Any = None

    def reset(self) -> Any:
        """Resets every game."""
        self.cause = None
        self._first = self.venv.reset()
        return self._first

    def step_async(self, actions: NDArray[Any]) -> None:
        """Starts a step of every game."""
        if self.cause is None:
            self.venv.step_async(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Waits for the games' answers, and keeps them."""
        answer = self.venv.step_wait() if self.cause is None else self._cut_short()
        observations, rewards, dones, infos = answer
        self.answers.append((observations, rewards, dones))
        self.endings.append([(game, copied(info)) for game, info in enumerate(infos) if info])
        return observations, rewards, dones, infos

    def _cut_short(self) -> VecEnvStepReturn:
        """Returns the answer of games that replaced others, whose episodes are over."""
        n_envs = self.num_envs
        lost = {"worker_lost": self.cause, "TimeLimit.truncated": True}
        infos: list[dict[str, Any]] = []
        for game in range(n_envs):
            seen = {key: part[game] for key, part in self.before.items()}
            infos.append(lost | {"terminal_observation": unwrapped(seen)})
        self.cause = None
        return self._first, np.zeros(n_envs, np.float32), np.ones(n_envs, np.bool_), infos

    def take(self) -> tuple[dict[str, NDArray[Any]], NDArray[Any], NDArray[Any], list[Endings]]:
        """Returns the answers since the last call, (n_steps, n_envs, ...) each part."""
        observations, rewards, dones = zip(*self.answers, strict=True)
        parts = [as_parts(each) for each in observations]
        stacked = {key: np.stack([part[key] for part in parts]) for key in parts[0]}
        endings, self.endings, self.answers = self.endings, [], []
        return stacked, np.stack(rewards), np.stack(dones), endings


def copied(info: dict[str, Any]) -> dict[str, Any]:
    """Returns a copy of an episode's last info, which frame stacking would change."""
    last = info.get("terminal_observation")
    return info | {"terminal_observation": dict(last)} if isinstance(last, dict) else dict(info)


class Actor:
    """Plays rollouts of its games with the learner's weights.

    Args:
        part: what it plays.

    Raises:
        FileNotFoundError, ValueError: this machine does not have the game's file.
        WorkerError: the games cannot be made.
    """

    def __init__(self, part: ActorPart) -> None:
        part.home.enter()
        files.keep(part.start)
        keep_main_from_workers()
        config = part.settings()
        self._games: Any = plain_games(config, part.games.start)
        self._tap = Tap(self._games)
        self._model: PPO = make_model(config, as_seen(config, self._tap), learns=False)
        self._model.policy.set_training_mode(False)

    def play(self, weights: Weights, beginning: RolloutStart) -> Fragment:
        """Plays a rollout of every game.

        Args:
            weights: the policy's, by name; what its parts share once.
            beginning: where it starts; the games themselves are where they were.
        """
        torch.set_num_threads(1)  # the cores are for the games; set here since it is per thread
        self._begin(weights, beginning)
        with self._model.packed():
            steps = [self._step() for _ in range(beginning.n_steps)]
        observations, rewards, dones, endings = self._tap.take()
        choices, memories = zip(*steps, strict=True)
        return Fragment(
            observations,
            rewards,
            dones,
            together(choices, np.stack, torch.stack),
            endings,
            self._needed(memories, dones),
            Dice.here(),
            self._games.restarts,
        )

    def _begin(self, weights: Weights, beginning: RolloutStart) -> None:
        model = self._model
        for name, own in tensors_of(model.policy).items():
            own.copy_(torch.tensor(weights[name]))
        games = model.get_env()
        assert games is not None
        model._last_obs = show(games, beginning.stacks)
        model._last_episode_starts = beginning.episode_starts
        model.set_memory([torch.tensor(state) for state in beginning.memory])
        self._tap.before = {
            key: stack[..., -self._newest(key) :] for key, stack in beginning.stacks.items()
        }
        model._current_progress_remaining = beginning.progress
        beginning.dice.restore()

    def _newest(self, key: str) -> int:
        """Returns how much of a stack's last axis is the latest observation."""
        part: Any = parts_of(self._games.observation_space)[key]
        return int(part.shape[-1])

    def _step(self) -> tuple[Any, Memory]:
        model = self._model
        chosen = model.act()
        memory = tuple(state.numpy() for state in model.memory())
        games = model.get_env()
        assert games is not None
        model._last_obs, rewards, model._last_episode_starts, _ = games.step(
            model.playable(chosen.actions)
        )
        model.see(rewards)
        return chosen, memory

    def _needed(self, memories: Sequence[Memory], dones: NDArray[Any]) -> dict[int, Memory]:
        """Returns the policy's memory where a sequence or an episode ends, by step."""
        ends: NDArray[np.bool_] = np.any(dones, axis=1)
        steps = range(len(memories))
        return {k: memories[k] for k in steps if (k + 1) % self._model.sequence == 0 or ends[k]}

    def reset(self, seeds: Sequence[int | None]) -> Any:
        """Resets every game; returns the first observations."""
        if seeds[0] is not None:
            self._games.seed(seeds[0])  # the others count on from it
        return self._tap.reset()

    def take_over(self, seed: int, cause: str) -> None:
        """Begins new episodes to replace those that were lost with another actor.

        Args:
            seed: of the first game.
            cause: how it was lost; the next step reports it.
        """
        self._games.seed(seed)
        self._tap.reset()
        self._tap.cause = cause

    def ask(
        self, kind: str, name: str, indices: Sequence[int], *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Calls a method of `VecEnv` on the games.

        Args:
            kind: that method: "env_method", "get_attr", "set_attr" or "env_is_wrapped".
            name: its first argument.
            indices: which games are asked, counted from this actor's first.
            *args: its others.
            **kwargs: its others.
        """
        answers = getattr(self._games, kind)(name, *args, indices=list(indices), **kwargs)
        return [None] * len(indices) if answers is None else list(answers)

    def missing(self, paths: Sequence[Path]) -> list[Path]:
        """Returns the states missing on this machine."""
        return files.missing(paths)

    def keep(self, contents: files.Contents) -> None:
        """Writes states missing on this machine, at the learner's path.

        Raises:
            OSError: they cannot be written.
        """
        files.keep(contents)

    def leaders(self) -> list[int]:
        """Returns the first game of each worker."""
        return list(self._games.leaders)

    def pid(self) -> int:
        """Returns the number of its process."""
        return os.getpid()

    def node(self) -> str:
        """Returns the name of the machine that it is on."""
        return socket.gethostname()


def keep_main_from_workers() -> None:
    """Prevents the games' processes from importing this process's main module, which is Ray's.

    That would take half a second and 60 MiB more for each.
    """
    main = sys.modules["__main__"]
    if "ray" in sys.modules and hasattr(main, "__file__"):
        main.__spec__ = None
        del main.__file__
