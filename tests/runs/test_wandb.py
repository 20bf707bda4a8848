"""Weights & Biases with its real package, offline; and nothing of the network without it."""

import json
import math
import os
import struct
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import imageio.v2 as imageio
import numpy as np
import pytest
from gymnasium.spaces import Discrete
from stable_baselines3.common.logger import Image

from baselines.commands.learn.train import main
from baselines.runs.curves import open_curves
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import ALSO_CALLED, TrainConfig
from baselines.training.callbacks.health.diagnose_callback import DiagnoseCallback
from baselines.training.command_line import parse

wandb = pytest.importorskip("wandb")
from wandb.proto.wandb_internal_pb2 import Record  # noqa: E402

SMALL = (
    "--n-envs 2 --n-workers 1 --n-steps 16 --batch-size 32 --n-epochs 1 --episode-length 8 "
    "--start-wait 3 --frame-skip 8 --hold-frames 4 --device cpu --observation screen "
    "--network small --total-timesteps 64"
).split()
SCRIPT = Path(__file__).resolve().parents[2] / "baselines" / "run_baseline_parallel_fast.py"
BLOCK = 32768  # bytes; see LevelDB's log format, which wandb uses
FIRST, FULL, LAST = 2, 1, 4


def records(folder):
    """Yields what wandb wrote offline: LevelDB's log format behind a header of 7 bytes."""
    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    content, place, parts = path.read_bytes(), 7, b""
    while place + 7 <= len(content):
        if BLOCK - place % BLOCK < 7:
            place += BLOCK - place % BLOCK
            continue
        _, length, kind = struct.unpack_from("<IHB", content, place)
        part = content[place + 7 : place + 7 + length]
        place += 7 + length
        parts = part if kind in (FULL, FIRST) else parts + part
        if kind in (FULL, LAST):
            yield Record.FromString(parts)


def read_back(folder):
    """Returns the settings and the rows of history that wandb keeps."""
    wandb.teardown()  # its own process writes the file, and is done when it has ended
    settings, rows = {}, []
    for record in records(folder):
        if record.HasField("run"):
            settings |= {u.key: json.loads(u.value_json) for u in record.run.config.update}
        if record.HasField("history"):
            items = record.history.item
            # of a picture the parts are items of their own
            rows.append({i.key or i.nested_key[0]: json.loads(i.value_json) for i in items})
    return settings, rows


@pytest.fixture
def offline(monkeypatch, tmp_path):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / "sessions"


@pytest.mark.slow
def test_a_run_sends_curves_pictures_settings_and_diagnostics(offline):
    assert main([*SMALL, "--sessions", str(offline), "--wandb"]) == 0
    (folder,) = offline.iterdir()
    settings, rows = read_back(folder)
    assert settings["ppo"]["n_steps"] == 16 and settings["env"]["game"]["code"] == "JADE"
    assert str(offline) not in json.dumps(settings)
    curves = {key for row in rows for key in row}
    assert {"rollout/ep_rew_mean", "train/approx_kl", "reward/badge"} <= curves
    assert {"diagnostics/status", "games/contact_sheet", "num_timesteps"} <= curves
    steps = [row["num_timesteps"] for row in rows if "time/fps" in row]
    assert steps == [32, 64]
    assert list(folder.glob("wandb/offline-run-*/files/media/images/games/contact_sheet_*.png"))


@pytest.mark.slow
def test_pictures_and_the_videos_in_a_session_are_sent_as_they_are(offline):
    session = Session.create(offline, "jade")
    picture = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
    with open_curves(session.folder, 0, {}, {}) as logger:
        logger.record("some/curve", np.float32(1.5))
        logger.record("some/words", "all is well", exclude=("stdout", "log", "json", "csv"))
        logger.record("some/picture", Image(picture, "HWC"))
        logger.dump(7)
        video = session.folder / "clips" / "first.mp4"
        video.parent.mkdir()
        imageio.mimsave(video, [np.zeros((32, 32, 3), np.uint8)] * 4, fps=4)
        (video.parent / ".second.part.mp4").write_bytes(video.read_bytes()[:100])
    _, rows = read_back(session.folder)
    assert rows[0] | {"some/curve": 1.5, "some/words": "all is well", "num_timesteps": 7} == rows[0]
    media = next(session.folder.glob("wandb/offline-run-*/files/media"))
    (copied,) = media.rglob("*.png")
    assert (imageio.imread(copied) == picture).all()
    (sent,) = media.rglob("*.mp4")
    assert sent.read_bytes() == video.read_bytes()
    assert any("videos/clips/first" in row for row in rows)


@pytest.mark.slow
def test_the_alerts_are_those_that_the_command_gets(offline):
    """A finding that is over is none, also while a warning is open."""
    session, told = Session.create(offline, "jade"), []
    with open_curves(session.folder, 0, {}, {}) as logger:
        callback = DiagnoseCallback(alert=told.append)
        callback.model = SimpleNamespace(logger=logger, action_space=Discrete(4))
        callback._start_afresh()
        for update in range(1, 41):
            loss = math.nan if 20 <= update < 22 else 1.0
            row = {"rollout/ep_rew_mean": 1.0 * update, "rollout/ep_len_mean": 10.0}
            row |= {"rollout/place_share": 0.9 if update >= 5 else 0.1, "train/value_loss": loss}
            callback.num_timesteps, callback._row = 1000 * update, row
            callback._judge()
            if update == 30:
                callback._say("lowered the learning rate", {})
            logger.dump(callback.num_timesteps)
    wandb.teardown()
    sent = [one.alert.text for one in records(session.folder) if one.HasField("alert")]
    assert sent == told
    assert [text.partition(",")[0] for text in sent] == [
        "warning: stuck_in_place",
        "critical: not_a_number",
        "diagnostics: lowered the learning rate",
    ]


def test_the_name_that_the_2023_project_used_is_understood(tmp_path):
    assert parse([]).wandb is False
    assert parse(["--wandb"]).wandb and parse(["--use-wandb-logging"]).wandb
    path = tmp_path / "config.json"
    path.write_text('{"use_wandb_logging": true}')
    assert TrainConfig.load(path).wandb


FLAGS = {
    "wandb": (True, ["--wandb"]),
    "use_wandb_logging": (True, ["--wandb"]),
    "alert": ("touch it_ran", ["--alert", "touch it_ran"]),
    "ray": ("192.0.2.1:6379", ["--ray", "192.0.2.1:6379"]),
    "actors": (3, ["--ray", "local", "--actors", "3"]),
    "overlap": (True, ["--ray", "local", "--overlap"]),
}


@pytest.mark.parametrize("name", FLAGS)
def test_what_sends_or_starts_something_is_taken_from_flags_and_never_from_a_session(
    tmp_path, name
):
    saved, flags = FLAGS[name]
    theirs = {"ray": "192.0.2.1:6379"} | {name: saved}
    (tmp_path / "config.json").write_text(json.dumps(theirs))
    own = ALSO_CALLED.get(name, name)
    resume = ["--resume", str(tmp_path)]
    assert getattr(TrainConfig.load(tmp_path / "config.json"), own) == saved
    assert getattr(parse(resume), own) == getattr(TrainConfig(), own)
    assert parse(resume).ray is None
    assert getattr(parse([*resume, *flags]), own) == saved


def test_the_settings_that_only_a_flag_switches_on_are_those():
    marked = {f.name for f in fields(TrainConfig) if "only_by_flag" in f.metadata}
    assert marked == {ALSO_CALLED.get(name, name) for name in FLAGS}


def test_settings_are_sent_without_paths_of_the_machine(tmp_path):
    from baselines.settings.shown_settings import public_settings

    env = GameConfig(start=str(tmp_path / "me" / "a.state"))
    mine = str(tmp_path / "me" / "agent.zip")
    sent = public_settings(TrainConfig(env=env, sessions=tmp_path / "me", init_from=mine))
    assert sent["init_from"] == "agent.zip" and sent["teacher"] is None
    assert sent["env"]["start"] == "a.state"
    assert str(tmp_path) not in json.dumps(sent, default=str)


def test_a_sessions_name_is_sent_as_it_is_and_an_address_without_its_secrets():
    from baselines.settings.shown_settings import public_settings

    secret = "https://me:word@h.example:8443/of/mine/x.zip?token=1/2#sha256=3"
    sent = public_settings(TrainConfig(name="A/B test of lr", init_from=secret, ray="ray://h:1"))
    assert sent["name"] == "A/B test of lr"
    assert sent["init_from"] == "https://h.example:8443/x.zip" and sent["ray"] == "ray://h:1"


def test_no_setting_is_sent_with_a_folder_of_the_machine():
    from baselines.settings.shown_settings import public_settings

    env = GameConfig(reward="/me/r.toml", reward_code=("/me/a.py", "b.py"), reward_weights=("x=2",))
    ways = (Path("/me/one"), Path("/me/two"))
    sent = public_settings(
        TrainConfig(env=env, archive=Path("/me/states"), ways=ways, network="/me/net.py:Net")
    )
    assert sent["archive"] == "states" and sent["ways"] == ["one", "two"]
    assert sent["network"] == "net.py:Net" and sent["env"]["reward"] == "r.toml"
    assert sent["env"]["reward_code"] == ["a.py", "b.py"]
    assert sent["env"]["reward_weights"] == ["x=2"] and sent["ppo"]["gamma"] == 0.997
    assert "/me" not in json.dumps(sent)


def test_without_an_account_the_remedy_is_said_and_no_session_is_left(
    tmp_path, monkeypatch, capsys
):
    for name in ("WANDB_MODE", "WANDB_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))
    monkeypatch.setattr(wandb, "login", lambda **_: False)
    sessions = tmp_path / "sessions"
    assert main([*SMALL, "--sessions", str(sessions), "--wandb"]) == 1
    assert "WANDB_MODE=offline" in capsys.readouterr().err
    assert not sessions.exists()


# Python itself tells hooks of every socket, whichever library opens it and in every process.
NO_NETWORK = """
import os, socket, sys

EVENTS = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg",
          "socket.getaddrinfo", "socket.gethostbyname", "socket.getnameinfo")

def refuse(event, arguments):
    if event in EVENTS:
        if event.startswith("socket.get") or arguments[0].family != socket.AF_UNIX:
            with open(os.environ["REFUSED"], "a") as file:
                file.write(f"{event} {arguments[1:]}\\\\n")
            raise RuntimeError(f"something wants to reach the network: {event}")

sys.addaudithook(refuse)
with open(os.environ["HOOKED"], "a") as file:
    file.write("here\\\\n")
"""


@pytest.mark.slow
def test_without_wandb_nothing_touches_the_network(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(NO_NETWORK.replace("\\\\n", "\\n"))
    paths = [str(tmp_path), str(SCRIPT.parents[1])]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "REFUSED": str(tmp_path / "refused"),
        "HOOKED": str(tmp_path / "hooked"),
    }
    command = [sys.executable, str(SCRIPT), *SMALL, "--sessions", str(tmp_path / "sessions")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert not (tmp_path / "refused").exists(), (tmp_path / "refused").read_text()
    assert (tmp_path / "hooked").read_text().count("here") >= 2, "the workers were watched too"
    probe = "import socket; socket.create_connection(('127.0.0.1', 9))"
    tried = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True)
    assert b"reach the network" in tried.stderr, "the watch works"
