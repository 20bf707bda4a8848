"""Rounds of bursts from the archive's states, whose findings go into the archive."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any

from baselines.exploration.atlas.atlas import Atlas
from baselines.exploration.state_archive import Archive
from emerald_env.explorer import Advice, Burst, Explorer, Found, Job, Round, Trail
from emerald_env.files.printable import say
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.parallel.worker_process import WorkerLimits

if TYPE_CHECKING:  # a search without games on workers needs no SB3
    from baselines.exploration.team import Team

JOBS = 32  # per round: enough to keep every core busy
STEPS = 100  # per burst
# The chance to follow the advice in each of four bursts: two are random, one shortens the path to
# the furthest states, and one from anywhere shows where the advice is wrong.
GUIDED = (0.0, 0.0, 0.95, 0.95)
ANYWHERE = 3  # which of the four that is
ATTEMPTS = 3  # at a round; a worker that was replaced meanwhile must be told everything
SLOWEST = 20  # steps a second of processor time that an explorer must do, in any game
SILENT = (
    "the workers do not finish a round of exploring in time: is something else at work on this "
    "machine? A training waits longer with --worker-seconds, and explores nothing with --explore 0"
)


def round_seconds(n_workers: int) -> float:
    """Returns how long a worker may be silent that answers once a round of exploring."""
    jobs = -(-JOBS // n_workers)
    return max(WorkerLimits.seconds, jobs * STEPS / SLOWEST)


class Search:
    """Explores round by round.

    Args:
        archive: to fill.
        explorers: they play the bursts.
        seed: of its random numbers.

    Attributes:
        steps: played so far.
        first_seen: milestone -> number of steps after which the archive had it.
        before: a milestone to which another way is looked for: no burst begins behind it.
    """

    def __init__(self, archive: Archive, explorers: Team | Explorer, seed: int) -> None:
        self.archive = archive
        self.steps = 0
        self.first_seen: dict[str, int] = {}
        self.before: str | None = None
        self.atlas = Atlas()
        self._told: Advice | None = None  # the advice that the explorers have
        self._explorers = explorers
        self._dice = Random(seed)
        self._round = 0

    @property
    def round_steps(self) -> int:
        """Steps of a round, without those in search of the best moves in battles."""
        return JOBS * STEPS

    def begin(self) -> None:
        """Fills an empty archive with the states that episodes begin in."""
        if not self.archive.nodes:
            for found in self._explorers.home():
                self.archive.add(found, None)
            self.see()

    def explore(self, room: float = math.inf) -> int:
        """Plays a round; returns the number of states that were new or better.

        Args:
            room: steps that it may take at the most, `round_steps` or more.

        Raises:
            WorkerError: no explorer finishes a round in time.
        """
        archive = self.archive
        self.begin()
        work = self._jobs((room - self.round_steps) / JOBS)
        kept = 0
        for job, burst in self._play(work):
            kept += self.take(job.node, burst.found if burst else None)
            self.atlas.add(burst.trail if burst else Trail())
            self.atlas.matchups.add(burst.fights if burst else [])
            self.steps += burst.searched if burst else 0
        self.steps += self.round_steps
        self.see()
        archive.tidy()
        if self.atlas.due():
            self.atlas.solve()
        return kept

    def _jobs(self, searched: float) -> tuple[Job, ...]:
        """Returns a round's jobs, each with a limit on its steps in search of the best moves."""
        archive = self.archive
        others = JOBS // len(GUIDED)
        drawn = archive.draw(self._dice, JOBS - others, self.before)
        for number, node in enumerate(self._anywhere(others)):
            drawn.insert(ANYWHERE + number * len(GUIDED), node)
        return tuple(
            Job(
                node,
                archive.path(node),
                archive.nodes[node].length,
                self._dice.getrandbits(32),
                STEPS,
                GUIDED[index % len(GUIDED)],
                searched,
            )
            for index, node in enumerate(drawn)
        )

    def _anywhere(self, count: int) -> list[int]:
        """Draws and counts nodes, however far: half of them in trainers' battles, if there are any.

        Each trainer is as likely as another. The best moves should be known wherever an agent
        fights, and it loses to those whom the furthest states passed by luck.
        """
        fights: dict[int, list[int]] = {}
        nodes, lost = self.archive.nodes, self.archive.lost
        known = [number for number in self.archive.cells.values() if number not in lost]
        for number in known:
            if trainer := nodes[number].cell.trainer:
                fights.setdefault(trainer, []).append(number)
        drawn = self._dice.choices(known, k=count)
        if fights:
            trainers = self._dice.choices(sorted(fights), k=len(drawn[::2]))
            drawn[::2] = [self._dice.choice(fights[trainer]) for trainer in trainers]
        self.archive.count(drawn)
        return drawn

    def _play(self, jobs: tuple[Job, ...]) -> list[tuple[Job, Burst | None]]:
        news, advice = self.archive.take_news(), self.atlas.advice
        changed = advice if advice is not self._told else None
        work = Round(self._round, jobs, news, changed) if self._round else None
        for _ in range(ATTEMPTS):
            work = work or Round(0, jobs, self.archive.costs(), advice)
            answer = self._explorers.play(work)
            if answer is not None:
                self._round = work.number + 1
                self._told = advice
                return list(zip(jobs, answer, strict=True))
            work = None  # everything is told again
        raise WorkerError(SILENT)

    def take(self, node: int, way: list[Found] | None) -> int:
        """Adds the states found on a path from a node, each the parent of the next.

        Args:
            node: where the path began.
            way: its states; None: the node's own state cannot be read.

        Returns:
            How many were kept: none if the node was forgotten and episodes begin in several starts,
            of which nobody knows the path's own.
        """
        if way is None:
            self.lose(node)
            return 0
        kept = 0
        if node not in self.archive.nodes:  # forgotten meanwhile; its path began at a start, too
            if len(self.archive.homes()) > 1:
                return 0
            node = next(iter(self.archive.nodes))
        for found in way:
            new = self.archive.add(found, node)
            if new is not None:
                node, kept = new, kept + 1
        return kept

    def lose(self, node: int) -> None:
        """Excludes a node whose state cannot be read, and says so once."""
        if (path := self.archive.lose(node)) is not None:
            say(f"note: {path} is missing or damaged: it is not used any more")

    def see(self) -> None:
        """Notes the milestones that the archive has by now."""
        for slug in self.archive.first_with():
            self.first_seen.setdefault(slug, self.steps)

    def get_state(self) -> dict[str, Any]:
        """Returns everything that the next rounds depend on except the archive, as plain values."""
        version, words, gauss = self._dice.getstate()
        return {
            "steps": self.steps,
            "first_seen": dict(self.first_seen),
            "dice": [version, list(words), gauss],
            "atlas": self.atlas.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        version, words, gauss = state["dice"]
        self._dice.setstate((version, tuple(words), gauss))
        self.steps = state["steps"]
        self.first_seen = dict(state["first_seen"])
        self.atlas.set_state(state["atlas"])
        self._round = 0  # the explorers must be told everything
