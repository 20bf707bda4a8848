"""What one does on Jade's map and in its menus: the bag, the party, trees to cut, walls to move."""

import struct
from dataclasses import replace

import numpy as np
import pytest
from helpers.jade_story import after
from test_jade_battle import BLOCK_1, BLOCK_2, EVOLUTION, PUDDLE, bring, experience, sample

from emerald_env.jade.menus import BAG, PARTY, close, open_entry, use_item
from emerald_env.jade.walk import Stuck, Walker

POTION, RARE_CANDY, ETHER, CUT_LESSON = 13, 68, 34, 339
CUT, TACKLE, GROWL, WATER_GUN, TAKE_DOWN = 15, 33, 45, 55, 36
ITEMS, MACHINES = 0x560, 0x690
TREE_FLAG, WALL_FLAG = 0x11, 0x63
USED_CUT = 18
STATS = 0x159C


def carry(walker: Walker, item: int, count: int = 1, pocket: int = ITEMS) -> None:
    """Puts an item into the first place of a pocket."""
    block = walker.number(BLOCK_1)
    key = walker.number(walker.number(BLOCK_2) + 0xAC) & 0xFFFF
    walker.gba.memory.write(block + pocket, struct.pack("<HH", item, count ^ key))


def carried(walker: Walker, pocket: str = "items") -> dict[int, int]:
    return {slot.item: slot.quantity for slot in sample(walker).bag[pocket]}


# ---- the bag ----


def test_a_potion_heals_whom_one_chooses():
    walker = after("visited_petalburg")
    bring(walker, replace(PUDDLE, hp=50), replace(PUDDLE, hp=30, max_hp=90))
    carry(walker, POTION, 2)
    use_item(walker, who=1)
    assert walker.free and [mon.hp for mon in sample(walker).party] == [50, 50]
    assert carried(walker)[POTION] == 1
    use_item(walker, who=1)
    assert sample(walker).party[1].hp == 70 and POTION not in carried(walker)


def test_nobody_wastes_a_potion_on_the_fit_or_the_fainted():
    walker = after("visited_petalburg")
    bring(walker, PUDDLE, replace(PUDDLE, hp=0))
    carry(walker, POTION, 2)
    for who in (0, 1):
        use_item(walker, who=who)
        assert walker.free and carried(walker)[POTION] == 2
    assert [mon.hp for mon in sample(walker).party] == [90, 0]


def test_an_ether_gives_the_moves_back():
    walker = after("visited_petalburg")
    bring(walker, replace(PUDDLE, moves=(TACKLE, GROWL, 0, 0), pp=(0, 35, 0, 0)))
    carry(walker, ETHER)
    use_item(walker)
    assert sample(walker).party[0].pp[:2] == (10, 40) and ETHER not in carried(walker)


def test_a_rare_candy_raises_a_level_and_may_change_who_eats_it():
    walker = after("visited_petalburg")
    bring(walker, replace(PUDDLE, exp=experience(15), level=15))
    carry(walker, RARE_CANDY)
    open_entry(walker, BAG)
    for key, wait in (("a", 10), ("a", 60), ("a", 10), ("a", 60)):
        walker.press(key, wait)
    assert walker.number(0x030022C4) == EVOLUTION
    for _ in range(60):
        walker.press("a", 12)
        if walker.number(0x030022C4) != EVOLUTION:
            break
    walker.settle()
    mon = sample(walker).party[0]
    assert (mon.species, mon.level, mon.exp) == (284, 16, experience(16))
    assert RARE_CANDY not in carried(walker)


def test_a_lesson_is_taught_in_a_moves_place_and_is_not_used_up():
    walker = after("visited_petalburg")
    four = (TACKLE, GROWL, WATER_GUN, TAKE_DOWN)
    bring(walker, replace(PUDDLE, moves=four, pp=(35, 40, 25, 20)))
    carry(walker, CUT_LESSON, pocket=MACHINES)
    open_entry(walker, BAG)
    keys = [("right", 10), ("right", 10), ("a", 10), ("a", 60), ("a", 10), ("down", 10), ("a", 10)]
    for key, wait in keys:
        walker.press(key, wait)
    walker.settle()
    mon = sample(walker).party[0]
    assert mon.moves == (TACKLE, CUT, WATER_GUN, TAKE_DOWN) and mon.pp[1] == 30
    assert carried(walker, "tm_hm") == {CUT_LESSON: 1}


def test_two_of_the_party_change_places():
    walker = after("visited_petalburg")
    bring(walker, replace(PUDDLE, hp=11), replace(PUDDLE, hp=22), replace(PUDDLE, hp=33))
    open_entry(walker, PARTY)
    for key in ("a", "down", "a", "down", "down", "a"):  # the first, "Switch", the third
        walker.press(key, 10)
    close(walker)
    walker.settle()
    assert [mon.hp for mon in sample(walker).party] == [33, 22, 11]


# ---- the shop ----


def answer(walker: Walker) -> np.ndarray:
    """The pixels of the shop's last line."""
    walker.gba.tick(1)
    return np.array(walker.gba.screen.rgb)[130:150]


def test_a_full_bag_refuses_more_and_says_why():
    walker = after("visited_petalburg")
    walker.gba.memory.write(
        walker.number(BLOCK_1) + 0x490,
        struct.pack("<I", 99_999 ^ walker.number(walker.number(BLOCK_2) + 0xAC)),
    )
    before = carried(walker, "poke_balls")
    walker.go_to(2, 4, 3, 3)
    walker.face("left")
    for key, wait in (("a", 160), ("a", 12), ("down", 12)):  # the first ware, as many as there are
        walker.press(key, wait)
    walker.press("a", 12)
    refused = answer(walker)
    assert carried(walker, "poke_balls") == before and sample(walker).money == 99_999
    for _ in range(2):  # one more finds room
        walker.press("a", 12)
    assert carried(walker, "poke_balls") == {4: before[4] + 1}
    assert sample(walker).money == 99_999 - 200
    assert (answer(walker) != refused).any(), "it thanks for what it refuses"


# ---- a question ----


def test_no_arrow_blinks_beside_yes_and_no():
    walker = after("visited_petalburg")
    walker.go_to(0, 19, 25, 72)
    walker.face("left")
    walker.press("a", 200)
    frames = []
    for _ in range(8):
        walker.tick(8)
        walker.gba.tick(1)
        frames.append(np.array(walker.gba.screen.rgb)[120:, :])
    assert all((frame == frames[0]).all() for frame in frames)


# ---- a tree to cut ----


def cuts(walker: Walker) -> int:
    key = walker.number(walker.number(BLOCK_2) + 0xAC)
    return walker.number(walker.number(BLOCK_1) + STATS + 4 * USED_CUT) ^ key


def test_the_tree_needs_lesson_and_badge():
    walker = after("visited_rustboro")
    walker.go_to(0, 19, 34, 47)
    walker.face("down")
    walker.press("a", 4)
    walker.settle(answer="a")
    walker.step("down")
    assert walker.place == (0, 19, 34, 47) and not walker.flag(TREE_FLAG)


def test_the_cut_tree_opens_the_only_way_past_the_wood_until_one_leaves():
    walker = after("letter")
    walker.use(0, 19, 34, 48, answer="a")
    assert walker.flag(TREE_FLAG) and cuts(walker) == 1
    walker.go_to(0, 19, 34, 50)
    walker.go_to(17, 0, 5, 6)  # into the sailor's house and out again
    walker.go_to(0, 19, 34, 49)
    assert not walker.flag(TREE_FLAG) and (34, 48) in walker.people()
    walker.step("up")
    assert walker.place == (0, 19, 34, 49)
    walker.use(0, 19, 34, 48, answer="a")
    walker.step("up")
    assert walker.place == (0, 19, 34, 48) and cuts(walker) == 2


# ---- walls on wheels ----


def test_the_first_halls_switch_moves_its_wall_and_moves_it_back():
    walker = after("visited_rustboro")
    walker.use(11, 3, 0, 14)
    assert walker.flag(WALL_FLAG) and (5, 5) not in walker.people()
    walker.use(11, 3, 0, 14)
    assert not walker.flag(WALL_FLAG) and (5, 5) in walker.people()


def test_the_second_halls_leader_is_reached_by_both_switches_in_order():
    walker = after("letter_delivered")
    bring(walker, replace(PUDDLE, exp=experience(40), level=40))
    walker.go_to(3, 3, 9, 24)
    red, blue = {(3, 17), (8, 11)}, {(13, 17), (3, 6)}
    assert red <= walker.people() and not blue & walker.people()
    with pytest.raises(Stuck):
        walker.go_to(3, 3, 9, 4)
    walker.use(3, 3, 16, 9)
    assert blue <= walker.people() and not red & walker.people()
    with pytest.raises(Stuck):
        walker.go_to(3, 3, 9, 4)
    walker.use(3, 3, 1, 9)
    walker.go_to(3, 3, 9, 4)
    assert walker.place == (3, 3, 9, 4)


def test_the_second_hall_is_as_it_was_when_one_comes_back():
    walker = after("letter_delivered")
    bring(walker, replace(PUDDLE, exp=experience(40), level=40))
    walker.use(3, 3, 16, 9)
    walker.use(3, 3, 1, 9)
    walker.use(3, 3, 1, 9)  # red away again: the way out
    assert walker.flag(0x12) and not walker.flag(0x13)
    walker.go_to(0, 11, 12, 12)
    walker.go_to(3, 3, 9, 24)
    assert not walker.flag(0x12) and walker.flag(0x13)
