"""Kills, pauses and damages a training at random, and resumes it: `python -m experiments.chaos`.

A run that records is disturbed repeatedly: killed, ended by a signal, paused, a second run started
in its folder, with folders removed from its session or a full disk (every fourth start). It is
resumed until all its steps are done. Its weights must then equal those of an undisturbed run bit
for bit. With `--workers` only workers are killed, whose games begin anew: then they differ.
Steps that are played again, processes that outlive a run and incomplete files are counted.
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
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import torch
import tyro

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.commands.command import reports_user_errors, run_command
from baselines.runs.session_folder import Session, checkpoint_steps
from emerald_env.files.atomic import PART

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
    pause: float = 3.0
    """Seconds that a pause takes at most."""
    workers: bool = False
    """Only kill workers, one every ten seconds; the weights then differ."""


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


def kill_worker(process: "subprocess.Popen[bytes]", dice: random.Random) -> str:
    """Kills one of a run's workers; returns a description."""
    workers = psutil.Process(process.pid).children()
    if not workers:
        return "no worker yet"
    dice.choice(workers).kill()
    return "worker killed"


def steps_lost(session: Path | None) -> int:
    """Returns the steps since the last checkpoint, which are played again after a kill."""
    if session is None:
        return 0
    told = [line["num_timesteps"] for line in Session(session).read_diagnostics()]
    saved = Session(session).latest_checkpoint()
    return max(told, default=0) - checkpoint_steps(saved) if saved else 0


def disturb(
    process: "subprocess.Popen[bytes]",
    session: Path | None,
    config: ChaosConfig,
    dice: random.Random,
) -> str:
    """Disturbs the run once; returns a description."""
    if config.workers:
        return kill_worker(process, dice)
    kind = dice.choice(("signal", "signal", "signal", "stop", "folder", "second"))
    if kind == "stop":
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(dice.uniform(0.5, config.pause))
        os.killpg(process.pid, signal.SIGCONT)
        return "paused for a while"
    if kind == "second" and session is not None:
        second = start(session.parent, config.steps, session, False)
        return f"second run in its folder, which ended with {second.wait()}"
    if kind == "folder" and session is not None:
        name = dice.choice(FOLDERS)
        shutil.rmtree(session / name, ignore_errors=True)
        return f"removed {name}"
    number = dice.choice(SIGNALS)
    to_all = dice.random() < 0.5
    (os.killpg if to_all else os.kill)(process.pid, number)
    return f"{number.name} to {'the group' if to_all else 'the trainer'}"


def run_disturbed(
    sessions: Path,
    config: ChaosConfig,
    ends: float,
    usual: float,
    dice: random.Random,
    done: Counter[str],
) -> Path:
    """Runs until all steps are done, disturbed until a time; returns the last checkpoint.

    Args:
        sessions: an empty folder for the session.
        config: the steps of the run, and how it is disturbed.
        ends: when the disturbances end, in seconds of `time.monotonic`.
        usual: seconds of an undisturbed run.
        dice: draws the disturbances.
        done: counts them.

    Raises:
        RuntimeError: the run fails while nothing disturbs it.
    """
    process, small_disk, steps = None, False, config.steps
    try:
        while True:
            calm = time.monotonic() >= ends
            if process is None:
                small_disk = not calm and not config.workers and done["start"] % 4 == 1
                done["full disk"] += small_disk
                process = start(sessions, steps, session_in(sessions), small_disk)
                done["start"] += 1
            try:
                often = 10.0 if config.workers else usual * dice.uniform(0.2, 0.8)
                process.wait(None if calm else often)
            except subprocess.TimeoutExpired:
                done[disturb(process, session_in(sessions), config, dice)] += 1
                continue
            _, left = psutil.wait_procs(group_of(process.pid), timeout=30)
            done["orphan after 30 s"] += len(left)
            done["step played again"] += steps_lost(session_in(sessions))
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


def group_of(number: int) -> list[psutil.Process]:
    """Returns the processes of a group."""
    found = []
    for process in psutil.process_iter():
        with suppress(OSError):
            if os.getpgid(process.pid) == number:
                found.append(process)
    return found


def weights_of(checkpoint: Path) -> dict[str, torch.Tensor]:
    """Returns the weights of a checkpoint's network."""
    return load_policy(checkpoint)[0].state_dict()


@reports_user_errors(RuntimeError)
def main() -> int:
    """Disturbs runs until the time is over, compares weights; returns the exit status."""
    config = tyro.cli(ChaosConfig)
    config = replace(config, steps=config.steps // ROLLOUT * ROLLOUT)
    dice, done, wrong = random.Random(config.seed), Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        quiet = Path(folder) / "undisturbed"
        quiet.mkdir()
        begun = time.monotonic()
        wanted = weights_of(run_disturbed(quiet, config, 0.0, 0.0, dice, Counter()))
        usual = time.monotonic() - begun
        ends = time.monotonic() + 60 * config.minutes
        while time.monotonic() < ends:
            done["run"] += 1
            sessions = Path(folder) / f"run_{done['run']}"
            sessions.mkdir()
            found = weights_of(run_disturbed(sessions, config, ends, usual, dice, done))
            same = all(torch.equal(found[name], wanted[name]) for name in wanted)
            text = (sessions / "log.txt").read_text(errors="replace")
            tracebacks = text.count("Traceback")
            wrong += tracebacks + (not same and not config.workers)
            done["incomplete file left"] += sum(PART in path.name for path in sessions.rglob("*"))
            equal = "bit for bit equal" if same else "DIFFERENT"
            print(f"run {done['run']}: {tracebacks} tracebacks; weights {equal}", flush=True)
    for what, count in sorted(done.items()):
        print(f"{count:4} {what}")
    return int(wrong > 0)


if __name__ == "__main__":
    run_command(main)
