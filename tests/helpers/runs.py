"""Tiny runs on the built-in game, and what makes two of them equal."""

import os
import signal
import threading
import time

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from baselines.checkpoints.checkpoint_file import load_policy, read_manifest
from baselines.commands.learn.train import main
from baselines.runs.session_folder import Session
from emerald_env.files.data import JsonLines

STEPS = 32  # of one update: two games, 16 steps each
TINY = (
    "--n-envs 2 --n-workers 1 --n-steps 16 --batch-size 16 --n-epochs 2 --episode-length 23 "
    "--start-wait 9 --frame-skip 4 --hold-frames 2 --shrink 4 --device cpu --picture-seconds 1000 "
    "--features-dim 16 --network small --observation dict --learning-rate 1e-2"
).split()


def run(sessions, *flags):
    return main([*TINY, "--sessions", str(sessions), *flags])


def only_session(sessions):
    (folder,) = [path for path in sessions.iterdir() if path.is_dir()]
    return Session(folder)


def weights(path):
    return load_policy(path)[0].state_dict()


def curves(session):
    """Every curve but those of time: {name: [(step, value), ...]}."""
    events = EventAccumulator(str(session.folder), {"scalars": 0}).Reload()
    names = [
        name for name in events.Tags()["scalars"] if "second" not in name and "fps" not in name
    ]
    return {name: [(e.step, e.value) for e in events.Scalars(name)] for name in names}


def assert_equal_runs(found, expected):
    """The same weights to the bit, the same episodes, the same curves."""
    ours, theirs = (weights(session.latest_checkpoint()) for session in (found, expected))
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if not torch.equal(ours[name], theirs[name])] == []
    assert list(found.read_episodes()) == list(expected.read_episodes())
    assert without_time(found) == without_time(expected)


def timed(name):
    return name.startswith("time/") or "per_second" in name


def without_time(session):
    return [
        {k: v for k, v in line["metrics"].items() if not timed(k)}
        for line in JsonLines(session.diagnostics)
        if "metrics" in line
    ]


class Interrupt(threading.Thread):
    """Ctrl-C as soon as a checkpoint is there."""

    def __init__(self, sessions):
        super().__init__(daemon=True)
        self.sessions = sessions

    def run(self):
        while not list(self.sessions.glob("*/checkpoints/ppo_*.zip")):
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)


def steps_of(path):
    return read_manifest(path).num_timesteps
