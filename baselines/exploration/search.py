"""Rounds of bursts from the archive's states: what they find goes into the archive."""

from collections.abc import Mapping
from random import Random
from typing import Any, Protocol

from baselines.exploration.archive import Archive
from emerald_env.exploration import Found, Job, Round
from emerald_env.files.printable import say

JOBS = 32  # of a round: enough to keep every core busy
STEPS = 100  # of a burst


class Explorers(Protocol):
    """Whoever plays a round's jobs."""

    def home(self) -> list[Found]:
        """Returns the states that episodes begin in."""

    def play(self, work: Round) -> list[list[Found] | None] | None:
        """Returns what each job found, None for one whose state cannot be read.

        None instead of the list: an explorer has missed the earlier rounds.
        """


class Search:
    """Explores round by round.

    Args:
        archive: what it fills.
        explorers: who plays.
        seed: of its chance.

    Attributes:
        steps: that were played so far.
        first_seen: milestone bits' number -> the steps after which it was in the archive.
    """

    def __init__(self, archive: Archive, explorers: Explorers, seed: int) -> None:
        self.archive = archive
        self.steps = 0
        self.first_seen: dict[str, int] = {}
        self._explorers = explorers
        self._dice = Random(seed)
        self._round = 0

    def explore(self) -> int:
        """Plays a round; returns how many states were new or better."""
        archive = self.archive
        if not archive.nodes:
            for found in self._explorers.home():
                archive.add(found, None)
            self._see()
        drawn = archive.draw(self._dice, JOBS)
        jobs = tuple(
            Job(
                node,
                archive.path(node),
                archive.nodes[node].length,
                self._dice.getrandbits(32),
                STEPS,
            )
            for node in drawn
        )
        kept = sum(self.take(node, found) for node, found in self._play(jobs))
        self.steps += JOBS * STEPS
        self._see()
        archive.tidy()
        return kept

    def _play(self, jobs: tuple[Job, ...]) -> list[tuple[int, list[Found] | None]]:
        news = self.archive.take_news()
        answer = None
        if self._round:
            answer = self._explorers.play(Round(self._round, jobs, news))
        if answer is None:
            self._round = 0
            answer = self._explorers.play(Round(0, jobs, self.archive.costs()))
            assert answer is not None
        self._round += 1
        return [(job.node, found) for job, found in zip(jobs, answer, strict=True)]

    def take(self, node: int, way: list[Found] | None) -> int:
        """Adds the states of a way that began in a node, each the next one's parent.

        Args:
            node: where the way began.
            way: its states; None: the node's own state cannot be read.

        Returns:
            How many were kept.
        """
        if way is None:
            self.lose(node)
            return 0
        kept = 0
        if node not in self.archive.nodes:  # forgotten meanwhile; its way came from home, too
            node = next(iter(self.archive.nodes))
        for found in way:
            new = self.archive.add(found, node)
            if new is not None:
                node, kept = new, kept + 1
        return kept

    def lose(self, node: int) -> None:
        """Lets nothing begin any more in a node whose state cannot be read, and says so once."""
        if (path := self.archive.lose(node)) is not None:
            say(f"note: {path} is gone or damaged: nothing begins there any more")

    def _see(self) -> None:
        for slug in self.archive.first_with():
            self.first_seen.setdefault(slug, self.steps)

    def get_state(self) -> dict[str, Any]:
        """Returns all that the next rounds depend on but the archive, as plain values."""
        version, words, gauss = self._dice.getstate()
        return {
            "steps": self.steps,
            "first_seen": dict(self.first_seen),
            "dice": [version, list(words), gauss],
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        version, words, gauss = state["dice"]
        self._dice.setstate((version, tuple(words), gauss))
        self.steps = state["steps"]
        self.first_seen = dict(state["first_seen"])
        self._round = 0  # the explorers are to be told everything
