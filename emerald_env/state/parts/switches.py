"""What scripts have switched: levers, moving walls, gifts."""

from functools import cache, lru_cache

from emerald_env.game.flags import SCRIPT_FLAGS, TEMP_FLAGS, TRAINER_FLAGS
from emerald_env.game.tables import milestones
from emerald_env.state.bits import mask

N_SWITCHES = 32


@lru_cache(maxsize=64)
def switches(flags: bytes) -> int:
    """Returns N_SWITCHES bits that differ wherever a script changed one flag.

    Bit i tells whether an odd number of the flags i, i + 32, i + 64, ... is set. Only the map's
    temporary flags and those of scripts count, without milestones. A game stores a lever's effect
    in either: a gym's wall in a script's flag, a cut tree in a temporary one.

    Args:
        flags: all flags of a state, flag i at bit i % 8 of byte i // 8.
    """
    return _folded(int.from_bytes(flags, "little") & _counted())


@lru_cache(maxsize=64)
def trainers_folded(flags: bytes) -> int:
    """Returns the same for the trainers' flags: N_SWITCHES bits for the set of beaten trainers.

    Their number is not enough to know what to do next: the same key starts a battle in one game
    and does nothing in another where that trainer is beaten.
    """
    return _folded(int.from_bytes(flags, "little") & _trainers())


def _folded(left: int) -> int:
    folded = 0
    while left:
        folded ^= left & (1 << N_SWITCHES) - 1
        left >>= N_SWITCHES
    return folded


@cache
def _trainers() -> int:
    return mask(TRAINER_FLAGS)


@cache
def _counted() -> int:
    counted = mask(TEMP_FLAGS) | mask(SCRIPT_FLAGS)
    return counted & ~mask(step.id for step in milestones() if step.kind == "flag")
