"""The moves that a burst chooses in its battles: the best that are known, or else searched for."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from emerald_env.emulator import key_mask
from emerald_env.env.observation import observe_fully
from emerald_env.env.state_vector.details import MAX_MOVES
from emerald_env.explorer.battles.battle_turns import Choice, TurnKeys, waits_for_action
from emerald_env.explorer.battles.fifth_move import asks_for_lesson, fifth_move_key
from emerald_env.explorer.battles.matchups import matchups
from emerald_env.explorer.battles.move_search import IMPOSSIBLE, MoveSearch
from emerald_env.explorer.exact_places import UNKNOWN, Advice
from emerald_env.state import GameState

MOST_SEARCHED: Final = 400  # steps in a burst of 100


@dataclass(frozen=True)
class Fight:
    """What a search found out about a turn of one against one."""

    matchup: int  # see `matchups`
    worths: tuple[float, ...]  # (MAX_MOVES,) of each own move

    @classmethod
    def of(cls, matchup: int, worths: Mapping[Choice, float]) -> "Fight":
        """Returns what a search for one against one found."""
        each = (worths.get(Choice(move), IMPOSSIBLE) for move in range(MAX_MOVES))
        return cls(matchup, tuple(each))


class Fights:
    """Chooses a move whenever a battle asks for an action, and what goes for a fifth move.

    Args:
        search: for those that are not known.
        advice: the best known ones.
        chooses: False: it chooses no action, only what goes for a fifth move.
        room: steps of all searches together, at the most.

    Attributes:
        found: by searching.
    """

    def __init__(
        self, search: MoveSearch, advice: Advice, chooses: bool = True, room: float = math.inf
    ) -> None:
        self._search, self._advice, self._chooses = search, advice, chooses
        self._room = room
        self._turn: TurnKeys | None = None
        self.found: list[Fight] = []

    def next_mask(self, state: GameState | None) -> int | None:
        """Returns the mask of the key in a battle, None elsewhere and where no move is chosen."""
        if state is not None and asks_for_lesson(state):
            return key_mask(fifth_move_key(state))
        if state is None or not state.in_battle or not self._chooses:
            self._turn = None
            return None
        if waits_for_action(state) and (self._turn is None or self._turn.made):
            choice = self._choose(state)
            self._turn = None if choice is None else TurnKeys(choice)
        return None if self._turn is None else key_mask(self._turn.next_key(state))

    def _choose(self, state: GameState) -> Choice | None:
        (matchup,) = matchups(observe_fully(state)[None])
        (known,) = self._advice.best_moves(np.array([matchup]))
        if known != UNKNOWN and not state.is_double_battle:
            return Choice(int(known))
        steps = self._search.steps
        if steps >= MOST_SEARCHED or steps + self._search.most_steps(state) > self._room:
            return None
        worths = self._search.worths(state)
        if not state.is_double_battle:
            self.found.append(Fight.of(int(matchup), worths))
        return max(worths, key=worths.__getitem__, default=None)
