"""Which archive states episodes begin in: backwards along the path to the furthest one.

A demonstration is learnt from its end: an agent that begins close to the goal reaches it, and then
begins a little earlier (Salimans & Chen 2018, arXiv:1812.03381). Here every milestone on the path
to the archive's furthest state is a separate goal, and all are practised in parallel.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from baselines.exploration.state_archive import Archive
from emerald_env.state import milestones_in
from emerald_env.wrappers.practice import Offer, PracticeStart

FIRST_BACK = 16.0  # initial distance from the goal, in steps of the archive's path
ANYWHERE = 1e9  # steps back: longer than any path
GROWTH = 1.5  # how much further back it goes each time they are mastered
WINDOW = 8  # latest episodes of a task that count
MASTERED = 3 / 8  # share of them that must reach the goal; battles involve luck
OVERLAP = 2  # milestones before the goal that a task extends over, so that tasks overlap
SLACK = 256  # steps allowed beyond twice the archive's
OFFERED = 3  # beginnings of a task at a time
SELDOM = 0.1  # weight of what all episodes from home reach, relative to what none does
MIN_TASK_WEIGHT = 0.05  # weight of a task that always or never fails


@dataclass
class Task:
    """A milestone to practise: how far back episodes begin, and how many succeed."""

    back: float = FIRST_BACK
    results: list[bool] = field(default_factory=list)  # of the latest episodes, oldest first
    episodes: int = 0
    complete: bool = False  # mastered from its furthest beginning

    @property
    def rate(self) -> float:
        """The share of the latest episodes that reached the goal; one half before any."""
        return sum(self.results) / len(self.results) if self.results else 0.5

    @property
    def weight(self) -> float:
        """Its weight when tasks are drawn: highest if about half of its episodes succeed."""
        return self.rate * (1 - self.rate) + MIN_TASK_WEIGHT

    def count(self, success: bool) -> None:
        """Counts an episode."""
        self.episodes += 1
        self.results = [*self.results, success][-WINDOW:]

    @property
    def mastered(self) -> bool:
        """Whether episodes should begin further back."""
        return len(self.results) == WINDOW and self.rate >= MASTERED


class Curriculum:
    """Chooses the archive states that episodes begin in.

    Args:
        archive: the states.
        share: of the episodes that begin in them.
        seed: of its random numbers.
        first_back: initial distance of a task's beginnings from its goal, in steps of the archive's
            path; an advised agent may begin anywhere at once.
    """

    def __init__(
        self, archive: Archive, share: float, seed: int, first_back: float = FIRST_BACK
    ) -> None:
        self._first_back = first_back
        self.tasks: dict[str, Task] = {}
        self._archive = archive
        self._share = share
        self._dice = Random(seed)

    def offer(self, at_home: Mapping[str, float] | None = None) -> Offer:
        """Returns where the next episodes may begin.

        Args:
            at_home: milestone -> share of the latest episodes from home that reach it; what they
                nearly all reach is practised seldom.
        """
        at_home = at_home or {}
        if not self._archive.nodes:
            return Offer()
        way = self._archive.chain(self._archive.furthest())
        goals = goals_on(way, self._archive)
        beginnings: list[PracticeStart] = []
        weights: list[float] = []
        for number, (slug, at) in enumerate(goals):
            earliest = goals[number - OVERLAP][1] if number >= OVERLAP else 0
            task = self.tasks.setdefault(slug, Task(self._first_back))
            for _ in range(OFFERED):
                beginnings.append(self._beginning(slug, task, way[earliest : at + 1]))
                weights.append(task.weight * max(1 - at_home.get(slug, 0.0), SELDOM))
        total = sum(weights)
        chances = tuple(weight / total for weight in weights)
        known = frozenset(self._archive.first_with())
        return Offer(self._share, tuple(beginnings), chances, known, way[0], self._archive.homes())

    def _beginning(self, slug: str, task: Task, way: Sequence[int]) -> PracticeStart:
        nodes = self._archive.nodes
        goal = nodes[way[-1]].length
        longest = goal - nodes[way[0]].length
        if task.mastered:
            task.complete = task.back >= longest
            task.back = min(GROWTH * task.back, max(longest, FIRST_BACK))
            task.results.clear()
        back = min(task.back, longest) * self._dice.random()
        usable = [n for n in way[:-1] if n not in self._archive.lost]
        node = next((n for n in reversed(usable) if goal - nodes[n].length >= back), way[0])
        allowance = 2 * (goal - nodes[node].length) + SLACK
        return PracticeStart(slug, node, nodes[node].length, self._archive.path(node), allowance)

    def count(self, task: str, reached: Collection[str]) -> None:
        """Counts an episode that practised a task, with the milestones that it reached."""
        if task in self.tasks:
            self.tasks[task].count(task in reached)

    def get_state(self) -> dict[str, Any]:
        """Returns its state as plain values."""
        version, words, gauss = self._dice.getstate()
        tasks = {
            slug: [task.back, list(task.results), task.episodes, task.complete]
            for slug, task in self.tasks.items()
        }
        return {"tasks": tasks, "dice": [version, list(words), gauss]}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self.tasks = {slug: Task(*parts) for slug, parts in state["tasks"].items()}
        version, words, gauss = state["dice"]
        self._dice.setstate((version, tuple(words), gauss))


def goals_on(way: Sequence[int], archive: Archive) -> list[tuple[str, int]]:
    """Returns each milestone that is reached on a path, with its index in the path.

    Of several reached at once only the last in the story's order is returned. Those that the first
    state already has are left out.
    """
    goals = []
    before = archive.nodes[way[0]].cell.milestones
    for index, node in enumerate(way):
        now = archive.nodes[node].cell.milestones
        if new := now & ~before:
            goals.append((milestones_in(new)[-1].slug, index))
        before |= now
    return goals
