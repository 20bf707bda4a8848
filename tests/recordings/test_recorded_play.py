"""Recordings of any player: a script, Jade's guide, a checkpoint."""

import json
import os

import numpy as np
import pytest

from baselines.commands.play import evaluate, jade_world, replay
from baselines.games.recorded_play import by_guide, record_play
from baselines.settings.game_config import GameConfig
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.replaying import open_recorded
from emerald_env.recordings.replaying import replay as replayed

TREECKO, TORCHIC, MUDKIP = 277, 280, 283  # Emerald's own numbers


def test_a_script_is_recorded_and_replays_to_the_bit(tmp_path, capsys):
    seen = []

    def player(observation):
        seen.append(observation["screen"].shape)
        return 9 if len(seen) < 70 else None

    game = GameConfig(observation="dict", patience=None)
    (path,) = record_play(player, tmp_path / "script", game)
    assert Recording.load(path).pressed == bytes([9] * 69) and set(seen) == {(80, 120, 1)}
    assert replay.main([str(tmp_path / "script"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["different_at"] is None and found["n_steps"] == 69
    assert found["total"] == pytest.approx(found["recorded_total"])


def test_episodes_that_end_by_themselves_are_recorded_one_file_each(tmp_path):
    dice = np.random.default_rng(0)
    game = GameConfig(observation="screen", episode_length=40)
    paths = record_play(lambda seen: int(dice.integers(15)), tmp_path, game, episodes=2, seed=5)
    assert [path.name for path in paths] == ["episode_0005.recording", "episode_0006.recording"]
    assert [Recording.load(path).n_steps for path in paths] == [40, 40]


def test_a_recording_that_is_there_already_is_kept(tmp_path):
    (tmp_path / "episode_0006.recording").write_text("an earlier one")
    with pytest.raises(FileExistsError, match=r"episode_0006.recording is there already"):
        record_play(lambda seen: None, tmp_path, GameConfig(), episodes=2, seed=5)
    (kept,) = tmp_path.iterdir()
    assert kept.read_text() == "an earlier one"


def test_a_walk_is_never_recorded_over_another(tmp_path, monkeypatch, capsys):
    monkeypatch.delattr(jade_world, "walk")
    (tmp_path / "episode_0000.recording").write_text("an earlier walk")
    with pytest.raises(SystemExit):
        jade_world.main(["7", "--walk", "--record", str(tmp_path)])
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert "has a recording of another walk: give a new folder to --record" in said
    assert (tmp_path / "episode_0000.recording").read_text() == "an earlier walk"


@pytest.mark.long
def test_a_walk_of_more_steps_than_an_agents_episode_is_recorded_whole(tmp_path):
    recording = Recording.load(jade_world.record_walk(tmp_path, "1:paced", "middle"))
    assert recording.milestones[-1] == "badge_heat" and recording.n_steps > 8192


@pytest.mark.long
def test_a_move_that_must_be_taught_is_taught_in_a_recorded_walk(tmp_path):
    recording = Recording.load(jade_world.record_walk(tmp_path, "0:demanding", "middle"))
    assert recording.milestones[-1] == "badge_knuckle" and recording.n_steps < 4000


@pytest.mark.long
def test_jades_guide_is_recorded_to_the_end_of_the_story(tmp_path, capsys):
    assert jade_world.main(["0", "--walk", "--record", str(tmp_path)]) == 0
    assert "recorded" in capsys.readouterr().err
    recording = Recording.load(tmp_path / "episode_0000.recording")
    assert recording.milestones[-1] == "badge_knuckle" and recording.n_steps < 2500


@pytest.mark.parametrize(
    ("world", "starter", "species"),
    [("0", "left", TREECKO), ("0", "middle", MUDKIP), ("7:paced", "right", TORCHIC)],
)
def test_a_recorded_walk_takes_the_starter_that_is_asked_for(
    world, starter, species, tmp_path, monkeypatch
):
    steps = iter(range(600))

    def player(seen):
        return None if next(steps, None) is None else by_guide(seen)

    monkeypatch.setattr(jade_world, "record_play", lambda _, *rest: record_play(player, *rest))
    recording = Recording.load(jade_world.record_walk(tmp_path, world, starter))
    with open_recorded(recording) as gba:
        states = [step.state for step in replayed(recording, gba)]
    assert next(state.party[0].species for state in states if state and state.party) == species


def test_it_is_said_that_the_recorded_walk_is_not_the_one_shown(tmp_path, monkeypatch, capsys):
    steps = iter(range(7))

    def player(seen):
        return None if next(steps, None) is None else by_guide(seen)

    monkeypatch.setattr(jade_world, "record_play", lambda _, *rest: record_play(player, *rest))
    monkeypatch.setattr(jade_world, "walk", lambda *_: ({"badge_stone": 1600}, ""))
    assert jade_world.main(["0", "--walk", "--record", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "1,600" in said.out
    assert "episode_0000.recording, 7 steps: another walk of the guide" in said.err
    assert "does not reach badge_2, the end of the story" in said.err


def test_a_recorded_walk_has_the_keys_and_the_steps_that_the_story_takes(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        jade_world, "record_play", lambda _, folder, game: asked.append(game) or [folder]
    )
    jade_world.record_walk(tmp_path, "1:emerald", "middle")
    assert asked[0].action_set == "story"
    assert asked[0].episode_length == 200_000 and asked[0].patience is None


def test_an_evaluation_records_its_episodes(tmp_path, capsys):
    flags = ["--episodes", "2", "--n-envs", "2", "--n-workers", "1", "--episode-length", "30"]
    assert evaluate.main([*flags, "--record", str(tmp_path / "new"), "--json"]) == 0
    files = sorted((tmp_path / "new").glob("*.recording"))
    assert [Recording.load(file).n_steps for file in files] == [30, 30]
    before = [file.read_bytes() for file in files]
    assert evaluate.main([*flags, "--record", str(tmp_path / "new"), "--seed", "5"]) != 0
    assert "another evaluation" in capsys.readouterr().err
    assert [file.read_bytes() for file in files] == before


@pytest.mark.parametrize("folder", ["file", "file/new", "locked", "locked/new"])
def test_a_folder_that_takes_no_recordings_is_refused_before_anything_is_played(
    folder, tmp_path, monkeypatch, capsys
):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "locked").mkdir(mode=0o500)
    if folder.startswith("locked") and os.access(tmp_path / "locked", os.W_OK):
        pytest.skip("root may write anywhere")
    monkeypatch.setattr("baselines.commands.play.evaluation_report.evaluate_and_report", None)
    monkeypatch.delattr(jade_world, "walk")
    for main, flags in ((evaluate.main, []), (jade_world.main, ["0", "--walk"])):
        try:
            assert main([*flags, "--record", str(tmp_path / folder)]) != 0
        except SystemExit as end:
            assert end.code != 0
        assert f"the folder {tmp_path / folder}" in " ".join(capsys.readouterr().err.split())
    assert (tmp_path / "file").read_text() == "mine" and not list((tmp_path / "locked").iterdir())
