"""Many games in parallel behind SB3's `VecEnv`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from emerald_env.parallel.worker import EnvMaker
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.parallel.worker_group import DEFAULT_LIMITS, WorkerGroup
from emerald_env.parallel.worker_process import WorkerLimits

__all__ = ["DEFAULT_LIMITS", "SharedMemoryVecEnv", "WorkerError", "WorkerLimits"]


class SharedMemoryVecEnv(VecEnv):
    """Games on worker processes, see `WorkerGroup`.

    The same interface and results as SB3's `SubprocVecEnv`, but for infos: there is one at an
    episode's end alone. A lost worker's episodes end with the cause under "worker_lost".

    Args:
        makers: for each game a picklable function that makes its env.
        space: the observation space of each.
        actions: the action space of each.
        n_workers: processes; None: as many as CPU cores, at most one per game.
        limits: when a worker is replaced, and when the run gives up.

    Raises:
        ValueError: `n_workers` is no whole number of at least 1.
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
        self._group = WorkerGroup(makers, space, n_workers, limits)
        self._workers = self._group.workers
        try:
            super().__init__(len(makers), space, actions)
        except BaseException:
            self.close()
            raise

    @property
    def restarts(self) -> int:
        """How many workers were replaced so far."""
        return self._group.restarts

    @property
    def leaders(self) -> list[int]:
        """The first game of each worker: workers answer questions in parallel."""
        return [worker.games.start for worker in self._workers]

    def reset(self) -> Any:
        """Resets every game; returns the first observations.

        Raises:
            ValueError, gymnasium.error.Error: a game refused its seed or options.
            WorkerError: a game's reset raised something else, or a worker failed repeatedly.
        """
        self.reset_infos = self._group.reset(self._seeds, self._options)
        self._reset_seeds()
        self._reset_options()
        return self._group.observe()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Starts a step of every game, whose answer `step_wait` has to be asked for next."""
        self._group.send_step(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Waits for all games; returns observations, rewards, ends and infos."""
        group = self._group
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for note in group.receive_step():
            cut = bool(group.truncated[note.game] and not group.terminated[note.game])
            ending = {"terminal_observation": note.last, "TimeLimit.truncated": cut}
            infos[note.game] = note.info | ending
        dones = group.terminated | group.truncated
        return group.observe(), group.rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Ends every worker; waits for each, and kills one that does not end."""
        self._group.close()

    def _ask(self, indices: VecEnvIndices, name: str, *args: Any) -> list[Any]:
        return self._group.ask(list(self._get_indices(indices)), name, *args)

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
