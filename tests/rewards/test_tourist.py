"""The story pays more than sightseeing, from every milestone of the built-in game on."""

from functools import cache
from itertools import product

import pytest
from helpers.jade_story import story

from baselines.commands.check import audit
from baselines.settings.train_config import PPOConfig
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import open_game
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.worlds.guidance.errands import HEAL
from emerald_env.jade.worlds.guidance.guide import Guide
from emerald_env.jade.worlds.guidance.look import HP, PARTY
from emerald_env.state import milestones_done
from rewards import Earned, Reward, load_preset, preset_names
from rewards.audit import tourist
from rewards.audit.audit_tables import closest_cell, story_table
from rewards.audit.tourist import (
    DETOUR,
    TILES_A_MAP,
    LegComparison,
    compare,
    earned,
    sightseeing,
    story_legs,
    walks,
)
from rewards.shares.shares import WINDOW, AlarmRule, Shares

RATIO = 1.5
legs = cache(story_legs)
walks_in = cache(walks)


@cache
def tours():
    return [sightseeing(leg) for leg in legs()]


@pytest.mark.parametrize("gamma", [1, PPOConfig().gamma])
@pytest.mark.parametrize("preset", ["default", "exploration"])
def test_from_every_milestone_on_the_story_pays_more_than_sightseeing(preset, gamma):
    def total(states):
        return sum(earned(load_preset(preset), states, gamma).values())

    short = {
        leg.milestone: (total(leg.states), total(walk))
        for leg, walk in zip(legs(), tours(), strict=True)
        if total(leg.states) < RATIO * total(walk)
    }
    assert short == {}


@pytest.mark.parametrize(
    "world",
    [
        "1:large",
        "11",
        *(pytest.param(str(number), marks=pytest.mark.long) for number in range(1, 11)),
    ],
)
def test_in_other_worlds_the_story_pays_more_than_sightseeing_too(world):
    played = walks_in(world)
    for preset, gamma in product(("default", "exploration"), (1, PPOConfig().gamma)):
        for leg in compare(load_preset(preset), played, gamma):
            assert leg.ratio >= RATIO, (preset, gamma, leg.milestone)


def test_expert_and_tourist_are_paid_over_the_maps_of_the_world_they_walk_in():
    for leg, tour in walks_in("11"):
        assert {state.world for state in (*leg.states, *tour) if state} == {"11"}


def test_the_command_names_for_each_world_where_the_story_pays_fewest_times_as_much(
    capsys, monkeypatch
):
    played = list(zip(legs(), tours(), strict=True))
    monkeypatch.setattr(audit, "walks", lambda world: played[int(world[0]) :])
    assert audit.main(["--story", "--worlds", "0..1", "--gamma", "0.9"]) == 0
    _, first, second = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("|") and "---" not in line
    )
    for row, walked in ((first, played), (second, played[1:])):
        for gamma, cell in ((1, row[1]), (0.9, row[2])):
            least = min(compare(load_preset(), walked, gamma), key=lambda leg: leg.ratio)
            assert cell == f"{least.ratio:.2f} `{least.milestone}` ({least.steps})"


@pytest.mark.parametrize(
    ("expert", "tourist", "ratio"),
    [
        (3.0, 2.0, "1.5"),
        (-1.0, 2.0, "-0.5"),
        (0.1, -0.1, "inf"),
        (0.1, 0.0, "inf"),
        (0.0, 0.0, "-"),
        (0.0, -0.3, "-"),
        (-2.0, -1.0, "-"),
    ],
)
def test_only_what_both_earn_is_divided(expert, tourist, ratio):
    leg = LegComparison("starter", 10, {"f": expert}, {"f": tourist})
    assert list(story_table(load_preset(), [leg]).columns[4].cells) == [ratio]


def test_a_leg_that_pays_nobody_and_one_that_pays_the_expert_alone_are_not_the_closest():
    def leg(name, expert, tourist):
        return LegComparison(name, 10, {"f": expert}, {"f": tourist})

    close, alone, nobody = leg("close", 0.2, 0.1), leg("alone", 0.1, -0.1), leg("nobody", -2, -1)
    assert closest_cell([nobody, alone, close]) == "2.00 `close` (10)"
    assert closest_cell([nobody, alone]) == "inf `alone` (10)"
    assert closest_cell([nobody]) == "-"


@pytest.mark.parametrize(
    "flags",
    [["--worlds", "0..1"], ["--story", "--worlds", "3"], ["--worlds", "1..2", "--world", "1"]],
)
def test_worlds_that_cannot_be_compared_are_refused(flags, capsys):
    with pytest.raises(SystemExit):
        audit.main(flags)
    assert "worlds" in capsys.readouterr().err


def test_an_expert_rests_as_soon_as_it_is_hurt_where_a_nurse_is_near():
    rom = world_rom("0")
    with open_game(GameChoice()) as gba:
        gba.set_state(story().states["visited_petalburg"])
        most = int.from_bytes(gba.memory.read(PARTY + HP + 2, 2), "little")
        purposes = []
        for hp in (most, most // 2):
            for i, byte in enumerate(hp.to_bytes(2, "little")):
                gba.memory[PARTY + HP + i] = byte
            purposes.append([Guide(rom, detour).purpose(gba.memory) % 4 for detour in (0, DETOUR)])
    assert purposes == [[0, 0], [0, HEAL]]


def test_the_story_is_played_from_milestone_to_milestone():
    for leg in legs():
        first, *between, last = [milestones_done(state) for state in leg.states if state]
        assert first[-1] == leg.milestone and set(between) <= {first}
        assert len(last) > len(first)


def test_a_leg_begins_with_the_milestone_that_is_new_whatever_the_usual_order(monkeypatch):
    """Worlds called :emerald give Rock Smash before milestones that usually come first."""
    monkeypatch.setattr(tourist, "PLAYS", 1)
    monkeypatch.setattr(tourist, "milestones_done", lambda state: milestones_done(state)[::-1])
    assert [leg.milestone for leg in story_legs()] == [leg.milestone for leg in legs()]


def alarm_of(walks, preset="default"):
    shares = Shares(Reward(load_preset(preset)).terms)
    steps = sum(map(len, walks))
    while shares.report().since_milestone < WINDOW:
        for walk in walks:
            sums = earned(load_preset(preset), walk)
            shares.add_earned(Earned(len(walk), sums, (), frozenset()))
    assert steps < WINDOW
    return shares.report().alarm(AlarmRule())


def test_the_tourists_mix_raises_the_alarm_in_training_and_the_experts_does_not():
    alarm = alarm_of(tours())
    assert {part.term for part in alarm.parts} <= {
        "search",
        "tile",
        "map",
        "way",
    } and alarm.share > 0.9


@pytest.mark.parametrize("preset", preset_names())
def test_an_honest_run_raises_no_alarm_under_any_preset(preset):
    assert alarm_of([leg.states for leg in legs()], preset) is None


def test_a_tourist_sees_some_of_every_map_takes_as_long_and_reaches_no_milestone():
    for leg, walk in zip(legs(), tours(), strict=True):
        states = [state for state in walk if state]
        assert {len(milestones_done(state)) for state in states} == {
            len(milestones_done(states[0]))
        }
        assert len(walk) <= leg.steps + 1
    seen = {(state.location, state.position) for state in tours()[-1] if state}
    maps = {location for location, _ in seen}
    assert len(maps) > 2
    # some more where it walks through what it has seen enough of
    assert TILES_A_MAP * len(maps) / 2 < len(seen) < 2 * TILES_A_MAP * len(maps)
