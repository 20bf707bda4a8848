"""Tests of the moves that are searched for in battles, and of what students are told about them."""

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
import torch
from helpers.jade_story import after

from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.exploration.archive_folder import load_atlas, save_atlas
from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.atlas.atlas import FIGHTS_ADVISED, Atlas
from baselines.exploration.atlas.matchup_table import ENOUGH, MatchupTable
from baselines.exploration.atlas.own_trails import keys_of_actions
from emerald_env.emulator import key_mask
from emerald_env.env.config import EnvConfig
from emerald_env.env.observation import MENU, observe_fully
from emerald_env.env.state_vector.menu_numbers import observe_menu
from emerald_env.explorer import Trail
from emerald_env.explorer.battles.battle_turns import (
    WON,
    Choice,
    TurnKeys,
    choices,
    is_decided,
    own_hp,
    waits_for_action,
    worth,
)
from emerald_env.explorer.battles.fights import MOST_SEARCHED, Fight, Fights
from emerald_env.explorer.battles.grids import in_grid
from emerald_env.explorer.battles.matchups import matchups
from emerald_env.explorer.battles.move_search import MoveSearch
from emerald_env.explorer.exact_places import UNKNOWN, Advice
from emerald_env.explorer.random_keys import KEYS
from emerald_env.game.editions import open_game
from emerald_env.jade.menus import meet
from emerald_env.recordings.replaying import memory_hash
from emerald_env.state import Battler, Menu, MenuKind, Mode, StateReader
from emerald_env.state.parts.opponents import BATTLE_TYPE_DOUBLE, BATTLE_TYPE_TRAINER
from rewards.audit.new_game import NEW_GAME, STARTER

GROWL, TACKLE, MUD_SLAP = 45, 33, 189
OWN = Battler(
    index=0,
    party_index=0,
    species=283,
    nickname="",
    level=7,
    hp=20,
    max_hp=20,
    moves=(GROWL, TACKLE, MUD_SLAP),
    pp=(40, 35, 0),
    status=0,
    status2=0,
    stat_stages=(0,) * 8,
    ability=0,
    types=(11, 11),
    held_item=0,
    personality=1,
)
FOE = replace(OWN, index=1, types=(5, 4), hp=10)
MON = replace(STARTER, hp=20, max_hp=20)


def asked(kind=MenuKind.ACTION, cursor=0, battler=0, trainer=True, **other):
    state = replace(
        NEW_GAME,
        mode=Mode.BATTLE,
        in_battle=True,
        controllable=False,
        party=(MON, MON),
        enemy_party=(MON, MON),
        battlers=(OWN, FOE),
        battle_type=BATTLE_TYPE_TRAINER if trainer else 0,
        menu=Menu(kind, cursor, battler=battler),
    )
    return replace(state, **other)


def two_a_side(**other):
    right, foe = replace(OWN, index=2, party_index=1), replace(FOE, index=3, party_index=1)
    kind = BATTLE_TYPE_TRAINER | BATTLE_TYPE_DOUBLE
    return asked(**{"battlers": (OWN, FOE, right, foe), "battle_type": kind} | other)


def test_moves_without_pp_are_no_choice_and_of_two_foes_either_may_be_aimed_at():
    assert choices(asked(), 0) == [Choice(0), Choice(1)]
    assert choices(two_a_side(), 2) == [
        Choice(m, across) for m in (0, 1) for across in (False, True)
    ]
    struggling = asked(battlers=(replace(OWN, pp=(0, 0, 0)), FOE))
    assert choices(struggling, 0) == [Choice(0)]


def test_a_battle_is_worth_more_the_more_it_is_won():
    fallen = replace(MON, hp=0)
    beaten = asked(enemy_party=(fallen, fallen), battlers=(OWN, replace(FOE, hp=0)))
    one_left = asked(enemy_party=(fallen, MON), battlers=(OWN, replace(FOE, hp=0)))
    hurt = asked(battlers=(replace(OWN, hp=5), FOE))
    lost = asked(party=(fallen, fallen), battlers=(replace(OWN, hp=0), FOE))
    ranked = [lost, hurt, asked(), one_left, beaten]
    assert [worth(state) for state in ranked] == sorted(map(worth, ranked))
    assert worth(beaten) > WON > worth(one_left)
    assert [is_decided(state) for state in ranked] == [True, False, False, False, True]
    assert own_hp(hurt) == [5, 20], "as on the field, where the party's are older"


def test_the_opponents_losses_count_four_times_ones_own():
    half, none = replace(FOE, hp=5), replace(OWN, hp=0)
    begun = asked()  # the foe on the field has 10 of 20 HP, all others 20 of 20
    assert worth(begun) == pytest.approx(0.25 * (1 + 1) - (30 / 40 + 1))
    assert worth(asked(battlers=(OWN, half))) - worth(begun) == pytest.approx(5 / 40)
    hurt = asked(battlers=(replace(OWN, hp=OWN.hp - 5), FOE))
    assert worth(begun) - worth(hurt) == pytest.approx(5 / 40 / 4)
    fallen = replace(MON, hp=0)
    lost = asked(party=(fallen, fallen), battlers=(none, FOE))
    assert worth(begun) - worth(lost) == pytest.approx(0.25 * (1 + 1)), "and no more"


def keys_until_made(choice, states):
    turn = TurnKeys(choice)
    return [turn.next_key(state) for state in states], turn.made


def test_a_choice_is_walked_to_in_both_lists():
    on_run, on_moves = asked(cursor=3), asked(MenuKind.MOVE, 0)
    states = [on_run, asked(cursor=2), asked(), on_moves, asked(MenuKind.MOVE, 1)]
    assert keys_until_made(Choice(1), states) == (["left", "up", "a", "right", "a"], True)
    assert keys_until_made(Choice(1), states[:-1])[1] is False
    message = asked(menu=None)
    across = [asked(MenuKind.MOVE, 1), message, message]
    assert keys_until_made(Choice(1, True), across)[0] == ["a", "right", "a"], "aims once"


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_move_is_walked_to_from_every_other_in_a_list_that_lacks_some(count):
    """With three moves there is none below the second, and down does nothing there."""
    steps = {"up": -2, "down": 2, "left": -1, "right": 1}
    for cursor, wanted in product(range(count), repeat=2):
        keys = []
        while (key := in_grid(cursor, wanted)) != "a":
            after = cursor + steps[key]
            assert 0 <= after < count and (key in ("up", "down") or after // 2 == cursor // 2)
            cursor = after
            keys.append(key)
            assert len(keys) <= 2
        assert cursor == wanted


def test_who_fainted_is_followed_by_one_who_can_fight():
    three = (replace(MON, hp=0), replace(MON, hp=0), MON)
    party = asked(
        MenuKind.PARTY, 0, mode=Mode.MENU, party=three, battlers=(replace(OWN, hp=0), FOE)
    )
    turn = TurnKeys(Choice(0))
    cursors = [replace(party, menu=Menu(MenuKind.PARTY, cursor)) for cursor in range(3)]
    assert [turn.next_key(state) for state in cursors] == ["down", "down", "a"]


def test_an_egg_is_not_sent_out_and_a_battle_is_lost_with_nobody_else_left():
    """The game says that it cannot battle, and asks again."""
    fainted, egg = replace(MON, hp=0), replace(MON, is_egg=True)
    field = {"mode": Mode.MENU, "battlers": (replace(OWN, hp=0), FOE)}
    party = asked(MenuKind.PARTY, 0, party=(fainted, egg, MON), **field)
    cursors = [replace(party, menu=Menu(MenuKind.PARTY, cursor)) for cursor in range(3)]
    assert [TurnKeys(Choice(0)).next_key(state) for state in cursors] == ["down", "down", "a"]
    assert (own_hp(party), is_decided(party)) == ([0, 0, 20], False)
    lost = replace(party, party=(fainted, egg))
    assert (own_hp(lost), is_decided(lost)) == ([0, 0], True)
    begun = asked(party=(MON, egg))
    assert worth(begun) == worth(asked(party=(MON,))) == pytest.approx(0.25 * 2 - (30 / 40 + 1))


def test_a_matchup_is_types_and_moves_with_pp_and_not_health():
    here = observe_fully(asked())
    same = asked(battlers=(replace(OWN, hp=3, pp=(1, 1, 0)), replace(FOE, hp=1)))
    others = [
        asked(battlers=(OWN, replace(FOE, types=(0, 0)))),
        asked(battlers=(replace(OWN, pp=(40, 0, 0)), FOE)),
        asked(battlers=(replace(OWN, moves=(TACKLE, GROWL, MUD_SLAP)), FOE)),
    ]
    first, second, *rest = matchups(np.stack([here, *map(observe_fully, [same, *others])]))
    assert first == second and len({int(number) for number in [first, *rest]}) == 4


def test_a_matchups_best_move_is_known_after_some_searches_and_kept():
    table = MatchupTable()
    table.add([Fight(9, (0.0, 1.0, -9.0, -9.0))] * (ENOUGH - 1))
    assert table.best()[0].tolist() == []
    table.add([Fight(9, (3.5, 0.0, -9.0, -9.0)), Fight(5, (1.0, 0.0, -9.0, -9.0))])
    assert [part.tolist() for part in table.best()] == [[9], [0]]
    again = MatchupTable()
    again.set_state(table.get_state())
    assert [part.tolist() for part in again.best()] == [[9], [0]]
    for wrong in ({"searches": np.zeros(3, np.int64)}, {"worths": np.full(8, np.nan)}):
        with pytest.raises(ValueError, match="atlas's"):
            again.set_state(table.get_state() | wrong)


@pytest.mark.parametrize("how", ["checkpoint", "file"])
def test_what_is_told_in_battles_changes_when_the_advice_is_computed_and_not_by_resuming(
    how, tmp_path
):
    atlas, again, matchup = Atlas(), Atlas(), np.array([9, 5])
    atlas.matchups.add([Fight(9, (1.0, 0.0, -9.0, -9.0))] * ENOUGH)
    atlas.add(Trail([1, 2], [0, 1], [True] * 2, [2]))
    atlas.solve()
    assert atlas.advice.best_moves(matchup).tolist() == [0, UNKNOWN]
    for number in (9, 5):  # searches of the rounds since
        atlas.matchups.add([Fight(number, (0.0, 2.0, -9.0, -9.0))] * ENOUGH)
    if how == "file":
        save_atlas(atlas, tmp_path)
        load_atlas(tmp_path, again)
    else:
        again.set_state(from_plain(*to_plain(atlas.get_state())))
    assert again.advice.best_moves(matchup).tolist() == [0, UNKNOWN]
    again.solve()
    assert again.advice.best_moves(matchup).tolist() == [1, 1]


def test_an_atlas_that_does_not_say_what_it_told_in_battles_tells_what_all_searches_found():
    atlas, again = Atlas(), Atlas()
    atlas.matchups.add([Fight(9, (0.0, 1.0, -9.0, -9.0))] * ENOUGH)
    older = {n: array for n, array in atlas.get_state().items() if n not in FIGHTS_ADVISED}
    again.set_state(older)
    assert again.advice.best_moves(np.array([9])).tolist() == [1]


def told(states, moves, menus=True):
    """Returns the key that a student is advised in each state, None for no advice."""
    atlas, vectors = Atlas(), np.stack([observe_fully(state) for state in states])
    number = matchups(vectors[:1])
    atlas.advice = Advice(matchups=number, moves=np.array(moves, np.int8))
    seen = {"state": torch.from_numpy(vectors)}
    if menus:
        seen[MENU] = torch.from_numpy(np.stack([observe_menu(state) for state in states]))
    names = {UNKNOWN: None} | dict(enumerate(KEYS))
    actions = keys_of_actions("story").tolist()
    return [
        names[actions[a] if a >= 0 else UNKNOWN] for a in Advisor(atlas, "story")(seen).tolist()
    ]


def test_a_student_hears_the_way_to_the_best_move_where_it_sees_the_cursor():
    unknown = asked(battlers=(OWN, replace(FOE, types=(0, 0))))
    lists = [asked(), asked(cursor=3), asked(MenuKind.MOVE, 0), asked(MenuKind.MOVE, 1)]
    expected = ["a", "left", "right", "a", None, None]
    assert told([*lists, unknown, asked(menu=None)], [1]) == expected
    assert told(lists, [1], menus=False) == [None] * 4
    wild = [replace(state, battle_type=0) for state in lists]
    assert told(wild, [1]) == [None, None, "right", "a"], "it may run"


def test_two_against_two_any_move_will_do():
    states = [two_a_side(menu=Menu(MenuKind.ACTION, 2)), two_a_side(menu=Menu(MenuKind.MOVE, 1))]
    assert told(states, [0]) == ["up", "a"]


@cache
def in_the_grass():
    """Returns a state of Jade in which a battle asks what to do."""
    walker = after("visited_petalburg")
    walker.go_to(0, 0, 21, 25)
    meet(walker)
    return walker.gba.get_state()


def wild_battle(config):
    """Returns a game in that state, its reader and what it reads."""
    game = open_game(config.choice)
    game.set_state(in_the_grass())
    reader = StateReader.of(game)
    state = reader.sample()
    assert waits_for_action(state)
    return game, reader, state


def test_the_search_prefers_what_hurts_and_leaves_the_game_as_it_was():
    config = EnvConfig()
    game, reader, state = wild_battle(config)
    before, rejections = memory_hash(game), reader.rejections.copy()
    search = MoveSearch(game, reader, config, Random(0))
    worths = search.worths(state)
    known = state.battlers[0].moves
    assert set(worths) == {Choice(move) for move in range(len(known))} and search.steps > 0
    assert known[max(worths, key=worths.get).move] != GROWL
    assert memory_hash(game) == before and reader.rejections == rejections
    again = MoveSearch(game, reader, config, Random(0)).worths(state)
    assert again == worths, "the same waits, the same luck"


def test_a_burst_searches_up_to_a_limit_and_presses_what_is_known_without():
    config = EnvConfig()
    game, reader, state = wild_battle(config)
    search = MoveSearch(game, reader, config, Random(0))
    fights = Fights(search, Advice())
    a, right = key_mask("a"), key_mask("right")
    assert fights.next_mask(state) == a and search.steps > 0
    (found,) = fights.found
    # each move, three tries, turns of a hundred steps
    search.steps, most = 0, len(state.battlers[0].moves) * 3 * 100
    assert Fights(search, Advice(), room=most - 1).next_mask(state) is None and not search.steps
    assert Fights(search, Advice(), room=most).next_mask(state) == a and search.steps > 0
    search.steps = MOST_SEARCHED
    assert Fights(search, Advice()).next_mask(state) is None
    advice = Advice(matchups=np.array([found.matchup]), moves=np.array([1], np.int8))
    known = Fights(search, advice)
    assert known.next_mask(state) == a and not known.found
    assert known.next_mask(replace(state, menu=Menu(MenuKind.MOVE, 0))) == right
    assert known.next_mask(NEW_GAME) is None, "the battle is over"
    assert Fights(search, advice, chooses=False).next_mask(state) is None
