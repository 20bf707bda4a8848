"""Moves of the field: what teaches them, what they clear away, and when that is allowed."""

from typing import Final, NamedTuple

from emerald_env.jade.maps import BOULDER, ROCK, SMALL_TREE


class FieldMove(NamedTuple):
    """One of them, by Emerald's numbers."""

    move: int
    item: int  # that teaches it
    received: int  # the flag that says that the item was given
    badge: int  # the flag without which it is of no use (jade/src/field/field_move.c)
    clears: int  # graphicsId of what it clears away or moves, or `NOTHING`


NOTHING: Final = -1
CUT, STRENGTH, FLASH, ROCK_SMASH = 15, 70, 148, 249
FIELD_MOVES: Final = {
    each.move: each
    for each in (
        FieldMove(CUT, 339, 0x89, 0x867, SMALL_TREE),
        FieldMove(ROCK_SMASH, 344, 0x6B, 0x867, ROCK),
        # only in jade_full.gba
        FieldMove(FLASH, 343, 0x6D, 0x868, NOTHING),
        FieldMove(STRENGTH, 342, 0x6A, 0x869, BOULDER),
    )
}
OBSTACLES: Final = frozenset({SMALL_TREE, ROCK, BOULDER})
