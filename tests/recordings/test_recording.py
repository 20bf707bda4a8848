"""Recorded episodes: files that anybody may send, played again to the bit."""

import io
import json
import zipfile
from contextlib import closing
from dataclasses import replace as changed
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.games.game import make_env
from baselines.games.recorded_play import by_guide, record_play
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.game.editions import JADE_ROM, open_game
from emerald_env.recordings.recording import (
    HASH_EVERY,
    HEADER,
    KEYS_ALONE,
    LIMITS,
    MAX_STEPS,
    STATE,
    TRACK,
    Recording,
    RecordingError,
)
from emerald_env.recordings.replaying import begin, memory_hash, open_recorded, replay
from emerald_env.state import milestones_done
from emerald_env.wrappers.recorder import RECORDING
from rewards import Preset, Reward, load_preset

LENGTH = 100  # steps: three hashes and a rest
CONFIG = GameConfig(observation="screen", episode_length=LENGTH, reward="exploration")


def episodes(count, config=CONFIG, record="every"):
    """Some episodes of random keys, each with what was seen in it."""
    dice = np.random.default_rng(5)
    with closing(make_env(config, "rgb_array", record)) as env:
        for number in range(count):
            env.reset(seed=3 if number == 0 else None)
            game = env.unwrapped
            pictures, states, done = [game.gba.screen.rgb.copy()], [game.state], False
            while not done:
                _, _, _, done, info = env.step(dice.integers(15))
                pictures.append(game.gba.screen.rgb.copy())
                states.append(game.state)
            yield info, pictures, states, memory_hash(game.gba)


@pytest.fixture(scope="module")
def recorded():
    """The second episode of a game: what the first left behind must not matter."""
    return list(episodes(2))[1]


@pytest.fixture(scope="module")
def recording(recorded):
    return Recording.from_bytes(recorded[0][RECORDING].file)


def rewritten(recording, **members):
    """The file with some members replaced, or left out where None is given."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(recording.to_bytes())) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = members.get(name.replace(".", "_"), old.read(name))
            if content is not None:
                new.writestr(name, content)
    return buffer.getvalue()


def with_header(recording, **values):
    with zipfile.ZipFile(io.BytesIO(recording.to_bytes())) as archive:
        header = json.loads(archive.read(HEADER))
    return rewritten(recording, recording_json=json.dumps(header | values).encode())


def test_a_recording_reads_back_equal_and_the_same_episode_is_the_same_file(recording, recorded):
    content = recording.to_bytes()
    assert content == recorded[0][RECORDING].file
    assert Recording.from_bytes(content) == recording
    assert len(content) < 60_000
    assert (recording.n_steps, len(recording.hashes)) == (LENGTH, 1 + -(-LENGTH // HASH_EVERY))


def test_a_recording_says_what_was_played_and_names_no_path_of_the_machine(recording, recorded):
    info = recorded[0]
    assert recording.total == info["episode"]["r"] == info[RECORDING].total
    assert Preset.from_dict(recording.reward) == load_preset("exploration")
    assert recording.game["name"] == "Jade" and recording.env["episode_length"] == LENGTH
    assert recording.env["start"] == "new-game" and "rom" not in recording.env
    with zipfile.ZipFile(io.BytesIO(recording.to_bytes())) as archive:
        assert set(archive.namelist()) == set(LIMITS)
        assert str(Path.home()).encode() not in archive.read(HEADER)


@pytest.mark.parametrize("drawn", [False, True])
def test_an_episode_plays_again_with_equal_memory_states_and_pictures(recording, recorded, drawn):
    _, pictures, states, last_hash = recorded
    frames = []
    with open_recorded(recording) as gba:
        watch = (lambda picture: frames.append(picture.copy())) if drawn else None
        for moment, state in zip(replay(recording, gba, watch), states, strict=True):
            assert moment.same is not False and moment.state == state
        assert moment.same and memory_hash(gba) == last_hash == recording.hashes[-1]
    if drawn:
        skip = recording.frame_skip
        assert len(frames) == LENGTH * skip
        for step in range(LENGTH):
            assert (frames[(step + 1) * skip - 1] == pictures[step + 1]).all(), step


def test_frames_before_those_that_are_watched_are_not_drawn_but_played(recording):
    frames = []
    with open_recorded(recording) as gba:
        moments = list(replay(recording, gba, frames.append, watch_from=LENGTH - 2))
    assert len(frames) == 2 * recording.frame_skip and moments[-1].same


def test_an_action_that_was_changed_shows_at_the_next_hash(recording):
    at = 40
    others = bytearray(recording.pressed)
    wait, walk = 0, 9  # of the action table: nothing, and "right"
    others[at] = wait if others[at] == walk else walk
    odd = changed(recording, pressed=bytes(others))
    with open_recorded(odd) as gba:
        checked = {m.step: m.same for m in replay(odd, gba) if m.same is not None}
    assert list(checked) == [0, 32, 64, 96, 100]
    assert checked[0] and checked[32] and not checked[64]


def test_every_kind_of_start_is_recorded_where_the_episode_begins(tmp_path):
    with closing(EmeraldEnv()) as env:
        env.reset(seed=1)
        for _ in range(30):
            env.step(9)
        (tmp_path / "later.state").write_bytes(env.gba.get_state())
    config = changed(CONFIG, start=str(tmp_path / "later.state"), episode_length=40)
    (info, _, states, _), *_ = episodes(1, config)
    recording = Recording.from_bytes(info[RECORDING].file)
    assert recording.env["start"] == "later.state"
    with open_recorded(recording) as gba:
        moments = list(replay(recording, gba))
    assert [moment.state for moment in moments] == states and moments[-1].same


def test_of_a_longer_episode_than_a_recording_can_be_its_beginning_is_recorded(monkeypatch):
    monkeypatch.setattr("emerald_env.wrappers.recorder.MAX_STEPS", 64)
    ((info, _, states, _),) = episodes(1)
    recording = Recording.from_bytes(info[RECORDING].file)
    assert recording.n_steps == 64 and len(states) == LENGTH + 1
    with open_recorded(recording) as gba:
        checked = {m.step: m.same for m in replay(recording, gba) if m.same is not None}
    assert checked == {0: True, 32: True, 64: True}
    assert len(list(recording.states())) == 65


def test_what_a_full_recording_says_was_paid_and_reached_is_of_its_own_steps(monkeypatch, tmp_path):
    monkeypatch.setattr("emerald_env.wrappers.recorder.MAX_STEPS", 256)
    config = GameConfig(observation="state", guide=True, episode_length=512, patience=512)
    (path,) = record_play(by_guide, tmp_path, config)
    recording, paid = Recording.load(path), Reward(load_preset())
    first, *states = recording.states()
    paid.reset(first)
    totals = [sum(paid(*pair).values()) for pair in pairwise([first, *states])]
    assert len(totals) == 256 and recording.total == pytest.approx(sum(totals))
    assert recording.milestones == milestones_done(states[-1])[len(milestones_done(first)) :] != ()


def test_a_game_resumes_with_what_a_full_recording_paid(monkeypatch):
    monkeypatch.setattr("emerald_env.wrappers.recorder.MAX_STEPS", 32)
    with closing(make_env(changed(CONFIG, episode_length=64), None, "every")) as env:
        env.reset(seed=3)
        paid = sum(float(env.step(0 if step % 2 else 1)[1]) for step in range(32))
        env.step(1)
        kept = env.get_wrapper_attr("get_state")()
        env.reset(seed=4)
        env.get_wrapper_attr("set_state")(from_plain(*to_plain(kept)))
        assert env.get_wrapper_attr("so_far")(1e6).total == pytest.approx(paid)


def test_a_track_that_is_too_large_to_be_read_is_left_out(monkeypatch, recording):
    monkeypatch.setitem(LIMITS, TRACK, len(recording.track) - 1)
    _, (info, *_) = episodes(2)
    assert Recording.from_bytes(info[RECORDING].file) == changed(recording, track=b"")


def test_only_an_episode_that_brings_something_new_is_handed_over():
    totals, handed = [], []
    for info, *_ in episodes(6, record="milestones"):
        totals.append(info["episode"]["r"])
        handed.append(RECORDING in info)
    assert handed == [total > max(totals[:i], default=-1) for i, total in enumerate(totals)]
    assert handed[0] and not all(handed)
    (info, *_), *_ = episodes(1, record="none")
    assert RECORDING not in info


def test_workers_hand_recordings_over_that_play_again():
    config = changed(CONFIG, episode_length=50)
    dice = np.random.default_rng(1)
    with closing(make_vec_env(config, 3, n_workers=2, record="every")) as games:
        games.reset()
        found = []
        for _ in range(100):
            _, _, dones, infos = games.step(dice.integers(15, size=3))
            found += [infos[game][RECORDING] for game in np.flatnonzero(dones)]
    assert len(found) == 6
    for each in (found[1], found[5]):
        recording = Recording.from_bytes(each.file)
        with open_recorded(recording) as gba:
            assert all(moment.same is not False for moment in replay(recording, gba))


def test_the_rom_of_another_game_is_refused_with_both_hashes(recording):
    other = changed(recording, game=dict(recording.game) | {"sha1": "0" * 40})
    with pytest.raises(RecordingError, match=f"{'0' * 40}.*--rom"):
        open_recorded(other, JADE_ROM)


def test_a_start_that_is_not_a_state_is_refused_and_so_is_one_of_another_game(recording):
    for state in (b"", recording.start.state[:-1], b"\xff" * len(recording.start.state)):
        odd = changed(recording, start=changed(recording.start, state=state))
        with open_recorded(odd) as gba, pytest.raises(RecordingError, match="its start"):
            list(replay(odd, gba))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"schema_version": 2}, "schema version 2.*git pull"),
        ({"schema_version": None}, "schema version None"),
        ({"game": {}}, "damaged: game "),
        ({"game": {"name": "\x1b[2J", "code": "JADE", "sha1": ""}}, "damaged: game.name"),
        ({"milestones": ["\x1b]0;"]}, "milestones"),
        ({"milestones": [[]]}, "milestones"),
        ({"versions": {"\n": "1"}}, "damaged: versions"),
        ({"reward": {"name": 5}}, "damaged: reward"),
        ({"actions": []}, "damaged: actions"),
        ({"actions": [["a", 1]]}, "1 actions, but a step uses number"),
        ({"actions": [["a", 1 << 10]]}, "damaged: actions.0"),
        ({"actions": [["a"]]}, "damaged: actions.0"),
        ({"actions": [["a", True]]}, "damaged: actions.0"),
        ({"env": {}}, "damaged: env"),
        ({"env": {"frame_skip": 10**9, "hold_frames": 1}}, "frame_skip is 1000000000"),
        ({"env": {"frame_skip": 24, "hold_frames": 25}}, "hold_frames is 25"),
        ({"env": {"frame_skip": 24, "hold_frames": -1}}, "hold_frames is -1: .* from 0 to 24"),
        ({"env": {"frame_skip": 0, "hold_frames": 0}}, "frame_skip is 0: .* from 1 to 3600"),
        ({"env": {"frame_skip": 24.0, "hold_frames": 2}}, "frame_skip is 24.0"),
        ({"hash_every": 0}, "hash_every is 0"),
        ({"hash_every": 1}, "have 101 hashes, not 5"),
        ({"hash_every": True}, "damaged: hash_every"),
        ({"total": float("nan")}, "NaN or an infinite number"),
        ({"total": "many"}, "damaged: total"),
    ],
)
def test_a_header_that_says_nonsense_is_refused_with_what_it_says(recording, values, message):
    with pytest.raises(RecordingError, match=message):
        Recording.from_bytes(with_header(recording, **values))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"actions_bin": None}, "it has no actions.bin"),
        ({"recording_json": b"[1]"}, "schema version None"),
        ({"recording_json": b"{"}, "not JSON"),
        ({"recording_json": b"[" * 100_000}, "not JSON"),
        ({"hashes_bin": b"123"}, "3 bytes"),
        ({"actions_bin": b""}, "0 steps hashed every 32 have 1 hashes"),
        ({"actions_bin": b"\xff" * 100}, "a step uses number 255"),
        ({"start_state": bytes(LIMITS[STATE] + 1)}, "unpacks to"),
    ],
)
def test_members_that_do_not_fit_are_refused(recording, members, message):
    with pytest.raises(RecordingError, match=message):
        Recording.from_bytes(rewritten(recording, **members))


def test_a_bomb_a_twin_and_an_odd_packing_are_refused(recording):
    bomb = rewritten(recording, actions_bin=bytes(LIMITS["actions.bin"] + 1))
    assert len(bomb) < 100_000
    with pytest.raises(RecordingError, match="unpacks to"):
        Recording.from_bytes(bomb)
    buffer = io.BytesIO(recording.to_bytes())
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(HEADER, b"{}")
    with pytest.raises(RecordingError, match="a member twice"):
        Recording.from_bytes(buffer.getvalue())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        for name in LIMITS:
            archive.writestr(name, b"")
    with pytest.raises(RecordingError, match="by an unusual method"):
        Recording.from_bytes(buffer.getvalue())


def test_five_hours_of_single_frames_without_a_key_are_read_again(recording):
    frames = 5 * 3600 * 60
    idle = changed(
        recording, pressed=bytes(frames), hashes=(7,) * (1 + -(-frames // 768)), hash_every=768
    )
    content = idle.to_bytes()
    assert len(content) < 100_000
    assert Recording.from_bytes(content) == idle


@pytest.mark.parametrize("every", [32, 768])
def test_as_many_steps_as_a_recording_may_have_are_read_again(recording, every):
    steps = 16 << 20
    assert steps == MAX_STEPS
    full = changed(
        recording, pressed=bytes(steps), hashes=(7,) * (1 + -(-steps // every)), hash_every=every
    )
    assert Recording.from_bytes(full.to_bytes()) == full


def test_what_is_neither_a_file_nor_a_zip_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no recording at"):
        Recording.load(tmp_path / "none.recording")
    (tmp_path / "text.recording").write_text("hello")
    with pytest.raises(RecordingError, match="text.recording: does not begin as a zip"):
        Recording.load(tmp_path / "text.recording")


def test_keys_alone_begin_at_the_same_date_whatever_was_played_before(recording):
    with open_game() as game:
        game.clock = datetime(2030, 5, 1)
        begin(changed(recording, start=KEYS_ALONE), game)
        assert game.clock.year == 2024


def test_what_others_add_to_the_zip_is_left_alone_or_refused(recording):
    for name, refused in (("evil.py", False), ("../../evil.py", True)):
        buffer = io.BytesIO(recording.to_bytes())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr(name, "raise SystemExit")
        if refused:
            with pytest.raises(RecordingError, match="a member named"):
                Recording.from_bytes(buffer.getvalue())
        else:
            assert Recording.from_bytes(buffer.getvalue()) == recording


@given(st.data())
@settings(max_examples=300)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(recording, data):
    content = bytearray(recording.to_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):  # the directory and the headers, not only packed bytes
            places = st.integers(max(0, len(content) - 400), len(content) - 1)
        else:
            places = st.integers(0, len(content) - 1)
        content[data.draw(places)] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, 50))
    try:
        Recording.from_bytes(bytes(content[: len(content) - cut]))
    except RecordingError as error:
        assert str(error)
