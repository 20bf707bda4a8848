"""What a sweep tries, and how it sums up what came of it; without Ray."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import trim_mean

from baselines.cluster.sweep import plan
from baselines.cluster.sweep.picture import smoothed
from baselines.cluster.sweep.plan import Plan, name_of, read_plan
from baselines.cluster.sweep.results import (
    Result,
    Results,
    interquartile,
    interquartile_mean,
    rows,
    table,
)
from baselines.cluster.sweep.sweep_run import result_of, run_name
from baselines.commands.learn import sweep
from baselines.commands.learn.sweep_report import report
from baselines.training.command_line import parse

numbers = st.floats(-1e6, 1e6)


@given(st.lists(numbers, min_size=1, max_size=12))
def test_the_interquartile_mean_is_the_mean_of_the_middle_half(values):
    # with every value four times a quarter of them is a whole number, and scipy can count them
    whole = trim_mean(np.repeat(values, 4), 0.25)
    assert interquartile_mean(values) == pytest.approx(whole, rel=1e-9, abs=1e-6)


@given(st.lists(numbers, min_size=2, max_size=6))
def test_the_interval_of_an_interquartile_mean_lies_within_the_values(values):
    estimate = interquartile(values)
    assert min(values) - 1e-6 <= estimate.low <= estimate.high <= max(values) + 1e-6


def test_a_sweep_over_lists_tries_every_combination():
    plan = Plan(settings={"gamma": [0.9, 0.99]}, weights={"badge": [1, 2, 3]})
    assert len(plan.all_settings()) == 6
    assert {"gamma": 0.99, "weight badge": 3} in plan.all_settings()


def test_settings_become_flags_of_the_training_command():
    plan = Plan(
        flags="--n-envs 4",
        cpus=2,
        settings={"gamma": [0.9], "recurrent": [True, False]},
        weights={"badge": [3], "search": [0]},
    )
    settings = {"gamma": 0.9, "recurrent": True, "weight badge": 3, "weight search": 0}
    config = parse(plan.command(settings, seed=5))
    assert (config.ppo.gamma, config.policy.recurrent, config.seed) == (0.9, True, 5)
    assert (config.n_envs, config.n_workers) == (4, 2)
    assert config.env.reward_weights == ("badge=3", "search=0")
    assert not parse(plan.command({"recurrent": False}, 0)).policy.recurrent


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("seeds = 0\n[settings]\ngamma = [0.9]", "seeds is 0"),
        ("[settings]\ngamma = {low = 0.9, high = 0.99}", "needs trials"),
        ("trials = 3\n[settings]\ngamma = {low = 0.9}", "a list of values, or low, high and log"),
        ("[settings]\ngamma = [0.99, 0.9, 0.99]", "gamma lists 0.99 more than once"),
        ('[weights]\nbadge = [1, "1"]', "weight badge lists 1 more than once"),
        ("trials = 3\n[settings]\ngamma = {low = 2.0, high = 1.0}", "low is not above high"),
        ('trials = 3\n[settings]\ngamma = {low = "a", high = 1}', "low and high are numbers"),
        ("trials = 3\n[settings]\ngamma = {low = true, high = 1}", "low and high are numbers"),
        ("trials = 3\n[settings]\ngamma = {low = 0, high = 1, log = true}", "must be above 0"),
        ("[settings]\n", "needs settings, weights or options"),
        ('[options]\na = ""\n[settings]\ngamma = [0.9]', "tried one by one"),
        ("colour = 1\n[settings]\ngamma = [0.9]", "no key colour; there are flags"),
        ('score = "luck"\n[settings]\ngamma = [0.9]', "milestones or reward"),
        ("[weights]\nluck = [1]", "luck"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused_before_anything_runs(content, message, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_plan(file)


@pytest.mark.parametrize(
    "content",
    [
        '[weights]\n"--alert" = ["touch {made}"]',
        '[weights]\n"badge --alert" = ["touch {made}"]',
        '[settings]\n"weight --alert" = ["touch {made}"]',
        '[settings]\n"option" = ["--alert"]',
        '[settings]\ngamma = ["0.9 --alert=touch"]',
        '[options]\na = "--reward-weights my.py:reward=2"',
        '[options]\na = "--tyro_write_completion bash {made}"',
        'flags = "--init-from https://example.org/a.zip"\n[settings]\ngamma = [0.9]',
        'flags = "--init-from=hf://somebody/agent"\n[settings]\ngamma = [0.9]',
        '[settings]\nteacher = ["https://example.org/a.zip?a=b"]',
    ],
)
def test_a_strangers_sweep_runs_no_command_and_uses_no_network(content, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(content.replace("{made}", str(tmp_path / "made")))
    with pytest.raises(ValueError, match="may not set|is no name of a flag"):
        read_plan(file)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("choice", ["{low = 0.9, high = 1.5}", "[0.9, 1.5]"])
def test_the_last_value_is_checked_before_anything_runs(choice, tmp_path, capsys):
    file = tmp_path / "sweep.toml"
    trials = "trials = 3\n" if "low" in choice else ""
    file.write_text(f"{trials}[settings]\ngamma = {choice}\n")
    with pytest.raises(SystemExit):
        read_plan(file)
    assert "1.5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("gamma = [0.9, 5, 0.99]", "gamma is 5"),
        ("n-epochs = [1, 2]\ngamma = [0.9, 0.95, 5, 0.99]", "gamma is 5"),
        ("n-epochs = [1, 2.5, 3]", "2.5"),
        ("frame-skip = [24, 0, 12]", "frame_skip is 0"),
        ("gamma = [0.9, 0.95, 0.99]\n[weights]\nbadge = [1, -2, 3]", "badge"),
        ('reward = ["default", "my.py:term", "milestones"]', "may not set my.py:term"),
        ('reward = ["default", "no_such_one", "milestones"]', "no_such_one"),
    ],
)
def test_a_middle_value_is_checked_before_anything_runs(settings, message, tmp_path, capsys):
    file = tmp_path / "sweep.toml"
    file.write_text(f"[settings]\n{settings}\n")
    with pytest.raises((SystemExit, ValueError, FileNotFoundError)) as refused:
        read_plan(file)
    assert message in capsys.readouterr().err + str(refused.value)


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (f"[settings]\ngamma = {[0.5 + i / 1000 for i in range(201)]}", "201"),
        (f"[settings]\nn-epochs = [1]\n[weights]\nbadge = {[*range(1, 201)]}", "201"),
        ("[options]\n" + "\n".join(f'a{i} = ""' for i in range(250)), "250"),
    ],
)
def test_a_sweep_that_lists_too_many_values_is_refused_before_one_is_checked(
    content, count, tmp_path, monkeypatch
):
    monkeypatch.setattr(plan, "parse", lambda words: pytest.fail("a command line was read"))
    file = tmp_path / "sweep.toml"
    file.write_text(f"seeds = 1\n{content}\n")
    with pytest.raises(ValueError, match=f"lists {count} values or options: at most 200 in all"):
        read_plan(file)


def test_an_unknown_flag_is_refused_before_anything_runs(tmp_path, capsys):
    file = tmp_path / "sweep.toml"
    file.write_text("[settings]\nnonsense = [1]\n")
    with pytest.raises(SystemExit):
        read_plan(file)
    assert "--nonsense" in capsys.readouterr().err


def values(score):
    return {"steps": 100, "episodes": 10, "milestones": score, "reward": 2 * score}


def test_results_are_kept_and_ranked_by_their_mean(tmp_path):
    path = tmp_path / "results.jsonl"
    kept = Results(path)
    for gamma, score in ((0.9, 1.0), (0.9, 2.0), (0.99, 4.0), (0.99, 6.0)):
        kept.add(Result({"gamma": gamma}, int(score) % 2, values(score)))
    again = Results(path)
    assert again.all == kept.all
    assert again.has({"gamma": 0.9}, 1) and not again.has({"gamma": 0.9}, 2)
    best, worst = rows(again.all, "milestones")
    assert best.name == name_of({"gamma": 0.99}) == "gamma 0.99"
    assert best.scores("milestones") == [4.0, 6.0] and worst.mean("reward").value == 3.0
    assert table([best], "milestones")[-1].startswith("| gamma 0.99 | 2 | 5 (-7.706 to 17.71) |")


def test_a_file_of_another_kind_is_not_a_results_file(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text('{"seed": 1}\n')
    with pytest.raises(ValueError, match="1 lines of .* are not results"):
        Results(path)


def test_a_run_s_folder_is_named_by_its_settings():
    assert run_name({"gamma": 0.9, "on-collapse": "lower_lr"}, 1) == (
        "gamma_0.9_on-collapse_lower_lr_seed_1"
    )
    assert run_name({"weight badge": 3, "recurrent": True}, 0) == (
        "weight_badge_3_recurrent_True_seed_0"
    )


LONG = {"learning-rate": 0.00025, "ent-coef": 0.01, "gae-lambda": 0.95, "batch-size": 512}
LONG |= {"clip-range": 0.2, "n-steps": 128}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LONG | {"episode-length": 32}, LONG | {"episode-length": 64}),
        ({"impala-channels": "8 16"}, {"impala-channels": "8_16"}),
        ({"option": "lambda = 1"}, {"option": "lambda : 1"}),
        ({"a": "1_b_2", "b": "3"}, {"a": "1", "b": "2_b_3"}),
    ],
)
def test_runs_with_different_settings_have_different_folders(one, other):
    assert run_name(one, 0) != run_name(other, 0)
    assert run_name(one, 0) == run_name(dict(one), 0) != run_name(one, 1)
    assert len(run_name(one, 0)) < 130


VALUES = st.integers(0, 12) | st.text("12_ b", max_size=6)


@given(*[st.lists(VALUES, min_size=3, max_size=3)] * 2)
def test_only_equal_settings_have_the_same_folder(one, other):
    names = ("weight b", "ent-coef", "b")
    one, other = (dict(zip(names, map(str, values), strict=True)) for values in (one, other))
    assert (run_name(one, 0) == run_name(other, 0)) == (one == other)


def test_a_run_is_described_by_the_last_tenth_of_its_episodes():
    episodes = [
        {"num_timesteps": 10 * k, "milestones": ["a"] * (k // 10), "reward": k} for k in range(20)
    ]
    found = result_of(episodes)
    assert found == {"steps": 190, "episodes": 20, "milestones": 1.0, "reward": 18.5}
    assert result_of([]) == {"steps": 0, "episodes": 0}


def test_a_curve_is_the_mean_of_the_episodes_in_its_window():
    steps, scores = np.array([10.0, 20.0, 30.0, 80.0]), np.array([1.0, 3.0, 5.0, 7.0])
    grid = np.array([5.0, 20.0, 35.0, 70.0, 80.0])
    np.testing.assert_allclose(smoothed(steps, scores, grid, 20.0), [1.0, 2.0, 4.0, 5.0, 7.0])


def test_runs_too_short_for_an_episode_are_told(tmp_path, capsys):
    found = [Result({"gamma": 0.9}, 0, values(2.0)), Result({"gamma": 0.9}, 1, result_of([]))]
    report(rows(found, "milestones"), "milestones", tmp_path)
    told = capsys.readouterr().out
    assert "| gamma 0.9 | 2 | 2 (-) | 2 (2 to 2) | 4.00 |" in told
    assert "no episode ended in 1 runs, which no mean counts: give more --total-timesteps" in told


OLDER = {"steps": 0, "episodes": 0, "milestones": 0.0, "reward": 0.0}


@pytest.mark.parametrize("empty", [result_of([]), OLDER], ids=["now", "before"])
def test_settings_without_an_episode_come_after_those_that_cost_more_than_they_pay(
    empty, tmp_path, capsys
):
    results = Results(tmp_path / "results.jsonl")
    results.add(Result({"gamma": 0.9}, 0, empty))
    results.add(Result({"gamma": 0.5}, 0, values(-3.0)))
    found = rows(Results(tmp_path / "results.jsonl").all, "reward")
    assert [row.name for row in found] == ["gamma 0.5", "gamma 0.9"]
    assert table(found, "reward")[-1] == "| gamma 0.9 | 1 | - | - | - |"
    report(found[1:], "reward", tmp_path)
    assert (tmp_path / "sweep.png").stat().st_size > 10_000


@pytest.mark.slow
def test_a_sweep_makes_every_run_once_and_draws_them_without_ray(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    file = tmp_path / "rates.toml"
    flags = "--total-timesteps 64 --n-envs 2 --n-workers 1 --n-steps 32 --n-epochs 1 --explore 0"
    flags += " --network small --episode-length 20"
    file.write_text(f'flags = "{flags}"\nseeds = 1\n[settings]\nlearning-rate = [1e-3, 1e-4]\n')
    assert sweep.main([str(file)]) == 0
    first = capsys.readouterr().out
    assert "learning-rate 0.0001, seed 0: milestones" in first
    assert (tmp_path / "rates" / "sweep.png").stat().st_size > 10_000
    assert sweep.main([str(file)]) == 0
    second = capsys.readouterr().out
    assert "seed 0:" not in second and second.splitlines()[-4:-1] == first.splitlines()[-4:-1]
