"""Which actions make sense now: the others would do nothing."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator import key_mask
from emerald_env.env.actions import Action
from emerald_env.game.editions import Edition
from emerald_env.game.symbols import Read
from emerald_env.state import Facing, GameState, Mode, in_front
from emerald_env.state.parts.around.metatile import ARROW_WARPS, MB_NORMAL, behaviour

MASKS = "action_masks"  # the observation's key, and the name of the env's method

DIRECTIONS = {
    Facing.UP: key_mask("up"),
    Facing.DOWN: key_mask("down"),
    Facing.LEFT: key_mask("left"),
    Facing.RIGHT: key_mask("right"),
}
RUN = key_mask("b")  # together with a direction


def allowed_actions(
    actions: Sequence[Action],
    state: GameState | None,
    read: Read,
    game: Edition | None = None,
) -> NDArray[np.bool_]:
    """Returns which actions make sense, (len(actions),) bool.

    Masked are keys that the game ignores: Start and Select in dialogue and battle, and walking
    against a plain wall that the player already faces. Turning to a wall is allowed, since signs,
    clocks and people are talked to by facing them; doors, ledges, boulders, stairs and mats do not
    count as plain walls. A, B and waiting are always allowed, and every place can still be left.

    Args:
        actions: the table.
        state: of the game now; None: unknown, everything is allowed.
        read: reads the memory, at the same moment.
        game: the edition; None: the US edition, and Jade.
    """
    useless = tuple(useless_keys(state, read, game)) if state is not None else ()
    return np.array(
        [not any(_is_only(action.keys, keys) for keys in useless) for action in actions], bool
    )


def useless_keys(state: GameState, read: Read, game: Edition | None = None) -> Iterator[int]:
    """Yields masks of keys that do nothing now, with B or without."""
    if state.mode in (Mode.BATTLE, Mode.DIALOG):
        yield key_mask("start")
        yield key_mask("select")
    if state.mode is Mode.OVERWORLD and state.controllable and state.facing is not None:
        if against_a_wall(state.facing, read, game):
            yield DIRECTIONS[state.facing]


def against_a_wall(facing: Facing, read: Read, game: Edition | None = None) -> bool:
    """Returns whether walking in this direction is certainly impossible.

    Args:
        facing: where the player looks.
        read: reads the memory, while the player walks freely in the overworld.
        game: the edition.
    """
    ground, wall = in_front(read, facing, game)
    if wall is None or ground is None or not wall.collision or wall.occupied:
        return False
    below = behaviour(read, ground.metatile, game)
    if below is None or below in ARROW_WARPS:
        return False
    return behaviour(read, wall.metatile, game) == MB_NORMAL


def _is_only(keys: int, useless: int) -> bool:
    """Returns whether an action presses just these keys, perhaps with B."""
    return keys & ~RUN == useless
