"""What a search without a network has found, as a teacher: `--teacher FOLDER`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.exploration.archive_folder import load_atlas
from baselines.exploration.atlas.advisor import Advisor, KnownWays
from baselines.exploration.atlas.atlas import Atlas
from baselines.learner.labels.label_teacher import STATE, Memoryless
from baselines.settings.game_config import GameConfig
from baselines.training.teachers.explored_worlds import each_world, found_in
from emerald_env.env.actions import action_set
from emerald_env.env.observation import MENU, WORLD_NUMBER
from emerald_env.env.state_vector.state_layout import LAYOUT, N_MILESTONES
from emerald_env.jade.cartridge import world_of


class AtlasTeacher(Memoryless):
    """The atlases of explored games: each knows the shortest way through all that was seen there.

    A step's label is the key that its world's atlas advises; where that knows none, there is none.
    What the teacher is after is the next milestone.

    Args:
        advisors: of each world, by its number.
        n_actions: of the student.
    """

    is_set = True
    n_purposes = N_MILESTONES + 1

    def __init__(self, advisors: Mapping[int, Advisor], n_actions: int) -> None:
        self._advisors = advisors
        self._n_actions = n_actions

    @classmethod
    def load(cls, folder: Path, game: GameConfig) -> "AtlasTeacher":
        """Returns the teacher of a game, in each of `--worlds`.

        Raises:
            FileNotFoundError, RomError: the ROM is missing, or cannot be read.
            ValueError: an atlas is damaged.
        """
        advisors = {}
        for one in each_world(game):
            load_atlas(found_in(folder, one), atlas := Atlas())
            ways = KnownWays(atlas.advice, atlas.circled)
            advisors[world_of(one.world or "0").seed] = Advisor(ways, game.action_set)
        return cls(advisors, len(action_set(game.action_set)))

    def label(self, observations: Any, starts: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Returns 1 for the advised action, (n_envs, n_actions); a row of zeros: none is."""
        numbers = observations[WORLD_NUMBER][:, -1]
        labels = np.zeros((len(numbers), self._n_actions), np.float32)
        for number in np.unique(numbers).tolist():
            games = np.flatnonzero(numbers == number)
            parts = {n: torch.as_tensor(observations[n][games]) for n in (STATE, MENU)}
            actions = self._advisors[number](parts).numpy()
            known = actions >= 0
            labels[games[known], actions[known]] = 1.0
        return labels

    def purposes(self, observations: Any) -> NDArray[np.uint8]:
        """Returns how many milestones each game has reached, (n_envs,)."""
        progress = LAYOUT.progress(LAYOUT.newest(observations[STATE]))
        reached: NDArray[np.uint8] = np.rint(progress).astype(np.uint8)
        return reached
