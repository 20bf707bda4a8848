"""Many games in parallel behind gymnasium's `VectorEnv`, without SB3 or torch."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from emerald_env.env.versions import make, make_version
from emerald_env.parallel.sendable import check_sendable
from emerald_env.parallel.worker import EnvMaker, Note
from emerald_env.parallel.worker_group import WorkerGroup

Infos = dict[str, Any]
Stepped = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]


class GamesVectorEnv(VectorEnv[Any, NDArray[Any], NDArray[Any]]):
    """Games on worker processes, see `WorkerGroup`; what `gymnasium.make_vec` makes.

    Observations, rewards and ends are those of `gymnasium.vector.SyncVectorEnv`. Infos are sent
    where an episode begins or ends and empty in between, so that steps pickle nothing. A lost
    worker's episodes end truncated, with the cause under "worker_lost".

    Args:
        makers: for each game a picklable function that makes its env.
        n_workers: processes; None: as many as CPU cores, at most one per game.
        autoreset_mode: what follows an episode's last step: "NextStep", "SameStep" or "Disabled".

    Raises:
        ValueError: there is no such autoreset mode, or no game, or `n_workers` is no whole number
            of at least 1.
        WorkerError: a worker could not make its games, or, later, failed repeatedly.
    """

    def __init__(
        self,
        makers: Sequence[EnvMaker],
        n_workers: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        if not makers:
            raise ValueError("num_envs must be at least 1")
        self.num_envs = len(makers)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        with closing(makers[0]()) as game:
            self.metadata = game.metadata | {"autoreset_mode": self.autoreset_mode}
            self.render_mode = game.render_mode
            self.single_observation_space = game.observation_space
            self.single_action_space = game.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._over = np.zeros(self.num_envs, np.bool_)  # whose last step ended an episode
        space, mode = self.single_observation_space, self.autoreset_mode
        self._group = WorkerGroup(makers, space, n_workers, autoreset=mode)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, Infos]:
        """Begins new episodes.

        Args:
            seed: of the first game, the next has one more; or one for each.
            options: for every game; under "reset_mask" (num_envs,) bool: which games.

        Returns:
            The first observations, and the infos.

        Raises:
            ValueError, gymnasium.error.Error: there are more or fewer seeds than games, or the mask
                is none; or a game refused its seed or options, as it does alone: reset again.
            WorkerError: a game's reset raised something else, or a worker failed repeatedly.
        """
        given = dict(options or {})
        wanted = self._mask(given.pop("reset_mask", None))
        infos: Infos = {}
        own = self._group.reset(self._seeds(seed), [given or None] * self.num_envs, wanted)
        for game, info in enumerate(own):
            infos = self._add_info(infos, info, game)
        self._over[slice(None) if wanted is None else wanted] = False
        return self._group.observe(), infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int):
            return list(range(seed, seed + self.num_envs))
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must have one for each of {self.num_envs}, got {len(seed)}")
        return list(seed)

    def _mask(self, mask: Any) -> NDArray[np.bool_] | None:
        if mask is None:
            return None
        chosen = np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
            raise ValueError(
                f"reset_mask must be ({self.num_envs},) bool with a True, got {mask!r}"
            )
        return chosen

    def step(self, actions: NDArray[Any]) -> Stepped:
        """Steps every game; see `AutoresetMode` for what follows an episode's last step.

        Raises:
            ValueError: the actions are not in the action space, or, with "Disabled", an episode
                that has ended was not reset.
            WorkerError: a worker failed repeatedly, or the user's reward failed: what the step
                returned is lost, as it is where Ctrl-C interrupts it.
            ClosedEnvironmentError: the games are closed.
        """
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Starts a step of every game, whose answer `step_wait` has to be asked for next."""
        chosen = np.asarray(actions)
        if chosen.shape != self.action_space.shape or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be ({self.num_envs},) whole numbers, got {chosen.dtype} "
                f"{chosen.shape}"
            )
        highest = int(self.single_action_space.n)  # type: ignore[attr-defined]
        if chosen.min() < 0 or chosen.max() >= highest:
            raise ValueError(f"actions must be 0 to {highest - 1}, got {chosen.tolist()}")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            ended = np.flatnonzero(self._over).tolist()
            raise ValueError(
                f"the episodes of games {ended} have ended: reset them with "
                'options={"reset_mask": terminations | truncations}'
            )
        self._group.send_step(chosen)

    def step_wait(self) -> Stepped:
        """Waits for all games; returns what `step` does."""
        group = self._group
        notes, infos = group.receive_step(), Infos()
        for note in notes:
            infos = self._add_info(infos, self._told(note), note.game)
        terminated, truncated = group.terminated.copy(), group.truncated.copy()
        self._over = terminated | truncated
        return group.observe(), group.rewards.copy(), terminated, truncated, infos

    def _told(self, note: Note) -> Infos:
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            return {"final_obs": note.last, "final_info": note.info} | (note.begun or {})
        return note.info

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Returns what a method of each game returns, or an attribute of each."""
        games = range(self.num_envs)
        return tuple(self._group.ask(games, "call_or_get", name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute of each game."""
        return tuple(self._group.ask(range(self.num_envs), "get", name))

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each game: a list or tuple has one value for each.

        Raises:
            ValueError: there are more or fewer values than games.
        """
        if not isinstance(values, list | tuple):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"values must be {self.num_envs}, got {len(values)}")
        for game, value in enumerate(values):
            self._group.ask([game], "set", name, value)

    def render(self) -> tuple[Any, ...]:
        """Returns the current picture of every game, (160, 240, 3) uint8 RGB each."""
        return self.call("render")

    def close_extras(self, **kwargs: Any) -> None:
        """Ends every worker."""
        if hasattr(self, "_group"):
            self._group.close()


def make_games(
    num_envs: int,
    version: str | None = None,
    n_workers: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    **settings: Any,
) -> GamesVectorEnv:
    """Returns what `gymnasium.make_vec("Emerald-v0", num_envs, ...)` makes.

    Args:
        num_envs: how many games.
        version: of the game, see `VERSIONS`; None: Emerald-v0.
        n_workers: processes; None: one a CPU core.
        autoreset_mode: what follows an episode's last step.
        settings: of each game.

    Raises:
        ValueError, TypeError, FileNotFoundError, RomError, WorkerError: the games cannot be made.
    """
    maker = partial(make, **settings)
    if version is not None:
        maker = partial(make_version, version, **settings)
    check_sendable(maker, "the settings")
    return GamesVectorEnv([maker] * num_envs, n_workers, autoreset_mode)


def make_any_games(
    num_envs: int,
    n_workers: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    max_episode_steps: int | None = None,
    **settings: Any,
) -> GamesVectorEnv:
    """Returns what `gymnasium.make_vec("GBA-v0", num_envs, ...)` makes.

    Args:
        num_envs: how many games.
        n_workers: processes; None: one a CPU core.
        autoreset_mode: what follows an episode's last step.
        max_episode_steps: after which an episode is truncated; None: never.
        settings: of each game, see `GBAEnv`.

    Raises:
        ValueError, FileNotFoundError, RomError, WorkerError: the games cannot be made.
    """
    maker = partial(
        gymnasium.make,
        "GBA-v0",
        max_episode_steps=max_episode_steps,
        disable_env_checker=True,
        **settings,
    )
    check_sendable(maker, "the settings")
    return GamesVectorEnv([maker] * num_envs, n_workers, autoreset_mode)
