"""Any game as an environment: tried on Jade as if nothing were known of it."""

import json
import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from emerald_env.emulator import GBA
from emerald_env.env.any_game.scenario import OPERATORS, read_data, read_scenario
from emerald_env.env.any_game.watched_values import WatchedValue
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.reward_function import RewardError
from emerald_env.game.savefile import SaveFileError
from emerald_env.jade.cartridge import JADE_ROM

X, Y = (0x02037360, "<i2"), (0x02037362, "<i2")  # of the first object in gObjectEvents
WATCH = {"x": X, "y": Y}


@pytest.fixture(scope="module")
def truck(tmp_path_factory):
    """A state at the start of a new game of Jade."""
    path = tmp_path_factory.mktemp("states") / "truck.state"
    env = EmeraldEnv()
    env.reset(seed=0)
    path.write_bytes(env.gba.get_state())
    env.close()
    return path


@pytest.fixture
def make(truck):
    made = []

    def make(**settings):
        settings = {"rom": JADE_ROM, "start": truck, "watch": WATCH, "frame_skip": 16} | settings
        made.append(gymnasium.make("GBA-v0", **settings))
        return made[-1]

    yield make
    for env in made:
        env.close()


def walk(env, name, steps):
    action = env.unwrapped.get_action_meanings().index(name)
    return [env.step(action) for _ in range(steps)]


@pytest.mark.parametrize("start", [None, "truck"])
def test_gymnasium_finds_nothing_to_complain_about(make, start, truck, monkeypatch):
    for display in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(display, raising=False)
    env = make(start=truck if start else None, render_mode="rgb_array", shrink=4)
    check_env(env.unwrapped, skip_close_check=True)


def test_watched_values_are_in_info_and_a_function_of_them_pays(make):
    env = make(
        actions=["wait", "right", "left"],
        reward=lambda before, after: after["x"] - before["x"],
        done=lambda before, after: after["x"] - before["x"] < 0,
    )
    _, first = env.reset(seed=0)
    steps = walk(env, "right", 3)
    assert steps[-1][4]["x"] - first["x"] == sum(reward for _, reward, *_ in steps) > 0
    assert not any(over for _, _, over, *_ in steps)
    assert set(first) == {"x", "y"}
    name = "<lambda>"
    assert steps[-1][4]["reward_terms"] == {name: steps[-1][1]}
    assert [over for _, _, over, *_ in walk(env, "left", 3)].count(True) >= 1


def test_the_same_seed_gives_the_same_episode_and_another_start(make):
    def play(env, seed):
        observation, info = env.reset(seed=seed)
        steps = [env.step(1 + number % 12) for number in range(8)]
        return [observation.tobytes(), info, *((o.tobytes(), r, i) for o, r, _, _, i in steps)]

    one, other = make(), make()
    assert play(one, 3) == play(other, 3) == play(one, 3)


def test_a_state_of_the_middle_can_be_returned_to(make):
    env = make()
    env.reset(seed=0)
    walk(env, "right", 3)
    middle, values = env.unwrapped.get_state(), env.unwrapped.values
    env.reset(seed=0)
    _, info = env.reset(options={"state": middle}, seed=0)
    assert info == values


def test_pictures_are_those_of_the_console_and_observations_their_mean_in_grey(make):
    env = make(render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    luma = env.render() @ np.array([77, 150, 29]) / 256
    mean = luma.reshape(80, 2, 120, 2).mean(axis=(1, 3))
    assert np.abs(observation[:, :, 0] - mean).max() <= 1
    assert env.metadata["render_fps"] == pytest.approx(59.7275 / 16, rel=1e-5)


def test_each_key_of_the_keyboard_presses_its_action(make):
    env = make(actions=["wait", "l", "up+a"]).unwrapped
    keys = env.get_keys_to_action()
    assert sorted(keys.values()) == [1, 2] and keys[(ord("a"),)] == 1


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"rom": "absent.gba"}, FileNotFoundError, "absent.gba"),
        ({"start": JADE_ROM}, SaveFileError, "neither a save state"),
        ({"actions": ["fire"]}, ValueError, "no key named 'fire'"),
        ({"actions": []}, ValueError, "at least one"),
        ({"watch": {"hp": (0x02000000, "u8")}}, ValueError, "no type 'u8' of memory"),
        ({"watch": {"hp": (0x0E000000, "|u1")}}, ValueError, "watch hp: no 1 readable bytes"),
        ({"watch": {"reward_terms": X}}, ValueError, "name of something else"),
        ({"frame_skip": 0}, ValueError, "frame_skip must be at least 1"),
        ({"shrink": 7}, ValueError, "must divide"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_line(make, settings, error, message):
    with pytest.raises(error, match=message) as told:
        make(**settings)
    assert "\n" not in str(told.value)


def test_a_reward_that_is_no_number_is_an_error_in_a_line(make):
    env = make(reward=lambda before, after: after["z"])
    env.reset(seed=0)
    with pytest.raises(RewardError, match="raised KeyError: 'z'"):
        env.step(0)


@given(st.integers(0, 2**32 - 1), st.sampled_from("ui"), st.sampled_from("<>|="))
def test_whole_numbers_are_read_as_numpy_reads_them(number, kind, order):
    data = number.to_bytes(4, "little")
    value = WatchedValue(0, f"{order}{kind}4").read(lambda address, size: data[:size])
    numpy_order = "<" if order in "|=" else order
    assert value == int(np.frombuffer(data, f"{numpy_order}{kind}4")[0])
    masked = WatchedValue(0, "<u4", 0xF0).read(lambda address, size: data)
    assert masked == number // 16 % 16 * 16


@pytest.mark.parametrize(
    ("type_", "data", "number"),
    [(">d2", b"\x12\x34", 1234), ("<d2", b"\x34\x12", 1234), (">n3", b"\x01\x02\x13", 123)],
)
def test_decimal_digits_are_read(type_, data, number):
    assert WatchedValue(0, type_).read(lambda address, size: data) == number


def test_a_scenario_of_stable_retro_pays_and_ends(make, tmp_path):
    (tmp_path / "data.json").write_text(
        json.dumps({"info": {name: {"address": a, "type": t} for name, (a, t) in WATCH.items()}})
    )
    scenario = {
        "reward": {
            "variables": {"x": {"reward": 2.0, "penalty": 3.0}},
            "time": {"reward": -0.5},
        },
        "done": {"variables": {"x": {"measurement": "delta", "op": "negative"}}},
    }
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    files = {"data": tmp_path / "data.json", "scenario": tmp_path / "scenario.json"}
    env = make(watch=None, actions=["right", "left"], **files)
    _, info = env.reset(seed=0)
    x = info["x"]
    for action in (0, 0, 0, 1, 1, 1):
        _, reward, over, _, info = env.step(action)
        moved, x = info["x"] - x, info["x"]
        assert info["reward_terms"] == {"x": moved * (2.0 if moved > 0 else 3.0), "time": -0.5}
        assert over == (moved < 0)
        if over:
            break
    assert over


@pytest.mark.parametrize("op", OPERATORS)
@given(value=st.integers(-3, 3), reference=st.integers(-3, 3))
def test_an_operator_is_what_its_name_says(op, value, reference):
    compare = {
        "": value, "equal": value == reference, "negative-equal": -(value == reference),
        "not-equal": value != reference, "less-than": value < reference,
        "greater-than": value > reference, "less-or-equal": value <= reference,
        "greater-or-equal": value >= reference, "nonzero": value != 0, "zero": value == 0,
        "negative": value < 0, "positive": value > 0, "sign": np.sign(value),
    }  # fmt: skip
    assert OPERATORS[op](value, reference) == compare[op]


def test_an_end_is_any_or_all_of_its_parts(tmp_path):
    path, known = tmp_path / "s.json", {"a": None, "b": None}
    parts = {"a": {"op": "zero"}, "b": {"op": "zero"}}
    node = {"variables": parts, "condition": "all"}
    for done, expected in (
        ({"variables": parts}, [False, True, True]),
        ({"nodes": {"both": node}}, [False, False, True]),
        ({}, [False, False, False]),
    ):
        path.write_text(json.dumps({"done": done}))
        scenario = read_scenario(path, known)
        found = [
            scenario.done({"a": 1, "b": 1}, {"a": a, "b": b}) for a, b in ((1, 1), (0, 1), (0, 0))
        ]
        assert found == expected


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        ("scenario", {"reward": {"variables": {"x": {"op": "modulo"}}}}, "x: no operator 'modulo'"),
        ("scenario", {"reward": {"script": "lua:f"}}, "script cannot be used here"),
        ("scenario", {"rewards": []}, "rewards cannot be used here"),
        ("scenario", {"done": {"condition": "most"}}, "condition 'most' is none of any, all"),
        ("scenario", {"done": {"variables": {"z": {}}}}, "no value 'z' is watched: x"),
        ("scenario", {"reward": {"time": {"reward": "1"}}}, "reward must be a number, got '1'"),
        ("scenario", [], "a list in place of an object"),
        ("data", {"info": {"x": {"address": 1}}}, "x: .*type"),
        ("data", {"info": {"x": {"address": "1", "type": "|u1"}}}, "whole numbers"),
        ("data", {"info": {"x": {"address": 1, "type": "u1"}}}, "no type 'u1'"),
        ("data", {"info": 3}, "info: a int in place"),
    ],
)
def test_a_file_that_asks_for_more_is_refused_in_a_line(tmp_path, reader, text, message):
    path = tmp_path / "file.json"
    path.write_text(json.dumps(text))
    with pytest.raises(ValueError, match=message) as told:
        read_data(path) if reader == "data" else read_scenario(path, {"x": WatchedValue(0, "|u1")})
    assert "\n" not in str(told.value)


def test_a_cartridge_save_is_a_start_too(make, tmp_path):
    with GBA(JADE_ROM) as gba:
        (tmp_path / "game.sav").write_bytes(gba.save_data())
    env = make(start=tmp_path / "game.sav", watch=None)
    assert env.reset(seed=0)[1] == {}


def test_the_code_of_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).resolve().parents[2] / "docs/ANOTHER_GAME.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 5
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), "ANOTHER_GAME.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "(80, 120, 1)" in printed and "'y': " in printed
