"""No defeat is a dead end: wherever one loses, the story goes on from where one wakes up."""

import pytest
from helpers.jade_story import after, at, story
from test_jade_battle import lose
from test_jade_ferry import hidden

from emerald_env.jade.menus import meet, sail_on
from emerald_env.jade.walk import MILESTONES, Walker, go_on
from emerald_env.jade.walker import ISLAND

NAMES = [name for name, *_ in MILESTONES]
LAST_HEAL, LOCATION = 0x1C, 0x4096
SAILOR_HOME, SAILOR_DEWFORD, SAILOR_BEACH = (17, 0, 5, 3), (0, 11, 13, 16), (0, 24, 21, 15)
BEACH = (0, 24)
GRASS = {"Littleroot": (0, 16, 4, 16), "Oldale": (0, 10, 5, 17), "Petalburg": (0, 0, 21, 25)}
CAVE = (24, 7, 11, 10)
CENTRES = {"Oldale": (2, 2), "Petalburg": (8, 4), "Rustboro": (11, 5), "Dewford": (3, 1)}
LOST = 2


def rest(walker: Walker, town: str) -> None:
    """Goes into a centre, without talking to anybody."""
    walker.go_to(*CENTRES[town], 7, 7)


def lose_at(walker: Walker, place: tuple[int, int, int, int]) -> None:
    walker.go_to(*place)
    meet(walker)
    lose(walker)
    assert walker.number(0x0202433A, "<B") == LOST


def last_heal(walker: Walker) -> tuple[int, ...]:
    block = walker.number(0x03005D8C)
    return tuple(walker.gba.memory.read(block + LAST_HEAL, 2))


@pytest.mark.parametrize("town", CENTRES)
def test_who_only_came_into_a_centre_wakes_up_in_front_of_its_door(town: str):
    walker = after("visited_dewford" if town == "Dewford" else "visited_rustboro")
    rest(walker, town)
    walker.step("down")
    walker.step("down")
    door = walker.place
    lose_at(walker, CAVE if town == "Dewford" else GRASS["Petalburg"])
    assert walker.place == door


# ---- every order of trips, rests and defeats ----


def sail(walker: Walker) -> None:
    if walker.place[:2] == BEACH:
        walker.use(*SAILOR_BEACH, answer="a")
    else:
        walker.use(*(SAILOR_DEWFORD if walker.place[:2] in ISLAND else SAILOR_HOME), answer="a")


def sail_to_the_beach(walker: Walker) -> None:
    if walker.place[:2] in ISLAND:
        walker.go_to(0, 11, 12, 16)
        sail_on(walker)


def rest_nearby(walker: Walker) -> None:
    if walker.place[:2] != BEACH:
        rest(walker, "Dewford" if walker.place[:2] in ISLAND else "Petalburg")


def lose_nearby(walker: Walker) -> None:
    if walker.place[:2] != BEACH:
        lose_at(walker, CAVE if walker.place[:2] in ISLAND else GRASS["Petalburg"])


def side(walker: Walker) -> str:
    here = walker.place[:2]
    return "beach" if here == BEACH else "island" if here in ISLAND else "mainland"


def matters(walker: Walker) -> tuple[object, ...]:
    """What decides where the next defeat leads, and where the sailor is."""
    centre = last_heal(walker)[:2] in ISLAND
    return side(walker), centre, walker.var(LOCATION), frozenset(hidden(walker))


def test_the_sailor_is_on_the_players_side_after_any_order_of_trips_rests_and_defeats():
    begin = after("letter")
    found = {matters(begin): begin.gba.get_state()}
    queue = list(found.values())
    sides = set()
    while queue:
        state = queue.pop()
        start = side(at(state))
        sides.add(start)
        for act in (sail, sail_to_the_beach, rest_nearby, lose_nearby):
            walker = at(state)
            act(walker)
            if act is sail:
                assert side(walker) != start
            if matters(walker) not in found:
                found[matters(walker)] = walker.gba.get_state()
                queue.append(found[matters(walker)])
    assert sides == {"mainland", "island", "beach"} and len(found) >= 6


# ---- the next milestone ----


def lose_on_the_way(milestone: str) -> list[tuple[str, str | None, tuple[int, int, int, int]]]:
    """Returns (milestone, the centre that one came into last, where one loses)."""
    order = NAMES.index(milestone)
    if order < NAMES.index("visited_oldale"):
        return [(milestone, None, GRASS["Littleroot"])]
    if order < NAMES.index("visited_petalburg"):
        return [(milestone, None, GRASS["Oldale"])]
    if order < NAMES.index("visited_dewford"):
        return [(milestone, None, GRASS["Petalburg"])]
    return [
        (milestone, None, CAVE),
        (milestone, "Dewford", CAVE),
        (milestone, "Dewford", GRASS["Petalburg"]),
    ]


CASES = [
    case for name in NAMES[NAMES.index("starter_given") : -1] for case in lose_on_the_way(name)
]


@pytest.mark.parametrize(("milestone", "centre", "place"), CASES)
def test_after_a_defeat_the_next_milestone_is_reached(milestone, centre, place):
    walker = after(milestone)
    if centre:
        rest(walker, centre)
    lose_at(walker, place)
    done = story().errands[milestone]
    wanted = next(name for name in NAMES if story().errands[name] > done)
    assert next(go_on(walker, done))[0] == wanted
