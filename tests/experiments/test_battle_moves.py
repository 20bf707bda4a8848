"""Tests of the battles that several players fight from the same state."""

from helpers.jade_story import after

from baselines.settings.game_config import GameConfig
from emerald_env.explorer.battles.battle_turns import waits_for_action
from emerald_env.jade.menus import meet
from experiments.battle_moves import Battles, Outcome, main, told_outcomes


def test_every_player_fights_the_same_battle_to_its_end():
    walker = after("visited_petalburg")
    walker.go_to(0, 0, 21, 25)
    meet(walker)
    start, battles = walker.gba.get_state(), Battles(GameConfig(), seed=0)
    assert battles.begin(start) is None, "it is no trainer's"
    outcomes = {}
    for name, play in battles.players.items():
        state = battles.load(start)
        assert waits_for_action(state)
        outcomes[name] = play(state)
    assert outcomes["one turn"].won
    assert all(outcome.steps > 0 for outcome in outcomes.values())
    searched = {name: outcome.searched for name, outcome in outcomes.items()}
    assert searched["two turns"] > searched["one turn"] > 0
    assert not searched["always A"] and not searched["learnt moves"]


def test_a_share_is_told_with_the_steps_of_a_battle():
    outcomes = [Outcome(True, 10, 100), Outcome(False, 20, 1_900)]
    assert told_outcomes(outcomes) == "50% (9% to 91%), 15 + 1,000"


def test_an_unknown_player_is_an_error_that_names_the_known_ones(tmp_path, capsys):
    assert main([str(tmp_path), "--players", "one turn", "foo"]) == 1
    said = capsys.readouterr().err
    known = "always A, random moves, one turn, two turns, learnt moves"
    assert said == f"error: no player foo: there are {known}\n"
