"""A session that version 0.1's layout wrote, before Jade's ROM and the reward changed."""

import shutil
from pathlib import Path

import pytest

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.commands.learn.train import main
from baselines.commands.play import play_game as play
from baselines.runs.session_folder import Session

OLD = Path(__file__).parents[1] / "data" / "old_session"


@pytest.fixture
def session(tmp_path):
    shutil.copytree(OLD, tmp_path / "session")
    return Session(tmp_path / "session")


def test_an_old_session_resumes_with_a_note_about_its_game(session, capsys):
    before = load_policy(session.checkpoint(64))[0].state_dict()
    assert main(["--resume", str(session.folder), "--total-timesteps", "96"]) == 0
    said = capsys.readouterr().out
    assert "weights, optimiser and step count of ppo_64_steps.zip are restored" in said
    assert "start afresh" in said and "game" in said.partition("start afresh")[2]
    after = load_policy(session.checkpoint(96))[0].state_dict()
    assert before.keys() == after.keys()
    assert all(line["num_timesteps"] <= 96 for line in session.read_episodes())


def test_an_old_checkpoint_plays_with_a_note_about_its_game(session, capsys):
    assert play.main([str(session.folder), "--episodes", "1", "--episode-length", "3"]) == 0
    assert "trained on another build of this game" in capsys.readouterr().out
