"""Where games have been, what was paid there, and pictures of the ground."""

import json
import zlib
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from baselines.games.game import make_env
from baselines.runs.log_lines import PhotographLine, SightingLine
from baselines.runs.run_sightings import SightingLog
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from emerald_env.files.data import JsonLines, fits
from emerald_env.state import NOWHERE, Facing, Mode
from emerald_env.watching.game_sightings import ENDS, LOSSES, PRACTICE, STILL, VISITS, Sightings

SCREEN = np.zeros((160, 240, 3), np.uint8)


def at(x, y, location=(0, 9), **fields):
    fields = {"mode": Mode.OVERWORLD, "controllable": True, "map_size": (20, 20)} | fields
    return replace(NOWHERE, location=location, position=(x, y), **fields)


def sighted(*states):
    sightings = Sightings()
    sightings.begin(states[0])
    for state in states[1:]:
        sightings.see(state, SCREEN)
    sightings.end()
    return sightings.take()


def test_visits_are_steps_on_a_tile_and_standing_still_those_without_a_move():
    seen = sighted(at(1, 1), at(2, 1), at(2, 1), at(2, 1), at(3, 1))
    assert seen.layers[VISITS] == Counter({(0, 9, 2, 1): 3, (0, 9, 3, 1): 1})
    assert seen.layers[STILL] == Counter({(0, 9, 2, 1): 2})
    assert seen.layers[ENDS] == Counter({(0, 9, 3, 1): 1})


def test_a_door_is_the_tile_left_and_the_tile_entered_even_over_a_black_screen():
    seen = sighted(at(5, 8), None, None, at(3, 7, location=(1, 0)))
    assert seen.doors == Counter({(0, 9, 5, 8, 1, 0, 3, 7): 1})


def test_a_lost_battle_is_put_where_it_was_fought_and_its_white_out_is_no_door():
    fight = at(5, 8, in_battle=True, mode=Mode.BATTLE)
    lost = replace(fight, battle_outcome=2)
    seen = sighted(at(5, 8), fight, lost, lost, None, at(7, 4, location=(2, 2)))
    assert seen.layers[LOSSES] == Counter({(0, 9, 5, 8): 1})
    assert not seen.doors


def test_an_episode_that_practises_is_counted_where_it_begins():
    sightings = Sightings()
    sightings.begin(at(1, 1), practises=True)
    sightings.begin(at(4, 4))
    sightings.begin(None, practises=True)
    assert sightings.take().layers == {PRACTICE: Counter({(0, 9, 1, 1): 1})}


@pytest.mark.parametrize(
    ("frame_skip", "after", "is_taken"),
    [
        (24, at(2, 1, facing=Facing.RIGHT), True),
        (16, at(2, 1, facing=Facing.RIGHT), False),  # the walk is not over
        (24, at(1, 2, facing=Facing.DOWN), False),  # nor is it after a turn
        (24, at(3, 1, facing=Facing.RIGHT), False),  # a jump takes longer
        (24, at(2, 1, facing=Facing.RIGHT, location=(0, 10)), False),
        (24, at(2, 1, facing=Facing.RIGHT, controllable=False), False),
    ],
)
def test_a_photograph_is_taken_in_passing_if_the_walk_is_over(frame_skip, after, is_taken):
    sightings = Sightings(frame_skip)
    sightings.begin(at(1, 1, facing=Facing.RIGHT))
    sightings.see(after, SCREEN)
    assert bool(sightings.take().photographs) == is_taken


def test_what_is_paid_lies_where_the_step_ended():
    sightings = Sightings()
    sightings.begin(at(1, 1))
    sightings.see(at(2, 1), SCREEN)
    sightings.pay({"tile": 0.01, "badge": 0.0})
    assert sightings.take().layers["pay/tile"] == {(0, 9, 2, 1): 0.01}
    assert sightings.take().layers == {}


def test_photographs_are_taken_of_a_standing_player_only_and_once_a_place():
    menu = at(2, 1, mode=Mode.MENU, controllable=False)
    assert not sighted(at(1, 1), at(2, 1), menu, menu).photographs
    seen = sighted(at(2, 1), at(2, 1, money=5), at(2, 1, money=6), at(3, 1), at(3, 1, money=7))
    assert [photograph.tile for photograph in seen.photographs] == [(0, 9, 2, 1)]


def test_a_game_reports_as_many_visits_as_it_walked_steps_and_as_much_pay_as_reward():
    env = make_env(GameConfig(episode_length=200), number=0)
    env.reset(seed=0)
    steps, total, pictures = 0, 0.0, []
    for step in range(200):
        _, reward, _, _, _ = env.step([1, 2, 3, 4][step // 7 % 4] * 3 % 15)
        state = env.unwrapped.state
        steps += state is not None and state.mode in (Mode.OVERWORLD, Mode.DIALOG)
        total += reward
        pictures.append(env.unwrapped.gba.screen.rgb.tobytes())
    seen = env.take_sightings()
    assert sum(seen.layers[VISITS].values()) == steps
    paid = [sum(rows.values()) for name, rows in seen.layers.items() if name.startswith("pay/")]
    assert sum(paid) == pytest.approx(total)
    assert seen.photographs
    assert all(zlib.decompress(taken.picture) in pictures for taken in seen.photographs)
    env.close()


def test_the_log_is_read_back_as_it_was_written_and_photographs_each_place_three_times(tmp_path):
    session = Session.create(tmp_path, "jade")
    seen = sighted(at(5, 8), at(5, 8, money=1), at(3, 7, location=(1, 0)))
    for steps in (10, 20, 30, 40):
        SightingLog(session).write(steps, [seen, seen])
    lines = JsonLines(session.sightings, SightingLine)
    assert [line["num_timesteps"] for line in lines] == [10, 20, 30, 40] and not lines.bad
    first = next(iter(lines))
    assert first["layers"][VISITS] == [[0, 9, 5, 8, 2], [1, 0, 3, 7, 2]]
    assert first["doors"] == [[0, 9, 5, 8, 1, 0, 3, 7, 2]]
    pictures = JsonLines(session.photographs, PhotographLine)
    assert [line["tile"] for line in pictures] == [[0, 9, 5, 8]] * 3 and not pictures.bad


@pytest.mark.parametrize(
    "line",
    [
        {"num_timesteps": -1, "layers": {}, "doors": []},
        {"num_timesteps": 1, "layers": {"visits": [[0, 0, 0, 0]]}, "doors": []},
        {"num_timesteps": 1, "layers": {"visits": [[0, 0, 1 << 20, 0, 1]]}, "doors": []},
        {"num_timesteps": 1, "layers": {"visits": [[0, 0, 0, 0, float("nan")]]}, "doors": []},
        {"num_timesteps": 1, "layers": {"\x1b[2J": []}, "doors": []},
        {"num_timesteps": 1, "layers": [], "doors": [[1]]},
    ],
)
def test_a_line_that_says_anything_else_is_left_out(tmp_path, line):
    (tmp_path / "lines").write_text(json.dumps(line) + "\n")
    assert not list(JsonLines(tmp_path / "lines", SightingLine))


@pytest.mark.parametrize("size", [[0, 5], [5], [1000, 1000], ["a", 2], None, [2.0, 2]])
def test_a_photograph_of_an_impossible_map_is_left_out(size):
    line = {"num_timesteps": 1, "tile": [0, 0, 1, 1], "size": size, "picture": "aa"}
    assert not fits(line, PhotographLine)
    assert fits(line | {"size": [20, 20]}, PhotographLine)
