"""The atlas as a teacher: advised actions for the learner's samples.

It has no advice for battles and menus: there the atlas only knows A, and an agent that keeps
hearing "A" neither learns to choose its moves nor gets past a question that opens on No.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines.exploration.atlas import Atlas
from emerald_env.env.actions import action_set
from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.explorer.exact_places import UNKNOWN, place_numbers
from emerald_env.explorer.random_keys import MASKS


class Advisor:
    """Returns the atlas's action for each observation whose place it knows, if it shows no choice.

    Args:
        atlas: what exploring has learnt about the game.
        actions: the name of the agent's action set; each single key is one of its actions.
    """

    def __init__(self, atlas: Atlas, actions: str) -> None:
        keys = [action.keys for action in action_set(actions)]
        self._atlas = atlas
        # the last entry is for -1: no advice
        self._actions = np.array([*(keys.index(mask) for mask in MASKS), -1], np.int64)

    def __call__(self, observations: dict[str, Any]) -> Tensor:
        """Returns the advised actions, (batch,) int64; -1: no advice.

        Args:
            observations: with stacked vectors of `observe_fully` under "state", the newest last.
        """
        states = LAYOUT.newest(observations["state"]).cpu().numpy()
        keys = self._atlas.advice.look_up(place_numbers(states))
        keys[LAYOUT.is_choice(states)] = UNKNOWN
        return torch.from_numpy(self._actions[keys])
