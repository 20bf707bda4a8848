"""Everything a run keeps for exploring and practising, in one place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stable_baselines3.common.vec_env import VecEnv

from baselines.exploration.archive_folder import (
    copy_archive,
    load_atlas,
    open_archive,
    save_atlas,
    save_index,
)
from baselines.exploration.curriculum import FIRST_BACK, Curriculum
from baselines.exploration.milestone_funnel import Funnel, last_of
from baselines.exploration.pace import Pace
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from baselines.exploration.team import Team
from emerald_env.files.printable import say

State = dict[str, Any]
ANYWHERE = 1e9  # steps back: longer than any path


class RunExploration:
    """A session's archive, the search that fills it, and the curriculum and funnel that use it.

    Args:
        folder: of the archive.
        games: they explore and practise.
        practice: the share of the episodes that begin at the archive's states.
        advised: whether the network gets the atlas's advice; practice then begins anywhere on the
            paths, otherwise close to their ends.
        seed: of its random numbers.
        pace: how much is explored, and when.
    """

    def __init__(
        self, folder: Path, games: VecEnv, practice: float, advised: bool, seed: int, pace: Pace
    ) -> None:
        self.pace = pace
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

    def due(self, learnt: int) -> int:
        """Returns how many steps should have been explored once so many were learnt from."""
        since_found = self.search.steps - max(self.search.first_seen.values(), default=0)
        return self.pace.due(learnt, self.search.steps, self.frontier(), since_found)

    def frontier(self) -> float:
        """Returns the share of the latest episodes that reach the furthest milestone explored."""
        return self.funnel.latest().get(last_of(self.archive.first_with()), 0.0)

    def get_state(self) -> State:
        """Returns everything but the archive's files, as plain values."""
        return {
            "archive": self.archive.get_state(),
            "search": self.search.get_state(),
            "curriculum": self.curriculum.get_state(),
            "funnel": self.funnel.get_state(),
            "pace": self.pace.get_state(),
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
        if "pace" in state:  # older versions had none
            self.pace.set_state(state["pace"])

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
