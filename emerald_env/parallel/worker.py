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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from emerald_env.env.observation import copy_of
from emerald_env.env.observation_parts import as_parts, parts_of, unwrapped
from emerald_env.files.own_code import OwnCodeError
from emerald_env.parallel.cpu_placement import place_worker, poll_briefly

EnvMaker = Callable[[], gymnasium.Env[Any, Any]]
STEP = b"s"  # the one message of the hot path; everything else is a pickled command
NOTHING = b""  # the answer to it when no episode ended or began
REFUSALS = (ValueError, gymnasium.error.Error)  # of a reset: its seed or options are to blame


class Note(NamedTuple):
    """That a game's episode ended in a step, or that one began in it."""

    game: int
    info: dict[str, Any]  # of the episode's last step, or of the reset
    last: Any = None  # the ended episode's last observation, where the new one's is already shown
    begun: dict[str, Any] | None = None  # the new episode's info then


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
    rewards: SharedArray  # (n_envs,) float64
    terminated: SharedArray  # (n_envs,) bool
    truncated: SharedArray  # (n_envs,) bool
    observations: dict[str, SharedArray]  # (n_envs, ...) by key; "" for a space that is not a dict

    @classmethod
    def allocate(cls, n_envs: int, space: spaces.Space[Any]) -> "Shared":
        """Returns the blocks for `n_envs` games with this observation space."""
        return cls(
            actions=SharedArray.allocate((n_envs,), np.int64),
            rewards=SharedArray.allocate((n_envs,), np.float64),
            terminated=SharedArray.allocate((n_envs,), np.bool_),
            truncated=SharedArray.allocate((n_envs,), np.bool_),
            observations={
                key: SharedArray.allocate((n_envs, *(part.shape or ())), part.dtype)
                for key, part in parts_of(space).items()
            },
        )


class Games:
    """The games of one worker, `first`, `first + 1`, ... of all.

    Args:
        makers: for each game a function that makes its env.
        first: the number of the first.
        shared: what they write to.
        autoreset: what follows an episode's last step.
    """

    def __init__(
        self,
        makers: list[EnvMaker],
        first: int,
        shared: Shared,
        autoreset: AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        self.envs = [maker() for maker in makers]
        own = slice(first, first + len(makers))
        self._first, self._autoreset = first, autoreset
        self._over: set[int] = set()  # games whose next step begins an episode
        self._actions = shared.actions.view()[own]
        self._rewards = shared.rewards.view()[own]
        self._terminated = shared.terminated.view()[own]
        self._truncated = shared.truncated.view()[own]
        views = {key: block.view()[own] for key, block in shared.observations.items()}
        self._places: list[Any] = [
            unwrapped({key: view[i] for key, view in views.items()}) for i in range(len(makers))
        ]
        for env, place in zip(self.envs, self._places, strict=True):
            if env.has_wrapper_attr("observe_into"):
                env.get_wrapper_attr("observe_into")(place)

    def _put(self, index: int, observation: Any) -> None:
        place = self._places[index]
        if observation is place:
            return
        places = as_parts(place)
        for key, value in as_parts(observation).items():
            places[key][:] = value

    def reset(
        self, seeds: Sequence[int | None], options: Any = None, wanted: Any = None
    ) -> list[dict[str, Any]]:
        """Resets games; returns their infos, empty ones for those that were not reset.

        Args:
            seeds: one a game.
            options: one a game; None: none.
            wanted: whether to reset it, one a game; None: all are.
        """
        infos: list[dict[str, Any]] = [{} for _ in self.envs]
        for index, env in enumerate(self.envs):
            if wanted is None or wanted[index]:
                option = None if options is None else options[index]
                observation, infos[index] = env.reset(seed=seeds[index], options=option)
                self._over.discard(index)
                self._put(index, observation)
        return infos

    def step(self, waiting: Sequence[int] = ()) -> list[Note]:
        """Steps every game; returns a note of each episode that ended or began.

        Args:
            waiting: games that are not played, of this worker's, from 0.
        """
        notes = []
        rewards, terminations, truncations = [], [], []
        for index, (env, action) in enumerate(zip(self.envs, self._actions.tolist(), strict=True)):
            reward: SupportsFloat = 0.0
            terminated = truncated = False
            if index in self._over:
                notes.append(Note(self._first + index, self._begin(index)))
            elif index not in waiting:
                observation, reward, terminated, truncated, info = env.step(action)
                if terminated or truncated:
                    notes.append(self._end(index, observation, info))
                else:
                    self._put(index, observation)
            rewards.append(reward)
            terminations.append(terminated)
            truncations.append(truncated)
        self._rewards[:] = rewards
        self._terminated[:], self._truncated[:] = terminations, truncations
        return notes

    def _end(self, index: int, observation: Any, info: dict[str, Any]) -> Note:
        game = self._first + index
        if self._autoreset is AutoresetMode.SAME_STEP:
            last = copy_of(observation)
            return Note(game, info, last, self._begin(index))
        self._put(index, observation)
        if self._autoreset is AutoresetMode.NEXT_STEP:
            self._over.add(index)
        return Note(game, info)

    def _begin(self, index: int) -> dict[str, Any]:
        self._over.discard(index)
        observation, info = self.envs[index].reset()
        self._put(index, observation)
        return info

    def call(self, index: int, name: str, args: Any, kwargs: Any) -> Any:
        """Returns what a method of one game's env returns."""
        return self.envs[index].get_wrapper_attr(name)(*args, **kwargs)

    def call_or_get(self, index: int, name: str, args: Any, kwargs: Any) -> Any:
        """Returns what a method of one game's env returns, or its attribute of that name."""
        found = self.get(index, name)
        return found(*args, **kwargs) if callable(found) else found

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
            notes = games.step()
            if notes:
                connection.send(("ok", notes))
            else:
                connection.send_bytes(NOTHING)
        else:
            connection.send_bytes(answer(games, message))


def answer(games: Games, message: bytes) -> bytes:
    """Returns what a method of `games` returns, or why it does not; pickled.

    Raises:
        Exception: what a step raised, or a reset that is none of `REFUSALS`, or the user's code.
    """
    name = ""
    try:
        name, arguments = pickle.loads(message)
        answered = getattr(games, name)(*arguments)
    except Exception as error:  # whatever a method of an env raises is for its caller
        if name not in ("reset", "step"):
            return pickle.dumps(("refused", traceback.format_exc()))
        if name == "reset" and isinstance(error, REFUSALS) and not isinstance(error, OwnCodeError):
            return refusal(error)
        raise
    try:
        return pickle.dumps(("ok", answered))
    except Exception:  # what cannot be sent is no reason to end the games
        return pickle.dumps(("refused", traceback.format_exc()))


def refusal(error: Exception) -> bytes:
    """Returns the answer that an error is, with its traceback; only that if it has no pickle."""
    trace = traceback.format_exc()
    try:
        return pickle.dumps(("refusal", (pickle.dumps(error), trace)))
    except Exception:
        return pickle.dumps(("refused", trace))


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
    autoreset: AutoresetMode,
) -> None:
    """The worker's main function: makes the games and serves them until the trainer is gone.

    A failure is sent to the trainer as its traceback. The process ends with the trainer.

    Args:
        connection: to the trainer.
        makers: for each game a function that makes its env.
        first: the number of the first of its games.
        shared: what it writes to.
        place: its number, and how many workers there are.
        autoreset: what follows an episode's last step.
    """
    has_core = place_worker(*place)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # signals to the whole group are for the trainer to handle; it ends its workers
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=end_with_trainer, daemon=True).start()
    games = None
    try:
        games = Games(makers, first, shared, autoreset)
        connection.send(("ok", None))
        serve(connection, games, has_core)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    except OwnCodeError as error:  # the user's own code: another process would fail as well
        connection.send(("wrong", str(error)))
    except Exception:  # the process ends here, and the trainer must be told why
        connection.send(("error", traceback.format_exc()))
    finally:
        if games is not None:
            games.close()
