"""What each move was worth in each matchup, over all searches in battles."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.state_vector.details import MAX_MOVES
from emerald_env.explorer.battles.fights import Fight

ENOUGH: Final = 3  # searches after which a matchup's best move is known


class MatchupTable:
    """Sums the worths of moves by matchup."""

    def __init__(self) -> None:
        self._sums: dict[int, NDArray[np.float64]] = {}
        self._searches: dict[int, int] = {}

    def add(self, fights: Iterable[Fight]) -> None:
        """Adds what searches found."""
        for fight in fights:
            worths = np.array(fight.worths)
            self._sums[fight.matchup] = self._sums.get(fight.matchup, 0.0) + worths
            self._searches[fight.matchup] = self._searches.get(fight.matchup, 0) + 1

    def best(self) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Returns the matchups that were searched often enough, ascending, and their best moves."""
        known = sorted(number for number, count in self._searches.items() if count >= ENOUGH)
        moves = [int(self._sums[number].argmax()) for number in known]
        return np.array(known, np.int64), np.array(moves, np.int8)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns its state, as arrays of one dimension."""
        numbers = sorted(self._sums)
        worths = [self._sums[number] for number in numbers]
        return {
            "matchups": np.array(numbers, np.int64),
            "worths": np.array(worths, np.float64).ravel(),
            "searches": np.array([self._searches[number] for number in numbers], np.int64),
        }

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Resumes from what `get_state` returned.

        Raises:
            ValueError: the arrays do not fit together.
        """
        numbers, worths, searches = (state[name] for name in MatchupTable().get_state())
        if not len(numbers) == len(searches) == len(worths) / MAX_MOVES:
            raise ValueError("the atlas's matchups do not fit together")
        if not np.isfinite(worths).all():
            raise ValueError("the atlas's worths of moves are damaged")
        sums = worths.reshape(-1, MAX_MOVES).copy()
        self._sums = dict(zip(numbers.tolist(), sums, strict=True))
        self._searches = dict(zip(numbers.tolist(), searches.tolist(), strict=True))
