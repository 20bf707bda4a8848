"""A place for an actor on some machine of the cluster, and its current actor."""

from collections import deque
from time import monotonic
from typing import Any

from baselines.cluster.actor import Actor, ActorPart
from baselines.cluster.start import import_ray
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.parallel.worker_process import MINUTE, WorkerLimits

PULSE = "pulse"  # answered by a separate thread, even while the actor plays
PLACE_SECONDS = 5.0  # to wait for a place; then the actor shares other actors' cores


class Lost(Exception):
    """An actor died, hangs, or its machine is gone; the message says which."""


class Seat:
    """Holds an actor, and its replacements.

    Ray reserves the actor's CPUs. If no machine has that many, the actor is put on any machine
    without a reservation; it moves as soon as Ray finds room, for example on a machine that joins.

    Args:
        part: what is played.
        limits: when an actor is replaced, and when the run gives up.

    Attributes:
        part: what is played.
        losses: how many actors were lost so far.
        handle: Ray's, of the actor.
        seated: whether the actor is on its reserved CPUs.
    """

    def __init__(self, part: ActorPart, limits: WorkerLimits) -> None:
        self.part, self.limits = part, limits
        self.losses = 0
        self._ray = import_ray()
        self._failures: deque[float] = deque(maxlen=limits.failures)
        self._room = self._reserve()
        self.seated = False
        self.handle: Any = None
        self._pulse: Any = None
        self._silence = 0.0  # seconds

    def __str__(self) -> str:
        games = self.part.games
        return f"the actor of games {games.start} to {games.stop - 1}"

    def _reserve(self) -> Any:
        from ray.util.placement_group import placement_group

        return placement_group([{"CPU": float(self.part.n_workers)}])

    def start(self, wait: float = PLACE_SECONDS) -> None:
        """Starts an actor; `ready` returns when it has made its games.

        Args:
            wait: seconds for a place of its own.
        """
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        self.seated = bool(self._room.wait(wait))
        if self.seated:
            place: Any = PlacementGroupSchedulingStrategy(self._room, 0)
        else:
            place = "SPREAD"
        actor = self._ray.remote(concurrency_groups={PULSE: 1})(Actor)
        cpus = self.part.n_workers if self.seated else 0
        self.handle = actor.options(num_cpus=cpus, scheduling_strategy=place).remote(self.part)
        self._pulse, self._silence = None, 0.0

    def ready(self) -> None:
        """Waits until the actor has made its games.

        Raises:
            Lost: it could not, in time.
        """
        self.wait(self.handle.node.remote(), self.limits.start_seconds)

    def wait(self, answer: Any, seconds: float) -> Any:
        """Returns an answer of the actor.

        Raises:
            Lost: it died, or has not answered in time.
            WorkerError: it raised an exception; its traceback is in the message.
        """
        try:
            return self._ray.get(answer, timeout=seconds)
        except self._ray.exceptions.GetTimeoutError:
            raise Lost(f"{self} has not answered for {seconds:g} seconds") from None
        except self._ray.exceptions.RayActorError as error:
            raise Lost(f"{self} died: {error}") from None
        except self._ray.exceptions.ObjectLostError as error:  # with the machine that it was on
            raise Lost(f"what {self} played is lost: {error}") from None
        except self._ray.exceptions.RayTaskError as error:
            raise WorkerError(f"{self} failed; its own traceback:\n\n{error}") from None

    def listen(self, seconds: float) -> None:
        """Counts how long the actor has been silent; it answers even while it plays.

        Args:
            seconds: since the last call.

        Raises:
            Lost: it is too long.
        """
        if self._pulse is not None:
            answered, _ = self._ray.wait([self._pulse], timeout=0)
            self._silence = 0.0 if answered else self._silence + seconds
            if self._silence > self.limits.seconds:
                raise Lost(f"{self} hangs: nothing heard for {self.limits.seconds:g} seconds")
            if not answered:
                return
        self._pulse = self.handle.node.options(concurrency_group=PULSE).remote()

    def replace(self, cause: Lost, seed: int) -> None:
        """Replaces a lost actor; its games begin new episodes.

        Args:
            cause: how it was lost.
            seed: of the first of the games.

        Raises:
            WorkerError: that has happened too often.
        """
        while True:
            self._failures.append(monotonic())
            often = len(self._failures) == self.limits.failures
            if often and self._failures[-1] - self._failures[0] < MINUTE:
                raise WorkerError(f"{len(self._failures)} failures in a minute, the last: {cause}")
            self.losses += 1
            self.stop()
            self.start()
            try:
                self.ready()
                asked = self.handle.take_over.remote(seed, str(cause))
                self.wait(asked, self.limits.start_seconds)
            except Lost as another:
                cause = another
            else:
                return

    def may_move(self) -> bool:
        """Returns whether the actor has no CPUs of its own, and some are free now."""
        return not self.seated and bool(self._room.wait(0))

    def where(self) -> str:
        """Returns the address of the machine that the actor is on.

        Raises:
            Lost: it is gone.
        """
        return str(self.wait(self.handle.node.remote(), self.limits.seconds))

    def stop(self) -> None:
        """Ends the actor at once; its place remains reserved."""
        self._ray.kill(self.handle)

    def close(self) -> None:
        """Ends the actor, and gives its place back."""
        from ray.util.placement_group import remove_placement_group

        if self.handle is not None:
            self.stop()
        remove_placement_group(self._room)
