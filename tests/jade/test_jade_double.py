"""Two against two: the twins on Route 104, driven by keys."""

import struct
from dataclasses import replace
from functools import cache

import pytest
from helpers.jade_story import after, at
from test_jade_battle import (
    BATTLE_FUNCTION,
    BATTLER,
    BATTLER_SIZE,
    CHOOSING,
    HP,
    MAX_HP,
    PUDDLE,
    bring,
    sample,
)

from emerald_env.jade.walk import Walker
from emerald_env.state import BATTLE_TYPE_DOUBLE, StateReader
from rewards.preset import load_preset
from rewards.reward import Reward

TWINS, TRAINER_FLAGS = 483, 0x500
BATTLERS_COUNT, PARTY_INDEXES, POSITIONS = 0x0202406C, 0x0202406E, 0x02024076
ENEMY_PARTY, TOUGH = 0x02024744, 500
OUTCOME, WON, LOST = 0x0202433A, 1, 2
IN_FRONT_OF_THEM = (0, 19, 23, 40)
SILKLING, PADLET = (54, 4), (74, 4)  # what beating one is worth, and its level
FIRST = replace(PUDDLE, max_hp=23, hp=23, stats=(13, 13, 13, 13, 13))
SECOND = replace(FIRST, personality=777)
THIRD = replace(FIRST, personality=778)
OWN, FOE, OWN_SECOND, FOE_SECOND = range(4)


@cache
def near_the_twins() -> bytes:
    walker = after("visited_petalburg")
    walker.go_to(*IN_FRONT_OF_THEM)
    return walker.gba.get_state()


def before_them(*party) -> Walker:
    """Returns a walker two steps from the twins' sight, with this party."""
    walker = at(near_the_twins())
    bring(walker, *party)
    return walker


def until_a_choice(walker: Walker, key: str = "a") -> None:
    for _ in range(200):
        if not walker.in_battle or walker.number(BATTLE_FUNCTION) == CHOOSING:
            return
        walker.press(key, 12)
    raise AssertionError("nothing is to be chosen")


def met(*party) -> Walker:
    """Returns a walker whose double battle waits for the first choice."""
    walker = before_them(*party)
    walker.tick(40, "up")
    for _ in range(40):
        if walker.in_battle:
            break
        walker.press("a", 12)
    until_a_choice(walker)
    return walker


def set_hp(walker: Walker, battler: int, hp: int) -> None:
    walker.gba.memory.write(BATTLER + battler * BATTLER_SIZE + HP, struct.pack("<H", hp))
    walker.tick(90)  # until its bar shows it


def toughen(walker: Walker, *foes: int) -> None:
    """Gives foes many HP, in the party that they come from too; waits for their bars."""
    for foe in foes:
        hp = struct.pack("<H", TOUGH)
        walker.gba.memory.write(BATTLER + foe * BATTLER_SIZE + HP, hp)
        walker.gba.memory.write(BATTLER + foe * BATTLER_SIZE + MAX_HP, hp)
        walker.gba.memory.write(ENEMY_PARTY + foe // 2 * 100 + 86, hp * 2)
    walker.tick(90)


def hp(walker: Walker, battler: int) -> int:
    return walker.number(BATTLER + battler * BATTLER_SIZE + HP, "<H")


def attack(walker: Walker, *way: str) -> None:
    """Chooses the first move, and with these keys whom it hits."""
    for key in ("a", "a", *way, "a"):
        walker.press(key, 12)


def fight_on(walker: Walker) -> None:
    """Presses A until the battle is over."""
    for _ in range(300):
        if walker.free:
            return
        walker.press("a", 12)
    raise AssertionError("the battle does not end")


def test_the_memory_holds_four_battlers_as_in_emerald_and_the_reader_finds_them():
    walker = met(FIRST, SECOND, THIRD)
    assert walker.number(BATTLERS_COUNT, "<B") == 4
    assert struct.unpack("<4H", walker.gba.memory.read(PARTY_INDEXES, 8)) == (0, 0, 1, 1)
    assert walker.gba.memory.read(POSITIONS, 4) == bytes(range(4))
    state = sample(walker)
    assert state.is_double_battle and state.is_trainer_battle and state.opponent == TWINS
    assert state.battle_type == BATTLE_TYPE_DOUBLE | 8
    assert [(one.index, one.party_index, one.is_opponent) for one in state.battlers] == [
        (0, 0, False), (1, 0, True), (2, 1, False), (3, 1, True),
    ]  # fmt: skip
    sides = {False: state.party, True: state.enemy_party}
    for one in state.battlers:
        member = sides[one.is_opponent][one.party_index]
        assert (one.personality, one.species, one.hp) == (
            member.personality, member.species, member.hp,
        )  # fmt: skip


@pytest.mark.parametrize(("way", "hit", "spared"), [((), FOE, FOE_SECOND),
                                                    (("right",), FOE_SECOND, FOE)])  # fmt: skip
def test_a_blow_meets_the_one_that_it_was_aimed_at(way: tuple[str, ...], hit: int, spared: int):
    walker = met(FIRST, SECOND)
    toughen(walker, FOE, FOE_SECOND)
    attack(walker, *way)
    attack(walker, *way)
    until_a_choice(walker)
    assert hp(walker, hit) < TOUGH and hp(walker, spared) == TOUGH


def test_b_goes_back_from_the_target_to_the_moves_and_from_the_second_to_the_first():
    walker = met(FIRST, SECOND)
    for key in ("a", "a", "b", "b"):
        walker.press(key, 12)
    toughen(walker, FOE, FOE_SECOND)
    attack(walker)  # the first, at the left one
    walker.press("b", 12)  # not the second yet: the first thinks again
    attack(walker, "right")
    attack(walker, "right")
    until_a_choice(walker)
    assert hp(walker, FOE_SECOND) < TOUGH and hp(walker, FOE) == TOUGH


def test_what_a_foe_is_worth_is_shared_and_the_trainer_is_beaten_once():
    walker = met(FIRST, SECOND)
    before = sample(walker)
    for foe in (FOE, FOE_SECOND):
        set_hp(walker, foe, 1)
    reader = StateReader(walker.gba.memory.read)
    reward = Reward(load_preset("default"))
    reward.reset(before)
    fight_on(walker)
    state = reader.sample()
    assert state is not None and walker.number(OUTCOME, "<B") == WON
    worth = sum(value * level // 7 // 2 * 3 // 2 for value, level in (SILKLING, PADLET))
    assert [mon.exp for mon in state.party] == [mon.exp + worth for mon in before.party]
    assert walker.flag(TRAINER_FLAGS + TWINS) and not state.in_battle
    paid = reward(before, state)
    assert paid["trainer"] > 0 and paid["experience"] > 0
    walker.use(0, 19, 26, 38)
    walker.use(0, 19, 26, 39)
    assert walker.number(OUTCOME, "<B") == WON and not walker.in_battle


def test_the_last_one_standing_gets_all():
    walker = met(FIRST, SECOND)
    before = sample(walker)
    for battler in (FOE, FOE_SECOND):
        set_hp(walker, battler, 1)
    set_hp(walker, OWN_SECOND, 0)
    fight_on(walker)
    state = sample(walker)
    worth = sum(value * level // 7 * 3 // 2 for value, level in (SILKLING, PADLET))
    gained = [now.exp - then.exp for now, then in zip(state.party, before.party, strict=True)]
    assert gained == [worth, 0] and walker.number(OUTCOME, "<B") == WON


def test_who_fainted_is_replaced_by_whoever_is_not_out_there_yet():
    walker = met(FIRST, SECOND, THIRD)
    toughen(walker, FOE, FOE_SECOND)
    set_hp(walker, OWN, 0)
    attack(walker)
    attack(walker)
    until_a_choice(walker)
    assert struct.unpack("<4H", walker.gba.memory.read(PARTY_INDEXES, 8))[OWN] == 2
    assert {one.party_index for one in sample(walker).battlers if not one.is_opponent} == {1, 2}


def test_one_pokemon_fights_on_alone_and_without_any_the_battle_is_lost():
    walker = met(FIRST, SECOND)
    toughen(walker, FOE, FOE_SECOND)
    set_hp(walker, OWN, 0)
    attack(walker)
    attack(walker)
    until_a_choice(walker)
    assert walker.in_battle and hp(walker, OWN) == 0 and hp(walker, OWN_SECOND) > 0
    set_hp(walker, OWN_SECOND, 0)
    attack(walker)
    walker.settle()
    assert walker.number(OUTCOME, "<B") == LOST and sample(walker).location != IN_FRONT_OF_THEM[:2]


def test_twins_do_not_fight_somebody_with_one_who_can():
    walker = before_them(FIRST, replace(SECOND, hp=0))
    walker.tick(60, "up")
    walker.settle()
    assert not walker.in_battle and not walker.flag(TRAINER_FLAGS + TWINS)
    walker.use(0, 19, 26, 38)
    walker.use(0, 19, 26, 39)
    assert not walker.in_battle and not walker.flag(TRAINER_FLAGS + TWINS)
