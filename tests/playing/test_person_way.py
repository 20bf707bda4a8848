"""A person at the keyboard is recorded: taken back, stopped, continued, replayed to the bit."""

import json
import shutil
from dataclasses import replace

import pytest
from helpers.at_the_keyboard import at_the_keyboard

from baselines.commands.play import play_game as play
from baselines.commands.play import replay
from emerald_env.emulator import key_mask
from emerald_env.game.editions import open_game
from emerald_env.recordings import person_way
from emerald_env.recordings.recording import Recording
from emerald_env.starts.starts import NEW_GAME, prepare_starts


def replayed(folder, capsys):
    capsys.readouterr()
    status = replay.main([str(folder), "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def way(tmp_path_factory):
    """A way to the house, by the keyboard."""
    folder = tmp_path_factory.mktemp("person") / "way"
    with pytest.MonkeyPatch.context() as patch:
        with at_the_keyboard(patch, "--record", str(folder)) as person:
            person.keyboard.hold(200, "right")
            person.keyboard.hold(300)
            person.keyboard.hold(60, "left", "right")
            person.keyboard.command("K_F6")
            person.keyboard.hold(240, "up")
            person.keyboard.hold(1300, "left")
    return folder


def test_a_way_replays_to_the_bit_with_what_was_taken_back_gone(way, capsys):
    recording = Recording.load(way / "way.recording")
    status, found = replayed(way, capsys)
    assert status == 0 and found["different_at"] is None and found["checked"] >= 2
    assert found["total"] == pytest.approx(found["recorded_total"])
    keys = [recording.actions[index][1] for index in recording.pressed]
    both = key_mask("left", "right")
    assert key_mask("right") in keys and key_mask("up") in keys
    assert both not in keys, "no console can press both"
    assert len(keys) % 24 == 0 and 2100 - 450 < len(keys) < 2100 - 240
    assert not recording.track and list((way / "states").glob("*.ss1"))


def test_another_day_continues_where_the_way_ends(way, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "way"
    shutil.copytree(way, folder)
    before = Recording.load(folder / "way.recording")
    with at_the_keyboard(monkeypatch, "--record", str(folder)) as person:
        person.keyboard.hold(500, "right")
    after = Recording.load(folder / "way.recording")
    assert after.pressed.startswith(before.pressed) and after.n_steps >= before.n_steps + 480
    assert after.start == before.start
    assert replayed(folder, capsys)[0] == 0


def test_another_day_pays_nothing_that_an_earlier_one_has_paid(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "way"
    with at_the_keyboard(monkeypatch, "--record", str(folder)) as person:
        person.keyboard.hold(300, "right")  # out of the truck
        person.keyboard.hold(240, "left")
        person.keyboard.hold(240, "right")
    with at_the_keyboard(monkeypatch, "--record", str(folder)) as person:
        person.keyboard.hold(240, "left")
        person.keyboard.hold(240, "right")
    status, found = replayed(folder, capsys)
    assert status == 0 and found["total"] > 0
    assert found["recorded_total"] == pytest.approx(found["total"])


def test_a_way_continues_without_its_states_but_not_from_one_that_does_not_fit(
    way, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "way"
    shutil.copytree(way, folder)
    states = sorted((folder / "states").glob("*.ss1"))
    shutil.copyfile(states[0], states[-1])
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    if len(states) > 1:
        assert play.main(["--human", "--scale", "1", "--record", str(folder)]) == 1
        assert "does not fit the keys" in capsys.readouterr().err
    for state in states:
        state.unlink()
    with at_the_keyboard(monkeypatch, "--record", str(folder)) as person:
        person.keyboard.hold(100, "right")
    assert replayed(folder, capsys)[0] == 0


def test_keys_alone_hold_no_memory_of_the_game_and_replay_from_a_new_game(
    tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "keys"
    for _ in range(2):  # on two days
        with at_the_keyboard(monkeypatch, "--record", str(folder), "--no-states") as person:
            person.keyboard.hold(300, "right")
    assert [path.name for path in folder.iterdir()] == ["way.recording"]
    assert (folder / "way.recording").stat().st_size < 3000
    assert not Recording.load(folder / "way.recording").start.state
    status, found = replayed(folder, capsys)
    assert status == 0 and found["n_steps"] >= 550


def test_a_full_way_is_saved_and_says_where_to_go_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(person_way, "MAX_STEPS", 100)
    flags = ["--human", "--scale", "1", "--record", str(tmp_path / "way")]
    assert play.main(flags) == 1
    said = capsys.readouterr().err
    assert "is full: a recording has at most 100 frames" in said and "--start" in said
    assert (tmp_path / "way" / "states" / "000000004.ss1").is_file()
    status, found = replayed(tmp_path / "way", capsys)
    assert status == 0 and found["n_steps"] == 96  # four steps of 24 frames
    before = (tmp_path / "way" / "way.recording").read_bytes()
    assert play.main(flags) == 1 and "is full" in capsys.readouterr().err
    assert (tmp_path / "way" / "way.recording").read_bytes() == before


@pytest.fixture
def elsewhere(tmp_path):
    """A state some steps after the new game's."""
    with open_game() as game:
        prepare_starts(None, NEW_GAME)[0].restore(game)
        for _ in range(20):
            game.step(key_mask("right"), 8, 24)
        (tmp_path / "elsewhere.state").write_bytes(game.get_state())
    return tmp_path / "elsewhere.state"


@pytest.mark.parametrize("again", [False, True])
def test_keys_alone_do_not_continue_a_way_that_began_elsewhere(
    again, elsewhere, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "way"
    flags = ["--record", str(folder)]
    with at_the_keyboard(monkeypatch, *flags, "--start", str(elsewhere)) as person:
        person.keyboard.hold(100, "up")
    if again:  # on a second day, without --start
        with at_the_keyboard(monkeypatch, *flags) as person:
            person.keyboard.hold(100, "left")
    content = (folder / "way.recording").read_bytes()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    flags += ["--no-states", "--episode-length", "9"]
    assert play.main(["--human", "--scale", "1", *flags]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "did not begin with a new game" in said
    assert (folder / "way.recording").read_bytes() == content
    assert replayed(folder, capsys)[0] == 0


def test_a_way_that_began_elsewhere_is_not_continued_from_another_start(
    way, elsewhere, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    folder = tmp_path / "way"
    shutil.copytree(way, folder)
    content = (folder / "way.recording").read_bytes()
    flags = ["--human", "--scale", "1", "--episode-length", "9", "--record", str(folder)]
    assert play.main([*flags, "--start", str(elsewhere)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"way.recording did not begin in {elsewhere}" in said
    assert "leave --start out" in said
    assert (folder / "way.recording").read_bytes() == content


def test_the_same_command_continues_a_way_that_began_in_a_state(
    elsewhere, tmp_path, monkeypatch, capsys
):
    flags = ["--record", str(tmp_path / "way"), "--start", str(elsewhere)]
    for _ in range(2):  # on two days
        with at_the_keyboard(monkeypatch, *flags) as person:
            person.keyboard.hold(100, "up")
    status, found = replayed(tmp_path / "way", capsys)
    assert status == 0 and found["n_steps"] >= 2 * 72


def test_keys_alone_continue_a_way_that_began_with_a_new_game(way, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "way"
    shutil.copytree(way, folder)
    with at_the_keyboard(monkeypatch, "--record", str(folder), "--no-states") as person:
        person.keyboard.hold(100, "left")
    assert not Recording.load(folder / "way.recording").start.state
    assert replayed(folder, capsys)[0] == 0


@pytest.mark.parametrize(
    "kind", ["cut", "another ROM", "agent", "steps", "hashes", 5, None, "starter", [5]]
)
def test_a_folder_with_another_recording_is_refused_in_a_line(
    kind, way, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    folder = tmp_path / "way"
    folder.mkdir()
    recording = Recording.load(way / "way.recording")
    content = recording.to_bytes()
    if kind == "cut":
        content = content[:-100]
    if kind == "another ROM":
        content = replace(recording, game=recording.game | {"sha1": "0" * 40}).to_bytes()
    if kind == "agent":
        env = recording.env | {"frame_skip": 24, "sampled_every": 1}
        content = replace(recording, env=env).to_bytes()
    if kind in ("steps", "hashes"):
        env = recording.env | {"sampled_every": 12 if kind == "steps" else 24}
        hashes = (0,) * (1 + -(-recording.n_steps // 384))
        content = replace(recording, env=env, hash_every=384, hashes=hashes).to_bytes()
    elif kind not in ("cut", "another ROM", "agent"):
        content = replace(recording, env=recording.env | {"given": kind}).to_bytes()
    (folder / "way.recording").write_bytes(content)
    assert play.main(["--human", "--scale", "1", "--record", str(folder)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "way.recording" in said
    assert (folder / "way.recording").read_bytes() == content, "nothing is lost"
