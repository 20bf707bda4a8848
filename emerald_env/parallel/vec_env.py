"""Many games in parallel behind SB3's `VecEnv`."""

import os
import pickle
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from emerald_env.parallel.worker import STEP, EnvMaker, Shared
from emerald_env.parallel.worker_process import Worker, WorkerError, WorkerLimits, WorkerLost

__all__ = ["SharedMemoryVecEnv", "WorkerError", "WorkerLimits"]
DEFAULT_LIMITS = WorkerLimits()


class SharedMemoryVecEnv(VecEnv):
    """Games on worker processes, several on each; steps do not pickle anything.

    The same interface and results as SB3's `SubprocVecEnv`.

    A worker that crashes, hangs or is killed is replaced, and a warning logged with its traceback:
    its games' episodes end truncated with their last observation and the cause under
    "worker_lost" in `info`, and new ones begin.

    Args:
        makers: for each game a picklable function that makes its env.
        space: the observation space of each.
        actions: the action space of each.
        n_workers: processes; None: as many as CPU cores, at most one per game.
        limits: when a worker is replaced, and when the run gives up.

    Raises:
        WorkerError: a worker could not make its games, or, later, failed repeatedly.
    """

    def __init__(
        self,
        makers: Sequence[EnvMaker],
        space: spaces.Space[Any],
        actions: spaces.Space[Any],
        n_workers: int | None = None,
        limits: WorkerLimits = DEFAULT_LIMITS,
    ) -> None:
        n_envs = len(makers)
        n_workers = min(n_workers or os.cpu_count() or 1, n_envs)
        shared = Shared.allocate(n_envs, space)
        self._actions, self._rewards = shared.actions.view(), shared.rewards.view()
        self._dones = shared.dones.view()
        self._observations = {key: block.view() for key, block in shared.observations.items()}
        bounds = [k * n_envs // n_workers for k in range(n_workers + 1)]
        self._workers: list[Worker] = []
        self._last: Any = None
        self._first_seed = 0
        self._closed = False
        try:
            for number, own in enumerate(pairwise(bounds)):
                games = range(*own)
                worker = Worker(number, n_workers, games, makers[slice(*own)], shared, limits)
                self._workers.append(worker)
            for worker in self._workers:
                worker.wait_for_start()
            super().__init__(n_envs, space, actions)
        except BaseException as error:
            self.close()
            raise WorkerError(str(error)) if isinstance(error, WorkerLost) else error from None

    @property
    def restarts(self) -> int:
        """How many workers were replaced so far."""
        return sum(worker.restarts for worker in self._workers)

    @property
    def leaders(self) -> list[int]:
        """The first game of each worker: workers answer questions in parallel."""
        return [worker.games.start for worker in self._workers]

    def _observe(self) -> Any:
        # Copies: SB3 keeps the last observation, and the next step overwrites the shared one.
        if isinstance(self.observation_space, spaces.Dict):
            self._last = {key: array.copy() for key, array in self._observations.items()}
        else:
            self._last = self._observations[""].copy()
        return self._last

    def _replace(self, worker: Worker, cause: WorkerLost) -> None:
        """Replaces a lost worker; its games get seeds that no game had before."""
        first = self._first_seed + (self.restarts + 1) * self.num_envs
        worker.replace(cause, [first + game for game in worker.games])

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the seeds of the next reset: `seed` for the first game, one more for each."""
        seeds = super().seed(seed)
        self._first_seed = seeds[0] or 0
        return seeds

    def reset(self) -> Any:
        """Resets every game; returns the first observations."""
        for worker in self._workers:
            worker.send(pickle.dumps(("reset", ([self._seeds[i] for i in worker.games],))))
        self.reset_infos = [info for worker in self._workers for info in self._first_infos(worker)]
        self._reset_seeds()
        self._reset_options()
        return self._observe()

    def _first_infos(self, worker: Worker) -> list[dict[str, Any]]:
        try:
            infos: list[dict[str, Any]] = worker.receive()
        except WorkerLost as cause:
            self._replace(worker, cause)
            infos = [{} for _ in worker.games]
        worker.interrupted = None  # no episode was under way
        return infos

    def step_async(self, actions: NDArray[Any]) -> None:
        """Starts a step of every game."""
        self._actions[:] = actions
        for worker in self._workers:
            if worker.interrupted is None:
                worker.send(STEP)

    def step_wait(self) -> VecEnvStepReturn:
        """Waits for all games; returns observations, rewards, ends and infos."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for worker in self._workers:
            for index, info in self._endings(worker):
                infos[index] = info
        return self._observe(), self._rewards.copy(), self._dones.copy(), infos

    def _endings(self, worker: Worker) -> list[tuple[int, dict[str, Any]]]:
        """Returns the infos of the episodes that ended, by game."""
        if worker.interrupted is None:
            try:
                endings: list[tuple[int, dict[str, Any]]] = worker.receive()
                return endings
            except WorkerLost as cause:
                self._replace(worker, cause)
        cause_of_end, worker.interrupted = worker.interrupted, None
        own = slice(worker.games.start, worker.games.stop)
        self._rewards[own], self._dones[own] = 0.0, True
        return [(game, self._cut_short(game, cause_of_end)) for game in worker.games]

    def _cut_short(self, game: int, cause: str | None) -> dict[str, Any]:
        last = self._last
        seen = {k: v[game] for k, v in last.items()} if isinstance(last, dict) else last[game]
        return {"terminal_observation": seen, "TimeLimit.truncated": True, "worker_lost": cause}

    def close(self) -> None:
        """Ends every worker; waits for each, and kills one that does not end."""
        if not self._closed:
            self._closed = True
            for worker in self._workers:
                worker.stop()

    def _ask(self, indices: VecEnvIndices, name: str, *args: Any) -> list[Any]:
        wanted = list(self._get_indices(indices))
        places = [[k for k, game in enumerate(wanted) if game in w.games] for w in self._workers]
        answers: dict[int, Any] = {}
        refused: list[WorkerError] = []
        # Workers answer in parallel, each one question at a time: with more, a worker and this
        # process could wait for each other, both with a full pipe.
        for together in zip_longest(*places):
            asked = [(w, k) for w, k in zip(self._workers, together, strict=True) if k is not None]
            for worker, k in asked:
                worker.send(pickle.dumps((name, (wanted[k] - worker.games.start, *args))))
            for worker, k in asked:
                try:
                    answers[k] = self._answer(worker, (name, wanted[k] - worker.games.start, *args))
                except WorkerError as error:
                    refused.append(
                        error
                    )  # raised once all have answered, so that no answer is left unread
        if refused:
            raise refused[0]
        return [answers[k] for k in range(len(wanted))]

    def _answer(self, worker: Worker, question: tuple[Any, ...]) -> Any:
        try:
            return worker.receive()
        except WorkerLost as cause:
            self._replace(worker, cause)  # the next step reports the ended episodes
        try:
            return worker.ask(*question)
        except WorkerLost as again:
            self._replace(worker, again)
            raise WorkerError(f"{question[0]} cannot be answered: {again}") from None

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
