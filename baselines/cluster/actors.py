"""All actors of a run: their machines, calls to them, and replacements."""

import logging
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from baselines.cluster import files
from baselines.cluster.actor import ActorPart
from baselines.cluster.home import Home
from baselines.cluster.seat import PLACE_SECONDS, Lost, Seat
from baselines.cluster.start import import_ray
from baselines.settings.train_config import TrainConfig
from baselines.training.model import worker_seconds
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.parallel.worker_process import WorkerLimits

LOG = logging.getLogger(__name__)
START = 4.0  # times as long as for an answer, an actor may take to start: it imports torch
SHARING = """%d of %d actors share the others' CPUs: no machine has %d of its own free for each. \
The run is slower, and moves them to machines that join; otherwise ask for fewer --actors."""
TICK = 1.0  # seconds; a pause of the whole run counts as one, not as a hang


class Question(NamedTuple):
    """A call of an actor's method."""

    seat: int
    method: str
    arguments: tuple[Any, ...] = ()


class Sent(NamedTuple):
    """A call whose answer is pending."""

    answer: Any  # Ray's reference
    losses: int  # of its seat at the time of the call


def parts_of(config: TrainConfig, cpus: Sequence[int]) -> list[ActorPart]:
    """Returns each actor's games, about equally many.

    Args:
        config: of the run, with `n_envs`.
        cpus: of each machine.
    """
    n_envs = config.n_envs or 1
    actors = min(config.actors or sum(cpus), n_envs)
    workers = config.n_workers or max(1, min(sum(cpus) // actors, max(cpus)))
    bounds = [k * n_envs // actors for k in range(actors + 1)]
    home, start = Home.here(config.env.rom, config.own_files), files.of_start(config.env)
    return [ActorPart(range(*own), workers, config, home, start) for own in pairwise(bounds)]


def limits_of(seconds: float) -> WorkerLimits:
    """Returns the limits of an actor that may be silent for this long."""
    return WorkerLimits(seconds, max(WorkerLimits.start_seconds, START * seconds))


class Actors:
    """The actors of a run.

    Args:
        config: of the run, with `n_envs` and the start of the games filled in.

    Attributes:
        firsts: the first game of each actor.

    Raises:
        WorkerError: an actor cannot make its games; its traceback is in the message.
    """

    def __init__(self, config: TrainConfig) -> None:
        self._ray = import_ray()
        limits = limits_of(worker_seconds(config))
        parts = parts_of(config, machine_cpus(self._ray))
        self.firsts = [part.games.start for part in parts]
        self.games = [part.games for part in parts]
        self._seed, self._n_envs = config.seed, config.n_envs or 1
        self._seats = [Seat(part, limits) for part in parts]
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        wait = PLACE_SECONDS
        for seat in self._seats:
            seat.start(wait)
            wait *= seat.seated  # all ask for the same: if one got none, the others need not wait
        if sharing := sum(not seat.seated for seat in self._seats):
            LOG.warning(SHARING, sharing, len(self._seats), self._seats[0].part.n_workers)
        for seat in self._seats:
            try:
                seat.ready()
            except Lost as cause:
                raise WorkerError(str(cause)) from None

    @property
    def losses(self) -> int:
        """How many actors were lost so far."""
        return sum(seat.losses for seat in self._seats)

    def share(self, value: Any) -> Any:
        """Returns a reference to pass as an argument, so that each machine gets the value once."""
        return self._ray.put(value)

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Calls a method of every actor, each with its own arguments; returns the answers."""
        questions = [Question(seat, method, own) for seat, own in enumerate(arguments)]
        return self.ask(questions)

    def bring(self, paths: Sequence[Path]) -> None:
        """Copies states to the machines that lack them."""
        if not paths:
            return
        lacking = self.each("missing", [(paths,)] * len(self._seats))
        wanted = [(files.read(own),) for own in lacking]
        self.ask([Question(seat, "keep", own) for seat, own in enumerate(wanted) if own[0]])

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """Returns the answers to some questions; replaces actors that are lost meanwhile.

        Raises:
            WorkerError: an actor raised an exception, or was lost repeatedly.
        """
        return self.answers(questions, self.send(questions))

    def send(self, questions: Sequence[Question]) -> list[Sent]:
        """Asks without waiting; `answers` takes what is returned."""
        return [self._send(question) for question in questions]

    def _send(self, question: Question) -> Sent:
        seat = self._seats[question.seat]
        return Sent(getattr(seat.handle, question.method).remote(*question.arguments), seat.losses)

    def answers(self, questions: Sequence[Question], sent: Sequence[Sent]) -> list[Any]:
        """Returns the answers to what was sent, see `ask`."""
        waiting = dict(enumerate(sent))
        found: dict[int, Any] = {}
        while waiting:
            late = [each.answer for each in waiting.values()]
            ready, _ = self._ray.wait(late, num_returns=len(late), timeout=TICK)
            for number in [k for k, each in waiting.items() if each.answer in ready]:
                found[number] = self._taken(questions[number], waiting.pop(number))
            for number, each in waiting.items():
                waiting[number] = self._checked(questions[number], each)
        return [found[number] for number in range(len(questions))]

    def _taken(self, question: Question, sent: Sent) -> Any:
        seat = self._seats[question.seat]
        while True:
            try:
                return seat.wait(sent.answer, seat.limits.seconds)
            except Lost as cause:
                sent = self._again(question, sent, cause)

    def _checked(self, question: Question, sent: Sent) -> Sent:
        """Returns the pending call, asked again if its actor was lost."""
        try:
            self._seats[question.seat].listen(TICK)
        except Lost as cause:
            return self._again(question, sent, cause)
        return sent

    def _again(self, question: Question, sent: Sent, cause: Lost) -> Sent:
        """Asks the replacement of a lost actor, after replacing it if necessary."""
        seat = self._seats[question.seat]
        if sent.losses == seat.losses:
            LOG.warning("%s\nIts games' episodes end here; another actor takes over.", cause)
            # seeds that no game had before
            seed = self._seed + (self.losses + 1) * self._n_envs + seat.part.games.start
            seat.replace(cause, seed)
            LOG.warning("%s is on %s now", seat, seat.where())
        return self._send(question)

    def use_joined(self) -> None:
        """Moves actors that share others' cores to machines that have joined."""
        for number, seat in enumerate(self._seats):
            if not seat.may_move():
                continue
            count = len(seat.part.games)
            state = ("env_method", "get_state", range(count))
            (states,) = self.ask([Question(number, "ask", state)])
            seat.stop()
            seat.start()
            moved = [("env_method", "set_state", [k], states[k]) for k in range(count)]
            self.ask([Question(number, "reset", ([None] * count,))])
            self.ask([Question(number, "ask", own) for own in moved])
            LOG.warning("%s has moved to %s", seat, seat.where())

    def close(self) -> None:
        """Ends every actor."""
        if self._ray.is_initialized():
            for seat in self._seats:
                seat.close()


def machine_cpus(ray: Any) -> list[int]:
    """Returns the CPUs of each machine of the cluster that has any."""
    found = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    return [cpus for cpus in found if cpus] or [1]
