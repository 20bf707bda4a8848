"""Many games in parallel behind SB3's `VecEnv`."""

import multiprocessing
import os
import pickle
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import zip_longest
from multiprocessing.connection import Connection
from typing import Any, Literal

import numpy as np
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from emerald_env.actions import action_set
from emerald_env.config import EnvConfig
from emerald_env.env import reward_preset
from emerald_env.episode import make_env
from emerald_env.observation import observation_space
from emerald_env.recorder import Record
from emerald_env.worker import NOTHING, STEP, EnvMaker, Shared, run_worker
from rewards import Reward

STOP_SECONDS = 5.0


class WorkerError(RuntimeError):
    """A worker process failed; the message has its own traceback or how it died."""


class SharedMemoryVecEnv(VecEnv):
    """Games on worker processes, several on each, with nothing pickled while they run.

    The same interface and results as SB3's `SubprocVecEnv`. `terms` has the last step's reward
    terms, (n_envs, n_terms) float32, in the order of `term_names`.

    Args:
        makers: one picklable function a game that makes its env.
        space: the observation space of each.
        actions: the action space of each.
        term_names: the reward's terms, in their order.
        n_workers: processes; None: as many as CPU cores, at most one a game.

    Raises:
        WorkerError: a worker could not make its games.
    """

    def __init__(
        self,
        makers: Sequence[EnvMaker],
        space: spaces.Space[Any],
        actions: spaces.Space[Any],
        term_names: tuple[str, ...],
        n_workers: int | None = None,
    ) -> None:
        n_envs = len(makers)
        n_workers = min(n_workers or os.cpu_count() or 1, n_envs)
        self.term_names = term_names
        # Not fork: the trainer's torch threads would be copied in the middle of what they do.
        context = multiprocessing.get_context("spawn")
        shared = Shared.allocate(context, n_envs, len(term_names), space)
        self._actions, self._rewards = shared.actions.view(), shared.rewards.view()
        self._dones, self.terms = shared.dones.view(), shared.terms.view()
        self._observations = {key: block.view() for key, block in shared.observations.items()}
        self._ranges = [
            range(k * n_envs // n_workers, (k + 1) * n_envs // n_workers) for k in range(n_workers)
        ]
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        for own in self._ranges:
            self._start_worker(context, [makers[i] for i in own], own.start, shared)
        self._closed = False
        try:
            for worker in range(n_workers):
                self._receive(worker)
            super().__init__(n_envs, space, actions)
        except BaseException:
            self.close()
            raise

    def _start_worker(
        self, context: Any, makers: list[EnvMaker], first: int, shared: Shared
    ) -> None:
        ours, theirs = context.Pipe()
        process = context.Process(
            target=run_worker, args=(theirs, makers, first, shared), daemon=True
        )
        process.start()
        theirs.close()  # so that a dead worker is an end of file, not a silence
        self._connections.append(ours)
        self._processes.append(process)

    def _receive(self, worker: int) -> Any:
        try:
            message = self._connections[worker].recv_bytes()
        except (EOFError, ConnectionResetError):
            raise WorkerError(self._death_notice(worker)) from None
        if message == NOTHING:
            return []
        status, value = pickle.loads(message)
        if status == "error":
            raise WorkerError(f"worker {worker} failed; its own traceback:\n\n{value}")
        return value

    def _death_notice(self, worker: int) -> str:
        own, process = self._ranges[worker], self._processes[worker]
        process.join(STOP_SECONDS)
        return (
            f"worker {worker} (games {own.start} to {own.stop - 1}) died without a word, "
            f"exit code {process.exitcode} (-9: killed, often for want of memory; -11: a crash)"
        )

    def _send(self, worker: int, message: bytes | tuple[str, tuple[Any, ...]]) -> None:
        try:
            if isinstance(message, bytes):
                self._connections[worker].send_bytes(message)
            else:
                self._connections[worker].send(message)
        except (BrokenPipeError, ConnectionResetError):
            raise WorkerError(self._death_notice(worker)) from None

    def _observe(self) -> Any:
        # Copies: SB3 keeps the last observation while the next step overwrites the shared one.
        if isinstance(self.observation_space, spaces.Dict):
            return {key: array.copy() for key, array in self._observations.items()}
        return self._observations[""].copy()

    def reset(self) -> Any:
        """Resets every game; returns the first observations."""
        for worker, own in enumerate(self._ranges):
            self._send(worker, ("reset", ([self._seeds[i] for i in own],)))
        self.reset_infos = [
            info for worker in range(len(self._ranges)) for info in self._receive(worker)
        ]
        self._reset_seeds()
        self._reset_options()
        return self._observe()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Lets every game begin its step."""
        self._actions[:] = actions
        for worker in range(len(self._ranges)):
            self._send(worker, STEP)

    def step_wait(self) -> VecEnvStepReturn:
        """Waits for all games; returns observations, rewards, ends and infos."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for worker in range(len(self._ranges)):
            for index, info in self._receive(worker):
                infos[index] = info
        return self._observe(), self._rewards.copy(), self._dones.copy(), infos

    def close(self) -> None:
        """Ends every worker; waits for each, and kills one that does not end."""
        if self._closed:
            return
        self._closed = True
        for connection in self._connections:
            connection.close()
        for process in self._processes:
            process.join(STOP_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()

    def _ask(self, indices: VecEnvIndices, name: str, *args: Any) -> list[Any]:
        wanted = list(self._get_indices(indices))
        places = [[k for k, index in enumerate(wanted) if index in own] for own in self._ranges]
        answers: dict[int, Any] = {}
        # The workers answer side by side, each one question at a time: with more, a worker and we
        # could wait for each other, both with a full pipe.
        for together in zip_longest(*places):
            asked = [(worker, k) for worker, k in enumerate(together) if k is not None]
            for worker, k in asked:
                game = wanted[k] - self._ranges[worker].start
                self._send(worker, (name, (game, *args)))
            for worker, k in asked:
                answers[k] = self._receive(worker)
        return [answers[k] for k in range(len(wanted))]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute of some games' envs."""
        return self._ask(indices, "get", attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Sets an attribute of some games' envs."""
        self._ask(indices, "set", attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Calls a method of some games' envs; returns what each returned."""
        return self._ask(indices, "call", method_name, args, kwargs)

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Returns whether some games' envs have a wrapper."""
        return self._ask(indices, "wrapped", wrapper_class)

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Returns the current picture of every game, (160, 240, 3) uint8 RGB each."""
        return self.env_method("render")


def make_vec_env(
    config: EnvConfig,
    n_envs: int,
    n_workers: int | None = None,
    seed: int = 0,
    backend: Literal["shared", "subproc", "dummy"] = "shared",
    record: Record = "none",
) -> VecEnv:
    """Returns `n_envs` games that step together.

    Args:
        config: the settings of each game.
        n_envs: how many games.
        n_workers: processes of the backend "shared"; None: one a CPU core.
        seed: game `i` is seeded with `seed + i` at the first reset.
        backend: "shared" is ours; "subproc" and "dummy" are SB3's, for comparison.
        record: which episodes are recorded, see `Recorder`.

    Raises:
        WorkerError, FileNotFoundError, RomError: the games cannot be made.
    """
    if n_envs < 1:
        raise ValueError(f"n_envs must be at least 1, got {n_envs}")
    makers: Iterable[EnvMaker] = [
        partial(make_env, config, "rgb_array", record) for _ in range(n_envs)
    ]
    vec_env: VecEnv
    if backend == "shared":
        vec_env = SharedMemoryVecEnv(
            list(makers),
            observation_space(config),
            spaces.Discrete(len(action_set(config.action_set))),
            Reward(reward_preset(config)).terms,
            n_workers,
        )
    else:
        vec_env = (SubprocVecEnv if backend == "subproc" else DummyVecEnv)(list(makers))
    vec_env.seed(seed)
    return vec_env
