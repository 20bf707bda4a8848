"""A process that runs some of the games and returns everything in shared memory.

It loads neither torch nor SB3, so it needs little memory and starts quickly.
"""

import ctypes
import multiprocessing
import os
import pickle
import select
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import copy_of
from emerald_env.parallel.cpu_placement import place_worker, poll_briefly

EnvMaker = Callable[[], gymnasium.Env[Any, Any]]
STEP = b"s"  # the one message of the hot path; everything else is a pickled command
NOTHING = b""  # the answer to it when no episode ended


@dataclass(frozen=True)
class SharedArray:
    """One shared array: memory that is freed with the last process that maps it, and its shape."""

    memory: Any
    shape: tuple[int, ...]
    dtype: str

    @classmethod
    def allocate(cls, shape: tuple[int, ...], dtype: Any) -> "SharedArray":
        """Returns a new block of zeros."""
        dtype = np.dtype(dtype)
        size = int(np.prod(shape)) * dtype.itemsize
        context = multiprocessing.get_context("spawn")
        return cls(context.RawArray(ctypes.c_uint8, size), shape, dtype.str)

    def view(self) -> NDArray[Any]:
        """Returns the array itself, without a copy."""
        return np.frombuffer(self.memory, self.dtype).reshape(self.shape)


@dataclass(frozen=True)
class Shared:
    """What trainer and workers share; the first axis of each block is the game."""

    actions: SharedArray  # (n_envs,) int64
    rewards: SharedArray  # (n_envs,) float32
    dones: SharedArray  # (n_envs,) bool
    observations: dict[str, SharedArray]  # (n_envs, ...) by key; "" for a space that is not a dict

    @classmethod
    def allocate(cls, n_envs: int, space: spaces.Space[Any]) -> "Shared":
        """Returns the blocks for `n_envs` games with this observation space."""
        parts = space.spaces if isinstance(space, spaces.Dict) else {"": space}
        return cls(
            actions=SharedArray.allocate((n_envs,), np.int64),
            rewards=SharedArray.allocate((n_envs,), np.float32),
            dones=SharedArray.allocate((n_envs,), np.bool_),
            observations={
                key: SharedArray.allocate((n_envs, *(part.shape or ())), part.dtype)
                for key, part in parts.items()
            },
        )


class Games:
    """The games of one worker, `first`, `first + 1`, ... of all."""

    def __init__(self, makers: list[EnvMaker], first: int, shared: Shared) -> None:
        self.envs = [maker() for maker in makers]
        own = slice(first, first + len(makers))
        self._first = first
        self._actions = shared.actions.view()[own]
        self._rewards = shared.rewards.view()[own]
        self._dones = shared.dones.view()[own]
        views = {key: block.view()[own] for key, block in shared.observations.items()}
        self._places: list[Any] = [
            views[""][i] if "" in views else {key: view[i] for key, view in views.items()}
            for i in range(len(makers))
        ]
        for env, place in zip(self.envs, self._places, strict=True):
            if isinstance(env.unwrapped, EmeraldEnv):
                env.unwrapped.observe_into(place)

    def _put(self, index: int, observation: Any) -> None:
        place = self._places[index]
        if observation is place:
            return
        if isinstance(observation, dict):
            for key, value in observation.items():
                place[key][:] = value
        else:
            place[:] = observation

    def reset(self, seeds: list[int | None]) -> list[dict[str, Any]]:
        """Resets every game; returns their infos."""
        infos = []
        for index, (env, seed) in enumerate(zip(self.envs, seeds, strict=True)):
            observation, info = env.reset(seed=seed)
            self._put(index, observation)
            infos.append(info)
        return infos

    def step(self) -> list[tuple[int, dict[str, Any]]]:
        """Steps every game; returns the infos of those whose episode ended, by game."""
        endings = []
        rewards, dones = [], []
        for index, (env, action) in enumerate(zip(self.envs, self._actions.tolist(), strict=True)):
            observation, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            rewards.append(reward)
            dones.append(done)
            if done:
                info["terminal_observation"] = copy_of(observation)
                info["TimeLimit.truncated"] = truncated and not terminated
                endings.append((self._first + index, info))
                observation, _ = env.reset()
            self._put(index, observation)
        self._rewards[:], self._dones[:] = rewards, dones
        return endings

    def call(self, index: int, name: str, args: Any, kwargs: Any) -> Any:
        """Returns what a method of one game's env returns."""
        return self.envs[index].get_wrapper_attr(name)(*args, **kwargs)

    def get(self, index: int, name: str) -> Any:
        """Returns an attribute of one game's env."""
        return self.envs[index].get_wrapper_attr(name)

    def set(self, index: int, name: str, value: Any) -> None:
        """Sets an attribute of one game's env."""
        self.envs[index].set_wrapper_attr(name, value)

    def wrapped(self, index: int, wrapper: type[gymnasium.Wrapper[Any, Any, Any, Any]]) -> bool:
        """Returns whether one game's env has this wrapper."""
        env: Any = self.envs[index]
        while isinstance(env, gymnasium.Wrapper):
            if isinstance(env, wrapper):
                return True
            env = env.env
        return False

    def close(self) -> None:
        """Switches every game off."""
        for env in self.envs:
            env.close()


def serve(connection: Connection, games: Games, has_core: bool = False) -> None:
    """Answers the trainer until it closes the connection.

    Args:
        connection: to the trainer.
        games: that it asks about.
        has_core: whether this process has a core to itself, and so may wait without sleep.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    while True:
        if has_core:
            poll_briefly(poll)
        message = connection.recv_bytes()
        if message == STEP:
            endings = games.step()
            if endings:
                connection.send(("ok", endings))
            else:
                connection.send_bytes(NOTHING)
        else:
            connection.send(answer(games, *pickle.loads(message)))


def answer(games: Games, name: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """Returns what a method of `games` returns, or the traceback of what it raised."""
    try:
        return "ok", getattr(games, name)(*arguments)
    except Exception:  # whatever a method of an env raises is for its caller
        if name == "reset":
            raise
        return "refused", traceback.format_exc()


def end_with_trainer() -> None:
    """Ends this process when the trainer's ends, even while a game hangs."""
    trainer = multiprocessing.parent_process()
    if trainer is not None:
        trainer.join()
        os._exit(1)


def run_worker(
    connection: Connection,
    makers: list[EnvMaker],
    first: int,
    shared: Shared,
    place: tuple[int, int],
) -> None:
    """The worker's main function: makes the games and serves them until the trainer is gone.

    A failure is sent to the trainer as its traceback. The process ends with the trainer.

    Args:
        connection: to the trainer.
        makers: for each game a function that makes its env.
        first: the number of the first of its games.
        shared: what it writes to.
        place: its number, and how many workers there are.
    """
    has_core = place_worker(*place)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # signals to the whole group are for the trainer to handle; it ends its workers
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=end_with_trainer, daemon=True).start()
    games = None
    try:
        games = Games(makers, first, shared)
        connection.send(("ok", None))
        serve(connection, games, has_core)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    except Exception:  # the process ends here, and the trainer must be told why
        connection.send(("error", traceback.format_exc()))
    finally:
        if games is not None:
            games.close()
