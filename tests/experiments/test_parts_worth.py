"""How far groups of runs come by the same number of env steps."""

from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.runs.session_folder import Session
from experiments.parts_worth import main, milestones_by


def episodes(counts):
    return [
        {"num_timesteps": 10 * number, "reward": 0.0, "milestones": [f"m{n}" for n in range(count)]}
        for number, count in enumerate(counts, 1)
    ]


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(0, 200), st.integers(0, 200))
def test_it_is_the_mean_of_the_latest_episodes_in_the_window(counts, since, length):
    inside = [n for at, n in enumerate(counts, 1) if since <= 10 * at <= since + length]
    if inside:
        found = milestones_by(episodes(counts), since, since + length, latest=5)
        assert found == pytest.approx(mean(inside[-5:]))
    else:
        with pytest.raises(ValueError, match="no episode ended"):
            milestones_by(episodes(counts), since, since + length, latest=5)


def test_the_table_has_each_run_and_the_mean(tmp_path, capsys):
    for name, counts in {"a": [1, 2], "b": [4, 5], "c": [0, 0]}.items():
        session = Session(tmp_path / name)
        session.folder.mkdir()
        session.config.write_text("{}")
        session.append_episodes(episodes(counts))
    picture = tmp_path / "parts.png"
    given = ["full=a,b", "none=c", "--since", "0", "--until", "30", "--out", str(picture)]
    assert main([*given, "--sessions", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "| full | 1.5, 4.5 | 3.0 |" in said and "| none | 0.0 | 0.0 |" in said
    assert picture.stat().st_size > 1000
    late = ["full=a", "--since", "90", "--until", "99", "--sessions", str(tmp_path)]
    assert main(late) != 0
    assert "no episode ended between 90 and 99" in capsys.readouterr().err


def test_a_group_needs_a_name():
    with pytest.raises(SystemExit):
        main(["a,b"])


def test_groups_of_one_name_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["full=a", "none=b", "full=c"])
    assert "full names several groups" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("again", ["a", "./a", "sub/../a"])
def test_a_session_counts_once_in_a_group(again, tmp_path, capsys):
    (tmp_path / "sub").mkdir()
    session = Session(tmp_path / "a")
    session.folder.mkdir()
    session.config.write_text("{}")
    session.append_episodes(episodes([1, 2]))
    window = ["--since", "0", "--until", "30", "--sessions", str(tmp_path)]
    assert main([f"full=a,{again}", *window]) == 1
    assert f"full: a and {again} are the same session" in capsys.readouterr().err
    assert main(["full=a", f"other={again}", *window]) == 0


def test_a_run_without_milestones_is_an_error_in_one_line(tmp_path, capsys):
    session = Session(tmp_path / "a")
    session.folder.mkdir()
    session.config.write_text("{}")
    session.append_episodes([{"num_timesteps": 10, "reward": 1.0}])
    given = ["full=a", "--since", "0", "--until", "30", "--sessions", str(tmp_path)]
    assert main(given) == 1
    said = capsys.readouterr().err
    assert "episodes tell no milestones" in said and said.count("\n") == 1
