"""The whole story, walked tile by tile through the rewards along its own passages."""

import copy
import csv
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest
from helpers.story_walk import Walker, at, reached, sightseeing, stretches, tiles_of

from emerald_env.game import tables
from rewards import TERMS, Preset, Reward, load_preset
from rewards.audit.new_game import NEW_GAME
from rewards.terms.story_ways import CLOSE, coming, length_of, main_story, shortest, way_to

PRESETS = ("default", "exploration")


class WalkedStretch(NamedTuple):
    """What the right way to a milestone pays, tile by tile, and what wrong ones pay together."""

    slug: str
    pays: list[float]
    wrong: list[float]


@cache
def walked(name):
    """Walks the story under a preset; before each stretch wrong ways of its length are tried."""
    walker, visited, found = Walker(load_preset(name)), set(), []
    for step, way, slugs in stretches():
        walker.to(way[0].start)
        length = length_of(step.slug)
        late = {leg.end[:2] for leg in way if leg.left < length / 2} - {way[0].start[:2]}
        wrong = []
        for seen in (visited, visited | {leg.end[:2] for leg in way}, set()):
            tour = sightseeing(
                way[0].start, slugs, seen | {way[0].start[:2]}, length, late | {way[-1].end}
            )
            wrong.append(sum(copy.deepcopy(walker).along(tour)[:length]))
        found.append(WalkedStretch(step.slug, walker.along(way), wrong))
        walker.reach(step)
        visited |= {leg.end[:2] for leg in way} | {way[0].start[:2]}
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_on_every_stretch_the_right_way_pays_more_than_wrong_ones(preset):
    pays = {one.slug: (sum(one.pays), max(one.wrong)) for one in walked(preset)}
    far = {slug: both for slug, both in pays.items() if length_of(slug) > CLOSE}
    assert {slug: both for slug, both in far.items() if both[0] <= both[1]} == {}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_150_tiles_of_the_story_pay_something(preset):
    least = 0.02 * load_preset(preset).weights["milestone"]
    poor = {
        one.slug
        for one in walked(preset)
        for start in range(len(one.pays) - 149)
        if sum(one.pays[start : start + 150]) < least
    }
    assert poor == set()


def test_a_way_pays_its_last_tiles_like_its_first():
    slug = "aqua_hideout"
    assert length_of(slug) > 1000
    walker, places = _at_the_start_of(slug, {"way": 1.0})
    pays = [walker.to(place) for place in places]
    thirds = [sum(pays[i : i + len(pays) // 3]) for i in (0, len(pays) // 3, 2 * len(pays) // 3)]
    assert sum(pays) == pytest.approx(1.0)
    assert thirds == pytest.approx([1 / 3] * 3, abs=0.08)


def _at_the_start_of(slug, weights):
    walker = Walker(Preset("test", weights))
    walker.state = at(walker.state, way_to(slug)[0].start)
    for step in main_story():
        if step.slug == slug:
            break
        walker.state = reached(walker.state, step)
    walker.reward.reset(walker.state)
    return walker, [place for leg in way_to(slug) for place in tiles_of(leg)]


def test_walking_a_way_to_and_fro_pays_it_once():
    walker, places = _at_the_start_of("badge_balance", {"way": 1.0})
    paid = sum(map(walker.to, places[:300]))
    assert 0.3 < paid < 0.7
    assert sum(map(walker.to, [*places[299::-1], *places[:300]])) == 0.0


def test_a_white_out_on_a_way_pays_nothing_and_neither_does_what_it_skipped():
    walker, places = _at_the_start_of("badge_balance", {"way": 1.0})
    beaten = at(NEW_GAME, places[0])
    beaten = reached(beaten, next(s for s in main_story() if s.kind == "party"))
    for step in main_story():
        if step.slug == "badge_balance":
            break
        beaten = reached(beaten, step)
    fainted = replace(beaten, party=(replace(beaten.party[0], hp=0),), last_heal=places[400])
    walker.reward.reset(fainted)
    awake = replace(at(beaten, places[400]), last_heal=fainted.last_heal)
    assert sum(walker.reward(fainted, awake).values()) == 0.0
    assert sum(walker.reward(awake, at(awake, places[300])).values()) == 0.0


def test_a_way_does_not_need_what_comes_later():
    """Without Rock Smash nobody passes Rusturf Tunnel, without Surf no water."""
    petalburg, dewford = (0, 0, 29, 18), (0, 11, 12, 9)
    early = frozenset(step.slug for step in main_story()[:20])
    with pytest.raises(ValueError, match="no passages lead from"):
        shortest(petalburg, dewford, early)
    to_norman = {leg.end[:2] for leg in way_to("badge_balance")}
    names = {tables.map_name(location) for location in to_norman}
    assert {"MauvilleCity", "PetalburgCity_Gym"} <= names
    assert "Route103" not in names and "Route105" not in names


@pytest.mark.parametrize(
    ("slug", "maps"),
    [
        ("briney_sailing", {"RustboroCity", "PetalburgWoods"}),
        ("fiery_path", {"Route117", "Route111", "Route112"}),
        ("mt_chimney", {"Route112_CableCarStation", "MtChimney_CableCarStation"}),
        ("magma_hideout", {"MagmaHideout_1F", "MagmaHideout_2F_1R", "MagmaHideout_3F_1R"}),
        ("seafloor_cavern", {"SeafloorCavern_Room1", "SeafloorCavern_Room8"}),
        ("entered_elite_four", {"VictoryRoad_B1F", "VictoryRoad_B2F"}),
        ("visited_ever_grande", {"Underwater_Route126", "Route128"}),
    ],
)
def test_the_ways_pass_where_players_pass(slug, maps):
    names = {tables.map_name(leg.end[:2]) for leg in way_to(slug)}
    assert maps <= names
    assert not names & {"Route103", "Route107"}


def test_passages_lie_on_maps_and_need_milestones():
    slugs = {step.slug for step in tables.milestones()}
    for row in tables.passages():
        for group, number, x, y in (row[:4], row[4:8]):
            info = tables.maps()[group, number]
            assert 0 <= x < info.width and 0 <= y < info.height
        assert row.tiles >= 1 and set(row.needs.split()) <= slugs
        if row.kind == "walk":
            assert row[:2] == row[4:6]
            ledges = 2  # tiles a step at most
            assert ledges * row.tiles >= abs(row.x - row.to_x) + abs(row.y - row.to_y)


def test_warps_and_borders_are_those_of_the_reference(shared):
    def rows(name):
        with (shared / "facts" / f"{name}.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    warps = {
        tuple(int(row[c] or -1) for c in ("group", "num", "x", "y", "dest_group", "dest_num"))
        for row in rows("warps")
        if row["dest_group"]
    }
    joined = {
        tuple(int(row[c]) for c in ("group", "num", "target_group", "target_num"))
        for row in rows("map_connections")
    }
    for row in tables.passages():
        if row.kind == "warp":
            assert (*row[:4], *row[4:6]) in warps
        elif row.kind in ("border", "dive"):
            assert (*row[:2], *row[4:6]) in joined


def test_waterfall_comes_before_the_last_badge():
    slugs = [step.slug for step in main_story()]
    assert slugs.index("hm_waterfall") < slugs.index("badge_rain")


def test_a_skipped_milestone_is_still_ahead_for_a_while():
    story = main_story()
    index = [step.slug for step in story].index("steven_letter")
    bits = sum(1 << step.bit for step in story[: index + 1] if step.slug != "hm_flash")
    assert coming(bits)[0].slug == "hm_flash" and coming(bits)[1].slug == "badge_knuckle"
    later = bits | sum(1 << step.bit for step in story[: index + 4] if step.slug != "hm_flash")
    assert "hm_flash" not in [step.slug for step in coming(later)]


def test_the_ways_of_the_boy_and_the_girl_pay_the_same():
    def paid(gender, houses, game="BPEE"):
        reward = Reward(Preset("test", {"way": 1.0}))
        story = {step.slug: step for step in main_story()}
        state = replace(at(NEW_GAME, (*houses[0], 5, 2)), player_gender=gender, game=game)
        for slug in ("visited_littleroot", "entered_home", "sent_upstairs"):
            state = reached(state, story[slug])
        reward.reset(at(state, (*houses[0], *houses[1])))
        goal = at(state, (*houses[2], *houses[3]))
        return sum(reward(at(state, (*houses[0], *houses[1])), goal).values())

    boys, girls = ((1, 0), (8, 7), (1, 1), (5, 2)), ((1, 2), (2, 7), (1, 3), (3, 2))
    assert paid(0, boys) == paid(1, girls) == pytest.approx(1.0)
    assert paid(0, boys, "JADE") == paid(1, boys, "JADE") == pytest.approx(1.0), "in one house"
    assert paid(1, girls, "JADE") == paid(0, girls) == 0


def test_every_way_is_bounded_by_its_weight():
    assert TERMS["way"].bound(2.0, 1.0) == 2.0 * len(main_story())
