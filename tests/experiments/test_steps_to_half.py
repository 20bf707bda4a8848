"""How soon half of a run's episodes reach a milestone."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.runs.session_folder import Session
from experiments.steps_to_half import main, steps_to_half


def episodes(reached):
    return [
        {"num_timesteps": 10 * number, "reward": 0.0, "milestones": ["starter"] if yes else []}
        for number, yes in enumerate(reached, 1)
    ]


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 8))
def test_it_is_the_first_time_that_half_of_the_latest_succeeded(reached, latest):
    ends = range(latest, len(reached) + 1)
    good = [10 * end for end in ends if sum(reached[end - latest : end]) >= latest / 2]
    assert steps_to_half(episodes(reached), "starter", latest) == min(good, default=math.inf)


def test_the_table_has_the_median_and_each_run(tmp_path, capsys):
    for name, reached in {"a": [1, 1], "b": [0, 0, 1], "c": [0, 0]}.items():
        session = Session(tmp_path / name)
        session.folder.mkdir()
        session.config.write_text("{}")
        session.append_episodes(episodes(reached))
    picture = tmp_path / "half.png"
    given = ["way=a,b,c", "none=c", "--milestones", "starter", "--latest", "2"]
    assert main([*given, "--sessions", str(tmp_path), "--out", str(picture)]) == 0
    said = capsys.readouterr().out
    assert "| way | 30 (20, 30, not reached) |" in said and "| none | not reached" in said
    assert picture.stat().st_size > 1000


def test_a_group_needs_a_name():
    with pytest.raises(SystemExit):
        main(["a,b"])


def test_an_unknown_milestone_is_refused_by_name(capsys):
    with pytest.raises(SystemExit) as end:
        main(["a=A", "--milestones", "badge_stone", "starterr"])
    assert end.value.code == 2
    said = " ".join(capsys.readouterr().err.replace("│", "").split())
    assert "there is no milestone 'starterr': did you mean starter?" in said
