"""What it costs a training that somebody watches it, and how many pictures come through.

`python -m experiments.benchmarks.watching [--n-envs N] [--viewers N]` trains on Jade without
exploring, so that the games play all the time, serves the page beside it, and lets viewers come and
go: a turn without, a turn with them. The viewers read with the lowest priority: what browsers take
to draw is not measured.
"""

import json
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any

import psutil
import tyro

from baselines.envs import GameConfig, make_env
from baselines.playing.intervals import median_of
from baselines.runs.session import Session
from emerald_env.cli.command import run_command
from emerald_env.watching.host import ASK_SECONDS
from emerald_env.watching.live_file import LOOK_SECONDS, LiveFile
from emerald_env.wrappers import publisher
from experiments.benchmarks.report import machine
from viewer.run import give_way

STEPS = 25  # of a turn of one game
LENGTH = struct.Struct("<I")
JSON_BYTES = 100_000  # of a message that are unpacked, to count its pictures


@dataclass(frozen=True)
class WatchingBenchmark:
    """Measure what watching costs, and the pictures a second."""

    n_envs: int = 16
    """Games of the training."""
    viewers: int = 1
    """Pages that look at once."""
    turns: int = 14
    """Pairs of turns without and with viewers."""
    seconds: float = 6.0
    """Of each half of a pair, at least."""
    n_steps: int = 128
    """Steps of a rollout: with short ones turns alternate faster."""
    rounds: int = 60
    """Turns of 25 steps in which a single game is timed."""
    sessions: Path | None = None
    """Folder in which the training's session is kept. Left out: it is not."""
    init_from: str | None = None
    """Checkpoint to begin with."""


def main() -> int:
    """Prints the results."""
    config = tyro.cli(WatchingBenchmark)
    print(machine())
    alone, unwatched, watched = single_game(config.rounds)
    print(f"a step of one game: {alone:.1f} us; nobody looks: {unwatched - alone:+.1f} us")
    print(f"a picture that is shown: {watched - unwatched:.1f} us of processor time")
    with tempfile.TemporaryDirectory() as folder:
        training(config, config.sessions or Path(folder))
    return 0


def single_game(rounds: int) -> tuple[float, float, float]:
    """Returns microseconds of a step: without a publisher, with one, and showing each step."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "live"
        LiveFile.create(path, {"terms": []}, 2, ["a"])
        envs = [make_env(GameConfig(), number=number) for number in (None, 0, 1)]
        for env in envs:
            env.reset(seed=0)
        # the second game's file says that nobody looks, the third's that somebody always does
        other = Path(folder) / "other"
        LiveFile.create(other, {"terms": []}, 2, ["a"])
        envs[1].get_wrapper_attr("publish_to")(str(path))
        envs[2].get_wrapper_attr("publish_to")(str(other))
        viewer = LiveFile(other)
        taken: list[list[float]] = [[], [], []]
        for turn in range(rounds):
            viewer.look()
            for which, env in enumerate(envs):
                vars(publisher)["FRAME_SECONDS"] = 0.0 if which == 2 else 0.05
                started = time.process_time()
                for step in range(STEPS):
                    env.step(3 * (1 + (turn + step // 5) % 4))
                taken[which].append((time.process_time() - started) / STEPS * 1e6)
        for env in envs:
            env.close()
    alone, unwatched, watched = (median(each) for each in taken)
    return alone, unwatched, watched


@contextmanager
def program(module: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Runs a module beside, and ends it."""
    code = f"from {module} import main; main()"
    command = [sys.executable, "-u", "-c", code, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def training(config: WatchingBenchmark, folder: Path) -> None:
    """Trains, looks and looks away, and prints the ratios."""
    settings = f"--sessions {folder} --n-envs {config.n_envs} --total-timesteps 100000000"
    settings += f" --n-steps {config.n_steps} --explore 0 --practice 0 --advice 0"
    if config.init_from is not None:
        settings += f" --init-from {config.init_from}"
    with program("baselines.cli.emerald", "train", *settings.split()) as trainer:
        session = wait_for(folder, trainer)
        flags = ("--sessions", str(folder), "--no-browser")
        with program("baselines.cli.emerald", "watch", *flags) as server:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            port = int(address.rstrip("/").rsplit(":", 1)[1])
            give_way()  # the viewers are no part of what is measured
            results = []
            for number in range(config.turns):
                both = trainer, server
                results.append(turn(config, session, port, both, number % 2 == 1))
                print(*(f"{value:.3f}" for value in results[-1].values()), flush=True)
    print(f"{config.n_envs} games, {config.viewers} viewers, {config.turns} pairs of turns")
    for name, digits in RESULTS.items():
        print(f"{name}: {spread([result[name] for result in results], digits)}")


RESULTS = {
    "steps a second with viewers / without": 3,
    "processor time of a training's step with viewers / without": 3,
    "the server's processor time / the training's": 4,
    "pictures a second of each game while games play": 1,
    "the same over all time, learning included": 1,
}


def wait_for(folder: Path, trainer: "subprocess.Popen[str]") -> Session:
    """Returns the session as soon as its games play.

    Raises:
        ValueError: the training ended before.
    """
    while not (found := list(folder.glob("*/live"))):
        if trainer.poll() is not None:
            raise ValueError("the training ended at once")
        time.sleep(0.2)
    session = Session(found[0].parent)
    file = LiveFile(session.live)
    while file.heartbeat[1] < 300 * file.n_games:  # the first updates compile and allocate
        time.sleep(0.2)
    file.close()
    return session


def turn(
    config: WatchingBenchmark,
    session: Session,
    port: int,
    processes: tuple["subprocess.Popen[str]", "subprocess.Popen[str]"],
    watched_first: bool,
) -> dict[str, float]:
    """Returns `RESULTS` of a stretch without and one with viewers, in this order or the other."""
    trainer, server = processes
    if watched_first:
        watched, seen, used = with_viewers(config, session, port, processes)
    next_update(session)
    alone = stretch(session, trainer.pid, config.seconds)
    if not watched_first:
        watched, seen, used = with_viewers(config, session, port, processes)
    values = (
        watched.speed / alone.speed,
        watched.cpu_a_step / alone.cpu_a_step,
        used / watched.cpu,
        seen.pictures / watched.playing / config.n_envs,
        seen.pictures / watched.seconds / config.n_envs,
    )
    return dict(zip(RESULTS, values, strict=True))


def with_viewers(
    config: WatchingBenchmark,
    session: Session,
    port: int,
    processes: tuple["subprocess.Popen[str]", "subprocess.Popen[str]"],
) -> tuple["Stretch", "Seen", float]:
    """Returns a stretch with viewers, what one of them saw, and the server's processor time."""
    trainer, server = processes
    stop, seen = Event(), Seen()
    pictures = "half" if config.n_envs > 24 else "full"
    path = f"/s/{session.folder.name}/live?pictures={pictures}"
    threads = [
        Thread(target=look, args=(port, path, stop, seen if number == 0 else None))
        for number in range(config.viewers)
    ]
    for thread in threads:
        thread.start()
    time.sleep(ASK_SECONDS)
    next_update(session)
    seen.pictures = 0
    before = cpu_seconds(server.pid)
    watched = stretch(session, trainer.pid, config.seconds)
    used, result = cpu_seconds(server.pid) - before, replace(seen)
    stop.set()
    for thread in threads:
        thread.join()
    time.sleep(LOOK_SECONDS)  # until the games have forgotten the viewers
    return watched, result, used


@dataclass(frozen=True)
class Stretch:
    """Some updates of a training."""

    steps: int
    seconds: float
    cpu: float  # seconds of processor time, all processes
    playing: float  # seconds of its rollouts
    speed: float  # env steps a second of its median update: other work disturbs single ones

    @property
    def cpu_a_step(self) -> float:
        """Seconds of processor time of a step."""
        return self.cpu / self.steps


@dataclass
class Seen:
    """The pictures that a viewer has seen."""

    pictures: int = 0


def cpu_seconds(pid: int) -> float:
    """Returns the processor time that a process and those that it began have used."""
    first = psutil.Process(pid)
    total = 0.0
    for process in (first, *first.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def stretch(session: Session, trainer: int, seconds: float) -> Stretch:
    """Waits for at least so long, from the end of the last update to that of another."""
    started, cpu, first = time.monotonic(), cpu_seconds(trainer), len(updates(session))
    while time.monotonic() - started < seconds:
        next_update(session)
    took, used = time.monotonic() - started, cpu_seconds(trainer) - cpu
    found = updates(session)
    steps = found[-1]["num_timesteps"] - found[first - 1]["num_timesteps"]
    metrics = [line["metrics"] for line in found[first:]]
    playing = sum(each["time/rollout_seconds"] for each in metrics)
    speed = median(each["time/steps_per_second"] for each in metrics)
    return Stretch(steps, took, used, playing, speed)


def next_update(session: Session) -> None:
    """Waits for the end of an update."""
    size = session.diagnostics.stat().st_size
    while session.diagnostics.stat().st_size == size:
        time.sleep(0.005)


def updates(session: Session) -> list[dict[str, Any]]:
    """Returns what the diagnostics wrote about each update."""
    return list(session.read_diagnostics())


def look(port: int, path: str, stop: Event, seen: Seen | None) -> None:
    """Reads the wall's stream; a viewer without `seen` only takes bytes."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        stream = line.makefile("rb", buffering=1 << 20)
        while stream.readline().strip():
            pass  # headers
        while not stop.is_set() and (head := stream.read(LENGTH.size)):
            (length,) = LENGTH.unpack(head)
            content = stream.read(length)
            if seen is not None:
                head = zlib.decompressobj().decompress(content, JSON_BYTES)
                (size,) = LENGTH.unpack_from(head)
                seen.pictures += len(json.loads(head[4 : 4 + size]).get("games", ()))


def spread(values: list[float], digits: int) -> str:
    """Returns the median with its interval of 95 % in brackets."""
    found = median_of(values)
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


if __name__ == "__main__":
    run_command(main)
