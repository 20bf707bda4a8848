"""Kills, pauses and damages a training at random, and resumes it: `python -m experiments.chaos`.

A run is disturbed repeatedly: killed, ended by a signal, paused, with folders removed from its
session or a full disk (every fourth start). It is resumed until all its steps are done. Its weights
must then equal those of an undisturbed run bit for bit.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import torch
import tyro

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.commands.command import reports_user_errors, run_command
from baselines.runs.session_folder import Session

SCRIPT = Path(__file__).parents[1] / "baselines" / "run_baseline_parallel_fast.py"
FLAGS = (
    "--seed 3 --n-envs 4 --n-workers 2 --n-steps 64 --batch-size 128 --episode-length 96 "
    "--recurrent --lstm-size 32 --network small --action-masks --normalize-observations "
    "--normalize-returns --record every --device cpu --save-freq 256 --explore 0"
).split()
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
FOLDERS = ("frames", "recordings", "clips")
ROLLOUT = 256  # steps
SMALL_DISK = 300_000  # bytes of a file; a checkpoint has more


@dataclass(frozen=True)
class ChaosConfig:
    """Disturb trainings for some minutes, and compare them with an undisturbed one."""

    minutes: float = 10.0
    """Time for which runs are disturbed; then the last one may finish."""
    steps: int = 4096
    """Steps of each run; when one is done, another begins until the time is over."""
    seed: int = 0
    """Of the disturbances."""


def start(
    sessions: Path, steps: int, session: Path | None, small_disk: bool
) -> "subprocess.Popen[bytes]":
    """Starts or resumes the run, in a process group of its own."""
    flags = ["--resume", str(session)] if session else [*FLAGS, "--sessions", str(sessions)]
    command = [sys.executable, str(SCRIPT), *flags, "--total-timesteps", str(steps)]

    def limit() -> None:
        if small_disk:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK, SMALL_DISK))

    with (sessions / "log.txt").open("ab") as log:
        return subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True, preexec_fn=limit
        )


def session_in(sessions: Path) -> Path | None:
    """Returns the session to resume, None before the first checkpoint."""
    found = [path for path in sessions.iterdir() if Session(path).latest_checkpoint()]
    return found[0] if found else None


def disturb(process: "subprocess.Popen[bytes]", session: Path | None, dice: random.Random) -> str:
    """Disturbs the run once; returns a description."""
    kind = dice.choice(("signal", "signal", "stop", "folder"))
    if kind == "stop":
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(dice.uniform(0.5, 3.0))
        os.killpg(process.pid, signal.SIGCONT)
        return "paused for a while"
    if kind == "folder" and session is not None:
        name = dice.choice(FOLDERS)
        shutil.rmtree(session / name, ignore_errors=True)
        return f"removed {name}"
    number = dice.choice(SIGNALS)
    to_all = dice.random() < 0.5
    (os.killpg if to_all else os.kill)(process.pid, number)
    return f"{number.name} to {'the group' if to_all else 'the trainer'}"


def run_disturbed(
    sessions: Path, steps: int, ends: float, usual: float, dice: random.Random, done: Counter[str]
) -> Path:
    """Runs until all steps are done, disturbed until a time; returns the last checkpoint.

    Args:
        sessions: an empty folder for the session.
        steps: of the run.
        ends: when the disturbances end, in seconds of `time.monotonic`.
        usual: seconds of an undisturbed run.
        dice: draws the disturbances.
        done: counts them.

    Raises:
        RuntimeError: the run fails while nothing disturbs it.
    """
    process, small_disk = None, False
    try:
        while True:
            calm = time.monotonic() >= ends
            if process is None:
                small_disk = not calm and done["start"] % 4 == 1
                done["full disk"] += small_disk
                process = start(sessions, steps, session_in(sessions), small_disk)
                done["start"] += 1
            try:
                process.wait(None if calm else usual * dice.uniform(0.2, 0.8))
            except subprocess.TimeoutExpired:
                done[disturb(process, session_in(sessions), dice)] += 1
                continue
            session = session_in(sessions)
            if session and Session(session).checkpoint(steps).is_file():  # even if killed just then
                return Session(session).checkpoint(steps)
            if calm and process.returncode == 1 and not small_disk:
                text = (sessions / "log.txt").read_text(errors="replace")
                raise RuntimeError(f"the run fails undisturbed:\n{text[-2000:]}")
            process = None
    finally:
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def weights_of(checkpoint: Path) -> dict[str, torch.Tensor]:
    """Returns the weights of a checkpoint's network."""
    return load_policy(checkpoint)[0].state_dict()


@reports_user_errors(RuntimeError)
def main() -> int:
    """Disturbs runs until the time is over, compares weights; returns the exit status."""
    config = tyro.cli(ChaosConfig)
    steps = config.steps // ROLLOUT * ROLLOUT
    dice, done, wrong = random.Random(config.seed), Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        quiet = Path(folder) / "undisturbed"
        quiet.mkdir()
        begun = time.monotonic()
        wanted = weights_of(run_disturbed(quiet, steps, 0.0, 0.0, dice, Counter()))
        usual = time.monotonic() - begun
        ends = time.monotonic() + 60 * config.minutes
        while time.monotonic() < ends:
            done["run"] += 1
            sessions = Path(folder) / f"run_{done['run']}"
            sessions.mkdir()
            found = weights_of(run_disturbed(sessions, steps, ends, usual, dice, done))
            same = all(torch.equal(found[name], wanted[name]) for name in wanted)
            text = (sessions / "log.txt").read_text(errors="replace")
            tracebacks = text.count("Traceback")
            wrong += tracebacks + (not same)
            equal = "bit for bit equal" if same else "DIFFERENT"
            print(f"run {done['run']}: {tracebacks} tracebacks; weights {equal}", flush=True)
    for what, count in sorted(done.items()):
        print(f"{count:4} {what}")
    return int(wrong > 0)


if __name__ == "__main__":
    run_command(main)
