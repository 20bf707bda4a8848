"""Everything a run keeps for exploring and practising, in one place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from stable_baselines3.common.vec_env import VecEnv

from baselines.exploration.archive_folder import (
    copy_archive,
    load_atlas,
    open_archive,
    save_atlas,
    save_index,
)
from baselines.exploration.curriculum import ANYWHERE, FIRST_BACK, Curriculum
from baselines.exploration.milestone_funnel import Funnel, last_of
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from baselines.exploration.team import Team
from emerald_env.files.printable import say

State = dict[str, Any]

AUTO: Final = "auto"
Explore = float | Literal["auto"]

HEAD_START = 400_000  # steps explored before any others
PACE = 4  # of them for each step learnt from: exploring and learning then take about as long
KEEPS_UP = 0.8  # share of the latest episodes that reach the furthest milestone explored
RECENT = 20  # of them; with a hundred, an agent that has learnt the way waits for hours for more
AHEAD, BEHIND = 0.75, 0.1  # share of the steps that explore while the agent keeps up, and does not
TIRED = 1_000_000  # explored steps without a new milestone after which there is little to find
STUCK, STUCK_AFTER = 0.5, 300_000  # share of them once it gained nothing in that many steps learnt
GAIN = 0.1  # milestones in an episode from home
LAST = 0.9  # share of a run from which on nothing is explored


class ExploringSchedule:
    """Says how many steps should have been explored by now.

    First the search gets a head start, so that there is something to learn. Then a fixed share
    keeps the run's ratio; `AUTO` explores much while the agent reaches everything that was found,
    little while it still learns the way there, and nothing in the last tenth of the run. An agent
    that has stopped learning on the way gets another one looked for: what was found may be of no
    use from where it stands, such as a badge won by luck before an errand that it does first.

    Args:
        share: of the run's steps that explore, below 1; or `AUTO`.
        total: steps of the run.
        head_start: steps of the head start; an agent that can play already needs none, since its
            own episodes lead further.
    """

    def __init__(self, share: Explore, total: int, head_start: int = HEAD_START) -> None:
        self._share, self._total, self._head_start = share, total, head_start
        self._begun = 0  # steps learnt from before anything was due
        self._learnt = 0  # steps, when last asked
        self._planned = 0.0  # steps to explore after the head start
        self._best, self._best_at = 0.0, 0  # milestones an episode, and steps learnt until then
        self.stuck = False  # whether another way is needed, when last asked

    def due(
        self, learnt: int, explored: int, frontier: float, since_found: int, reached: float
    ) -> int:
        """Returns how many steps should have been explored.

        Args:
            learnt: steps learnt from so far.
            explored: steps explored so far.
            frontier: share of the latest episodes that reach the furthest milestone explored.
            since_found: steps explored since a milestone was found for the first time.
            reached: milestones that the latest episodes reach on average.
        """
        latest, self._learnt = learnt - self._learnt, learnt
        head = 0 if self._begun else min(PACE * learnt, self._head_start)
        if self._share != AUTO:
            self._planned = max(explored - head, 0.0)  # from where AUTO would go on
            even = (learnt - self._begun) * self._share / (1 - self._share)
            return int(min(self._share * self._total, max(head, even)))
        if learnt + explored >= LAST * self._total:
            return explored
        if not reached or reached >= self._best + GAIN:  # 0: no episode has ended yet
            self._best, self._best_at = reached, learnt
        self.stuck = frontier < KEEPS_UP and learnt - self._best_at >= STUCK_AFTER
        if self._begun or head == self._head_start:
            share = self._auto(frontier, since_found)
            self._planned += latest * share / (1 - share)
        return int(min(head + self._planned, AHEAD * self._total))

    def begin_at(self, learnt: int) -> None:
        """Lets nothing be due for the first steps of a run of which no more is known.

        Args:
            learnt: how many they are.
        """
        self._begun = self._learnt = self._best_at = learnt

    def resume_at(self, learnt: int) -> None:
        """Lets nothing more be due for steps of which nobody asked while the run explored nothing.

        Args:
            learnt: steps learnt from so far.
        """
        self._learnt = max(self._learnt, learnt)

    def _auto(self, frontier: float, since_found: int) -> float:
        if frontier >= KEEPS_UP:
            return AHEAD if since_found < TIRED else BEHIND
        return STUCK if self.stuck else BEHIND

    def get_state(self) -> dict[str, Any]:
        """Returns what it remembers, as plain values."""
        gains = {"best": self._best, "best_at": self._best_at}
        return {"begun": self._begun, "learnt": self._learnt, "planned": self._planned, **gains}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self._learnt, self._planned = state["learnt"], state["planned"]
        self._begun = state.get("begun", 0)  # older versions knew all that they had explored
        # a version before this one did not watch for gains
        self._best, self._best_at = state.get("best", 0.0), state.get("best_at", self._learnt)


class RunExploration:
    """A session's archive, the search that fills it, and the curriculum and funnel that use it.

    Args:
        folder: of the archive.
        games: they explore and practise.
        practice: the share of the episodes that begin at the archive's states.
        advised: whether the network gets the atlas's advice; practice then begins anywhere on the
            paths, otherwise close to their ends.
        seed: of its random numbers.
        schedule: how much is explored, and when.
    """

    def __init__(
        self,
        folder: Path,
        games: VecEnv,
        practice: float,
        advised: bool,
        seed: int,
        schedule: ExploringSchedule,
    ) -> None:
        self.schedule = schedule
        self.archive = Archive(folder)
        self.search = Search(self.archive, Team(games), seed)
        first_back = ANYWHERE if advised else FIRST_BACK
        self.curriculum = Curriculum(self.archive, practice, seed, first_back)
        self.funnel = Funnel()

    def begin_with(self, folder: Path) -> None:
        """Fills the archive of a new run with the states of another.

        Raises:
            FileNotFoundError, ValueError, OSError: there is no archive, or it cannot be used.
        """
        copy_archive(open_archive(folder), self.archive)
        load_atlas(folder, self.search.atlas)
        self.search.see()

    def due(self, learnt: int) -> int:
        """Returns how many steps should have been explored once `learnt` were learnt from.

        Once the agent is stuck, the search looks for another way to the furthest milestone.
        """
        explored = self.search.steps
        since_found = explored - max(self.search.first_seen.values(), default=0)
        reached = sum(self.funnel.latest().values())
        due = self.schedule.due(learnt, explored, self.frontier(), since_found, reached)
        self.search.before = self._furthest() if self.schedule.stuck else None
        return due

    def frontier(self) -> float:
        """Returns the share of the latest episodes that reach the furthest milestone explored."""
        return self.funnel.latest(RECENT).get(self._furthest(), 0.0)

    def _furthest(self) -> str:
        return last_of(self.archive.first_with())

    def get_state(self) -> State:
        """Returns everything but the archive's files, as plain values."""
        return {
            "archive": self.archive.get_state(),
            "search": self.search.get_state(),
            "curriculum": self.curriculum.get_state(),
            "funnel": self.funnel.get_state(),
            "schedule": self.schedule.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self.archive.set_state(state["archive"])
        if lost := len(self.archive.lost):
            folder = self.archive.folder
            say(f"note: {lost} states are gone from {folder}: they are not used any more")
        self.search.set_state(state["search"])
        self.curriculum.set_state(state["curriculum"])
        self.funnel.set_state(state["funnel"])
        if "schedule" in state:  # version 0.3.0 had none
            self.schedule.set_state(state["schedule"])

    def saved(self, state: State) -> None:
        """Writes the archive's index, and removes files that neither it nor a saved state needs.

        Args:
            state: what `get_state` returned; it is now on the disk.

        Raises:
            OSError: it cannot be written.
        """
        if not self.archive.nodes:
            return
        save_index(self.archive)
        save_atlas(self.search.atlas, self.archive.folder)
        self.archive.sweep(state["archive"])
