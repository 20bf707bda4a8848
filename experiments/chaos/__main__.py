"""Kills, stops and damages a training at random, and resumes it: `python -m experiments.chaos`.

A run that explores, practises and records meets a fault again and again (`faults.py`), and is
resumed until all its steps are done. Its weights must then equal those of an undisturbed run bit
for bit. Where workers are killed (`--only worker`), whose games restart, they differ. Steps that
are played again, processes that outlive a run and incomplete files are counted.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import psutil
import torch
import tyro
from pydantic import Field

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.commands.command import reports_user_errors, run_command
from baselines.runs.session_folder import Session, checkpoint_steps
from emerald_env.env.setting_types import MAX_INT, NotNegative, Seed, checked
from emerald_env.files.atomic import PART
from experiments.chaos.faults import CLOCK, FAULTS, Training

SCRIPT = Path(__file__).parents[2] / "baselines" / "run_baseline_parallel_fast.py"
FLAGS = (
    "--seed 3 --n-envs 4 --n-workers 2 --n-steps 64 --batch-size 128 --episode-length 96 "
    "--recurrent --lstm-size 32 --network small --action-masks --normalize-observations "
    "--no-embed-places --normalize-returns --record every --device cpu --save-freq 256"
).split()
ROLLOUT = 256  # steps
CLOCK_SOURCE = Path(__file__).with_name("clock.c")  # loaded by runs whose clock is set
WORKERS_TIME = 10.0  # seconds between two killed workers
Kind = Literal["kill", "end", "stop", "remove", "second", "fill", "clock", "worker"]


@checked
@dataclass(frozen=True)
class ChaosConfig:
    """Disturb trainings for some minutes, and compare them with an undisturbed one."""

    minutes: NotNegative = 10.0
    """Time for which runs are disturbed; then the last one may finish."""
    steps: Annotated[int, Field(ge=ROLLOUT, le=MAX_INT)] = 4096
    """Steps of each run, rounded down to whole rollouts of 256."""
    seed: Seed = 0
    """Of the faults."""
    pause: NotNegative = 3.0
    """Seconds that a pause takes at most."""
    only: tuple[Kind, ...] = ("kill", "end", "stop", "remove", "second", "fill")
    """The faults, each as likely. clock needs Linux and a C compiler."""


@dataclass
class Chaos:
    """A training of a folder, started, disturbed and resumed until all its steps are done.

    Attributes:
        sessions: an empty folder for its session.
        config: what is done to it.
        done: counts it.
    """

    sessions: Path
    config: ChaosConfig
    dice: random.Random
    done: Counter[str] = field(default_factory=Counter)

    @property
    def steps(self) -> int:
        """How many it trains."""
        return self.config.steps // ROLLOUT * ROLLOUT

    @property
    def session(self) -> Path | None:
        """The session to resume, None before the first checkpoint."""
        folders = [path for path in self.sessions.iterdir() if path.is_dir()]
        return next((path for path in folders if Session(path).latest_checkpoint()), None)

    def start(self) -> "subprocess.Popen[bytes]":
        """Starts or resumes it, in a process group of its own."""
        session = self.session
        where = ["--resume", str(session)] if session else ["--sessions", str(self.sessions)]
        flags = [*where, "--total-timesteps", str(self.steps), *([] if session else FLAGS)]
        environment = dict(os.environ)
        if "clock" in self.config.only:
            environment |= {
                "LD_PRELOAD": str(self.sessions.parent / CLOCK_SOURCE.stem),
                "CHAOS_CLOCK": str(self.sessions / CLOCK),
            }
        with (self.sessions / "log.txt").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, str(SCRIPT), *flags],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )

    def run(self, ends: float, usual: float) -> Path:
        """Runs until all steps are done; returns the last checkpoint.

        Args:
            ends: when the faults end, in seconds of `time.monotonic`.
            usual: seconds of an undisturbed run.

        Raises:
            RuntimeError: it fails while nothing disturbs it.
        """
        while True:
            begun, process = time.monotonic(), self.start()
            self.done["start"] += 1
            try:
                self._disturb(process, ends, usual)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
            saved = self._count(process.pid)
            if saved and checkpoint_steps(saved) >= self.steps:  # even if killed just then
                return saved
            if begun >= ends and process.returncode != 0:
                text = (self.sessions / "log.txt").read_text(errors="replace")
                status = f"exit status {process.returncode}"
                raise RuntimeError(f"the run fails undisturbed ({status}):\n{text[-2000:]}")

    def _disturb(self, process: "subprocess.Popen[bytes]", ends: float, usual: float) -> None:
        """Disturbs a run until it ends."""
        while True:
            calm = time.monotonic() >= ends
            often = usual * self.dice.uniform(0.2, 0.8)
            often = WORKERS_TIME if self.config.only == ("worker",) else often
            try:
                process.wait(None if calm else often)
                return
            except subprocess.TimeoutExpired:
                kind = self.dice.choice(self.config.only)
            with suppress(psutil.NoSuchProcess, ProcessLookupError):
                self.done[FAULTS[kind](self._training(process.pid), self.dice)] += 1

    def _training(self, number: int) -> Training:
        return Training(
            psutil.Process(number),
            self.sessions,
            self.session,
            self.config.pause,
            lambda: self.start().wait(),
        )

    def _count(self, number: int) -> Path | None:
        """Counts what a run that has ended left behind; returns its last checkpoint."""
        _, left = psutil.wait_procs(_group_of(number), timeout=30)
        for process in left:
            with suppress(psutil.Error):
                self.done[f"orphan after 30 s: {' '.join(process.cmdline())[-60:]}"] += 1
        if self.session is None:
            return None
        session = Session(self.session)
        told = [line["num_timesteps"] for line in session.read_diagnostics()]
        saved = session.latest_checkpoint()
        assert saved is not None
        self.done["step played again"] += max(0, max(told, default=0) - checkpoint_steps(saved))
        return saved


def _group_of(number: int) -> list[psutil.Process]:
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


def compare(chaos: Chaos, found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> int:
    """Prints how a disturbed run ended; returns how much of it is wrong."""
    same = all(torch.equal(found[name], wanted[name]) for name in wanted)
    tracebacks = (chaos.sessions / "log.txt").read_text(errors="replace").count("Traceback")
    left = sum(PART in path.name for path in chaos.sessions.rglob("*"))
    chaos.done["incomplete file left"] += left
    equal = "bit for bit equal" if same else "DIFFERENT"
    print(f"{chaos.sessions.name}: {tracebacks} tracebacks; weights {equal}", flush=True)
    return tracebacks + (not same and "worker" not in chaos.config.only)


@reports_user_errors(RuntimeError, subprocess.CalledProcessError)
def main() -> int:
    """Disturbs runs until the time is over, compares weights; returns the exit status."""
    config = tyro.cli(ChaosConfig)
    dice, wrong, done = random.Random(config.seed), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        if "clock" in config.only:
            library = f"{folder}/{CLOCK_SOURCE.stem}"
            command = ["cc", "-shared", "-fPIC", str(CLOCK_SOURCE), "-o", library, "-ldl"]
            subprocess.run(command, check=True)
        begun = time.monotonic()
        quiet = Path(folder) / "undisturbed"
        quiet.mkdir()
        wanted = weights_of(Chaos(quiet, config, dice).run(0.0, 0.0))
        usual = time.monotonic() - begun
        ends = time.monotonic() + 60 * config.minutes
        while time.monotonic() < ends:
            done["run"] += 1
            sessions = Path(folder) / f"run_{done['run']}"
            sessions.mkdir()
            chaos = Chaos(sessions, config, dice)
            wrong += compare(chaos, weights_of(chaos.run(ends, usual)), wanted)
            done += chaos.done
    for what, count in sorted(done.items()):
        print(f"{count:4} {what}")
    return int(wrong > 0)


if __name__ == "__main__":
    run_command(main)
