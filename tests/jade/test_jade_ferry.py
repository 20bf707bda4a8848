"""The ferry changes Emerald's flags and variables trip by trip; the boat is seen to sail."""

import json
from pathlib import Path

import pytest
from helpers.jade_story import after

from emerald_env.jade.menus import sail_on

LOCATION, BOARDING = 0x4096, 0x408E
HOUSE, DEWFORD, ROUTE_109 = (17, 0, 5, 3), (0, 11, 13, 16), (0, 24, 21, 15)
MAN_104, MAN_HOUSE, MAN_DEWFORD, MAN_109 = 0x2E2, 0x2E3, 0x2E4, 0x2E5
BOAT_104, BOAT_DEWFORD, BOAT_109, PEEKO = 0x2E6, 0x2E7, 0x2E8, 0x371
FLAGS = (MAN_104, MAN_HOUSE, MAN_DEWFORD, MAN_109, BOAT_104, BOAT_DEWFORD, BOAT_109, PEEKO)
AT_HOUSE = {MAN_104, MAN_DEWFORD, MAN_109, BOAT_DEWFORD, BOAT_109}
AT_DEWFORD = {MAN_104, MAN_HOUSE, MAN_109, BOAT_104, BOAT_109, PEEKO}
AT_ROUTE_109 = {MAN_104, MAN_HOUSE, MAN_DEWFORD, BOAT_104, BOAT_DEWFORD, PEEKO}
# after a defeat: where he waits -> flags that are set (facts: briney_loop.json)
AFTER_DEFEAT = {1: AT_HOUSE, 2: AT_DEWFORD, 3: AT_ROUTE_109}


def hidden(walker) -> set[int]:
    return {flag for flag in FLAGS if walker.flag(flag)}


def watch(walker, person, answer: str = "a") -> list[tuple[int, int, int]]:
    """Talks to the sailor and notes his place, the boarding state and the player's map."""
    walker.go_to(*person[:2], person[2] - 1, person[3])
    walker.face("right")
    seen = []
    walker.tick(2, "a")
    for _ in range(1500):
        walker.press(answer, 4) if walker.message_open else walker.tick(2)
        now = walker.var(LOCATION), walker.var(BOARDING), walker.place[:2]
        if not seen or seen[-1] != now:
            seen.append(now)
        if walker.free and not walker.moving:
            return seen
    raise AssertionError("still at sea")


def test_from_the_house_he_goes_out_to_the_boat_and_to_sea_and_waits_in_dewford():
    walker = after("letter")
    assert hidden(walker) == AT_HOUSE
    seen = watch(walker, HOUSE)
    boarding = [(0, 1, (17, 0)), (0, 1, (0, 19)), (0, 0, (0, 19)), (0, 0, (0, 11)), (1, 0, (0, 11))]
    assert [step for step in seen if step in boarding] == boarding
    assert hidden(walker) == AT_DEWFORD and walker.place == (0, 11, 12, 16)


def test_back_from_dewford_the_state_says_so_until_the_player_stands_in_the_house():
    walker = after("visited_dewford")
    seen = watch(walker, DEWFORD)
    assert (1, 2, (17, 0)) in seen or (1, 2, (0, 19)) in seen
    assert seen[-1] == (1, 0, (17, 0))
    assert hidden(walker) == AT_HOUSE


def test_to_the_far_beach_and_back_flips_four_flags_twice():
    walker = after("visited_dewford")
    before = hidden(walker)
    walker.go_to(0, 11, 12, 16)
    sail_on(walker)
    assert walker.place == (0, 24, 20, 15)
    assert hidden(walker) == AT_ROUTE_109 and len(hidden(walker) ^ before) == 4
    watch(walker, ROUTE_109)
    assert hidden(walker) == before


def test_coming_into_a_centre_remembers_where_the_sailor_is_until_the_next_one():
    walker = after("letter")
    assert walker.var(LOCATION) == 1
    watch(walker, HOUSE)
    assert walker.var(LOCATION) == 1, "a trip changes nothing"
    walker.go_to(3, 1, 7, 7)
    assert walker.var(LOCATION) == 2
    watch(walker, DEWFORD)
    assert walker.var(LOCATION) == 2
    walker.go_to(8, 4, 7, 7)
    assert walker.var(LOCATION) == 1


@pytest.mark.parametrize("side", [(0, -1), (0, 1), (1, 0)])
def test_he_takes_aboard_whoever_talks_to_him_from_any_side(side: tuple[int, int]):
    walker = after("visited_dewford")
    for person, place in ((DEWFORD, (17, 0)),):
        walker.go_to(*person[:2], person[2] + side[0], person[3] + side[1])
        walker.face({(0, -1): "down", (0, 1): "up", (1, 0): "left"}[side])
        walker.tick(2, "a")
        walker.settle(answer="a")
        assert walker.place[:2] == place


@pytest.mark.parametrize("trip", ["house", "dewford", "route_109"])
def test_the_flags_are_those_of_the_facts(shared: Path, trip: str):
    facts = json.loads((shared / "facts" / "briney_loop.json").read_text())
    number = facts["flags"]
    names = {
        "house": "Briney house -> Dewford",
        "dewford": "Dewford -> Route 109 (Slateport)",
        "route_109": "Route 109 -> Dewford",
    }
    told = next(t for t in facts["trips"] if t["trip"] == names[trip])
    states = {"house": AT_HOUSE, "dewford": AT_DEWFORD, "route_109": AT_ROUTE_109}
    goal = AT_ROUTE_109 if trip == "dewford" else AT_DEWFORD
    # a flag that a trip clears and sets again counts as set
    after_trip = (states[trip] - {number[flag] for flag in told["clears"]}) | {
        number[flag] for flag in told["sets"]
    }
    assert after_trip == goal
