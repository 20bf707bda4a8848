"""The trainer's side of a worker process: starting it, talking to it, replacing it."""

import atexit
import logging
import multiprocessing
import pickle
import select
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from time import monotonic
from typing import Any

import psutil
from gymnasium.vector import AutoresetMode

from emerald_env.parallel.worker import NOTHING, REFUSALS, EnvMaker, Shared, run_worker
from emerald_env.parallel.worker_error import WorkerError

LOG = logging.getLogger(__name__)
STOP_SECONDS = 5.0
START_METHOD = "spawn"  # not fork: it would copy torch's threads in the middle of their work
MINUTE = 60.0


class WorkerLost(Exception):
    """A worker crashed, hangs or was killed; the message says how, with its traceback."""


@dataclass(frozen=True)
class WorkerLimits:
    """Worker timeout and restart limits."""

    seconds: float = 60.0  # for an answer; while it computes, those of its processor count
    start_seconds: float = 120.0  # for making the games
    failures: int = 3  # of one worker within a minute, after which WorkerError is raised

    def __post_init__(self) -> None:
        if min(self.seconds, self.start_seconds) <= 0 or self.failures < 1:
            raise ValueError(f"seconds must be above 0 and failures at least 1, got {self}")


def processor_seconds(pid: int | None) -> float | None:
    """Returns a process's processor time while it computes or could; None if it sleeps or ended."""
    try:
        process = psutil.Process(pid)
        times = process.cpu_times()
        return times.user + times.system if process.status() == psutil.STATUS_RUNNING else None
    except psutil.Error:
        return None


class Worker:
    """One worker process, or its replacement.

    Args:
        number: of the worker, from 0.
        n_workers: how many there are.
        games: the games that it runs, of all.
        makers: one function per game.
        shared: what it writes to.
        limits: when it is replaced, and when the run gives up.
        autoreset: what follows an episode's last step.

    Attributes:
        restarts: how many times it was replaced.
        owed: how many answers it owes; more than none after a call that was interrupted.
    """

    def __init__(
        self,
        number: int,
        n_workers: int,
        games: range,
        makers: Sequence[EnvMaker],
        shared: Shared,
        limits: WorkerLimits,
        autoreset: AutoresetMode,
    ) -> None:
        self.number, self.n_workers, self.games = number, n_workers, games
        self.restarts = self.owed = 0
        self._makers, self._shared, self._limits = list(makers), shared, limits
        self._autoreset = autoreset
        self._failures: deque[float] = deque(maxlen=limits.failures)
        self._start()

    def _start(self) -> None:
        context: BaseContext = multiprocessing.get_context(START_METHOD)
        self._connection, theirs = context.Pipe()
        self._poll = select.poll()
        self._poll.register(self._connection.fileno(), select.POLLIN)
        place = (self.number, self.n_workers)
        own = (self.games.start, self._shared, place, self._autoreset)
        arguments = (theirs, self._makers, *own)
        self.process = context.Process(target=run_worker, args=arguments, daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        self.owed = 1  # that it has made its games
        self._told = ""  # of the user's code, whose error ended it
        # on exit Python sends its children SIGTERM, which ours leave to the trainer, and waits
        atexit.register(self.process.kill)
        theirs.close()  # so that a worker's death is seen as an end of file

    @property
    def _name(self) -> str:
        return f"worker {self.number} (games {self.games.start} to {self.games.stop - 1})"

    def send(self, message: bytes) -> None:
        """Sends a message; a failure shows when the answer is read."""
        try:
            self._connection.send_bytes(message)
            self.owed += 1
        except OSError:  # it has ended, or was lost too often to be replaced
            pass
        except BaseException:  # such as Ctrl-C: it may have a part of the message
            self.stop(0.0)
            raise

    def wait_for_start(self) -> None:
        """Returns when the worker has made its games.

        Raises:
            WorkerLost: it could not.
        """
        self._receive(self._limits.start_seconds)

    def receive(self) -> Any:
        """Returns the answer to what was sent.

        Raises:
            WorkerLost: it died, an exception ended it, or it did not answer in time.
            WorkerError: a method of one game raised, or what it returned cannot be sent; the worker
                keeps running. Or the user's reward failed; the worker has ended.
            ValueError, gymnasium.error.Error: a reset's seed or options were refused.
        """
        return self._receive(self._limits.seconds)

    def _receive(self, seconds: float) -> Any:
        if not self.owed:  # it could not be sent anything
            raise WorkerLost(self._death_notice())
        self._await(seconds)
        try:
            message = self._connection.recv_bytes()
            self.owed -= 1
        except (EOFError, OSError):  # also in the middle of its message
            raise WorkerLost(self._death_notice()) from None
        except BaseException:  # such as Ctrl-C: a part of the message may have been read
            self.stop(0.0)
            raise
        if message == NOTHING:
            return []
        try:
            status, value = pickle.loads(message)
        except Exception as error:  # of a class that only the worker has, or that says so itself
            raise WorkerError(f"{self._name} answered what cannot be read: {error!r}") from error
        if status == "ok":
            return value
        if status == "wrong":
            self._told = value
            raise WorkerError(value)
        if status == "refusal":
            raise self._refusal(*value)
        kind = WorkerError if status == "refused" else WorkerLost
        raise kind(self._failure(value))

    def _failure(self, trace: str) -> str:
        return f"{self._name} failed; its own traceback:\n\n{trace}"

    def _refusal(self, pickled: bytes, trace: str) -> Exception:
        """Returns the error that a game raised, as it did; what the worker saw is its cause."""
        cause = WorkerError(self._failure(trace))
        try:
            error: Exception = pickle.loads(pickled)
        except Exception:  # its class is not made from what it was made of here
            return cause
        error.__cause__ = cause
        return error

    def _await(self, seconds: float) -> None:
        """Waits second by second, so that pausing the whole run does not count as a hang.

        Nor does waiting for a processor: of a worker that computes its own time counts.
        """
        left, used = seconds, None
        while not self._poll.poll(1000 * min(left, 1.0)):
            before, used = used, processor_seconds(self.process.pid)
            left -= 1.0 if before is None or used is None else used - before
            if left <= 0:
                raise WorkerLost(f"{self._name} hangs: no answer for {seconds:g} seconds")

    def _death_notice(self) -> str:
        if self._told:
            return f"{self._name} ended: {self._told}"
        self.process.join(STOP_SECONDS)
        return (
            f"{self._name} died without a message, exit code {self.process.exitcode} "
            "(-9: killed, often because memory ran out; -11: a crash)"
        )

    def ask(self, name: str, *arguments: Any) -> Any:
        """Returns what a method of the worker's `Games` returns.

        Raises:
            WorkerLost, WorkerError, ValueError, gymnasium.error.Error: see `receive`.
        """
        self.send(pickle.dumps((name, arguments)))
        return self.receive()

    def replace(self, cause: Exception, seeds: Sequence[int | None]) -> None:
        """Starts a new process in place of a lost one; its games begin new episodes.

        Args:
            cause: how it was lost.
            seeds: of the games' next episodes.

        Raises:
            WorkerError: that has happened too often.
        """
        while True:
            self._failures.append(monotonic())
            self.stop(0.0)
            often = len(self._failures) == self._limits.failures
            if often and self._failures[-1] - self._failures[0] < MINUTE:
                raise WorkerError(f"{len(self._failures)} failures in a minute, the last: {cause}")
            self.restarts += 1
            level = logging.INFO if self._told else logging.WARNING  # the caller has the error
            LOG.log(level, "%s\nIts games' episodes end here; a new worker takes over.", cause)
            self._start()
            try:
                self.wait_for_start()
                self.ask("reset", list(seeds))
            except (WorkerLost, *REFUSALS) as another:
                cause = another
            except BaseException:  # its games may be without an episode
                self.stop(0.0)
                raise
            else:
                return

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Ends the process: a request, some seconds to end by itself, then a kill."""
        self._connection.close()
        self.owed = 0
        self.process.join(seconds)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
