"""The keys with which one of four moves is forgotten for a fifth, where a battle asks which.

No reward tells a good choice for thousands of steps, and the atlas, which knows places, not what a
move will be worth. So it is a rule: a stronger move is learnt, for the weakest that opens no way.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.observation import observe_fully
from emerald_env.env.state_vector.details import POWER_SCALE
from emerald_env.env.state_vector.menu_numbers import (
    BOX,
    CURSOR,
    KNOWN_MOVES,
    LESSON_POWER,
    SCREEN,
    observe_menu,
)
from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.explorer.battles.grids import COLUMN_KEYS, GRID_KEYS
from emerald_env.explorer.exact_places import UNKNOWN
from emerald_env.explorer.random_keys import KEYS
from emerald_env.game.tables import moves
from emerald_env.state import GameState
from emerald_env.state.parts.field_moves import FIELD_MOVES

_B: Final = KEYS.index("b")
_NEVER: Final = np.inf  # what a move counts as that cannot be forgotten


def fifth_move_keys(
    vectors: NDArray[np.float32], menus: NDArray[np.float32] | None
) -> NDArray[np.int8]:
    """Returns the key where a battle asks which move to forget, as its index in `KEYS`, (n,).

    `UNKNOWN` elsewhere, and where it is not seen whose moves they are: those of two who fight side
    by side, or of one who has fewer than four, so that another must be meant. Moves of the field
    are told by their power, since the vectors have no more of them; another one of the same power
    is kept, too.

    Args:
        vectors: of `observe_fully`.
        menus: of `observe_menu`; None: not observed.
    """
    if menus is None:
        return np.full(len(vectors), UNKNOWN, np.int8)
    own = vectors[:, LAYOUT.own_moves]
    powers, pp = np.rint(own[:, ::2] * POWER_SCALE), own[:, 1::2]
    cursor, in_box = menus[:, CURSOR].argmax(axis=1), menus[:, BOX] > 0
    asked = (in_box | (menus[:, SCREEN] > 0)) & LAYOUT.in_battle(vectors)
    asked &= menus[:, CURSOR].any(axis=1) & (cursor < len(COLUMN_KEYS) - in_box)
    asked &= ((powers > 0) | (pp > 0)).all(axis=1) & ~(vectors[:, LAYOUT.double_battle] > 0)
    worths = np.where(_opens_ways(powers, menus), _NEVER, powers)
    weakest = worths.argmin(axis=1)
    is_better = menus[:, LESSON_POWER] * POWER_SCALE > worths.min(axis=1) + 0.5  # float32
    in_grid = GRID_KEYS[np.where(asked & in_box, cursor, 0), weakest]
    in_column = COLUMN_KEYS[np.where(asked, cursor, 0), weakest]
    keys = np.where(is_better, np.where(in_box, in_grid, in_column), np.int8(_B))
    told: NDArray[np.int8] = np.where(asked, keys, np.int8(UNKNOWN))
    return told


def asks_for_lesson(state: GameState) -> bool:
    """Returns whether a battle asks which move to forget."""
    return state.in_battle and state.menu is not None and state.menu.lesson is not None


def fifth_move_key(state: GameState) -> str:
    """Returns the name of the key where a battle asks which move to forget; B if none is known."""
    (key,) = fifth_move_keys(observe_fully(state)[None], observe_menu(state)[None])
    return KEYS[_B if key == UNKNOWN else key]


def _opens_ways(powers: NDArray[np.float32], menus: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Returns whether each of (n, 4) moves may be one of the field that the party knows."""
    field_powers = np.array([moves()[move].power for move in FIELD_MOVES])
    same = powers[:, :, None] == field_powers
    found: NDArray[np.bool_] = (same & (menus[:, None, KNOWN_MOVES] > 0)).any(axis=2)
    return found
