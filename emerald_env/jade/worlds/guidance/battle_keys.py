"""The keys that win a battle: which list is open, and where its cursor should be."""

import struct
from typing import Final

from emerald_env.jade.menus import BATTLE_FUNCTION, CHOOSING
from emerald_env.jade.worlds.guidance.lessons import Fighter, Lessons
from emerald_env.jade.worlds.guidance.look import MULTICHOICE, Look
from emerald_env.jade.worlds.guidance.menu_keys import (
    BAG_SCREEN,
    PARTY_SCREEN,
    A,
    B,
    forget,
    towards,
)

BATTLE_SCENE = 0x08038421
CONTROLLERS = 0x03005D60  # gBattlerControllerFuncs, by battler
CHOOSING_ACTION, CHOOSING_MOVE = 0x08057589, 0x08057BFD  # HandleInputChooseAction, -Move
ACTION_CURSORS, MOVE_CURSORS = 0x020244AC, 0x020244B0
ACTIVE, BATTLERS = 0x02024064, 0x0202406C
FIGHTERS, FIGHTER = 0x02024084, 88  # gBattleMons
PARTY_INDEXES = 0x0202406E
MOVE_TO_LEARN = 0x020244E2
FIGHT: Final = 0  # of the actions


def battle_keys(look: Look, lessons: Lessons) -> frozenset[str]:
    """Returns the keys for a battle; what was opened by mistake is closed.

    Args:
        look: at the game.
        lessons: of its world.
    """
    if look.callback == PARTY_SCREEN:
        return _successor(look)
    if look.callback == BAG_SCREEN:
        return B
    if look.callback != BATTLE_SCENE:
        return A
    if MULTICHOICE in look.tasks:
        learners = [one.moves for one in look.party if all(one.moves)]
        if len(learners) > 1:
            return B  # it is not said whose lesson it is
        return forget(look, lessons, learners[0], look.number(MOVE_TO_LEARN, "<H"))
    if look.number(BATTLE_FUNCTION) != CHOOSING:
        return A
    active = look.number(ACTIVE, "<B")
    controller = look.number(CONTROLLERS + 4 * active)
    if controller == CHOOSING_ACTION:
        return towards(look.number(ACTION_CURSORS + active, "<B"), FIGHT, 4, 2)
    if controller == CHOOSING_MOVE:
        return _move(look, lessons, active)
    return A


def _move(look: Look, lessons: Lessons, active: int) -> frozenset[str]:
    own, first, second = (
        Fighter.of(look.memory.read(FIGHTERS + FIGHTER * i, FIGHTER)) for i in (active, 1, 3)
    )
    foe = first if first.hp or look.number(BATTLERS, "<B") == 2 else second
    count = sum(map(bool, own.moves))
    cursor = look.number(MOVE_CURSORS + active, "<B")
    return towards(cursor, lessons.best(own, foe), count, 2)


def _successor(look: Look) -> frozenset[str]:
    """Leaves the party's screen, or chooses who comes for somebody who fainted."""
    active = look.number(ACTIVE, "<B")
    if Fighter.of(look.memory.read(FIGHTERS + FIGHTER * active, FIGHTER)).hp:
        return B
    count = look.number(BATTLERS, "<B")
    out = set(struct.unpack(f"<{count}H", look.memory.read(PARTY_INDEXES, 2 * count))[::2])
    able = [i for i, one in enumerate(look.party) if one.hp and i not in out]
    if not able:
        return B
    return towards(look.party_slot, able[0], len(look.party))
