"""Episodes that were lost with their worker: what is still to be told of each."""

from collections.abc import Iterable, Set

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray


class LostEpisodes:
    """Of each game of a lost worker: that its episode ends, then that the next one begins.

    A game that begins a new episode in the step that ends the last one has no second thing to tell.

    Args:
        autoreset: what follows an episode's last step.
    """

    def __init__(self, autoreset: AutoresetMode) -> None:
        self._apart = autoreset is not AutoresetMode.SAME_STEP
        self._cut: dict[int, str] = {}  # game: why its worker was lost; its end is due
        self._unseen: set[int] = set()  # games whose end was told; the next beginning is due
        self._over: set[int] = set()  # games that ended in the step told last, and have not begun

    def lose(self, games: Iterable[int], cause: str) -> None:
        """Notes that a worker with these games was lost."""
        for game in games:
            if game in self._over:
                self._unseen.add(game)
            elif game not in self._unseen:
                self._cut[game] = cause

    def waiting(self) -> Set[int]:
        """Returns the games of which something is due, which no step may play until then."""
        return self._cut.keys() | self._unseen if self._cut or self._unseen else frozenset()

    def tell(self, game: int) -> str | None:
        """Returns why a waiting game's episode ends in this step; None: its next one begins."""
        cause = self._cut.pop(game, None)
        if cause is None:
            self._unseen.discard(game)
        elif self._apart:
            self._unseen.add(game)
        return cause

    def told(self, terminated: NDArray[np.bool_], truncated: NDArray[np.bool_]) -> None:
        """Notes what a step told: (n_envs,) each, whether and how a game's episode ended in it."""
        if self._apart:
            self._over = set(np.flatnonzero(terminated | truncated).tolist())

    def begun(self, games: Set[int]) -> None:
        """Notes that these games were reset: nothing of them is due."""
        for game in games & self._cut.keys():
            del self._cut[game]
        self._unseen -= games
        self._over -= games
