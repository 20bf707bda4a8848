"""Trainings are compared by what differs in their settings, over the seeds of the same ones."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt

from baselines.cluster.sweep.picture import curve_of, draw_curves
from baselines.commands.learn.compare import main
from baselines.commands.learn.session import main as session_main
from baselines.runs.json_lines import append_lines
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.settings.shown_settings import setting_differences
from baselines.settings.train_config import PPOConfig, TrainConfig

FEW, MANY = ["a"], ["a", "b", "c"]


def make(sessions, name, reached, **settings):
    """Makes a session whose episodes reach `reached`, each paid with twice their number."""
    session = Session.create(sessions, name)
    TrainConfig(name=name, **settings).save(session.config)
    session.append_episodes(
        {"num_timesteps": 100 * n, "reward": 2.0 * len(reached), "milestones": reached}
        for n in range(1, 31)
    )
    return str(session.folder)


def test_only_what_differs_is_named_and_seeds_do_not():
    fast = TrainConfig(seed=1, name="fast", ppo=PPOConfig(learning_rate=0.01))
    slow = TrainConfig(seed=2, name="slow", ppo=PPOConfig(learning_rate=0.001))
    assert setting_differences([fast, slow]) == [
        {"learning-rate": "0.01"},
        {"learning-rate": "0.001"},
    ]
    assert setting_differences([fast, TrainConfig(seed=9, ppo=fast.ppo)]) == [{}, {}]


def test_the_better_settings_come_first_over_their_seeds(tmp_path, capsys):
    good = [make(tmp_path, "good", MANY, seed=seed, ppo=PPOConfig(gamma=0.5)) for seed in (0, 1)]
    bad = make(tmp_path, "bad", FEW)
    picture = tmp_path / "new" / "curves.png"
    assert main([bad, *good, "--json", "--picture", str(picture)]) == 0
    first, second = json.loads(capsys.readouterr().out.rpartition("wrote")[0])
    assert first["settings"] == {"gamma": "0.5"} and second["settings"] == {"gamma": "0.997"}
    assert [run["milestones"] for run in first["runs"]] == [3.0, 3.0]
    assert [run["reward"] for run in second["runs"]] == [2.0]
    assert picture.stat().st_size > 10_000


def test_the_table_names_settings_and_scores_in_80_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    runs = [make(tmp_path, n, MANY, ppo=PPOConfig(gamma=g)) for n, g in (("a", 0.5), ("b", 0.9))]
    assert main(runs) == 0
    shown = capsys.readouterr().out
    assert "gamma 0.5" in shown and "gamma 0.9" in shown and "3 (-)" in shown and "6 (-)" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_rewards_of_different_weights_are_not_compared(tmp_path, capsys):
    weighted = make(tmp_path, "new", MANY, env=GameConfig(reward_weights=("badge=2",)))
    runs = [make(tmp_path, "old", FEW), weighted]
    assert main([*runs, "--score", "reward"]) == 1
    assert "paid by different rewards" in capsys.readouterr().err
    assert main(runs) == 0
    shown = capsys.readouterr().out
    assert "6 (-)" not in shown and "--against B --reward default" in shown


def test_runs_that_a_changed_file_paid_are_not_seeds_of_one_training(tmp_path, capsys):
    runs = [make(tmp_path, n, MANY, env=GameConfig(reward="mine.toml")) for n in ("a", "b", "c")]
    for folder, weights in zip(runs, ("badge = 5.0", "badge = 9.0\ntile = 0.5"), strict=False):
        Session(Path(folder)).reward.write_text(f'formula = "once"\n\n[weights]\n{weights}\n')
    assert main([*runs[:2], "--score", "reward"]) == 1
    assert "paid by different rewards" in capsys.readouterr().err
    assert main([*runs, "--json"]) == 0  # the third one does not say what paid
    found = json.loads(capsys.readouterr().out)
    assert [each["settings"] for each in found] == [
        {"reward.toml": "badge=5.0 tile=none"},
        {"reward.toml": "badge=9.0 tile=0.5"},
        {},
    ]
    assert all("reward" not in run for each in found for run in each["runs"])


def test_runs_that_the_same_file_paid_are_seeds_whatever_it_says_of_itself(tmp_path, capsys):
    runs = [make(tmp_path, name, MANY, env=GameConfig(reward="mine.toml")) for name in ("a", "b")]
    for folder in runs:
        about = f'about = "{folder[-4:]}"\nformula = "once"\n[weights]\nbadge = 5.0\n'
        Session(Path(folder)).reward.write_text(about)
    assert main([*runs, "--json", "--score", "reward"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["settings"] == {} and [run["reward"] for run in found["runs"]] == [6.0, 6.0]


def test_a_reward_that_cannot_be_read_is_named(tmp_path, capsys):
    runs = [make(tmp_path, name, MANY) for name in ("a", "b")]
    broken = Session(Path(runs[0])).reward
    broken.write_text("[weights\n")
    assert main(runs) == 1
    assert f"{broken}: not a TOML file" in capsys.readouterr().err


def test_a_reward_that_is_a_link_to_itself_is_named(tmp_path, capsys):
    runs = [make(tmp_path, name, FEW) for name in "ab"]
    reward = Session(Path(runs[0])).reward
    reward.symlink_to(reward)
    assert main(runs) == 1
    assert capsys.readouterr().err.startswith(f"error: {reward}")


def test_a_run_without_an_episode_has_its_steps_and_no_score(tmp_path, capsys):
    session = Session.create(tmp_path, "short")
    TrainConfig(ppo=PPOConfig(gamma=0.5)).save(session.config)
    line = {"num_timesteps": 1024, "metrics": {}, "findings": []}
    append_lines(session.diagnostics, [json.dumps(line)])
    assert main([str(session.folder), make(tmp_path, "long", MANY)]) == 0
    (row,) = (line for line in capsys.readouterr().out.splitlines() if "gamma 0.5" in line)
    assert row.split()[2:] == ["1", "1,024", "no", "episode", "ended"]


def test_a_run_without_an_episode_counts_in_no_mean(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    runs = [make(tmp_path, name, MANY, seed=seed) for seed, name in enumerate(("a", "b", "c"))]
    Session(Path(runs[2])).episodes.unlink()
    assert main([*runs, "--picture", str(tmp_path / "curves.png")]) == 0
    said = capsys.readouterr().out
    assert "3 (3 to 3)" in said and "6 (6 to 6)" in said
    assert "no episode ended in 1 of 3 runs, which no mean counts" in said
    assert main([*runs, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert [run["milestones"] for run in found["runs"]] == [3.0, 3.0, None]
    assert [run["reward"] for run in found["runs"]] == [6.0, 6.0, None]


def test_lines_without_milestones_count_in_no_mean_of_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    runs = [make(tmp_path, name, MANY, seed=seed) for seed, name in enumerate(("a", "b", "c"))]
    lines = [{"num_timesteps": 100 * n, "reward": 9.0} for n in range(1, 31)]
    Session(Path(runs[2])).episodes.write_text("".join(json.dumps(e) + "\n" for e in lines))
    assert main([*runs, "--json", "--picture", str(tmp_path / "curves.png")]) == 0
    (found,) = json.loads(capsys.readouterr().out.rpartition("wrote")[0])
    assert [run["milestones"] for run in found["runs"]] == [3.0, 3.0, None]
    assert [run["reward"] for run in found["runs"]] == [6.0, 6.0, 9.0]
    assert main(runs) == 0
    said = capsys.readouterr().out
    assert "3 (3 to 3)" in said and "no episode ended" not in said
    steps, scores = curve_of([*lines, {"num_timesteps": 7, "milestones": FEW}], "milestones")
    assert (steps.tolist(), scores.tolist()) == ([7.0], [1.0])


@pytest.mark.parametrize("names", [[], ["one"]])
def test_fewer_than_two_sessions_are_refused(names, capsys):
    with pytest.raises(SystemExit) as end:
        main(names)
    assert end.value.code == 2 and "SESSION" in capsys.readouterr().err.upper()


def test_the_list_of_sessions_says_what_differs(tmp_path, capsys):
    make(tmp_path, "much badges", MANY, env=GameConfig(reward_weights=("badge=2",)))
    make(tmp_path, "plain", MANY)
    assert session_main(["list", "--sessions", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "much-badges" in said and "differs in reward-weights badge=2" in said


def test_the_list_names_what_is_unusual_among_many_sessions(tmp_path, capsys):
    for name in ("one", "two", "three"):
        make(tmp_path, name, MANY)
    make(tmp_path, "hasty", MANY, ppo=PPOConfig(gamma=0.5))
    assert session_main(["list", "--sessions", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("differs in") == 1 and said.endswith("differs in gamma 0.5")


def test_dollars_in_settings_are_no_formulas_in_the_picture(tmp_path):
    wrapped = make(tmp_path, "a", MANY, env=GameConfig(wrapper="a$^$.py:f"))
    runs = [wrapped, make(tmp_path, "b", MANY)]
    assert main([*runs, "--picture", str(tmp_path / "curves.png")]) == 0
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_a_single_episode_of_each_run_is_seen_in_the_picture(tmp_path):
    paths = []
    for number, scores in enumerate(([], [17.0])):
        figure, axes = plt.subplots()
        draw_curves(axes, [(np.full(len(scores), 400_000.0), np.array(scores))], "C0")
        paths.append(tmp_path / f"{number}.png")
        figure.savefig(paths[-1])
        plt.close(figure)
        assert [len(dots.get_offsets()) for dots in axes.collections[1:]] == [1] * len(scores)


def test_runs_without_steps_in_common_have_curves_of_their_own_and_no_mean():
    figure, axes = plt.subplots()
    early = (np.arange(100.0, 10_100.0, 100.0), np.full(100, 5.0))
    late = (np.arange(1e6, 1e6 + 6000, 100.0), np.ones(60))
    draw_curves(axes, [early, late], "C0")
    drawn = [(*line.get_xdata()[[0, -1]], set(line.get_ydata())) for line in axes.lines]
    assert drawn == [(100.0, 10_000.0, {5.0}), (1e6, 1_005_900.0, {1.0})]
    plt.close(figure)


@pytest.mark.parametrize("again", ["the path", "another path", "the name"])
def test_a_session_that_is_named_twice_is_no_second_seed(again, tmp_path, capsys):
    folder = make(tmp_path, "only", MANY)
    name = folder.rpartition("/")[2]
    second = {"the path": folder, "another path": f"{folder}/../{name}", "the name": name}[again]
    assert main([folder, second, "--sessions", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert f"{folder} and {second} are the same session" in said and "name it once" in said
