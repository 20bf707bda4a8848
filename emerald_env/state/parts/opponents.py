"""Who the player fights, from a battle's type.

Only plain trainer battles use the numbers of the trainers' table: the Battle Frontier, the Trainer
Hill, e-Reader cards, secret bases and other players have numbers of their own.
"""

from __future__ import annotations

from enum import Enum

# pret's include/constants/battle.h
BATTLE_TYPE_DOUBLE = 1 << 0
BATTLE_TYPE_LINK = 1 << 1
BATTLE_TYPE_TRAINER = 1 << 3
BATTLE_TYPE_MULTI = 1 << 6
BATTLE_TYPE_BATTLE_TOWER = 1 << 8
BATTLE_TYPE_EREADER_TRAINER = 1 << 11
BATTLE_TYPE_TWO_OPPONENTS = 1 << 15
BATTLE_TYPE_INGAME_PARTNER = 1 << 22
BATTLE_TYPE_RECORDED_LINK = 1 << 25
BATTLE_TYPE_TRAINER_HILL = 1 << 26
BATTLE_TYPE_SECRET_BASE = 1 << 27
BATTLE_TYPE_FRONTIER = BATTLE_TYPE_BATTLE_TOWER | 0x3F << 16
"""Tower, Dome, Palace, Arena, Factory, Pike and Pyramid."""


class OpponentKind(Enum):
    """What the opponent is."""

    WILD = "wild"
    TRAINER = "trainer"  # one of ``tables.trainers()``
    FRONTIER = "Battle Frontier"
    TRAINER_HILL = "Trainer Hill"
    E_READER = "e-Reader card"
    SECRET_BASE = "secret base"
    LINK = "another player"


_KINDS = (
    (BATTLE_TYPE_LINK | BATTLE_TYPE_RECORDED_LINK, OpponentKind.LINK),
    (BATTLE_TYPE_EREADER_TRAINER, OpponentKind.E_READER),
    (BATTLE_TYPE_SECRET_BASE, OpponentKind.SECRET_BASE),
    (BATTLE_TYPE_TRAINER_HILL, OpponentKind.TRAINER_HILL),
    (BATTLE_TYPE_FRONTIER, OpponentKind.FRONTIER),
    (BATTLE_TYPE_TRAINER, OpponentKind.TRAINER),
)


def opponent_kind(battle_type: int) -> OpponentKind:
    """Returns what the opponent is in a battle of this type (the game's bit field)."""
    for bits, kind in _KINDS:
        if battle_type & bits:
            return kind
    return OpponentKind.WILD
