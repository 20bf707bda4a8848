"""Numbers with which no command could work are refused before anything begins."""

import pytest
from helpers.stand_ins import patched

from baselines.commands.check import audit as audit
from baselines.commands.learn import diagnose, train
from baselines.commands.play import clip as clips
from baselines.commands.play import evaluate, replay
from baselines.commands.play import play_game as play
from baselines.games import game
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from baselines.training.command_line import parse
from emerald_env.env.setting_types import from_json
from experiments import compare_options, parts_worth, plot_runs, steps_to_half
from experiments.benchmarks import learner, run, training
from experiments.breakout import breakout
from experiments.forecast.step_costs import StepCosts

WRONG = [
    (train, ["--seed", "-1"], "seed is -1: it must be at least 0"),
    (train, ["--seed", "99999999999"], "it must be at most"),
    *((train, [f"--{name}", "nan"], "finite") for name in ("learning-rate", "ent-coef")),
    *((train, [f"--{name}", "inf"], "finite") for name in ("clip-range", "vf-coef", "target-kl")),
    *((train, [f"--{name}", "nan"], "finite") for name in ("novelty-coef", "worker-seconds")),
    *((train, [f"--{n}", "9" * 20], "must be at most") for n in ("episode-length", "save-freq")),
    (train, ["--frame-skip", "3601"], "it must be at most 3,600"),
    (train, ["--start-wait", "36001"], "it must be at most 36,000"),
    (train, ["--worker-seconds", "0.1"], "at least 1"),
    (breakout, ["--minutes", "nan"], "finite"),
    (breakout, ["--seed", "-1"], "it must be at least 0"),
    (play, ["jade", "--episodes", "0"], "at least 1"),
    (play, ["jade", "--seed", "-1"], "it must be at least 0"),
    (evaluate, ["--n-envs", "0"], "at least 1"),
    (evaluate, ["--seed", "-1"], "it must be at least 0"),
    *((replay, ["x.recording", "--scale", n], "between 1 and 32") for n in ("0", "33")),
    (play, ["jade", "--scale", "100000"], "between 1 and 32"),
    (clips, ["x.recording", "--before", "nan"], "finite"),
    (clips, ["x.recording", "--after", "-1"], "after is -1.0: it must be at least 0"),
    (plot_runs, [".", "--baseline", "inf"], "finite"),
    (audit, ["ferry", "--rounds", "9" * 20], "must be at most"),
    (audit, ["ferry", "--rounds", "0"], "rounds is 0: it must be at least 1"),
    (diagnose, [".", "--actions", "9" * 20], "must be at most"),
    (compare_options, ["x.jsonl", "--plain-seeds", "0"], "at least 1"),
    (compare_options, ["x.jsonl", "--tasks"], "at least one name"),
    (run, ["--growth", "1", "0"], "growth has 0"),
    (run, ["--long-run-steps", "199"], "at least 200"),
    (run, ["--n-envs", "0"], "at least one for each"),
    (run, ["--json", "--markdown"], "leave one out"),
    (parts_worth, ["a=A", "--latest", "0"], "latest is 0: it must be at least 1"),
    (parts_worth, ["a=A", "--latest", "-40"], "latest is -40: it must be at least 1"),
    (parts_worth, ["a=A", "--since", "-1"], "since is -1: it must be at least 0"),
    (steps_to_half, ["a=A", "--latest", "0"], "latest is 0: it must be at least 1"),
    (steps_to_half, ["a=A", "--latest", "-1"], "latest is -1: it must be at least 1"),
    *((module, ["--rounds", "0"], "at least 1") for module in (learner, run, training)),
]


@pytest.mark.parametrize(("module", "arguments", "message"), WRONG)
def test_a_number_with_which_nothing_works_is_refused_at_once(module, arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        module.main(arguments)
    assert end.value.code == (diagnose.NO_LOG if module is diagnose else 2)
    said = " ".join(capsys.readouterr().err.replace("│", "").split())  # tyro breaks lines
    assert message in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("NaN", "is nan: it must be a finite number"),
        ("Infinity", "is inf: it must be a finite number"),
        ("1e300", "is 1e[+]300: it must be at most 1e[+]30"),
    ],
)
def test_a_session_s_settings_are_held_to_the_same(value, message, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(f'{{"ppo": {{"learning_rate": {value}}}}}')
    with pytest.raises(ValueError, match=f"learning_rate {message}"):
        TrainConfig.load(path)


def test_a_missing_setting_is_named_with_what_to_do():
    with pytest.raises(ValueError) as told:
        from_json(StepCosts, {"explored": 1e-3, "learnt": 1e-3})
    wanted = "the setting played is missing: give it a value, as it has no default"
    assert str(told.value) == wanted


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1e-3, "much", 1e-3), "played is 'much': it must be a valid number"),
        (range(9), "more than its 3 settings are given: name each"),
    ],
)
def test_settings_without_their_names_are_refused_by_name(values, message):
    with pytest.raises(ValueError, match=f"{message}$"):
        StepCosts(*values)


def test_weights_may_be_a_dict_and_mean_the_same():
    config = GameConfig(reward_weights={"badge": 2, "search": 0.5})
    assert config.reward_weights == ("badge=2", "search=0.5")
    assert config.preset() == GameConfig(reward_weights=("badge=2", "search=0.5")).preset()
    assert from_json(GameConfig, {"reward_weights": ["badge=2"]}).reward_weights == ("badge=2",)


@pytest.mark.parametrize("observation", [None, "screen", "state"])
@pytest.mark.parametrize("code", [None, "BPEE"])
def test_make_and_the_command_line_have_the_same_defaults(code, observation, monkeypatch, tmp_path):
    # a long training is more patient, and has eyes of its own
    given, words = {}, ["--total-timesteps", "1000", "--observation", observation or "full"]
    if code is not None:
        given["rom"] = tmp_path / "rom.gba"
        given["rom"].write_bytes(patched(code))
        words += ["--rom", str(given["rom"])]
    if observation is not None:
        given["observation"] = observation
    monkeypatch.setattr(game, "make_env", lambda config, *_, **__: config)
    assert game.make_registered(**given) == parse(words).env
    assert game.make_registered(**given, action_set="full").action_set == "full"
