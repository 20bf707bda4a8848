"""What pays, what does not, and that nothing pays twice."""

import copy
import pickle
from dataclasses import replace

import pytest
from helpers.fakes import (
    HOME,
    LITTLEROOT,
    OLDALE,
    ROUTE_101,
    START,
    at,
    pokemon,
    with_badges,
    with_flag,
    with_flags,
    with_items,
    with_party,
    with_species,
    with_var,
    without_flags,
)

from emerald_env.game import tables
from emerald_env.game.flags import BADGES, Flag
from emerald_env.game.savefile import load
from emerald_env.state import decode
from rewards import TERMS, Paid, Preset, Reward, key_name, load_preset

FLAG = tables.flag_ids()
INTRO = tables.variable_ids()["VAR_LITTLEROOT_INTRO_STATE"]
BADGE = Flag.BADGE01_GET
PETALBURG, ROUTE_104 = (0, 0), (0, 19)


def reward_of(start=START, **weights):
    reward = Reward(Preset("test", weights or dict.fromkeys(TERMS, 1.0)))
    reward.reset(start)
    return reward


def walk(reward, *states):
    """What the terms pay for a walk, step by step summed up."""
    sums = dict.fromkeys(reward.terms, 0.0)
    for before, after in zip(states, states[1:], strict=False):
        for term, amount in reward(before, after).items():
            sums[term] += amount
    return sums


def total(reward, *states):
    return sum(walk(reward, *states).values())


# The book: reset, repetition, missing states


def test_a_badge_pays_once_even_if_its_flag_flickers():
    reward = reward_of(badge=5.0, tile=0.01)
    won = with_flag(START, BADGE)
    assert reward(START, won) == {"badge": 5.0, "tile": 0.0}
    assert reward(won, START)["badge"] == 0.0
    assert reward(START, won)["badge"] == 0.0


@pytest.mark.parametrize(("game", "first"), [("JADE", 7), ("BPEE", 15), ("BPED", 15)])
def test_levels_pay_up_to_those_of_the_games_own_next_leader(game: str, first: int):
    start = replace(with_party(START, pokemon(level=5)), game=game)
    reward = Reward(Preset("test", {"level": 1.0}))
    reward.reset(start)
    strong = with_party(start, pokemon(level=50))
    reward(start, strong)
    assert {key for _, key in reward.paid} == set(range(6, first + 1))
    assert tables.leaders("JADE")[-1] == 9


def test_what_another_version_remembers_is_refused_in_a_sentence():
    reward, kept = reward_of(badge=5.0), reward_of(tile=1.0).get_state()
    with pytest.raises(ValueError, match="no 'badge': it was written by another version"):
        reward.set_state(kept)
    before_there_were_limits = {"book": kept["book"]["terms"], "last": kept["last"]}
    with pytest.raises(ValueError, match="another version of the rewards"):
        reward_of(tile=1.0).set_state(before_there_were_limits)


def test_all_terms_are_reported_each_step_in_the_same_order():
    reward = reward_of()
    assert tuple(reward(START, START)) == reward.terms == tuple(TERMS)
    assert tuple(reward(START, with_flag(START, BADGE))) == reward.terms


def test_what_is_true_at_reset_pays_nothing_when_it_comes_again():
    late = with_flags(START, *BADGES)
    reward = reward_of(late)
    assert total(reward, late, START, late) == 0.0


def test_reset_makes_everything_payable_again():
    reward = reward_of()
    first = total(reward, START, with_flag(START, BADGE))
    reward.reset(START)
    assert reward.paid == {}
    assert total(reward, START, with_flag(START, BADGE)) == first > 0


def test_the_first_state_after_a_reset_without_one_is_the_baseline():
    reward = reward_of(None)
    late = with_flag(START, BADGE)
    assert sum(reward(None, None).values()) == 0.0
    assert sum(reward(None, late).values()) == 0.0
    assert total(reward, late, START, late) == 0.0


def test_a_step_without_a_state_pays_nothing_and_loses_nothing():
    reward = reward_of(badge=5.0)
    won = with_flag(START, BADGE)
    assert reward(START, None) == {"badge": 0.0}
    assert reward(None, None) == {"badge": 0.0}
    assert reward(None, won) == {"badge": 5.0}
    assert reward(won, START) == reward(START, won) == {"badge": 0.0}


def test_a_state_loaded_without_a_reset_pays_nothing_either():
    reward = reward_of()
    late = with_species(with_flags(at(START, OLDALE), *BADGES), seen=[1, 2], caught=[1])
    assert sum(reward(late, late).values()) == 0.0
    assert total(reward, late, START, late) == 0.0


def test_what_paid_can_be_asked_for_by_key_and_name():
    reward = reward_of(badge=5.0, map=4.0)  # the badge is further on than Oldale: a quarter
    reward(START, with_flag(START, BADGE))
    assert reward.last_events == (Paid("badge", BADGE, 5.0),)
    reward(with_flag(START, BADGE), at(with_flag(START, BADGE), OLDALE))
    assert reward.last_events == (Paid("map", OLDALE, 1.0),)
    assert reward.paid == {("badge", BADGE): 5.0, ("map", OLDALE): 1.0}
    reward(START, START)
    assert reward.last_events == ()


@pytest.mark.parametrize(
    "store", [copy.deepcopy, lambda reward: pickle.loads(pickle.dumps(reward))]
)
@pytest.mark.parametrize("preset", ["default", "original_2023"])
def test_a_stored_reward_continues_where_it_was(preset, store):
    reward = Reward(load_preset(preset))
    reward.reset(START)
    won = with_flag(START, BADGE)
    moved = at(won, OLDALE)
    reward(START, won)
    stored = store(reward)
    assert stored.paid == reward.paid
    assert stored(won, START) == reward(won, START)
    assert stored(START, moved) == reward(START, moved)


def test_a_reward_is_small_to_store():
    reward = Reward(load_preset())
    reward.reset(START)
    assert len(pickle.dumps(reward)) < 20_000


def test_the_amounts_of_a_step_add_up_to_its_events():
    reward = reward_of()
    after = with_species(with_flags(at(START, OLDALE), *BADGES), seen=[1, 2, 3])
    terms = reward(START, after)
    assert sum(terms.values()) == pytest.approx(sum(event.amount for event in reward.last_events))


# Story


def test_flags_that_come_and_go_pay_nothing():
    reward = reward_of(event=1.0)
    coming_and_going = [
        flag.id for flag in tables.flags().values() if flag.toggles and flag.id < 2400
    ]
    temporary = [*range(0x20), *range(0x920, 0x960)]
    assert len(coming_and_going) > 200
    assert total(reward, START, with_flags(START, *coming_and_going, *temporary)) == 0.0


def test_the_flags_of_a_new_game_pay_nothing_though_they_were_cleared():
    initial = [flag.id for flag in tables.flags().values() if flag.initial]
    assert len(initial) == 159
    empty = without_flags(START, *initial)
    assert total(reward_of(empty), empty, START) == 0.0


@pytest.mark.parametrize(
    ("term", "flag"),
    [
        ("event", FLAG["FLAG_RESCUED_BIRCH"]),
        ("badge", FLAG["FLAG_BADGE08_GET"]),
        ("trainer", 0x500 + 1),
        ("town", FLAG["FLAG_VISITED_OLDALE_TOWN"]),
        ("champion", FLAG["FLAG_IS_CHAMPION"]),
        ("pokedex", FLAG["FLAG_SYS_POKEDEX_GET"]),
        ("pokenav", FLAG["FLAG_SYS_POKENAV_GET"]),
        ("found", FLAG["FLAG_ITEM_ROUTE_104_PP_UP"]),
    ],
)
def test_a_flag_pays_its_term(term, flag):
    reward = reward_of(**{term: 2.0})
    after = with_flag(START, flag)
    assert reward(START, after) == {term: 2.0}
    assert key_name(term, reward.last_events[0].key) == tables.flag_name(flag)


def test_a_milestone_shown_by_a_variable_pays_once():
    reward = reward_of(milestone=3.0)
    home = with_var(START, INTRO, 3)
    assert reward(START, home) == {"milestone": 3.0}
    assert reward.last_events[0].key == "entered_home"
    assert total(reward, home, START, home) == 0.0


def test_a_leap_in_a_variable_pays_every_milestone_on_the_way():
    reward = reward_of(milestone=1.0)
    assert reward(START, with_var(START, INTRO, 7)) == {"milestone": 3.0}


def test_the_elite_four_pay_once_though_a_white_out_clears_them():
    elite = [FLAG[f"FLAG_DEFEATED_ELITE_4_{name}"] for name in ("SIDNEY", "PHOEBE")]
    reward = reward_of()
    beaten = with_flags(START, *elite)
    assert walk(reward, START, beaten)["milestone"] == 2.0
    assert total(reward, beaten, START, beaten) == 0.0


def test_rematches_that_clear_a_trainers_flag_pay_nothing():
    reward = reward_of(trainer=1.0)
    winstrate = with_flags(START, FLAG["FLAG_TRAINER_VICTOR"], FLAG["FLAG_TRAINER_VIVI"])
    assert total(reward, START, winstrate) == 0.0


@pytest.mark.parametrize("at_once", [True, False])
def test_a_gyms_trainers_pay_only_if_they_are_fought_before_its_leader(at_once):
    josh, tommy, marc = (FLAG[f"FLAG_TRAINER_{name}"] for name in ("JOSH", "TOMMY", "MARC"))
    fought = with_flag(START, josh)
    won = with_flags(fought, FLAG["FLAG_TRAINER_ROXANNE_1"], BADGE)
    all_set = with_flags(won, tommy, marc)  # as Roxanne's script does
    dewford = with_flag(all_set, FLAG["FLAG_TRAINER_TAKAO"])
    reward = reward_of(trainer=1.0)
    assert total(reward, START, fought, *([] if at_once else [won]), all_set) == 2.0
    assert total(reward, all_set, dewford) == 1.0  # of the next gym


def test_a_room_of_petalburgs_gym_that_opens_when_its_leader_is_beaten_is_no_milestone():
    fought = with_flag(START, FLAG["FLAG_TRAINER_RANDALL"])
    badge = BADGES[4]
    won = with_flags(fought, badge, FLAG["FLAG_TRAINER_MARY"])
    reward = reward_of(milestone=1.0)
    assert total(reward, START, fought, won) == 2.0  # the first room and the badge
    assert {key for _, key in reward.paid} == {"petalburg_gym_speed", "badge_balance"}


def test_a_gyms_trainer_whom_jades_leader_leaves_to_be_fought_pays_after_the_badge():
    won = replace(with_flag(START, BADGE), game="JADE")
    fought = with_flag(won, FLAG["FLAG_TRAINER_JOSH"])
    assert total(reward_of(won, trainer=1.0), won, fought) == 1.0


# Places


def test_a_map_pays_when_it_is_entered_and_never_again():
    reward = reward_of(map=1.0)
    there, back = at(START, ROUTE_101), at(START, LITTLEROOT)
    assert walk(reward, START, there, back, there)["map"] == 1.0


def test_tiles_of_a_map_pay_less_and_less_and_other_maps_afresh():
    reward = Reward(Preset("test", {"tile": 1.0}, {"tile": 0.5}))
    reward.reset(START)
    path = [at(START, position=(x, 1)) for x in range(4)]
    assert walk(reward, START, *path)["tile"] == 1.0 + 0.5 + 0.25 + 0.125
    assert reward(path[-1], at(START, ROUTE_101))["tile"] == 1.0
    assert reward(at(START, ROUTE_101), at(START, PETALBURG))["tile"] == 0.25  # not on the way yet
    assert key_name("tile", reward.last_events[0].key) == "PetalburgCity (5, 5)"


def test_walking_to_and_fro_pays_each_tile_once():
    reward = reward_of(tile=1.0)
    left, right = at(START, position=(4, 4)), at(START, position=(5, 4))
    first = walk(reward, START, left, right)["tile"]
    assert first == 1.0 + TERMS["tile"].decay
    assert walk(reward, right, left, right, left, right)["tile"] == 0.0


def test_each_milestone_opens_the_ground_again_and_each_map_pays_less_and_less():
    reward = Reward(Preset("test", {"search": 1.0}, {"search": 0.5}))
    reward.reset(START)
    left, right = at(START, position=(4, 4)), at(START, position=(5, 4))
    assert walk(reward, START, left, right, left, right)["search"] == 1.0 + 0.5
    later = with_flag(right, Flag.SET_WALL_CLOCK)
    assert walk(reward, right, later)["search"] == 0.0
    assert walk(reward, later, with_flag(left, Flag.SET_WALL_CLOCK))["search"] == 1.0
    assert walk(reward, with_flag(left, Flag.SET_WALL_CLOCK), right, left, right)["search"] == 0.0
    elsewhere = at(with_flag(START, Flag.SET_WALL_CLOCK), ROUTE_101)
    assert walk(reward, right, elsewhere)["search"] == 1.0
    stage = reward.last_events[0].key[0]
    assert key_name("search", reward.last_events[0].key).endswith(f"after {stage} milestones")


def test_ground_on_the_way_to_the_next_milestones_pays_four_times_what_ground_behind_pays():
    steps = {step.slug: step for step in tables.milestones()}
    state = START
    for slug in ("rival_route103", "pokedex", "running_shoes", "visited_petalburg"):
        state = with_flag(state, steps[slug].id)
    reward = reward_of(search=1.0)
    reward.reset(at(state, PETALBURG))
    there = walk(reward, at(state, PETALBURG), at(state, ROUTE_104))["search"]
    assert there == 1.0
    for behind in (ROUTE_101, LITTLEROOT, HOME):
        assert walk(reward, at(state, ROUTE_104), at(state, behind))["search"] == there / 4


def test_the_way_leads_back_where_the_story_does():
    """With the rival beaten on Route 103, the Pokédex waits in Littleroot."""
    rival = next(step for step in tables.milestones() if step.slug == "rival_route103")
    state = at(with_flag(START, rival.id), OLDALE)
    reward = reward_of(search=1.0)
    reward.reset(state)
    assert walk(reward, state, at(state, ROUTE_101), at(state, LITTLEROOT))["search"] == 2.0


def test_a_limit_ends_what_a_term_pays_until_the_next_milestone():
    preset = Preset("test", {"tile": 1.0}, {"tile": 0.999}, {"tile": 1.5})
    reward = Reward(preset)
    reward.reset(START)
    path = [at(START, position=(x, 1)) for x in range(40)]
    first = walk(reward, START, *path)["tile"]
    assert 1.49 < first <= 1.5 + 1e-12
    later = [with_flag(at(START, position=(x, 2)), Flag.SET_WALL_CLOCK) for x in range(40)]
    again = walk(reward, path[-1], *later)["tile"]
    assert 1.49 < again <= 1.5 + 1e-12
    assert first + again <= preset.bound_of("tile")


REFUSED = ["DECLINED_BIKE", "DECLINED_WALLY_BATTLE_MAUVILLE", "DECLINED_RIVAL_BATTLE_LILYCOVE"]
UNPAID = [
    *REFUSED,
    "NOT_READY_FOR_BATTLE_ROUTE_120",
    "ENABLE_MOM_MATCH_CALL",
    "REGISTERED_STEVEN_POKENAV",
    "LANDMARK_FLOWER_SHOP",
    "COOL_PAINTING_MADE",
    "TRAINER_ROSE_2",
    "TRAINER_WALLY_VR_2",
    "TRAINER_ROXANNE_5",
    "TRAINER_GABBY_AND_TY_2",
    "TRAINER_GABBY_AND_TY_5",
    "DEFEATED_RUSTBORO_GYM",
    "RECEIVED_GOLD_SHIELD",
]


@pytest.mark.parametrize("name", UNPAID)
def test_refusing_registering_looking_and_rematches_pay_nothing(name):
    flag = tables.flag_ids()[f"FLAG_{name}"]
    assert total(reward_of(event=1.0, trainer=1.0), START, with_flag(START, flag)) == 0.0


def test_side_content_pays_a_quarter_of_what_the_story_pays():
    story, gift = (
        tables.flag_ids()[f"FLAG_{name}"]
        for name in ("DEFEATED_RIVAL_RUSTBORO", "RECEIVED_OLD_ROD")
    )
    assert total(reward_of(event=1.0), START, with_flag(START, story)) == 1.0
    assert total(reward_of(event=1.0), START, with_flag(START, gift)) == 0.25


def test_every_lasting_flag_of_a_script_or_trainer_is_judged():
    kinds = ("script", "gym_or_e4", "landmark", "trainer")
    for info in tables.flags().values():
        lasting = info.category in kinds and not info.toggles and not info.initial
        assert bool(info.pays) == lasting, info.name


@pytest.mark.parametrize("code", ["BPEE", "BPED", "BPEF", "BPEI", "BPEJ", "BPES", "JADE"])
def test_a_flag_pays_the_same_in_every_edition(code):
    """The save's flags have the same numbers in all of them; only addresses differ.

    Left out: gyms' trainers, whom Emerald's leaders mark as beaten, and Jade's do not.
    """
    begin = replace(START, game=code)
    weights = dict.fromkeys(("event", "badge", "trainer", "town", "item"), 1.0)
    saved = [n for n, info in tables.flags().items() if n < 8 * len(begin.flags) and not info.gym]
    for some in range(7):
        after = with_flags(begin, *saved[some::7])
        paid = total(reward_of(begin, **weights), begin, after)
        usual = total(reward_of(**weights), START, replace(after, game=START.game))
        assert paid == usual > 0


def test_rented_pokemon_take_nothing_from_ones_own():
    tent = next(k for k, m in tables.maps().items() if m.name == "SlateportCity_BattleTentCorridor")
    mine, rented = pokemon(level=10), pokemon(level=30, personality=77)
    outside = with_party(START, mine)
    inside = with_party(at(START, tent), rented, replace(rented, personality=78))
    reward = reward_of(level=1.0, experience=1.0)
    assert total(reward, outside, at(outside, tent), inside, outside) == 0.0
    assert reward(outside, with_party(START, replace(mine, level=11)))["level"] > 0.0


def test_a_shedinja_is_not_the_ninjask_beside_it():
    ninjask = pokemon(level=20, species=302, exp=5000)
    shedinja = replace(ninjask, species=303, exp=5000)
    both = with_party(START, ninjask, shedinja)
    trained = with_party(START, replace(ninjask, exp=5500), shedinja)
    reward = reward_of(experience=1.0)
    assert total(reward, with_party(START, ninjask), both) == 0.0
    assert reward(both, trained)["experience"] > 0.0


def test_a_map_that_the_game_does_not_have_pays_nothing():
    assert total(reward_of(), START, at(START, (99, 99))) == 0.0


def test_a_white_out_is_no_way_to_travel_and_no_healing():
    fainted = with_party(at(START, ROUTE_101), pokemon(hp=0))
    reward = reward_of(fainted)
    awake = with_party(at(START, HOME), pokemon())
    assert total(reward, fainted, awake) == 0.0


def test_a_white_out_with_an_egg_is_no_way_to_travel_and_no_healing():
    egg = pokemon(2, is_egg=True)
    fainted = with_party(at(START, ROUTE_101), pokemon(hp=0), egg)
    awake = with_party(at(START, HOME), pokemon(), egg)  # a step away from where one wakes up
    assert total(reward_of(fainted), fainted, awake) == 0.0


@pytest.mark.parametrize("last_seen", ["in battle", "on the road"])
def test_a_white_out_between_two_samples_is_no_way_to_travel_and_no_healing(last_seen):
    """Beaten by the last turn of a battle, or by poison: nobody saw the party with no HP left."""
    hurt = with_party(at(START, ROUTE_101), pokemon(1, hp=1), pokemon(2, hp=0))
    hurt = replace(hurt, in_battle=last_seen == "in battle")
    *home, x, y = START.last_heal
    awake = with_party(at(START, tuple(home), (x, y)), pokemon(1), pokemon(2))
    assert total(reward_of(hurt), hurt, awake) == 0.0
    assert total(reward_of(hurt), hurt, None, awake) == 0.0


def test_a_nurse_who_heals_where_white_outs_lead_to_is_not_a_white_out():
    *home, x, y = START.last_heal
    there = at(START, tuple(home), (x, y))
    hurt = with_party(there, pokemon(hp=5))
    assert walk(reward_of(hurt, heal=1.0), hurt, with_party(there, pokemon()))["heal"] == 1.0


# The party


def test_the_levels_and_moves_of_a_pokemon_that_joins_are_taken_as_given():
    alone = with_party(START, pokemon(1, level=5, moves=(1,)))
    strong = pokemon(2, level=12, moves=(2, 3))
    both = with_party(START, pokemon(1, level=5, moves=(1,)), strong)
    grown = with_party(START, pokemon(1, level=12, moves=(1, 2, 3)), strong)
    further = with_party(START, pokemon(1, level=14, moves=(1, 2, 3, 4)), strong)
    reward = Reward(Preset("test", {"level": 1.0, "move": 1.0}, {"level": 1.0, "move": 1.0}))
    reward.reset(alone)
    assert walk(reward, alone, both, grown) == {"level": 0.0, "move": 0.0}
    assert walk(reward, grown, further) == {"level": 2.0, "move": 1.0}
    assert walk(reward, further, alone, further) == {"level": 0.0, "move": 0.0}


def test_experience_of_the_party_pays_less_and_less_up_to_its_weight():
    reward = reward_of(experience=2.0)
    states = [with_party(START, pokemon(exp=exp)) for exp in range(135, 20_000, 500)]
    reward.reset(states[0])
    paid = [reward(a, b)["experience"] for a, b in zip(states, states[1:], strict=False)]
    assert all(later < earlier for earlier, later in zip(paid, paid[1:], strict=False))
    assert sum(paid) == pytest.approx(2.0, abs=1e-6)


def test_a_badge_makes_experience_pay_again():
    trained = with_party(START, pokemon(exp=50_000))
    reward = reward_of(with_party(START, pokemon()), experience=2.0)
    assert walk(reward, with_party(START, pokemon()), trained)["experience"] == pytest.approx(2.0)
    with_badge = with_badges(trained, 1)
    more = with_party(with_badge, pokemon(exp=52_000))
    assert walk(reward, trained, with_badge, more)["experience"] > 1.0


def test_a_pokemon_that_joins_brings_no_experience_level_or_move():
    alone = with_party(START, pokemon(1))
    strong = pokemon(2, exp=100_000, level=50, moves=(57, 58))
    reward = reward_of(alone, experience=1.0, level=1.0, move=1.0)
    both = with_party(START, pokemon(1), strong)
    assert total(reward, alone, both, alone, both) == 0.0


def test_the_day_care_brings_nothing():
    both = with_party(START, pokemon(1), pokemon(2))
    away = with_party(START, pokemon(1))
    back = with_party(START, pokemon(1), pokemon(2, exp=5_000, level=20, moves=(14, 43)))
    reward = reward_of(both, experience=1.0, level=1.0, move=1.0)
    assert total(reward, both, away, back) == 0.0


def test_an_egg_that_hatches_brings_nothing():
    egg = with_party(START, pokemon(1), pokemon(2, is_egg=True, exp=0, level=5))
    hatched = with_party(START, pokemon(1), pokemon(2, exp=135))
    reward = reward_of(egg, experience=1.0, level=1.0, move=1.0, heal=1.0)
    assert total(reward, egg, hatched) == 0.0


def test_each_level_pays_once_whoever_reaches_it():
    def levels(first, second):
        return with_party(START, pokemon(1, level=first), pokemon(2, level=second))

    reward = reward_of(levels(5, 5), level=1.0)
    decay = TERMS["level"].decay
    assert walk(reward, levels(5, 5), levels(7, 5))["level"] == 1.0 + decay
    assert walk(reward, levels(7, 5), levels(7, 7))["level"] == 0.0
    assert walk(reward, levels(7, 7), levels(7, 8))["level"] == decay**2


def test_levels_pay_up_to_those_of_the_next_leader():
    def level(number, badges=0):
        return with_party(with_badges(START, badges), pokemon(level=number))

    reward = Reward(Preset("test", {"level": 1.0}, {"level": 1.0}))
    reward.reset(level(14))
    assert walk(reward, level(14), level(15), level(16), level(17))["level"] == 1.0
    assert walk(reward, level(17), level(17, badges=1))["level"] == 0.0
    assert walk(reward, level(17, badges=1), level(20, badges=1))["level"] == 2.0  # 18 and 19
    assert walk(reward, level(50, badges=8), level(100, badges=8))["level"] == 8.0


def test_a_move_pays_when_it_is_learned_and_not_when_it_is_learned_again():
    knows = with_party(START, pokemon(moves=(1, 43)))
    learned = with_party(START, pokemon(moves=(1, 71)))
    reward = reward_of(knows, move=1.0)
    assert walk(reward, knows, learned)["move"] == 1.0
    assert walk(reward, learned, knows, learned)["move"] == 0.0
    assert key_name("move", 71) == "ABSORB"


def party_at(location, *hps, badges=0):
    party = [pokemon(index, hp=hp) for index, hp in enumerate(hps)]
    return with_party(with_badges(at(START, location), badges), *party)


def test_healing_pays_each_place_once_for_each_badge_and_a_second_place_half():
    reward = reward_of(party_at(HOME, 5), heal=1.0)
    assert walk(reward, party_at(HOME, 5), party_at(HOME, 20))["heal"] == 1.0
    assert walk(reward, party_at(HOME, 20), party_at(HOME, 5), party_at(HOME, 20))["heal"] == 0.0
    assert walk(reward, party_at(OLDALE, 5), party_at(OLDALE, 20))["heal"] == 0.5
    badge = walk(reward, party_at(HOME, 5, badges=1), party_at(HOME, 20, badges=1))
    assert badge["heal"] == 1.0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (party_at(HOME, 11), party_at(HOME, 20)),  # not needed
        (party_at(HOME, 5), party_at(HOME, 19)),  # not whole
        (party_at(HOME, 0, 0), party_at(HOME, 20, 20)),  # a white-out
        (party_at(HOME, 5, 5), party_at(HOME, 20)),  # the other one was put away
        (replace(party_at(HOME, 5), in_battle=True), party_at(HOME, 20)),
    ],
)
def test_what_only_looks_like_healing_pays_nothing(before, after):
    assert total(reward_of(before, heal=1.0), before, after) == 0.0


# Collections


def test_species_pay_once_when_seen_and_when_caught():
    reward = reward_of(seen=1.0, caught=1.0)
    seen = with_species(START, seen=[252, 263])
    assert reward(START, seen) == {"seen": 2.0, "caught": 0.0}
    caught = with_species(seen, caught=[263])
    assert reward(seen, caught) == {"seen": 0.0, "caught": 1.0}
    assert total(reward, caught, START, caught) == 0.0
    assert key_name("caught", 263) == "ZIGZAGOON"


def test_key_items_pay_once_and_wares_never():
    ids = {item.name: item.id for item in tables.items()}
    reward = reward_of(item=1.0)
    key_item = with_items(START, ids["LETTER"])
    wares = with_items(START, ids["POTION"], ids["POKé BALL"], pocket_start=0)
    assert total(reward, START, wares, START, wares) == 0.0
    assert walk(reward, wares, key_item, START, key_item)["item"] == 1.0
    assert walk(reward, START, with_items(START, ids["HM01"], pocket_start=0x130))["item"] == 1.0
    tm = with_items(START, ids["TM13"], pocket_start=0x130)
    assert walk(reward, START, tm)["item"] == 0.0


# Bounds


@pytest.mark.parametrize("term", TERMS)
def test_every_term_says_what_it_is_for_what_it_must_not_reward_and_what_it_can_pay(term):
    assert "must not reward" in " ".join(type(TERMS[term]).__doc__.lower().split())
    assert TERMS[term].kind in ("event", "mark")
    decay = getattr(TERMS[term], "decay", 1.0)
    assert 0 < TERMS[term].bound(1.0, decay) < 1_000_000  # the most: stages x maps x 20


def test_the_bound_of_a_reward_is_the_sum_of_its_terms():
    reward = reward_of(badge=5.0, champion=10.0)
    assert reward.bound == 8 * 5.0 + 10.0
    assert walk(reward, START, with_flags(START, *BADGES, Flag.IS_CHAMPION)) == {
        "badge": 40.0,
        "champion": 10.0,
    }


def test_no_real_state_pays_for_being_loaded(shared):
    images = [load(path) for path in sorted((shared / "states").glob("*.s[st]*"))]
    states = [decode(image.read) for image in images]
    states = [state for state in states if state is not None]
    assert len(states) > 10
    reward = reward_of(states[0])
    for state in states:
        assert total(reward, state, state) == 0.0
    reward.reset(states[0])
    closed = [*states, states[0]]
    assert total(reward, *closed) > 0.0
    assert total(reward, *closed) == 0.0
