"""Settings: one definition for flags, JSON and checks."""

import dataclasses
import io
import json
import shlex
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from gymnasium import spaces
from rich.console import Console

from baselines.checkpoints import trained
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import Manifest, read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.games.game import make_registered
from baselines.learner.vec_wrappers.frame_stack import as_shown
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import PPOConfig, TrainConfig, default_n_envs
from baselines.training import command_line
from baselines.training.announcement import (
    options_line,
    reward_line,
    session_lines,
    show,
    steps_text,
)
from baselines.training.checks import check, check_files
from baselines.training.command_line import parse, train_from_flags
from baselines.training.model import exploring, fit_to_machine, schedule, worker_seconds
from baselines.training.resuming import label_differences
from baselines.training.run import TEACHER, Run
from baselines.training.same_network import same_network
from baselines.training.session_callbacks import play_command
from baselines.training.teachers.chosen_teacher import lasting_teacher
from emerald_env.env.actions import action_set
from emerald_env.env.observation import observation_space
from emerald_env.game.editions import JADE_ROM
from emerald_env.parallel.cpu_placement import available_cores

SPY = "https://127.0.0.1:1/spy.zip"  # nothing answers there


def test_settings_survive_json(tmp_path):
    config = TrainConfig(
        seed=7,
        n_envs=3,
        resume="last",
        env=GameConfig(rom=Path("/games/emerald.gba"), episode_length=99),
        ppo=PPOConfig(batch_size=32, target_kl=0.03),
    )
    config.save(tmp_path / "config.json")
    assert TrainConfig.load(tmp_path / "config.json") == config


@pytest.mark.parametrize(
    ("flags", "has_gpu", "observation", "targets"),
    [
        ("--observation auto", False, "state", True),
        ("--observation=auto --seed 1", True, "full", True),
        ("--seed 1 --observation auto --no-targets", False, "state", False),
        ("--teacher guide --observation auto", True, "screen", False),
        ("--observation auto --teacher=jade", False, "screen", False),
        ("--observation screen", True, "screen", False),
        ("", True, "full", True),
        ("--seed 1", False, "state", True),
        ("--no-targets", False, "state", False),
        ("--network=nature", False, "full", False),
        ("--colour", False, "full", False),
        ("--normalize-observations --no-embed-places", False, "full", False),
        ("--init-from jade", True, "state", True),
        ("--teacher guide", False, "screen", False),
    ],
)
def test_auto_sees_the_picture_only_where_that_is_cheap_or_asked_for(
    flags, has_gpu, observation, targets, monkeypatch
):
    monkeypatch.setattr(command_line, "learns_on_gpu", lambda words: has_gpu)
    env = parse(flags.split()).env
    assert (env.observation, env.targets) == (observation, targets)


def test_a_run_on_the_processor_does_not_learn_on_a_gpu():
    assert not command_line.learns_on_gpu(["--device", "cpu"])


@pytest.mark.parametrize("device", ["gpu", "cuda:x"])
def test_a_device_that_torch_does_not_know_is_reported_in_a_line(device, capsys):
    assert train_from_flags(["--device", device]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error: --device {device} cannot be used here")
    assert said.count("\n") == 1 and said.endswith(": give cpu, cuda or auto\n")


def test_settings_of_an_older_version_get_defaults_for_what_is_new(tmp_path):
    (tmp_path / "config.json").write_text('{"seed": 3, "ppo": {"gamma": 0.9}}')
    loaded = TrainConfig.load(tmp_path / "config.json")
    assert loaded == TrainConfig(seed=3, ppo=PPOConfig(gamma=0.9))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "config.json"),
        ('{"sed": 1}', "sed"),
        ('{"ppo": {"gama": 1}}', "gama"),
        ('{"ppo": {"gamma": 1.5}}', "gamma is 1.5"),
        ('{"ppo": {"gamma": "much"}}', "ppo.gamma is 'much': it must be a valid number"),
        ('{"n_envs": [2]}', r"n_envs is \[2\]: it must be a valid integer"),
        ('{"ppo": null}', "ppo is None: it must be an object"),
        ("[1]", "in place of the settings of TrainConfig"),
        ('{"n_envs": "1"}', "n_envs is '1': it must be a valid integer"),
        ('{"n_envs": true}', "n_envs is True: it must be a valid integer"),
        ('{"n_envs": 1.7}', "n_envs is 1.7: it must be a valid integer"),
    ],
)
def test_a_broken_settings_file_is_named_with_what_is_wrong(tmp_path, text, message):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        TrainConfig.load(tmp_path / "config.json")


def test_flags_reach_the_game_and_the_learner_without_a_prefix():
    config = parse(
        "--n-envs 16 --total-timesteps 500000 --rom e.gba --seed 1 --reward default "
        "--learning-rate 1e-4 --anneal-learning-rate".split()
    )
    assert (config.n_envs, config.total_timesteps, config.seed) == (16, 500_000, 1)
    assert (config.env.rom, config.env.reward) == (Path("e.gba"), "default")
    assert (config.ppo.learning_rate, config.ppo.anneal_learning_rate) == (1e-4, True)


def test_every_setting_is_explained_in_help(capsys):
    with pytest.raises(SystemExit) as ended:
        parse(["--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    for kind in (TrainConfig, GameConfig, PPOConfig, PolicyConfig):
        for setting in dataclasses.fields(kind):
            if setting.name not in ("env", "ppo", "policy"):
                assert f"--{setting.name.replace('_', '-')}" in shown


@pytest.mark.parametrize("before", ["", "--network nature", "--teacher guide"])
def test_help_says_that_the_observation_is_chosen_and_brings_targets(before, capsys):
    with pytest.raises(SystemExit):
        parse([*before.split(), "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    _, told = shown.split("--observation {auto,screen,dict,full,state}")
    told = told.partition(" --tiles")[0]
    assert "Left out: auto, or full beside a flag" in told and "(default" not in told
    assert "--observation auto switches it on" in shown


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--observation atuo", "Expected one of ('auto', 'screen', 'dict', 'full', 'state')"),
        ("--total-timesteps 0", "total_timesteps is 0"),
        ("--n-envs -2", "n_envs is -2"),
        ("--gamma 1.1", "gamma is 1.1"),
        ("--batch-size 1", "batch_size is 1"),
        ("--n-envs 2 --n-steps 8 --batch-size 64", "n_envs x n_steps is 16"),
        ("--target-kl 0", "target_kl is 0"),
        ("--learning-rat 1", "--learning-rate"),
    ],
)
def test_a_bad_flag_is_answered_with_its_value_and_what_it_may_be(flags, message, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(flags.split())
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_resuming_takes_the_sessions_settings_and_flags_change_them(tmp_path):
    session = Session.create(tmp_path, "jade")
    TrainConfig(seed=5, n_envs=2, ppo=PPOConfig(n_steps=256)).save(session.config)
    config = parse(["--resume", str(session.folder), "--total-timesteps", "77"])
    assert (config.seed, config.n_envs, config.ppo.n_steps) == (5, 2, 256)
    assert config.total_timesteps == 77
    assert config.resume == str(session.folder)


@pytest.mark.parametrize(
    ("saved", "flags"),
    [
        ({"ppo": PPOConfig(clip_range_vf=0.2)}, "--clip-range-vf-max"),
        ({"n_envs": 32, "ppo": PPOConfig(n_steps=512)}, "--batch-size 8192"),
        ({"policy": PolicyConfig(separate_networks=True)}, "--value-lr-ratio 0.5"),
        ({"ways": (Path("way"),), "clone": 3}, "--clone 3"),
        (
            {"explore": 0.0, "practice": 0.0, "advice": 0.0, "novelty_coef": 0.0}
            | {"policy": PolicyConfig(embed_places=False)},
            "--no-coordinates",
        ),
    ],
)
def test_a_resumed_sessions_flags_need_only_what_the_session_has(saved, flags, tmp_path):
    session = Session.create(tmp_path, "jade")
    TrainConfig(**saved).save(session.config)
    words = flags.split()
    resumed = parse(["--sessions", str(tmp_path), *words, f"--resume={session.folder.name}"])
    assert resumed.resume == str(session.folder)
    for name, value in saved.items():
        if name not in ("ppo", "policy"):
            assert getattr(resumed, name) == value


def test_a_session_with_a_reward_of_its_owners_resumes_with_another_that_is_named(tmp_path):
    session = Session.create(tmp_path, "jade")
    TrainConfig(env=GameConfig(reward="my.py:reward")).save(session.config)
    resumed = ["--resume", str(session.folder)]
    with pytest.raises(ValueError, match="give --reward my.py:reward again"):
        parse(resumed)
    for reward in ("default", "my.py:reward"):
        assert parse([*resumed, "--reward", reward]).env.reward == reward


WAYS = (Path("way"),)


@pytest.mark.parametrize(
    ("saved", "flags", "said"),
    [
        ({}, "--init-from jade", "--init-from jade: only a new run begins with it"),
        ({"init_from": "jade"}, "--init-from jade-screen", "begun with --init-from jade:"),
        ({"init_from": "/a/b.zip"}, "--init-from c/b.zip", "begun with --init-from /a/b.zip"),
        ({}, "--init-from last", "begun without --init-from: leave"),
        ({}, "--archive /nonexistent", "--archive /nonexistent: only a new run"),
        ({}, "--ways a b", "--ways a b: only a new run"),
        ({"ways": WAYS}, "--clone 50", "--clone 50: only a new run"),
        ({"ways": WAYS, "clone": 3}, "--clone 50", "begun with --clone 3: leave"),
        ({"name": "mine"}, "--name yours", "begun with --name mine"),
    ],
)
def test_only_a_new_run_begins_with_something(saved, flags, said, tmp_path):
    session = Session.create(tmp_path, "jade")
    TrainConfig(**saved).save(session.config)
    with pytest.raises(ValueError, match=said):
        parse(["--resume", str(session.folder), *flags.split()])


@pytest.mark.parametrize(
    "named",
    [
        "--init-from sessions/x/checkpoints/ppo_5_steps.zip",
        "--init-from sessions/x",
        "--init-from x",
        "--init-from last",
        f"--init-from {SPY}",
        "--name mine --archive found --ways way --clone 3",
    ],
)
def test_what_a_session_began_with_may_be_named_again(named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session.create(tmp_path, "jade")
    begun_as = {
        "name": "mine",
        "init_from": str(tmp_path / "sessions" / "x" / "checkpoints" / "ppo_5_steps.zip"),
        "archive": Path("found"),
        "ways": WAYS,
        "clone": 3,
    }
    TrainConfig(**begun_as).save(session.config)
    resumed = parse(["--resume", str(session.folder), *named.split()])
    assert {name: getattr(resumed, name) for name in begun_as} == begun_as


@pytest.mark.parametrize(
    ("saved", "named", "weights"),
    [
        ("my.py:reward", "--reward my.py:reward", ("my.py:reward=0.25",)),
        ("my.py:reward", "--reward moved/my.py:reward", ("my.py:reward=0.25",)),
        (
            "my.py:reward",
            "--reward my.py:reward --reward-weights my.py:reward=2",
            ("my.py:reward=2",),
        ),
        ("my.py:reward", "--reward my.py:other", ()),
        ("my.py:reward", "--reward default", ()),
        ("my.toml", "--reward my.toml --reward-code my.py", ("my.py:reward=0.25",)),
    ],
)
def test_a_reward_of_ones_own_that_is_named_again_keeps_its_weights(
    saved, named, weights, tmp_path
):
    session = Session.create(tmp_path, "jade")
    code = ("my.py",) if saved.endswith(".toml") else ()
    game = GameConfig(reward=saved, reward_weights=("my.py:reward=0.25",), reward_code=code)
    TrainConfig(env=game).save(session.config)
    resumed = parse(["--resume", str(session.folder), *named.split()])
    assert resumed.env.reward_weights == weights


def test_of_a_flag_that_is_given_twice_the_last_one_counts(tmp_path):
    old, new = Session.create(tmp_path, "old"), Session.create(tmp_path, "new")
    TrainConfig(seed=1).save(old.config)
    TrainConfig(seed=2).save(new.config)
    resumed = parse([f"--resume={old.folder}", "--resume", str(new.folder)])
    assert (resumed.seed, resumed.resume) == (2, str(new.folder))
    assert parse(["--resume", str(new.folder), "--resume", "None"]).resume is None


def test_a_teacher_at_an_address_is_asked_only_if_the_command_line_names_it(tmp_path, capsys):
    session = Session.create(tmp_path, "jade")
    student = dataclasses.replace(parse(["--teacher", "guide"]), teacher=SPY)
    student.save(session.config)
    resumed = ["--resume", str(session.folder)]
    assert train_from_flags(resumed) == 1
    said = capsys.readouterr().err
    assert "has a teacher at an address" in said and f"give --teacher {SPY} again" in said
    assert parse([*resumed, "--teacher", SPY]).teacher == SPY
    assert parse([*resumed, f"--teacher={SPY}#sha256=0"]).teacher == f"{SPY}#sha256=0"


def test_a_teacher_called_last_is_kept_as_the_checkpoint_that_it_was(tmp_path):
    session = Session.create(tmp_path, "jade")
    TrainConfig().save(session.config)
    shutil.copy(trained.find_checkpoint("jade"), session.checkpoint(100))
    few = ["--labels.stored", "400", "--sessions", str(tmp_path)]
    config = parse(["--teacher", "last", *few])
    kept = check(config).teacher
    assert kept == str(session.checkpoint(100)) and Path(kept).is_absolute()
    shutil.copy(kept, session.checkpoint(200))
    assert check(dataclasses.replace(config, teacher=kept)).teacher == kept
    begun = check(parse(["--init-from", session.folder.name, "--sessions", str(tmp_path)]))
    assert begun.init_from == str(session.checkpoint(200))


@pytest.mark.parametrize("name", ["guide", "jade"])
def test_a_teacher_that_comes_with_the_program_keeps_its_name(name, tmp_path):
    few = ["--labels.stored", "400", "--sessions", str(tmp_path)]
    assert check(parse(["--teacher", name, *few])).teacher == name


@pytest.mark.parametrize("name", ["nobody", "last"])
def test_who_names_no_teacher_is_told_what_can_teach(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(trained, "SESSIONS", tmp_path)
    with pytest.raises(FileNotFoundError, match="--teacher also takes guide"):
        check(parse(["--teacher", name, "--sessions", str(tmp_path)]))


def test_a_folder_of_explored_games_teaches_wherever_a_run_is_resumed(tmp_path, monkeypatch):
    (tmp_path / "found" / "0-small").mkdir(parents=True)
    (tmp_path / "found" / "0-small" / "atlas.npz").touch()
    monkeypatch.chdir(tmp_path)
    for name in ("found", "found/", str(tmp_path / "found")):
        assert lasting_teacher(name) == str(tmp_path / "found")
    run = Run(replace(parse(["--teacher", "guide"]), teacher=str(tmp_path / "found")))
    for then in ("found", "found/", str(tmp_path / "found")):  # older sessions keep what was given
        assert label_differences(run, {TEACHER: then}) == []
    assert label_differences(run, {TEACHER: "other"}) == [
        f"teacher: other then, {tmp_path / 'found'} now"
    ]


def test_an_older_sessions_teacher_called_last_must_be_named(tmp_path):
    session = Session.create(tmp_path, "jade")
    dataclasses.replace(parse(["--teacher", "guide"]), teacher="last").save(session.config)
    with pytest.raises(ValueError, match="give --teacher FILE with the one that it was"):
        parse(["--resume", str(session.folder)])
    assert parse(["--resume", str(session.folder), "--teacher", "a.zip"]).teacher == "a.zip"


@pytest.mark.parametrize("begun_with", [SPY, "gone.zip"])
def test_a_resumed_run_does_not_ask_for_the_weights_that_it_began_with(tmp_path, begun_with):
    session = Session.create(tmp_path, "jade")
    check_files(TrainConfig(init_from=begun_with, resume=str(session.folder)))
    with pytest.raises((OSError, CheckpointError), match=begun_with):
        check_files(TrainConfig(init_from=begun_with, sessions=tmp_path))


def test_settings_that_depend_on_the_machine_are_filled_in_and_written_as_json(tmp_path):
    config = fit_to_machine(TrainConfig(device="cpu"))
    assert config.n_envs == default_n_envs(config.total_timesteps) >= 16
    assert config.network == "tile"
    config.save(tmp_path / "config.json")
    assert json.loads((tmp_path / "config.json").read_text())["network"] == "tile"
    assert fit_to_machine(TrainConfig(device="cpu", network="nature")).network == "nature"


def test_annealing_is_a_straight_line_to_zero():
    line = schedule(4e-4, anneal=True)
    assert [line(1.0), line(0.5), line(0.0)] == pytest.approx([4e-4, 2e-4, 0.0])
    assert schedule(4e-4, anneal=False) == 4e-4


@pytest.mark.parametrize(("text", "steps"), [("1e6", 1_000_000), ("2_000", 2000), ("4.5e3", 4500)])
def test_steps_can_be_written_with_an_exponent(text, steps):
    assert parse(["--total-timesteps", text]).total_timesteps == steps


@pytest.mark.parametrize(
    "flags",
    ["--total-timesteps 1e5", "--total-timesteps 100_000", "--total_timesteps=100000"],
)
def test_however_a_flag_is_written_the_settings_that_fit_it_are_the_same(flags):
    assert parse(flags.split()) == parse(["--total-timesteps", "100000"])
    stacked = parse(["--n_stack", "3", "--reward_weights", "map=0"])
    assert stacked == parse(["--n-stack", "3", "--reward-weights", "map=0"])


@pytest.mark.parametrize("text", ["1.5", "many", "nan", "inf", "1e-3"])
def test_steps_that_are_no_whole_number_are_refused(text, capsys):
    with pytest.raises(SystemExit):
        parse(["--total-timesteps", text])
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--teacher", "--rom", "--resume", "--init-from", "--data"])
def test_a_flag_whose_value_is_none_is_as_if_it_were_left_out(flag):
    assert parse([flag, "None"]) == parse([])


@pytest.mark.parametrize(
    "world", ["--world 7:demanding --worlds None", "--worlds 1..3:demanding --world None"]
)
def test_worlds_whose_story_needs_the_menu_have_its_key_beside_none(world):
    assert parse(world.split()).env.action_set == "story"


@pytest.mark.parametrize("world", ["0:demanding", "7:large:emerald", "3:paced"])
def test_worlds_whose_story_needs_the_menu_have_its_key(world):
    config = parse(["--world", world, "--device", "cpu"])
    assert (config.env.action_set, config.env.menus) == ("story", True)
    assert config.env.patience == 2048
    assert parse([f"--world={world}", "--action-set", "simple"]).env.action_set == "simple"
    student = parse(["--teacher", "guide", "--worlds", f"0..{world}"])
    assert (student.env.action_set, student.env.menus) == ("story", False)
    assert (student.env.observation, student.env.episode_length) == ("screen", 5000)
    assert parse(["--world", world.partition(":")[0]]).env.action_set == "original"
    with closing(make_registered(world=world)) as game:
        assert game.action_space.n == 16  # the original 15 and Start


def test_settings_fit_the_game_and_flags_change_them(tmp_path):
    emerald = tmp_path / "emerald.gba"
    header = bytearray(0xC0)
    header[3], header[0xB2], header[0xAC:0xB0] = 0xEA, 0x96, b"BPEE"
    emerald.write_bytes(header.ljust(1 << 20, b"\0"))
    config = parse(["--rom", str(emerald), "--practice", "0.2", "--gamma", "0.99"])
    assert config.total_timesteps == 10_000_000 > TrainConfig().total_timesteps
    assert (config.env.episode_length, config.env.patience) == (32_768, 2048)
    assert config.env.episode_length > 1.5 * 20_070  # steps of a reference player to badge 1
    assert (config.explore, config.practice, config.ppo.gamma) == (None, 0.2, 0.99)
    # a good player needs 6:15 minutes of game to the first Pokémon
    assert config.env.patience * config.env.frame_skip > 375 * 60
    assert (config.env.action_set, config.env.menus) == ("story", True)
    assert not parse(["--rom", str(emerald), "--observation", "screen"]).env.menus
    seen = {"observation": "state", "targets": True, "patience": 2048}
    assert parse(["--device", "cpu"]) == dataclasses.replace(
        TrainConfig(device="cpu"), env=GameConfig(**seen)
    )
    short = parse(["--total-timesteps", "200000", "--device", "cpu"])
    assert fit_to_machine(short).n_envs < 32 or available_cores() > 4
    assert (fit_to_machine(config).n_envs or 0) >= 32 and short.env.patience == 1024
    assert parse(["--rom", str(JADE_ROM)]).env.episode_length == TrainConfig().env.episode_length
    told = options_line(fit_to_machine(config))
    assert "practice 0.2" in told and "gamma 0.99" in told and "episode_length 32768" in told


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ("auto", 0.5, 0.5)),
        ({"explore": 0.0}, (0.0, 0.0, 0.0)),
        ({"explore": 0.0, "archive": Path("a")}, (0.0, 0.5, 0.5)),
        ({"advice": 0.0, "practice": 0.2}, ("auto", 0.2, 0.0)),
        ({"env": GameConfig(observation="dict")}, (0.0, 0.0, 0.0)),
        ({"env": GameConfig(observation="screen"), "explore": 0.3}, (0.3, 0.5, 0.0)),
        ({"policy": PolicyConfig(recurrent=True)}, ("auto", 0.5, 0.0)),
    ],
)
def test_a_run_explores_practises_and_takes_advice_where_it_can(settings, expected):
    assert exploring(TrainConfig(**settings)) == expected


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"env": GameConfig(observation="dict")}, "observation full"),
        ({"policy": PolicyConfig(recurrent=True)}, "not for recurrent"),
    ],
)
def test_advice_that_cannot_be_taken_is_refused(settings, problem):
    with pytest.raises(ValueError, match=problem):
        TrainConfig(advice=0.5, **settings)


@pytest.mark.parametrize("n_envs", [1, 2, 3, 5, 16])
@pytest.mark.parametrize("flags", ["", "--teacher guide"])
def test_any_number_of_games_has_a_batch_that_an_update_fills(n_envs, flags):
    config = parse([*flags.split(), "--n-envs", str(n_envs)])
    samples = n_envs * config.ppo.n_steps
    assert config.ppo.batch_size == min(samples, 1536 if flags else 512)


@pytest.mark.parametrize(
    ("total", "flags", "ends"),
    [(1024, "", 1024), (1000, "", 1008), (5000, "", 6144), (1024, "--n-steps 256", 4096)],
)
def test_a_run_shorter_than_an_update_shortens_it(total, flags, ends):
    config = parse([*flags.split(), "--n-envs", "16", "--total-timesteps", str(total)])
    assert -(-total // (16 * config.ppo.n_steps)) * 16 * config.ppo.n_steps == ends


@pytest.mark.parametrize("total", [513, 1000, 2000, 10_000])
def test_a_recurrent_run_may_be_shorter_than_an_update(total):
    ppo = parse(["--recurrent", "--advice", "0", "--total-timesteps", str(total)]).ppo
    assert ppo.n_steps == min(128, -(-total // 16))
    assert ppo.batch_size % ppo.n_steps == 0 and 512 - ppo.n_steps < ppo.batch_size <= 512


def test_on_a_terminal_the_announcement_is_broken_between_words_and_paths_are_not():
    said = io.StringIO()
    path = "sessions/" + "x" * 100
    rows = [("reward", ", ".join(["experience"] * 20)), ("session", path)]
    show(rows, Console(file=said, width=80, force_terminal=True, color_system=None))
    first, second, *_, last = said.getvalue().splitlines()
    assert first.startswith("reward   experience, ") and first.rstrip().endswith("experience,")
    assert second.startswith(" " * 9 + "experience, ") and last == f"session  {path}"


def test_a_reward_of_ones_own_is_announced_by_one_name():
    manifest = read_manifest(find_checkpoint("jade"))
    own = replace(manifest, reward={"name": "r.py:reward", "weights": {"r.py:reward": 1.0}})
    assert reward_line(own) == "r.py:reward"
    ours = replace(manifest, reward={"name": "mine", "weights": {"map": 1.0, "way": 2.0}})
    assert reward_line(ours) == "mine: map, way"


def test_announced_options_are_written_as_on_the_command_line():
    weights = ["--reward-weights", "badge=2", "search=0"]
    told = options_line(fit_to_machine(parse(["--ways", "gway", "more/b.recording", *weights])))
    assert "ways gway more/b.recording" in told.split(", ")
    assert "reward_weights badge=2 search=0" in told.split(", ")


def test_the_announced_commands_work_in_a_shell_whatever_the_folders_name():
    folder = Path("my runs/it's 1")
    told = dict(session_lines(folder))
    assert told["session"] == "my runs/it's 1"
    assert shlex.split(told["curves"]) == ["tensorboard", "--logdir", "my runs/it's 1"]
    assert shlex.split(told["watch"]) == ["emerald", "watch", "my runs/it's 1"]
    assert session_lines(Path("runs/1"))[2] == ("watch", "emerald watch runs/1")


def test_a_students_announcement_names_flags_that_can_be_given():
    told = options_line(fit_to_machine(parse(["--teacher", "guide", "--labels.reads", "7"])))
    assert "labels.reads 7" in told and "LabelOptions" not in told


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", ""),
        ("--worlds 1..60", ""),
        ("--world 7:demanding", " --world 7:demanding"),
        (
            "--rom games/other.gba --data data.json --reward my.py:reward",
            " --rom games/other.gba --data data.json",
        ),
        (
            "--wrapper my.py:Halves --network my.py:Net",
            " --wrapper my.py:Halves --network my.py:Net",
        ),
    ],
)
def test_a_run_says_how_to_play_what_it_learnt_in_its_game(flags, expected):
    command = play_command(parse(flags.split()), Path("a b.zip"))
    assert command == f"emerald play 'a b.zip'{expected}"


def test_a_run_says_at_which_whole_update_it_ends():
    assert steps_text(1024, 0, 2048) == "1,024 steps, up to a whole update (about 2,048)"
    assert steps_text(8192, 4096, 2048) == "8,192 steps, from 4,096 on"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"n_workers": 1}, 32 * 100 / 20),
        ({"n_workers": 2}, 16 * 100 / 20),
        ({"n_workers": 16}, 60),
        ({"n_workers": 16, "n_envs": 1}, 32 * 100 / 20),
        ({"n_workers": 1, "explore": 0.0}, 60),
        ({"n_workers": 1, "worker_seconds": 5.0}, 5),
    ],
)
def test_a_worker_that_explores_has_time_for_its_share_of_a_round_however_slow_the_game(
    settings, expected
):
    assert worker_seconds(fit_to_machine(TrainConfig(**settings))) == expected


@pytest.mark.parametrize("seen", ["--tiles", "--targets", "--text"])
def test_kinds_are_not_normalised(seen, capsys):
    with pytest.raises(SystemExit):
        parse([seen, "--normalize-observations"])
    assert "kinds, not numbers" in capsys.readouterr().err


def test_places_that_are_embedded_are_not_normalised_in_a_new_run(tmp_path, capsys):
    assert train_from_flags(["--normalize-observations", "--sessions", str(tmp_path)]) == 1
    assert "--no-embed-places" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert not parse(["--normalize-observations", "--no-embed-places"]).policy.embed_places
    own = parse(["--normalize-observations", "--network", "my_net.py:Net"])  # it embeds none
    assert own.policy.normalize_observations


def test_a_session_that_embeds_normalised_places_resumes(tmp_path):
    session = Session.create(tmp_path, "earlier")
    both = PolicyConfig(normalize_observations=True, embed_places=True)
    TrainConfig(policy=both).save(session.config)
    assert parse(["--resume", str(session.folder)]).policy == both


@pytest.mark.parametrize("name", sorted(path.stem for path in trained.TRAINED.glob("*.zip")))
def test_a_run_that_begins_with_a_checkpoint_has_its_network(name):
    config = parse(["--init-from", name])
    built = Manifest.describe(
        config.env,
        config.network,
        config.n_stack,
        as_shown(observation_space(config.env), config.n_stack),
        spaces.Discrete(len(action_set(config.env.action_set))),
        config.policy,
    )
    assert read_manifest(trained.find_checkpoint(name)).differences(built) == []
    assert config.env.worlds is None and config.env.start == "new-game" and not config.env.disturb


def test_in_several_worlds_a_run_that_begins_with_a_checkpoint_explores_nothing():
    """An archive holds the states of one world, and this agent observes x and y."""
    config = parse(["--init-from", "jade-by-heart", "--worlds", "1..2"])
    assert (config.explore, config.practice, config.advice) == (0.0, 0.0, 0.0)
    alone = parse(["--init-from", "jade-by-heart", "--world", "1"])
    assert (alone.explore, alone.practice, alone.advice) == (None, None, None)


def test_flags_change_what_a_checkpoint_would_choose():
    config = parse(["--init-from", "jade", "--no-targets", "--lstm-size", "64"])
    assert not config.env.targets and config.env.observation == "state"
    assert config.policy.recurrent and config.policy.lstm_size == 64


def test_code_that_a_checkpoint_names_is_not_taken_from_it():
    manifest = dataclasses.replace(read_manifest(trained.find_checkpoint("jade")), network="a.py:B")
    manifest.env["wrapper"] = "a.py:C"
    settings = same_network(manifest)
    assert "network" not in settings and "wrapper" not in settings["env"]


@pytest.mark.parametrize(
    "env", [{"frame_skip": "x"}, {"observation": "all"}, {"targets": 3}, {"action_set": []}]
)
def test_settings_of_a_checkpoint_that_are_not_ours_are_refused(env):
    manifest = read_manifest(trained.find_checkpoint("jade"))
    manifest.env.update(env)
    with pytest.raises(CheckpointError, match="its env settings cannot be used"):
        same_network(manifest)
