"""States and their differences in words."""

from dataclasses import fields, replace

import pytest
from handmade import Game, Mon

from emerald_env.state import Facing, Mode, decode, describe, difference

START = decode(Game(party=(Mon(), Mon(personality=7, species=290))).memory().read)
BATTLE = decode(Game(enemies=(Mon(species=290, personality=99),), battle_type=4).memory().read)
FOLLOWS = {"component", "global_position", "map_size", "play_time"}  # from others, or the clock
OTHER = {
    "mode": Mode.MENU,
    "controllable": False,
    "dialog_open": True,
    "in_battle": True,
    "location": (0, 10),
    "position": (1, 1),
    "facing": Facing.UP,
    "avatar_flags": 8,
    "party": START.party[:1],
    "enemy_party": BATTLE.enemy_party,
    "battlers": BATTLE.battlers,
    "battle_type": 4,
    "battle_outcome": 1,
    "opponent": 265,
    "money": 1,
    "coins": 1,
    "bag_data": (13).to_bytes(2, "little") + b"\1" + bytes(741),
    "pc_data": (13).to_bytes(2, "little") + b"\1" + bytes(197),
    "flags": b"\1" + bytes(299),
    "vars": b"\1" + bytes(511),
    "stats": b"\1" + bytes(255),
    "pokedex_seen": 1,
    "pokedex_caught": 1,
    "player_name": "PPO",
    "player_gender": 0,
    "trainer_id": 1,
    "secret_id": 1,
    "last_heal": (0, 10, 1, 1),
}


def test_the_same_state_differs_in_nothing():
    assert difference(START, START) == []


def test_time_alone_is_no_difference():
    assert difference(START, replace(START, play_time=(9, 9, 9, 9))) == []


@pytest.mark.parametrize("name", [f.name for f in fields(START) if f.name not in FOLLOWS])
def test_every_value_that_changes_is_told(name):
    after = replace(BATTLE if name == "enemy_party" else START, **{name: OTHER[name]})
    before = replace(BATTLE, enemy_party=()) if name == "enemy_party" else START
    lines = difference(before, after)
    assert len(lines) >= 1 and all("\n" not in line for line in lines)


def test_a_difference_reads_like_what_happened():
    grown = replace(START.party[0], level=6, exp=200, hp=15)
    flags = (1 << 0x867).to_bytes(300, "little")
    after = replace(START, party=(grown, START.party[1]), flags=flags, money=3500)
    assert difference(START, after) == [
        "TREECKEE level: 5 -> 6",
        "TREECKEE exp: 135 -> 200",
        "TREECKEE HP: 20/20 -> 15/20",
        "money: 3000 -> 3500",
        "set FLAG_BADGE01_GET",
    ]


def test_members_are_followed_through_a_change_of_order():
    after = replace(START, party=START.party[::-1])
    assert difference(START, after) == ["order: TREECKEE, TREECKEE"]


def test_a_page_says_who_where_and_with_whom():
    page = describe(START)
    assert str(START) == page
    for words in ("MAY, girl, No. 01234, 1:02:03 played", "LittlerootTown", "free to walk",
                  "TREECKEE (TREECKO) Lv 5, HP 20/20", "3000 money"):  # fmt: skip
        assert words in page


def test_a_page_of_a_battle_names_the_opponent():
    page = describe(BATTLE)
    assert "wild" in page and "TREECKEE (WURMPLE) Lv 5" in page
    assert "LEADER ROXANNE" in describe(replace(BATTLE, opponent=265, battle_type=8))


def test_eggs_and_the_ill_are_told():
    egg = decode(Game(party=(Mon(egg=True),)).memory().read)
    ill = decode(Game(party=(Mon(status=0x40),)).memory().read)
    assert "an egg of TREECKO" in str(egg)
    assert "paralysed" in str(ill)
