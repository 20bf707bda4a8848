"""Where the player has been in an episode, as a map around the player."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from emerald_env.state.game_state import GameState
from emerald_env.state.parts.around.tiles_around import COLUMNS, ROWS

Tile = tuple[str | int, ...]  # (component, x, y) where maps join, else (group, number, x, y)
_WINDOW = [
    (x, y)
    for y in range(-(ROWS // 2), ROWS // 2 + 1)
    for x in range(-(COLUMNS // 2), COLUMNS // 2 + 1)
]


class VisitedGround:
    """The tiles that the player has stood on since the episode began.

    Joined maps share their ground, so that what was visited stays visible across their border.

    Args:
        tiles: from `tiles` of another.
    """

    def __init__(self, tiles: Iterable[Tile] = ()) -> None:
        self._visited = set(tiles)
        self._last: Tile = ()
        self._mask = np.zeros((ROWS, COLUMNS), np.uint8)

    @property
    def tiles(self) -> list[Tile]:
        """The visited tiles, sorted; plain values."""
        return sorted(self._visited, key=str)

    def around(self, state: GameState) -> NDArray[np.uint8]:
        """Adds the player's tile; returns which tiles around it were visited, (ROWS, COLUMNS)."""
        if state.component is None or state.global_position is None:
            place: Tile = state.location
            x, y = state.position
        else:
            place = (state.component,)
            x, y = state.global_position
        if (tile := (*place, x, y)) != self._last:
            self._last, seen = tile, self._visited
            seen.add(tile)
            flat = [(*place, x + right, y + down) in seen for right, down in _WINDOW]
            self._mask = np.array(flat, np.uint8).reshape(ROWS, COLUMNS)
        return self._mask
