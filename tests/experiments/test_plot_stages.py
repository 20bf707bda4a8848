"""The picture of a long run's stages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.runs.session_folder import Session
from experiments.plot_stages import LATEST, Episode, StagesConfig, episodes_of, main, shares


def stage(folder, name, last, reached):
    """Returns a session with a checkpoint at `last` steps and an episode for each of `reached`."""
    session = Session(folder / name)
    session.checkpoints.mkdir(parents=True)
    session.config.write_text("{}")
    session.checkpoint(last).touch()
    session.append_episodes(
        {"num_timesteps": 10 * number, "reward": 1.0, "milestones": slugs}
        for number, slugs in enumerate(reached, 1)
    )
    return session


def test_the_steps_of_a_stage_follow_those_of_the_stages_before(tmp_path):
    first = stage(tmp_path, "first", 100, [["starter"], []])
    second = stage(tmp_path, "second", 50, [["starter", "pokedex"]])
    episodes, ends = episodes_of([first, second])
    assert [episode.steps for episode in episodes] == [10, 20, 110]
    assert ends == [100, 150]
    assert list(shares(episodes, "starter")) == [1, 1 / 2, 2 / 3]


@given(st.lists(st.booleans(), max_size=3 * LATEST))
def test_a_share_is_the_mean_of_the_latest_episodes(reached):
    episodes = [Episode(0, 0.0, frozenset({"starter"} if yes else ())) for yes in reached]
    for number, share in enumerate(shares(episodes, "starter"), 1):
        latest = reached[max(0, number - LATEST) : number]
        assert share == sum(latest) / len(latest)


def test_the_stages_are_drawn_and_what_is_missing_is_said(tmp_path, capsys):
    picture = tmp_path / "stages.png"
    named = ["--sessions", str(tmp_path), "--out", str(picture)]
    stage(tmp_path, "first", 100, [["starter"]])
    assert main(["first", *named]) == 0 and picture.read_bytes()[:4] == b"\x89PNG"
    unsaved = stage(tmp_path, "second", 100, [])
    unsaved.checkpoint(100).unlink()
    assert main(["first", "second", *named]) == 1
    assert "how long was it?" in capsys.readouterr().err


def test_an_unknown_milestone_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match="no milestone 'elevenses'"):
        StagesConfig(("first",), tmp_path, ("elevenses",), tmp_path / "stages.png")
