"""The longer state vector's additions: switches, trainers, and the exact values of a battle."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emerald_env.game.flags import TRAINER_FLAGS
from emerald_env.game.tables import moves
from emerald_env.state import N_SWITCHES, Battler, GameState, switches, trainers_folded

TYPES = 18  # of Pokémon and moves
MAX_MOVES = 4
POWER_SCALE = 150.0
TRAINERS_SCALE = 256  # trainers beaten; a power of two, so that up to 256 can be read back
FOE_PARTS = 8  # steps in which the opponents' hit points are given
FIGHTER_SIZE = 2 + TYPES
TRAINERS_BEATEN = N_SWITCHES
FOE_LEFT = N_SWITCHES + 1
SIZE = N_SWITCHES + 4 + 2 * FIGHTER_SIZE + 2 * MAX_MOVES


def observe_details(state: GameState) -> NDArray[np.float32]:
    """Returns (SIZE,) numbers of order one for what a picture only hints at.

    In order: `switches` with `trainers_folded`, and trainers beaten/256; then, in a battle, the
    opponents' remaining HP in eighths, whether it is a trainer, whether it is a double battle;
    level/100, HP share and types of your own Pokémon, the same for the opponent's; power/150 and
    PP share of each of your own moves. What an observation has of these ends at 1, so that a number
    of trainers stops at 256 there, which is "256 or more": Emerald has 564, and 296 rematches.
    """
    vector = np.zeros(SIZE, np.float32)
    vector[: N_SWITCHES + 1] = _flags(state.flags)
    if state.in_battle:
        vector[FOE_LEFT : FOE_LEFT + 3] = (
            foe_left(state) / FOE_PARTS,
            state.is_trainer_battle,
            state.is_double_battle,
        )
        _observe_battlers(vector[FOE_LEFT + 3 :], state.battlers)
    return vector


def foe_left(state: GameState) -> int:
    """Returns the opponents' remaining hit points in units of 1/`FOE_PARTS`, rounded up."""
    most = sum(pokemon.max_hp for pokemon in state.enemy_party)
    left = sum(pokemon.hp for pokemon in state.enemy_party)
    return -(-FOE_PARTS * left // most) if most else 0


@lru_cache(maxsize=64)
def _flags(flags: bytes) -> NDArray[np.float32]:
    bits = np.unpackbits(np.frombuffer(flags, np.uint8), bitorder="little")
    beaten = bits[TRAINER_FLAGS.start : TRAINER_FLAGS.stop].sum() / TRAINERS_SCALE
    folded = switches(flags) ^ trainers_folded(flags)
    switched = [folded >> bit & 1 for bit in range(N_SWITCHES)]
    return np.append(switched, beaten).astype(np.float32)


def _observe_battlers(vector: NDArray[np.float32], battlers: tuple[Battler, ...]) -> None:
    for battler in battlers[:2]:  # the left one of each side
        start = FIGHTER_SIZE * battler.is_opponent
        vector[start : start + 2] = (battler.level / 100, battler.hp / max(battler.max_hp, 1))
        for kind in battler.types:
            if kind < TYPES:
                vector[start + 2 + kind] = 1
        if not battler.is_opponent:
            known = [_move(*each) for each in zip(battler.moves, battler.pp, strict=True)]
            numbers: list[Any] = [number for pair in known for number in pair]
            vector[2 * FIGHTER_SIZE : 2 * FIGHTER_SIZE + len(numbers)] = numbers


def _move(number: int, pp: int) -> tuple[float, float]:
    move = moves()[number]
    return move.power / POWER_SCALE, pp / max(move.pp, 1)
