"""Whole runs, from the command line to the session folder, on the built-in game."""

import json
import shutil
import socket
from pathlib import Path

import cv2
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from baselines.checkpoints.checkpoint_file import load_policy, read_manifest
from baselines.commands.learn.train import main
from baselines.commands.play import replay
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training.checks import check
from baselines.training.command_line import parse
from emerald_env.parallel import worker_process
from rewards import load_preset

SCRIPT = Path(__file__).resolve().parents[2] / "baselines" / "run_baseline_parallel_fast.py"
SMALL = (
    "--n-envs 4 --n-workers 2 --n-steps 16 --batch-size 32 --n-epochs 1 --episode-length 20 "
    "--start-wait 3 --frame-skip 8 --hold-frames 4 --device cpu --observation screen "
    "--network small --n-stack 3 --learning-rate 3e-4"
).split()


def run(sessions, *flags):
    """Trains in this process; returns its exit status."""
    return main([*SMALL, "--sessions", str(sessions), *flags])


def only_session(sessions):
    (folder,) = sessions.iterdir()
    return Session(folder)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The session of a run of three updates."""
    sessions = tmp_path_factory.mktemp("finished")
    assert run(sessions, "--total-timesteps", "192") == 0
    return only_session(sessions)


def test_a_run_leaves_settings_checkpoint_pictures_and_episodes(finished):
    assert "_jade_" in finished.folder.name
    assert TrainConfig.load(finished.config).network == "small"
    assert [path.name for path in finished.saved_checkpoints()] == ["ppo_192_steps.zip"]
    sheet = cv2.imread(str(finished.frames / "contact_sheet.png"))
    assert sheet.std() > 5, "the pictures show a game"
    episodes = list(finished.read_episodes())
    assert len(episodes) == 4 * (192 // 4 // 20)
    assert all(episode["truncated"] and episode["length"] == 20 for episode in episodes)
    assert all(sum(e["terms"].values()) == pytest.approx(e["reward"], abs=1e-5) for e in episodes)


def test_the_best_episode_of_a_run_plays_again_to_the_bit(finished, capsys):
    assert replay.main([str(finished.recordings / "best.recording"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["total"] == pytest.approx(max(e["reward"] for e in finished.read_episodes()))


def test_tensorboard_has_the_curves_and_the_pictures(finished):
    events = EventAccumulator(str(finished.folder)).Reload()
    curves = events.Tags()["scalars"]
    terms = read_manifest(finished.latest_checkpoint()).reward["weights"]
    paid = {name for e in finished.read_episodes() for name, value in e["terms"].items() if value}
    shown = {name for name in curves if name.startswith("reward/")}
    assert {f"reward/{term}" for term in paid} == shown < {f"reward/{term}" for term in terms}
    for name in curves:
        assert name == "rollout/ep_rew_mean" or any(point.value for point in events.Scalars(name))
    layout, hparams = (
        events.SummaryMetadata(name)
        for name in ("custom_scalars__config__", "_hparams_/experiment")
    )
    assert layout.plugin_data.plugin_name == "custom_scalars"
    assert (
        hparams.plugin_data.plugin_name == "hparams"
        and b"learning_rate" in hparams.plugin_data.content
    )
    assert {"rollout/ep_rew_mean", "train/approx_kl", "train/entropy_loss"} <= set(curves)
    assert {"time/fps", "time/steps_per_second"} <= set(curves)
    assert events.Tags()["images"] == ["games/contact_sheet"]
    assert [point.step for point in events.Scalars("time/fps")] == [64, 128, 192]
    assert len(events.Scalars("train/loss")) == 3, "the last update is logged too"


def test_a_checkpoint_says_everything_about_its_run(finished):
    policy, manifest = load_policy(finished.latest_checkpoint())
    assert manifest.game["code"] == "JADE" and len(manifest.game["sha1"]) == 40
    assert manifest.num_timesteps == 192
    assert manifest.env["episode_length"] == 20
    assert manifest.n_stack == 3 and policy.observation_space.shape == (3, 80, 120)
    assert len(manifest.actions) == policy.action_space.n == 15


def test_single_weights_are_flags_and_stay_with_the_run(tmp_path):
    flags = ["--total-timesteps", "64", "--reward", "exploration"]
    assert run(tmp_path, *flags, "--reward-weights", "badge=2", "tile=0") == 0
    session = only_session(tmp_path)
    wanted = dict(load_preset("exploration").weights) | {"badge": 2.0, "tile": 0.0}
    assert load_preset(session.reward).weights == wanted
    assert TrainConfig.load(session.config).env.reward_weights == ("badge=2", "tile=0")
    manifest = read_manifest(session.latest_checkpoint())
    assert manifest.preset().weights == wanted
    assert "reward_weights" not in manifest.env and manifest.env_config(None).reward_weights == ()


def test_a_resumed_run_continues_in_its_session(tmp_path, capsys):
    assert run(tmp_path, "--total-timesteps", "128", "--anneal-learning-rate") == 0
    first = only_session(tmp_path)
    flags = ["--sessions", str(tmp_path), "--resume", "last"]
    assert main([*flags, "--total-timesteps", "256"]) == 0
    assert only_session(tmp_path).folder == first.folder
    assert [read_manifest(path).num_timesteps for path in first.saved_checkpoints()] == [128, 256]
    events = EventAccumulator(str(first.folder)).Reload()
    assert [point.step for point in events.Scalars("time/fps")] == [64, 128, 192, 256]
    rates = [point.value for point in events.Scalars("train/learning_rate")]
    # each update learns with the rate of its rollout's begin: 0 is reached after the last one
    assert rates[-2:] == pytest.approx([3e-4 / 2, 3e-4 / 4])
    assert "from 128 on" in capsys.readouterr().out
    assert main(flags) == 1
    assert "give a larger --total-timesteps" in capsys.readouterr().err


def test_a_session_from_a_machine_with_other_folders_resumes(finished, tmp_path):
    moved = tmp_path / "another name, é"
    shutil.copytree(finished.folder, moved)
    settings = json.loads((moved / "config.json").read_text())
    settings["sessions"] = "/proc/nowhere/sessions"
    (moved / "config.json").write_text(json.dumps(settings))
    check(parse(["--resume", str(moved), "--total-timesteps", "1000000"]))


def test_a_dictionary_observation_trains_too(tmp_path):
    flags = ["--total-timesteps", "64", "--record", "none"]
    assert run(tmp_path, *flags, "--observation", "dict", "--network", "nature") == 0
    policy, manifest = load_policy(only_session(tmp_path).latest_checkpoint())
    assert set(policy.observation_space.spaces) == {"screen", "state"}
    assert manifest.network == "nature"
    assert not only_session(tmp_path).recordings.exists()


def test_training_asks_nothing_of_the_network(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("something wants to reach the network")

    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(worker_process, "START_METHOD", "spawn")  # what users have: no sockets
    assert run(tmp_path, "--total-timesteps", "64") == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--rom", "no/such.gba"], "no ROM at no/such.gba"),
        (["--resume", "last"], "train one first"),
        (["--reward", "nonsense"], "no reward preset 'nonsense'"),
        (["--reward-weights", "badges=2"], "unknown term 'badges'; did you mean badge"),
        (["--sessions", __file__], "is not a folder: give --sessions"),
        (["--sessions", f"{__file__}/sessions"], "is not a folder: give --sessions"),
        (["--device", "nonsense"], "--device nonsense cannot be used here"),
        (["--device", "meta"], "--device meta cannot be used here"),
        (["--network", "nature", "--shrink", "16"], "the network 'nature' cannot see"),
        (["--n-stack", "60"], "pictures of 80 x 120 (--shrink 2) it may be 27 at most"),
        (["--shrink", "80"], "n_stack is 3: of pictures of 2 x 3"),
        (["--hidden-layers", *["4096"] * 5], "asks for a network of"),
        (
            ["--init-from", "jade"],
            "leave out what changes the network, what it sees or presses: `emerald checkpoint ",
        ),
    ],
)
def test_what_a_user_can_mend_is_said_in_one_line_and_leaves_no_session(
    tmp_path, capsys, flags, message
):
    assert run(tmp_path, *flags) == 1
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_new_run_can_begin_with_the_weights_of_another(finished, tmp_path, capsys):
    given = load_policy(finished.latest_checkpoint())[0].state_dict()
    still = ("--total-timesteps", "64", "--learning-rate", "1e-12")
    assert run(tmp_path, *still, "--init-from", str(finished.folder)) == 0
    begun = load_policy(only_session(tmp_path).latest_checkpoint())[0].state_dict()
    assert all(torch.allclose(begun[name], given[name], atol=1e-6) for name in given)
    assert run(tmp_path, *still, "--init-from", "jade") == 1
    assert "does not fit this run" in capsys.readouterr().err
