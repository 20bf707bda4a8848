"""Any game as an environment: tried on Jade as if nothing were known of it."""

import json
import math
import re
import time
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from baselines.games.game import make_env
from baselines.settings.game_config import GameConfig
from emerald_env.emulator import GBA
from emerald_env.env.any_game.coarse_pictures import coarse
from emerald_env.env.any_game.scenario import OPERATORS, read_data, read_scenario
from emerald_env.env.any_game.watched_values import WatchedValue
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.reward_function import RewardError
from emerald_env.game.savefile import SaveFileError
from emerald_env.jade.cartridge import JADE_ROM
from emerald_env.recordings.recording import Recording, RecordingError
from emerald_env.wrappers.any_game import GameRecorder, PictureNovelty, replay_game

X, Y = (0x02037360, "<i2"), (0x02037362, "<i2")  # of the first object in gObjectEvents
WATCH = {"x": X, "y": Y}
NAMES = "time", "reward_terms"


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
        ({"actions": [None]}, ValueError, "actions: None is no text: name keys"),
        ({"watch": {"hp": ("0x02", "|u1")}}, ValueError, "watch hp: its address must be a whole"),
        ({"watch": {"hp": (0x02000000, 1)}}, ValueError, "watch hp: no type 1 of memory"),
        ({"watch": {"hp": (1, "|u1", None, 4)}}, ValueError, r"watch hp: \(1, .* is no \(address"),
        ({"watch": {"hp": 5}}, ValueError, r"watch hp: 5 is no \(address, type\)"),
        ({"frame_skip": 0}, ValueError, "frame_skip must be at least 1"),
        ({"frame_skip": "4"}, ValueError, "frame_skip must be a whole number .*, got '4'"),
        ({"frame_skip": 10**12}, ValueError, "frame_skip must be a whole number from 0 to 36,000"),
        ({"hold_frames": 1.5}, ValueError, "hold_frames must be a whole number .*, got 1.5"),
        ({"shrink": 7}, ValueError, "shrink must divide both 240 and 160, got 7"),
        ({"shrink": "2"}, ValueError, "shrink must be a whole number .*, got '2'"),
    ],
)
def test_what_cannot_be_used_is_reported_in_one_line(make, settings, error, message):
    with pytest.raises(error, match=message) as told:
        make(**settings)
    assert "\n" not in str(told.value)


def test_a_reward_that_is_not_a_number_is_an_error_in_one_line(make):
    env = make(reward=lambda before, after: after["z"])
    env.reset(seed=0)
    with pytest.raises(RewardError, match="the reward <lambda> raised KeyError: 'z'"):
        env.step(0)


@pytest.mark.parametrize(
    ("paid", "message"),
    [
        (2e12, r"the reward <lambda> returned 2000000000000.0: .* none beyond 1e\+12"),
        ({"a": 1e12, "b": 1e12}, r"the reward <lambda> pays 2e\+12 .* from -1e\+12 to 1e\+12"),
    ],
)
def test_a_reward_that_is_too_large_for_a_network_is_refused(make, paid, message):
    env = make(reward=lambda before, after: paid)
    env.reset(seed=0)
    with pytest.raises(RewardError, match=message):
        env.step(0)


def test_an_end_that_is_neither_true_nor_false_is_an_error_in_one_line(make):
    env = make(done=lambda before, after: np.zeros(2))
    env.reset(seed=0)
    with pytest.raises(RewardError, match="done, <lambda>, raised ValueError: The truth value"):
        env.step(0)


def test_an_end_that_raises_is_an_error_in_one_line_and_a_slow_reward_a_warning(make, caplog):
    env = make(reward=lambda *_: time.sleep(0.11) or 0.0, done=lambda before, after: after["z"])
    env.reset(seed=0)
    for _ in range(2):
        with pytest.raises(RewardError, match="done, <lambda>, raised KeyError: 'z'"):
            env.step(0)
    (told,) = caplog.messages
    assert told == "the reward <lambda> took 0.1 seconds for a step: every game waits for it"


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


@pytest.mark.parametrize("action", [-1, 2, 1.0, "1", None])
def test_an_action_that_there_is_not_is_an_error(make, action):
    env = make(actions=["wait", "a"])
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action must be 0 to 1, got"):
        env.unwrapped.step(action)
    env.step(np.int8(1))


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


def test_a_scenarios_values_may_have_any_name(make, tmp_path):
    """As in stable-retro, where `time` is a part of the reward beside all variables."""
    (tmp_path / "data.json").write_text(
        json.dumps({"info": {name: {"address": X[0], "type": X[1]} for name in NAMES}})
    )
    variables = {"time": {"reward": 2.0}, "reward_terms": {"reward": 4.0}}
    reward = {"variables": variables, "time": {"reward": -0.5}}
    (tmp_path / "scenario.json").write_text(json.dumps({"reward": reward}))
    files = {"data": tmp_path / "data.json", "scenario": tmp_path / "scenario.json"}
    env = make(watch=None, actions=["right"], **files)
    _, info = env.reset(seed=0)
    assert set(info) == {"time"} and set(env.unwrapped.values) == set(NAMES)
    paid = []
    for _ in range(3):
        x = info["time"]
        _, reward, *_, info = env.step(0)
        moved = info["time"] - x
        paid.append(reward)
        assert info["reward_terms"] == {"time": 2.0 * moved - 0.5, "reward_terms": 4.0 * moved}
        assert reward == 6.0 * moved - 0.5 and env.unwrapped.values["reward_terms"] == info["time"]
    assert max(paid) == 5.5


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
        ("scenario", {"done": {"condition": ["any"]}}, "is none of any, all"),
        ("scenario", {"done": {"variables": {"z": {}}}}, "no value 'z' is watched: x"),
        ("scenario", {"reward": {"time": {"reward": "1"}}}, "reward must be a number, got '1'"),
        ("scenario", [], "a list in place of an object"),
        ("data", {"info": {"x": {"address": 1}}}, "file.json: x has no type"),
        ("data", {"info": {"x": {"address": "1", "type": "|u1"}}}, "whole number, got '1'"),
        ("data", {"info": {"x": {"address": 1, "type": "|u1", "mask": [1]}}}, "its mask must"),
        ("data", math.nan, "file.json: NaN or an infinite number"),
        ("scenario", {"reward": math.inf}, "file.json: NaN or an infinite number"),
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


@pytest.mark.parametrize("state", [None, 5, "state", b"junk"])
def test_a_reset_to_what_is_no_state_is_an_error(make, state):
    env = make()
    with pytest.raises(ValueError, match="state"):
        env.reset(options={"state": state})
    assert env.reset(seed=0)[1]["x"] != 0


def test_a_cartridge_save_is_a_start_too(make, tmp_path):
    with GBA(JADE_ROM) as gba:
        (tmp_path / "game.sav").write_bytes(gba.save_data())
    env = make(start=tmp_path / "game.sav", watch=None)
    assert env.reset(seed=0)[1] == {}


@pytest.mark.parametrize("code", [b"A2YE", b"U3IE", b"RZWE"])  # no save memory, EEPROM, SRAM
def test_a_game_with_another_save_memory_begins_again_and_replays(tmp_path, code):
    rom, values = tmp_path / "game.gba", tmp_path / "data.json"
    content = bytearray(JADE_ROM.read_bytes())
    content[0xAC:0xB0] = code
    rom.write_bytes(content)
    env = GameRecorder(gymnasium.make("GBA-v0", rom=rom, max_episode_steps=5), tmp_path / "kept")
    for _ in range(2):
        env.reset(seed=0)
        while not env.step(1)[3]:
            pass
    env.close()
    assert len(list((tmp_path / "kept").iterdir())) == 2
    for path in (tmp_path / "kept").iterdir():
        assert list(replay_game(path, rom)) == [True, None, None, None, None, True]
    values.write_text('{"info": {}}')
    game = make_env(GameConfig(rom=rom, data=values, observation="screen"))
    first, again = (game.reset(seed=0)[0] for _ in range(2))
    assert np.array_equal(first, again)
    game.close()


HOMEBREW = bytes(12), b"HOMEBREW\0\0\0\0"


@pytest.mark.parametrize("title", HOMEBREW)
def test_a_game_that_nobody_knows_plays_like_any_other(tmp_path, title):
    """Jade without its title and code, and not padded to a cartridge's size."""
    rom = bytearray(JADE_ROM.read_bytes().rstrip(b"\0\xff") + b"\1")
    rom[0xA0:0xB0] = title + bytes(4)
    path = tmp_path / "game.gba"
    path.write_bytes(rom)
    with GBA(path) as unknown, GBA(JADE_ROM) as known:
        for gba in (unknown, known):
            gba.button("a", 3)
            gba.tick(200)
        assert unknown.game_code == "\0\0\0\0"
        assert np.array_equal(unknown.screen.rgb, known.screen.rgb)
    env = gymnasium.make("GBA-v0", rom=path, watch=WATCH, max_episode_steps=3)
    env.reset(seed=0)
    assert [env.step(1)[3] for _ in range(3)] == [False, False, True]
    env.close()


def moved(before, after):
    """Pays for walking right; at the top of a module, so that workers know it."""
    return float(after["x"] - before["x"])


def test_make_vec_plays_on_worker_processes_what_make_plays_here(make, truck):
    settings = {"rom": JADE_ROM, "start": truck, "watch": WATCH, "reward": moved, "shrink": 4}
    games = gymnasium.make_vec("GBA-v0", 2, n_workers=1, max_episode_steps=4, **settings)
    alone = make(**settings, frame_skip=24, max_episode_steps=4)
    right = alone.unwrapped.get_action_meanings().index("right")
    seen, _ = games.reset(seed=7)
    np.testing.assert_array_equal(seen[0], alone.reset(seed=7)[0])
    for _ in range(4):
        seen, rewards, _, truncated, _ = games.step(np.array([right, 0]))
        expected = alone.step(right)
        np.testing.assert_array_equal(seen[0], expected[0])
        assert (rewards[0], truncated[0]) == (expected[1], expected[3])
    assert truncated.all()
    games.close()


def test_what_cannot_be_sent_to_workers_is_reported_in_one_line():
    with pytest.raises(ValueError, match="settings cannot be sent to worker processes .*at the to"):
        gymnasium.make_vec("GBA-v0", 1, rom=JADE_ROM, reward=lambda before, after: 0.0)


def test_an_episode_of_any_game_is_recorded_and_replayed_to_the_bit(make, tmp_path):
    env = GameRecorder(make(reward=moved, max_episode_steps=70), tmp_path / "episodes")
    env.action_space.seed(1)
    seen = []
    for _ in range(2):
        env.reset(seed=len(seen))
        total = sum(env.step(env.action_space.sample())[1] for _ in range(70))
        seen.append((env.unwrapped.gba.memory.ewram.copy(), total))
    files = sorted((tmp_path / "episodes").iterdir())
    assert [file.name for file in files] == ["episode_0000.recording", "episode_0001.recording"]
    for file, (memory, total) in zip(files, seen, strict=True):
        with GBA(JADE_ROM) as gba:
            same = list(replay_game(file, JADE_ROM, gba))
            assert np.array_equal(gba.memory.ewram, memory)
        assert [step for step, equal in enumerate(same) if equal] == [0, 32, 64, 70]
        assert False not in same and Recording.load(file).total == pytest.approx(total)


def test_of_a_longer_episode_than_a_recording_can_be_its_beginning_is_kept(
    make, tmp_path, monkeypatch
):
    monkeypatch.setattr("emerald_env.wrappers.any_game.game_recorder.MAX_STEPS", 40)
    env = GameRecorder(make(max_episode_steps=50), tmp_path)
    env.reset(seed=0)
    assert [env.step(step % 3)[3] for step in range(50)] == [False] * 49 + [True]
    env.reset(seed=1)
    assert [env.step(1)[3] for _ in range(40)] == [False] * 40
    first, second = sorted(tmp_path.iterdir())
    assert Recording.load(first).pressed == bytes(step % 3 for step in range(40))
    assert Recording.load(second).pressed == b"\1" * 40
    same = list(replay_game(first, JADE_ROM))
    assert [step for step, equal in enumerate(same) if equal] == [0, 32, 40]


def test_recordings_are_numbered_above_the_highest_that_is_there(make, tmp_path):
    def record(episodes):
        env = GameRecorder(make(max_episode_steps=1), tmp_path)
        for seed in range(episodes):
            env.reset(seed=seed)
            env.step(seed)
        return {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    kept = record(episodes=3)
    (tmp_path / "episode_0001.recording").unlink()
    (tmp_path / "best.recording").write_bytes(b"")  # not of this series
    after = record(episodes=1)
    assert set(after) == {
        *(f"episode_000{number}.recording" for number in (0, 2, 3)),
        "best.recording",
    }
    assert all(
        after[name] == kept[name] for name in ("episode_0000.recording", "episode_0002.recording")
    )


def test_recorders_that_share_a_folder_keep_all_their_episodes(make, tmp_path):
    envs = [GameRecorder(make(max_episode_steps=1), tmp_path) for _ in range(2)]
    for action, env in enumerate(envs):
        env.reset(seed=0)
        env.step(action)
    names = ["episode_0000.recording", "episode_0001.recording"]
    assert [Recording.load(tmp_path / name).pressed for name in names] == [b"\0", b"\1"]


def test_an_episode_that_cannot_be_written_leaves_no_file(make, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device", str(path))

    env = GameRecorder(make(max_episode_steps=1), tmp_path)
    env.reset(seed=0)
    monkeypatch.setattr("emerald_env.wrappers.any_game.game_recorder.write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        env.step(0)
    assert not [*tmp_path.iterdir()]


def test_keys_that_are_held_for_no_frame_are_recorded_too(make, tmp_path):
    env = GameRecorder(make(hold_frames=0, max_episode_steps=2), tmp_path)
    env.reset(seed=0)
    assert [env.step(1)[3] for _ in range(2)] == [False, True]
    assert [*replay_game(tmp_path / "episode_0000.recording", JADE_ROM)] == [True, None, True]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"actions": ["a"] * 257}, "at most 256 actions, this env has 257"),
        ({"frame_skip": 3601}, "at most 3,600 frames, this env's frame_skip is 3,601"),
    ],
)
def test_what_no_recording_can_have_is_refused_before_it_is_played(
    make, tmp_path, settings, message
):
    with pytest.raises(RecordingError, match=message):
        GameRecorder(make(**settings), tmp_path / "episodes")
    assert not (tmp_path / "episodes").exists()


def test_a_replay_tells_where_it_differs_and_of_another_game(make, tmp_path):
    env = GameRecorder(make(max_episode_steps=40), tmp_path)
    env.reset(seed=0)
    for _ in range(40):
        env.step(0)
    (file,) = tmp_path.iterdir()
    recording = Recording.load(file)
    other = bytes([1]) + recording.pressed[1:]
    file.write_bytes(replace(recording, pressed=other).to_bytes())
    assert False in replay_game(file, JADE_ROM)
    file.write_bytes(replace(recording, game={**recording.game, "sha1": "0"}).to_bytes())
    with pytest.raises(RecordingError, match="is of JADE, another game than"):
        next(replay_game(file, JADE_ROM))


def test_a_picture_pays_its_bonus_once_an_episode_and_less_in_each(make):
    env = PictureNovelty(make(actions=["right", "left"], start_wait=0), coef=2.0)
    paid = []
    for _ in range(3):
        env.reset(seed=0)
        steps = [env.step(action) for action in (0, 0, 0, 1, 1, 1, 0, 0)]
        shown = [coarse(seen) for seen, *_ in steps]
        bonuses = [info["novelty"] for *_, info in steps]
        assert [step[1] for step in steps] == bonuses
        assert all(not b for k, b in enumerate(bonuses) if shown[k] in shown[:k])
        paid.append(sum(bonuses))
    assert paid[0] == 2.0 * len(env.episodes) > 0
    assert paid == pytest.approx([paid[0], paid[0] / 2**0.5, paid[0] / 3**0.5])


def test_coarse_pictures_are_means_of_squares():
    picture = np.zeros((16, 24, 1), np.uint8)
    picture[:2, :2] = [[[255], [255]], [[0], [2]]]  # a mean of 128: the fifth of eight levels
    assert np.frombuffer(coarse(picture), np.uint8).tolist() == [4] + [0] * 95
    env = gymnasium.make("CartPole-v1")
    with pytest.raises(ValueError, match="needs a grey picture, got Box"):
        PictureNovelty(env)


@pytest.mark.parametrize("game", ["GBA-v0", "Emerald-v0"])
def test_a_film_by_gymnasium_lasts_as_long_as_the_game(game, tmp_path):
    pytest.importorskip("moviepy")
    import imageio

    more = {"rom": JADE_ROM} if game == "GBA-v0" else {}
    made = gymnasium.make(game, render_mode="rgb_array", max_episode_steps=30, **more)
    env = gymnasium.wrappers.RecordVideo(made, str(tmp_path))
    env.reset(seed=0)
    for _ in range(30):
        env.step(0)
    env.close()
    (film,) = tmp_path.glob("*.mp4")
    lasts = imageio.get_reader(film).get_meta_data()["duration"]
    assert lasts == pytest.approx(31 * 24 / 59.7275, rel=0.05)


def test_the_code_of_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).resolve().parents[2] / "docs/ANOTHER_GAME.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 6
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), "ANOTHER_GAME.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "(80, 120, 1)" in printed and "'y': " in printed
