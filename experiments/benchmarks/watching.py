"""What it costs a training that somebody watches it, and how many pictures come through.

`python -m experiments.benchmarks.watching [--n-envs N] [--viewers N]` trains on Jade with the
default command, serves the page beside it, and lets viewers come and go: a turn without, a turn
with them.
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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread
from typing import Any

import psutil
import tyro

from baselines.envs import GameConfig, make_env
from baselines.runs.session import Session
from emerald_env.cli.command import run_command
from emerald_env.watching.live_file import LiveFile
from emerald_env.wrappers import publisher
from experiments.benchmarks.report import machine

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
    turns: int = 8
    """Pairs of turns without and with viewers."""
    seconds: float = 10.0
    """Of a turn."""
    rounds: int = 200
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
    if config.init_from is not None:
        settings += f" --init-from {config.init_from}"
    with program("baselines.cli.emerald", "train", *settings.split()) as trainer:
        session = wait_for(folder, trainer)
        flags = ("--sessions", str(folder), "--no-browser")
        with program("baselines.cli.emerald", "watch", *flags) as server:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            port = int(address.rstrip("/").rsplit(":", 1)[1])
            results = [turn(config, session, port, server.pid) for _ in range(config.turns)]
    ratios, rates, shares = zip(*results, strict=True)
    print(f"{config.n_envs} games, {config.viewers} viewers, {config.turns} pairs of turns")
    print(f"steps a second with viewers / without: {spread(ratios, 3)}")
    print(f"pictures a second of each game: {spread(rates, 1)}")
    print(f"the server's share of the machine's processor time: {spread(shares, 4)}")


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
    while file.heartbeat[1] < 3 * 128 * file.n_games:  # the first updates compile and allocate
        time.sleep(0.2)
    file.close()
    return session


def turn(
    config: WatchingBenchmark, session: Session, port: int, server: int
) -> tuple[float, float, float]:
    """Returns speed with viewers over speed without, pictures a second, the server's share."""
    alone = speed(session, config.seconds)
    stop, counts = Event(), [0] * config.viewers
    paths = f"/s/{session.folder.name}/live?half={int(config.n_envs > 24)}"
    threads = [
        Thread(target=look, args=(port, paths, stop, counts, number))
        for number in range(config.viewers)
    ]
    for thread in threads:
        thread.start()
    time.sleep(1)
    before, counts[:] = cpu_seconds(server), [0] * config.viewers
    started = time.monotonic()
    watched = speed(session, config.seconds)
    seconds = time.monotonic() - started
    used = cpu_seconds(server) - before
    rate = counts[0] / seconds / config.n_envs
    stop.set()
    for thread in threads:
        thread.join()
    time.sleep(4)  # until the games have forgotten the viewers
    return watched / alone, rate, used / seconds / (psutil.cpu_count() or 1)


def cpu_seconds(process: int) -> float:
    """Returns the processor time that a process has used."""
    times = psutil.Process(process).cpu_times()
    return float(times.user + times.system)


def speed(session: Session, seconds: float) -> float:
    """Returns the training's steps a second from the end of one update to that of another."""
    first = next_update(session)
    while (last := next_update(session))[0] - first[0] < seconds:
        pass
    return (last[1] - first[1]) / (last[0] - first[0])


def next_update(session: Session) -> tuple[float, int]:
    """Waits for the end of an update; returns the time and the env steps."""
    size = session.diagnostics.stat().st_size if session.diagnostics.exists() else 0
    while not session.diagnostics.exists() or session.diagnostics.stat().st_size == size:
        time.sleep(0.005)
    now = time.monotonic()
    with session.diagnostics.open("rb") as file:
        file.seek(size)
        line: dict[str, Any] = json.loads(file.readline())
    return now, int(line["num_timesteps"])


def look(port: int, path: str, stop: Event, counts: list[int], number: int) -> None:
    """Reads the wall's stream; the first viewer counts pictures, the others only take bytes."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        stream = line.makefile("rb")
        while stream.readline().strip():
            pass  # headers
        while not stop.is_set():
            (length,) = LENGTH.unpack(stream.read(LENGTH.size))
            content = stream.read(length)
            if number == 0:
                head = zlib.decompressobj().decompress(content, JSON_BYTES)
                (size,) = LENGTH.unpack_from(head)
                counts[0] += len(json.loads(head[4 : 4 + size]).get("games", ()))


def spread(values: tuple[float, ...], digits: int) -> str:
    """Returns the median with the quartiles in brackets."""
    low, _, high = quantiles(values, n=4) if len(values) > 1 else (values[0],) * 3
    return f"{median(values):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


if __name__ == "__main__":
    run_command(main)
