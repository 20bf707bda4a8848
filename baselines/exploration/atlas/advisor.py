"""The atlas as a teacher: advised actions for the learner's samples.

It has no advice for battles, and for menus whose cursor is not observed: there the atlas only knows
A, and an agent that keeps hearing "A" neither learns to choose its moves nor gets past a question
that opens on No. Only in a battle that does not go on it says A, since nothing else would: no
reward comes in it, and who opens the bag and closes it there does so until the episode is over.
A menu with nothing to do in it is to be closed.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.exploration.atlas.atlas import Atlas
from emerald_env.env.actions import action_set
from emerald_env.env.observation import MENU
from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.explorer import Advice
from emerald_env.explorer.battles.fifth_move import fifth_move_keys
from emerald_env.explorer.battles.matchups import fight_keys
from emerald_env.explorer.exact_places import (
    UNKNOWN,
    chooses_move,
    has_cursor,
    has_lesson,
    is_idle,
    newest_menus,
    places_and_grounds,
)
from emerald_env.explorer.random_keys import KEYS, MASKS

A, B = KEYS.index("a"), KEYS.index("b")


class KnownWays(NamedTuple):
    """What an atlas knew: without its transitions, which take most of its memory."""

    advice: Advice
    circled: NDArray[np.int64]


class Advisor:
    """Returns the atlas's action for observations whose place or ground it knows.

    There is none where the screen shows a choice, and none in places where whoever followed it
    walked in circles since it was computed.

    Args:
        atlas: what exploring has learnt about the game.
        actions: the name of the agent's action set; each key but Start is one of its actions.

    Attributes:
        drawn_out: places of battles in which the latest rollout got nowhere.
    """

    def __init__(self, atlas: Atlas | KnownWays, actions: str) -> None:
        keys = [action.keys for action in action_set(actions)]
        self._atlas = atlas
        self.drawn_out: list[int] = []
        # the last entry is for -1: no advice
        known = (keys.index(mask) if mask in keys else -1 for mask in MASKS)
        self._actions = np.array([*known, -1], np.int64)

    def __call__(self, observations: dict[str, Any]) -> Tensor:
        """Returns the advised actions, (batch,) int64; -1: no advice.

        Args:
            observations: with stacked vectors of `observe_fully` under "state", and perhaps of
                `observe_menu` under "menu", the newest last.
        """
        parts = {n: observations[n].cpu().numpy() for n in ("state", MENU) if n in observations}
        states, menus = LAYOUT.newest(parts["state"]), newest_menus(parts)
        places, grounds = places_and_grounds(states, menus)
        teaches = None if menus is None else has_lesson(menus)
        keys = self._atlas.advice.look_up(places, grounds, teaches)
        keys[np.isin(places, self._atlas.circled)] = UNKNOWN
        keys[LAYOUT.is_choice(states) & ~has_cursor(states, menus)] = UNKNOWN
        keys[(keys == UNKNOWN) & is_idle(states, menus)] = B
        keys[np.isin(places, self.drawn_out) & ~chooses_move(menus, len(states))] = A
        fights = fight_keys(states, menus, self._atlas.advice)
        lessons = fifth_move_keys(states, menus)
        for known in (fights, lessons):
            keys = np.where(known == UNKNOWN, keys, known)
        return torch.from_numpy(self._actions[keys])
