"""One training of a sweep, in a process of its own, and its result."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from baselines.runs.parent import beside_this, end_with_parent
from baselines.runs.session_folder import Session, newest_first
from baselines.training.command_line import train_from_flags

START = f"import {__name__} as run; raise SystemExit(run.train_beside_parent())"
LOG = "run.log"
MAX_NAME, HASH_DIGITS = 100, 12  # characters of a run's folder, hexadecimal digits
LAST_WORDS = 2000  # characters of a log shown in an error
STOP_SECONDS = 60.0  # for a run that is ended early, in which it saves


class TrainingRun:
    """A training, which resumes if it was interrupted.

    Args:
        folder: of its session and its log.
        command: the training command's flags.
        threads: of the network.
    """

    def __init__(self, folder: Path, command: Sequence[str], threads: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        flags = [*command, "--sessions", str(folder / "sessions")]
        session = self.session()
        if session is not None and session.latest_checkpoint() is not None:
            flags += ["--resume", str(session.folder)]
        with (folder / LOG).open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, *flags],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=beside_this() | {"OMP_NUM_THREADS": str(threads)},
            )

    def session(self) -> Session | None:
        """Returns its session, None before there is one."""
        found = newest_first(self.folder / "sessions")
        return found[0] if found else None

    def wait(self, seconds: float) -> bool:
        """Waits for its end, at most `seconds`; returns whether it has ended.

        Raises:
            RuntimeError: it failed; the end of its log is in the message.
        """
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        if status:
            said = (self.folder / LOG).read_text(errors="replace")[-LAST_WORDS:]
            raise RuntimeError(f"the run in {self.folder} ended with status {status}:\n{said}")
        return True

    def result(self) -> dict[str, Any]:
        """Returns its progress, see `result_of`."""
        session = self.session()
        return result_of([] if session is None else list(session.read_episodes()))

    def stop(self) -> None:
        """Ends it if it is still running; it saves first."""
        if self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def run_name(settings: Mapping[str, Any], seed: int) -> str:
    """Returns the folder of a run: readable, and the same in every run of the sweep.

    Where two settings could have the same name it ends in a part of their hash.
    """
    words = _plain("_".join(f"{name}_{value}" for name, value in settings.items()))
    values = list(map(str, settings.values()))
    # names are the same in all settings of a sweep, and so is what is replaced in them
    borders = [f"_{_plain(name)}_" for name in settings]
    clear = len(words) <= MAX_NAME and all(
        value == _plain(value) and not any(border in f"{value}_" for border in borders)
        for value in values
    )
    if not clear:
        whole = json.dumps(dict(settings), sort_keys=True, default=str)
        words = f"{words[:MAX_NAME]}_{sha256(whole.encode()).hexdigest()[:HASH_DIGITS]}"
    return f"{words}_seed_{seed}"


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in text)


def train_beside_parent() -> int:
    """Trains with this process's command line; saves and ends when its parent is gone."""
    end_with_parent()
    return train_from_flags()


def result_of(episodes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the steps of a run, and reward and milestones of its last tenth of episodes.

    Before the first episode has ended it has 0 steps, and neither reward nor milestones; those are
    also missing where no episode's line tells them.
    """
    last = episodes[-max(1, len(episodes) // 10) :]
    scores = {
        "milestones": [len(episode["milestones"]) for episode in last if "milestones" in episode],
        "reward": [episode["reward"] for episode in last],
    }
    return {
        "steps": int(episodes[-1]["num_timesteps"]) if episodes else 0,
        "episodes": len(episodes),
        **{name: float(np.mean(values)) for name, values in scores.items() if values},
    }
