"""Which move is best for whom against whom, and the keys that lead there."""

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.state_vector import details
from emerald_env.env.state_vector.menu_numbers import ACTIONS, CURSOR, MOVES
from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.explorer.battles.battle_turns import FIGHT
from emerald_env.explorer.battles.grids import GRID_KEYS
from emerald_env.explorer.exact_places import UNKNOWN, Advice, factors

_TRAINER = LAYOUT.foe_left + 1
_OWN = LAYOUT.foe_left + 3
_FOE = _OWN + details.FIGHTER_SIZE
_TYPES = np.concatenate(
    [np.arange(start + 2, start + details.FIGHTER_SIZE) for start in (_OWN, _FOE)]
)
_FACTORS = factors(2029, len(_TYPES) + 2 * details.MAX_MOVES)


def matchups(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns a number for the two who fight in each of `observe_fully`'s vectors, (n,).

    It stands for the types of both, and for the powers of one's own moves and which have PP: all
    that an observation shows of what a move will do. Of two against two only the left ones count.
    """
    moves = vectors[:, LAYOUT.own_moves].copy()
    moves[:, ::2] *= details.POWER_SCALE
    moves[:, 1::2] = moves[:, 1::2] > 0
    whole = np.rint(np.concatenate([vectors[:, _TYPES], moves], axis=1)).astype(np.int64)
    numbers: NDArray[np.int64] = (whole * _FACTORS).sum(axis=1)
    return numbers


def fight_keys(
    vectors: NDArray[np.float32], menus: NDArray[np.float32] | None, advice: Advice
) -> NDArray[np.int8]:
    """Returns the key to the best move where a battle's menu is open, as its index in `KEYS`, (n,).

    `UNKNOWN` where there is none: the cursor or the best move is not known, or a wild Pokémon may
    be run from. Of two against two nobody can see whose turn it is: any move will do.

    Args:
        vectors: of `observe_fully`.
        menus: of `observe_menu`; None: not observed.
        advice: the best moves.
    """
    if menus is None:
        return np.full(len(vectors), UNKNOWN, np.int8)
    moves, cursor = advice.best_moves(matchups(vectors)), menus[:, CURSOR].argmax(axis=1)
    double = vectors[:, LAYOUT.double_battle] > 0
    acts = (menus[:, ACTIONS] > 0) & (vectors[:, _TRAINER] > 0)
    chooses = menus[:, MOVES] > 0
    wanted = np.where(acts, FIGHT, np.where(double, cursor, moves))
    told = (acts | chooses) & (double | (moves != UNKNOWN)) & (cursor < len(GRID_KEYS))
    keys = GRID_KEYS[np.where(told, cursor, 0), np.where(told, wanted, 0)]
    return np.where(told, keys, np.int8(UNKNOWN))
