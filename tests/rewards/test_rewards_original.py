"""The original project's reward: its numbers, and that it can be farmed as it could."""

import json
from dataclasses import replace

import pytest
from helpers.fakes import (
    LITTLEROOT,
    OLDALE,
    START,
    at,
    pokemon,
    with_badges,
    with_flag,
    with_flags,
    with_party,
    with_species,
    without_flags,
)

from emerald_env.game import tables
from emerald_env.game.flags import BADGES, VISITED_TOWNS, Flag
from rewards import Preset, Reward, load_preset
from rewards.original_2023 import TERMS, clip, experience_reward

# The ferry of Mr. Briney: what a trip from Dewford to Route 109 and one back set and clear, from
# pret's DewfordTown_EventScript_SailToSlateport and Route109_EventScript_StartDepartForDewford.
AT_DEWFORD = (740, 743)  # FLAG_HIDE_MR_BRINEY_DEWFORD_TOWN, ..._BOAT_DEWFORD_TOWN
AT_ROUTE_109 = (741, 744)  # FLAG_HIDE_ROUTE_109_MR_BRINEY, ..._BOAT


def original(start=START, **weights):
    """The original's reward without its clipping, with other weights where given."""
    reward = Reward(load_preset("original_2023", {"clip": 0.0, **weights}))
    reward.reset(start)
    reward(start, start)  # the original did not see flags change in its first step
    return reward


def ferry(state):
    """The states of a round trip Dewford, Route 109, Dewford."""
    dewford = without_flags(with_flags(state, *AT_ROUTE_109), *AT_DEWFORD)
    route_109 = without_flags(with_flags(state, *AT_DEWFORD), *AT_ROUTE_109)
    return [dewford, route_109, dewford]


def rounds(reward, states, count):
    """What each of several rounds of a closed walk pays."""
    paid = []
    for _ in range(count):
        steps = zip(states, states[1:], strict=False)
        paid.append(sum(sum(reward(before, after).values()) for before, after in steps))
    return paid


def test_it_has_the_originals_fourteen_terms_and_what_its_clipping_adds():
    assert len(TERMS) == 15 and TERMS[-1] == "clip"
    assert load_preset("original_2023").weights == {
        "visit_city": 5.0, "seen": 0.2, "caught": 1.0, "explore": 0.02, "revisit": 0.01,
        "heal": 0.5, "money": 0.0, "pokedex": 10.0, "pokenav": 10.0, "badge": 10.0,
        "champion": 10.0, "trainer": 2.0, "event": 0.075, "exp": 5.0, "clip": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(("gained", "worth"), [(0, 0.0), (300, 3.58), (1000, 4.98), (5000, 5.0)])
def test_experience_saturates_as_in_the_original(gained, worth):
    assert experience_reward(gained) == worth


@pytest.mark.parametrize(("raw", "clipped"), [(1, 3.81), (-1, -0.23), (10, 5.0), (-10, -0.3)])
def test_the_clipping_is_the_originals(raw, clipped):
    assert clip(raw) == pytest.approx(clipped, abs=0.005)


def test_a_reversible_wobble_pays_under_the_clipping():
    reward = Reward(load_preset("original_2023", {"money": 1.0, "explore": 0.0}))
    rich, poor = replace(START, money=3001), START
    reward.reset(poor)
    up, down = reward(poor, rich), reward(rich, poor)
    assert sum(up.values()) + sum(down.values()) == pytest.approx(3.58, abs=0.01)
    assert up["money"] + down["money"] == 0.0


@pytest.mark.parametrize(
    ("after", "term", "amount"),
    [
        (with_badges(START, 2), "badge", 20.0),
        (with_flag(START, Flag.SYS_POKEDEX_GET), "pokedex", 10.0),
        (with_flag(START, Flag.SYS_POKENAV_GET), "pokenav", 10.0),
        (with_flag(START, Flag.IS_CHAMPION), "champion", 10.0),
        (with_flags(START, 0x500, 0x501, 0x85F), "trainer", 6.0),
        (with_flags(START, *VISITED_TOWNS[:3]), "visit_city", 10.0),
        (with_flags(START, 0x050, 0x051), "event", 0.075),  # 0x050 is set in a new game
        (with_flags(START, 0x04F, 0x900), "event", 0.0),
        (with_species(START, seen=[1, 2, 3]), "seen", 0.6),
        (with_species(START, caught=[1]), "caught", 1.0),
    ],
)
def test_each_term_has_the_originals_weight(after, term, amount):
    terms = original()(START, after)
    assert terms[term] == pytest.approx(amount)
    assert sum(terms.values()) == pytest.approx(amount)


def test_experience_counts_from_the_level_at_which_a_pokemon_was_met():
    level_5 = tables.experience()["medium_slow"][5]
    assert tables.species()[277].growth_rate == "medium_slow"
    met = with_party(START, pokemon(exp=level_5, met_level=5))
    trained = with_party(START, pokemon(exp=level_5 + 300, met_level=5))
    assert original(met)(met, trained)["exp"] == 3.58


def test_experience_counts_in_the_boxes_as_in_the_party():
    level_5 = tables.experience()["medium_slow"][5]
    first, second = pokemon(1, exp=level_5, met_level=5), pokemon(2, exp=level_5 + 300, met_level=5)
    both, alone = with_party(START, first, second), with_party(START, first)
    reward = original(both)
    assert reward(both, alone)["exp"] == 0.0
    assert reward(alone, both)["exp"] == 0.0
    grown = with_party(START, first, pokemon(2, exp=level_5 + 400, met_level=5))
    worth = [experience_reward(gained) for gained in (300, 400)]
    assert reward(both, grown)["exp"] == pytest.approx(worth[1] - worth[0])


def test_who_was_in_a_box_from_the_start_pays_nothing_when_taken_out():
    level_5 = tables.experience()["medium_slow"][5]
    first, boxed = pokemon(1, exp=level_5, met_level=5), pokemon(2, exp=level_5 + 300, met_level=5)
    alone, both = with_party(START, first), with_party(START, first, boxed)
    reward = original(alone)
    assert reward(alone, both)["exp"] == 0.0
    assert reward(both, alone)["exp"] == 0.0


def test_a_new_cell_lies_more_than_two_and_a_half_tiles_from_all_others():
    reward = original()
    x, y = START.position
    assert reward(START, at(START, position=(x + 2, y + 1)))["explore"] == 0.0
    assert reward(START, at(START, position=(x + 2, y + 2)))["explore"] == 0.02
    assert reward(START, at(START, OLDALE))["explore"] == 0.02
    assert reward(START, at(START, (0, 0)))["explore"] == 0.0  # taken for "loading"


def test_a_cell_left_for_8192_steps_pays_again_and_one_stood_on_does_not():
    reward = original()
    away = at(START, OLDALE)
    for _ in range(8192):
        reward(away, away)
    assert reward(away, START)["revisit"] == 0.01
    assert reward(START, START)["revisit"] == 0.0


def test_healing_counts_after_four_equal_readings_and_not_after_a_white_out():
    def reading(hp, count):
        state = with_party(START, pokemon(hp=hp, max_hp=20))
        return sum(reward(state, state)["heal"] for _ in range(count))

    reward = original(with_party(START, pokemon(hp=5)))
    assert reading(5, 10) == 0.0
    assert reading(20, 10) == 0.5
    assert reading(0, 10) == 0.0
    assert reading(20, 10) == 0.0


def test_a_white_out_that_no_reading_shows_heals_nobody():
    hurt = with_party(at(START, OLDALE), pokemon(hp=5, max_hp=20))
    woken = with_party(START, pokemon(hp=20, max_hp=20))
    woken = replace(woken, last_heal=(*woken.location, *woken.position))
    reward = original(hurt)
    assert [reward(hurt, hurt)["heal"] for _ in range(10)] == [0.0] * 10
    steps = [reward(hurt, woken)] + [reward(woken, woken) for _ in range(10)]
    assert [step["heal"] for step in steps] == [0.0] * 11


def test_more_money_than_the_original_could_hold_changes_nothing():
    reward = original(money=1.0)
    assert reward(START, replace(START, money=2000))["money"] == -500.0
    assert reward(START, replace(START, money=200_000))["money"] == 0.0
    assert reward(START, replace(START, money=4000))["money"] == 1500.0


def test_the_flags_of_the_first_step_are_not_events():
    reward = Reward(load_preset("original_2023", {"clip": 0.0}))
    reward.reset(START)
    assert reward(START, with_flag(START, 0x051))["event"] == 0.0


def test_a_later_state_loaded_pays_its_whole_progress_at_once():
    late = with_badges(START, 8)
    reward = original()
    assert reward(late, late)["badge"] == 80.0


def test_the_ferry_pays_for_ever():
    start, *_ = states = ferry(START)
    reward = original(start)
    assert rounds(reward, states, 100) == pytest.approx([8 * 0.075] * 100)


def test_the_ferry_pays_nothing_under_the_presets_that_pay_once():
    start, *_ = states = ferry(START)
    for name in ("default", "exploration"):
        reward = Reward(load_preset(name))
        reward.reset(start)
        assert rounds(reward, states, 3) == [0.0] * 3


def test_the_flags_of_the_ferry_are_those_of_the_scripts(shared):
    loop = json.loads((shared / "facts" / "briney_loop.json").read_text())
    by_name = loop["flags"]
    for trip in loop["trips"]:
        if trip["start_script"] == "DewfordTown_EventScript_SailToSlateport":
            assert {by_name[name] for name in trip["sets"]} == set(AT_DEWFORD)
            assert {by_name[name] for name in trip["clears"]} == set(AT_ROUTE_109)
    assert all(tables.flags()[flag].toggles for flag in by_name.values())


@pytest.mark.parametrize("name", ["default", "exploration", "original_2023"])
def test_every_trip_of_the_ferry_in_both_presets(shared, name):
    """Trips as the scripts have them, with the places they lead to, round after round."""
    loop = json.loads((shared / "facts" / "briney_loop.json").read_text())
    state, states = at(START, (0, 11)), []
    places = {"Dewford": (0, 11), "Route 109": (0, 24), "Petalburg": (17, 0), "Briney": (17, 0)}
    for trip in loop["trips"][:4]:
        clear = [loop["flags"][flag] for flag in trip["clears"]]
        sets = [loop["flags"][flag] for flag in trip["sets"]]
        end = next((m for n, m in places.items() if n in trip["trip"].split("->")[-1]), LITTLEROOT)
        state = at(without_flags(with_flags(state, *sets), *clear), end)
        states.append(state)
    states = [states[-1], *states]
    reward = Reward(load_preset(name))
    reward.reset(states[0])
    paid = rounds(reward, states, 10)
    if name == "original_2023":
        assert all(amount > 0.5 for amount in paid[1:])
    else:
        assert paid[0] > 0 and paid[1:] == [0.0] * 9


def test_badges_cannot_be_paid_twice_where_the_original_pays_the_way_back():
    """A potential: what it pays for a badge it takes back when the badge is gone."""
    badges = with_flags(START, *BADGES)
    assert rounds(original(), [START, badges, START], 3) == [0.0] * 3


def test_a_preset_of_the_original_formula_may_leave_terms_out():
    reward = Reward(Preset("few", {"badge": 1.0}, formula="original_2023"))
    reward.reset(START)
    assert reward(START, with_badges(START, 1))["badge"] == 1.0
