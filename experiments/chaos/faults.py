"""What can go wrong with a training, one function each."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
FOLDERS = ("frames", "recordings", "clips")
SMALL_DISK = 300_000  # bytes of a file; a checkpoint has more
DAYS = (-400, -1, 1, 400)  # by which the clock is set
DAY = 86_400  # seconds
CLOCK = "seconds"  # file beside the session, by which `clock.c` moves its time


@dataclass(frozen=True)
class Training:
    """A training that something is done to."""

    process: psutil.Process
    sessions: Path  # the folder of its session
    session: Path | None  # None before the first checkpoint
    pause: float  # seconds for which it is stopped at most
    again: Callable[[], int]  # starts the same once more; returns its exit status

    def whole(self) -> list[psutil.Process]:
        """Returns its processes."""
        with suppress(psutil.NoSuchProcess):
            return [self.process, *self.process.children(recursive=True)]
        return []


def kill(training: Training, dice: random.Random) -> str:
    """Kills the trainer, with its workers or without."""
    return _send(training, signal.SIGKILL, dice)


def end(training: Training, dice: random.Random) -> str:
    """Asks it to end."""
    return _send(training, dice.choice(SIGNALS), dice)


def stop(training: Training, dice: random.Random) -> str:
    """Stops it for a while."""
    os.killpg(training.process.pid, signal.SIGSTOP)
    time.sleep(dice.uniform(training.pause / 6, training.pause))
    os.killpg(training.process.pid, signal.SIGCONT)
    return "paused for a while"


def remove(training: Training, dice: random.Random) -> str:
    """Removes one of its session's folders."""
    if training.session is None:
        return "nothing to remove yet"
    name = dice.choice(FOLDERS)
    shutil.rmtree(training.session / name, ignore_errors=True)
    return f"removed {name}"


def second(training: Training, dice: random.Random) -> str:
    """Starts another run in its folder."""
    if training.session is None:
        return "no folder for a second run yet"
    return f"second run in its folder, which ended with {training.again()}"


def fill(training: Training, dice: random.Random) -> str:
    """Leaves no room for a checkpoint from now on: the kernel refuses larger files."""
    for process in training.whole():
        with suppress(psutil.Error):
            process.rlimit(psutil.RLIMIT_FSIZE, (SMALL_DISK, SMALL_DISK))
    return "disk full from now on"


def set_clock(training: Training, dice: random.Random) -> str:
    """Sets the clock back or forward."""
    days = dice.choice(DAYS)
    (training.sessions / CLOCK).write_text(f"{days * DAY:+d}\n")
    return f"clock set by {days:+d} days"


def lose_worker(training: Training, dice: random.Random) -> str:
    """Kills one of its workers."""
    workers = training.process.children()
    if not workers:
        return "no worker yet"
    dice.choice(workers).kill()
    return "worker killed"


FAULTS: Final[dict[str, Callable[[Training, random.Random], str]]] = {
    "kill": kill,
    "end": end,
    "stop": stop,
    "remove": remove,
    "second": second,
    "fill": fill,
    "clock": set_clock,
    "worker": lose_worker,
}


def _send(training: Training, number: signal.Signals, dice: random.Random) -> str:
    to_all = dice.random() < 0.5
    (os.killpg if to_all else os.kill)(training.process.pid, number)
    return f"{number.name} to {'the group' if to_all else 'the trainer'}"
