"""All that a run keeps of its exploring and practising, in one place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stable_baselines3.common.vec_env import VecEnv

from baselines.exploration.archive import Archive
from baselines.exploration.archive_folder import (
    copy_archive,
    load_atlas,
    open_archive,
    save_atlas,
    save_index,
)
from baselines.exploration.curriculum import FIRST_BACK, Curriculum
from baselines.exploration.funnel import Funnel
from baselines.exploration.search import Search
from baselines.exploration.team import Team
from baselines.runs.session import Session
from baselines.training.config import TrainConfig
from emerald_env.files.printable import say

State = dict[str, Any]
ANYWHERE = 1e9  # steps back: beyond every way


class Exploration:
    """The archive of a session, what fills it, and what is learnt from it.

    Args:
        config: the run's settings.
        session: where the archive is.
        games: that explore and practise.
    """

    def __init__(self, config: TrainConfig, session: Session, games: VecEnv) -> None:
        self.archive = Archive(session.archive)
        self.search = Search(self.archive, Team(games), config.seed)
        first_back = ANYWHERE if config.advice else FIRST_BACK
        self.curriculum = Curriculum(self.archive, config.practice or 0.0, config.seed, first_back)
        self.funnel = Funnel()

    def begin_with(self, folder: Path) -> None:
        """Fills the archive of a new run with another one's states.

        Raises:
            FileNotFoundError, ValueError, OSError: there is none, or it cannot be used.
        """
        copy_archive(open_archive(folder), self.archive)
        load_atlas(folder, self.search.atlas)

    def get_state(self) -> State:
        """Returns all but the archive's files, as plain values."""
        return {
            "archive": self.archive.get_state(),
            "search": self.search.get_state(),
            "curriculum": self.curriculum.get_state(),
            "funnel": self.funnel.get_state(),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self.archive.set_state(state["archive"])
        if lost := len(self.archive.lost):
            folder = self.archive.folder
            say(f"note: {lost} states are gone from {folder}: nothing begins there any more")
        self.search.set_state(state["search"])
        self.curriculum.set_state(state["curriculum"])
        self.funnel.set_state(state["funnel"])

    def saved(self, state: State) -> None:
        """Writes the archive's index, and removes what neither it nor a saved state needs.

        Args:
            state: what `get_state` returned and is now on the disk.

        Raises:
            OSError: it cannot be written.
        """
        if not self.archive.nodes:
            return
        save_index(self.archive)
        save_atlas(self.search.atlas, self.archive.folder)
        self.archive.sweep(state["archive"])
