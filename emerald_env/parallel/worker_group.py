"""Many games on worker processes, several on each; steps do not pickle anything."""

import pickle
from collections.abc import Callable, Sequence, Set
from itertools import pairwise, zip_longest
from numbers import Integral
from operator import itemgetter
from typing import Any, Final, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, NoAsyncCallError
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from emerald_env.env.observation_parts import as_parts, map_parts, unwrapped
from emerald_env.parallel.cpu_placement import available_cores
from emerald_env.parallel.lost_episodes import LostEpisodes
from emerald_env.parallel.worker import REFUSALS, STEP, EnvMaker, Note, Shared
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.parallel.worker_process import Worker, WorkerLimits, WorkerLost

S = TypeVar("S")
T = TypeVar("T")

DEFAULT_LIMITS: Final = WorkerLimits()
LOST: Final = "worker_lost"  # key of the last `info` of an episode that a lost worker cut short


class WorkerGroup:
    """The games of a vector env, and the processes that run them.

    A worker that crashes, hangs or is killed is replaced, and a warning logged with its traceback:
    its games' episodes end truncated with their last observation and the cause under LOST in
    `info`, and new ones begin.

    A step that is interrupted, or not waited for, is played, and what it returned is dropped by the
    next call; so is one that raises.

    Args:
        makers: for each game a picklable function that makes its env.
        space: the observation space of each.
        n_workers: processes; None: as many as CPU cores, at most one per game.
        limits: when a worker is replaced, and when the run gives up.
        autoreset: what follows an episode's last step.

    Attributes:
        workers: the processes.
        rewards, terminated, truncated: of the last step, (n_envs,); the next one overwrites them.

    Raises:
        ValueError: `n_workers` is no whole number of at least 1.
        WorkerError: a worker could not make its games, or, later, failed repeatedly.
    """

    def __init__(
        self,
        makers: Sequence[EnvMaker],
        space: spaces.Space[Any],
        n_workers: int | None = None,
        limits: WorkerLimits = DEFAULT_LIMITS,
        autoreset: AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        self.n_envs = n_envs = len(makers)
        n_workers = min(_count(n_workers), n_envs)
        shared = Shared.allocate(n_envs, space)
        self._actions, self.rewards = shared.actions.view(), shared.rewards.view()
        self.terminated, self.truncated = shared.terminated.view(), shared.truncated.view()
        self._observations = {key: block.view() for key, block in shared.observations.items()}
        self._lost = LostEpisodes(autoreset)
        self._last = self.observe()  # zeros: a resumed run steps games that it does not reset
        self._first_seed = 0
        self._stepping = self._closed = False
        self.workers: list[Worker] = []
        bounds = [k * n_envs // n_workers for k in range(n_workers + 1)]
        try:
            for number, own in enumerate(pairwise(bounds)):
                games, made = range(*own), makers[slice(*own)]
                self.workers.append(
                    Worker(number, n_workers, games, made, shared, limits, autoreset)
                )
            for worker in self.workers:
                worker.wait_for_start()
        except BaseException as error:
            self.close()
            raise WorkerError(str(error)) if isinstance(error, WorkerLost) else error from None

    @property
    def restarts(self) -> int:
        """How many workers were replaced so far."""
        return sum(worker.restarts for worker in self.workers)

    def observe(self) -> Any:
        """Returns a copy of the observations; the next step overwrites the shared ones.

        A game of a lost worker has the last one that was returned until its episode's end is told,
        and until the next begins, unless that is in the same step.
        """
        seen = {key: part.copy() for key, part in self._observations.items()}
        for game in self._lost.waiting():
            for key, last in as_parts(self._last).items():
                seen[key][game] = last[game]
        self._last = unwrapped(seen)
        return self._last

    def _replace(self, worker: Worker, cause: WorkerLost) -> None:
        """Replaces a lost worker; its games get seeds that no game had before."""
        self._lost.lose(worker.games, str(cause))
        first = self._first_seed + (self.restarts + 1) * self.n_envs
        worker.replace(cause, [first + game for game in worker.games])

    def reset(
        self,
        seeds: Sequence[int | None],
        options: Sequence[dict[str, Any] | None],
        wanted: NDArray[np.bool_] | None = None,
    ) -> list[dict[str, Any]]:
        """Resets games; returns the infos of all, empty ones for those that were not reset.

        Args:
            seeds: one a game.
            options: one a game.
            wanted: (n_envs,), which games; None: all.

        Raises:
            ValueError, gymnasium.error.Error: a game refused its seed or options, as it does alone;
                others may have been reset. The next call has to be a reset that is not refused.
            WorkerError: a game's reset raised something else, or a worker failed repeatedly.
        """
        self._settle()
        chosen = None if wanted is None else wanted.tolist()
        asked: list[tuple[Worker, tuple[Any, ...]]] = []
        for worker in self.workers:
            own = slice(worker.games.start, worker.games.stop)
            parts = (seeds[own], options[own], None if chosen is None else chosen[own])
            asked.append((worker, ("reset", *parts)))
        messages = [pickle.dumps((name, parts)) for _, (name, *parts) in asked]
        for worker, message in zip(self.workers, messages, strict=True):
            worker.send(message)
        infos: list[dict[str, Any]] = _all(lambda question: self._answer(*question), asked)
        self._lost.begun({game for game in range(self.n_envs) if wanted is None or wanted[game]})
        if seeds[0] is not None:
            self._first_seed = seeds[0]
        return infos

    def send_step(self, actions: NDArray[Any]) -> None:
        """Starts a step of every game."""
        self._settle()
        self._stepping = True
        self._actions[:] = actions
        waiting = self._lost.waiting()
        for worker in self.workers:
            worker.send(_step_without(waiting, worker.games) if waiting else STEP)

    def receive_step(self) -> list[Note]:
        """Waits for all games; returns a note of each episode that ended or began.

        Raises:
            NoAsyncCallError: no step was started, or another call came in between.
            WorkerError: a worker failed repeatedly, or the user's reward failed.
        """
        if not self._stepping:
            raise NoAsyncCallError("there is no step to wait for: start one", "step")
        self._stepping = False
        notes = _all(self._notes, self.workers)
        self._lost.told(self.terminated, self.truncated)
        return notes

    def _settle(self) -> None:
        """Drops what workers still owe, so that the next answer is that to the next message.

        Raises:
            ClosedEnvironmentError: the games are closed.
        """
        if self._closed:
            raise ClosedEnvironmentError("the games are closed: make them anew")
        self._stepping = False
        for worker in self.workers:
            while worker.owed:
                try:
                    worker.receive()
                except WorkerLost as cause:
                    self._replace(worker, cause)
                except (WorkerError, *REFUSALS):
                    pass  # of a call that nobody waits for

    def _notes(self, worker: Worker) -> list[Note]:
        try:
            notes: list[Note] = worker.receive()
        except WorkerLost as cause:
            self._replace(worker, cause)
            notes = []
        if waiting := self._lost.waiting():
            notes += [self._due(game) for game in worker.games if game in waiting]
        return notes

    def _due(self, game: int) -> Note:
        """Tells an episode's end, in this step, or its beginning where the next step tells that."""
        cause = self._lost.tell(game)
        self.rewards[game], self.terminated[game] = 0.0, False
        self.truncated[game] = cause is not None
        if cause is None:
            return Note(game, {})
        return Note(game, {LOST: cause}, map_parts(itemgetter(game), self._last), {})

    def ask(self, wanted: Sequence[int], name: str, *args: Any) -> list[Any]:
        """Returns what a method of `Games` answers for some games, in their order.

        Raises:
            WorkerError: a game's method raised, or what it returned cannot be sent.
        """
        self._settle()
        places = [[k for k, game in enumerate(wanted) if game in w.games] for w in self.workers]
        answers: dict[int, Any] = {}
        refused: list[WorkerError] = []
        # Workers answer in parallel, each one question at a time: with more, a worker and this
        # process could wait for each other, both with a full pipe.
        for together in zip_longest(*places):
            asked = [(w, k) for w, k in zip(self.workers, together, strict=True) if k is not None]
            for worker, k in asked:
                worker.send(pickle.dumps((name, (wanted[k] - worker.games.start, *args))))
            for worker, k in asked:
                try:
                    answers[k] = self._answer(worker, (name, wanted[k] - worker.games.start, *args))
                except WorkerError as error:
                    # raised once all have answered, so that no answer is left unread
                    refused.append(error)
        if refused:
            raise refused[0]
        return [answers[k] for k in range(len(wanted))]

    def _answer(self, worker: Worker, question: tuple[Any, ...]) -> Any:
        """Returns the answer to what a worker was sent; one that is lost is asked again once."""
        try:
            return worker.receive()
        except WorkerLost as cause:
            self._replace(worker, cause)  # the next step reports the ended episodes
        try:
            return worker.ask(*question)
        except WorkerLost as again:
            self._replace(worker, again)
            raise WorkerError(f"{question[0]} cannot be answered: {again}") from None

    def close(self) -> None:
        """Ends every worker; waits for each, and kills one that does not end."""
        if not self._closed:
            self._closed, self._stepping = True, False
            for worker in self.workers:
                worker.stop()


def _step_without(waiting: Set[int], games: range) -> bytes:
    """Returns the message for a step of a worker's games but for those that wait."""
    indices = [index for index, game in enumerate(games) if game in waiting]
    return pickle.dumps(("step", (indices,))) if indices else STEP


def _count(n_workers: int | None) -> int:
    if n_workers is None:
        return available_cores()
    if isinstance(n_workers, bool) or not isinstance(n_workers, Integral) or n_workers < 1:
        raise ValueError(
            f"n_workers must be a whole number of at least 1, got {n_workers!r}: leave it out for "
            "as many as CPU cores"
        )
    return int(n_workers)


def _all(read: Callable[[S], list[T]], sources: Sequence[S]) -> list[T]:
    """Returns what is read from every worker.

    Raises:
        WorkerError, ValueError, gymnasium.error.Error: the first; only once all have been read, so
            that no answer is left unread.
    """
    found: list[T] = []
    failed: list[Exception] = []
    for source in sources:
        try:
            found += read(source)
        except (WorkerError, *REFUSALS) as error:
            failed.append(error)
    if failed:
        raise failed[0]
    return found
