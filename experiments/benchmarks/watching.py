"""What it costs a training that somebody watches it, and how many pictures come through.

`python -m experiments.benchmarks.watching [--n-envs N] [--viewers N]` trains on Jade without
exploring, so that the games play all the time: a training that nobody watches and the same one,
step for step, with viewers, several times. The same updates are compared. The viewers read with
the lowest priority: what browsers take to draw is not measured.
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
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import Event, Thread

import psutil
import tyro

from baselines.envs import GameConfig, make_env
from baselines.playing.intervals import median_of
from baselines.runs.session import Session
from emerald_env.cli.command import run_command
from emerald_env.watching.live_file import LiveFile
from emerald_env.wrappers import publisher
from experiments.benchmarks.report import machine
from viewer.run import give_way

WARM_UP = 4  # updates: the first compile and allocate
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
    pairs: int = 8
    """Trainings without and with viewers."""
    updates: int = 20
    """Updates of each training; the first few, in which it warms up, do not count."""
    n_steps: int = 128
    """Steps of a rollout."""
    rounds: int = 60
    """Turns of 25 steps in which a single game is timed."""


def main() -> int:
    """Prints the results."""
    config = tyro.cli(WatchingBenchmark)
    print(machine())
    alone, unwatched, watched = single_game(config.rounds)
    print(f"a step of one game: {alone:.1f} us; nobody looks: {unwatched - alone:+.1f} us")
    print(f"a picture that is shown: {watched - unwatched:.1f} us of processor time")
    compare(config)
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
                vars(publisher)["FRAME_SECONDS"] = 0.0 if which == 2 else 1 / 15
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


def compare(config: WatchingBenchmark) -> None:
    """Trains with and without viewers in alternating order, and prints the ratios."""
    pairs, ratios = [], []
    for number in range(config.pairs):
        both = {watched: trained(config, watched) for watched in (number % 2 == 1, number % 2 == 0)}
        speeds = zip(both[True].speeds, both[False].speeds, strict=True)
        ratios += [watched / alone for watched, alone in speeds]
        pairs.append(results(config, both[True], both[False]))
        print(*(f"{value:.3f}" for value in pairs[-1].values()), flush=True)
    print(f"{config.n_envs} games, {config.viewers} viewers, {config.pairs} pairs of trainings")
    print(f"steps a second of an update with viewers / without: {spread(ratios, 3)}")
    for name, digits in RESULTS.items():
        print(f"{name}: {spread([pair[name] for pair in pairs], digits)}")


RESULTS = {
    "processor time of a training's step with viewers / without": 3,
    "the server's processor time / the training's": 4,
    "pictures a second of each game while games play": 1,
    "the same over all time, learning included": 1,
}


@dataclass(frozen=True)
class Trained:
    """A training's updates that count."""

    speeds: list[float]  # env steps a second, of each update
    cpu: float  # seconds of processor time, all processes
    seconds: float
    playing: float  # seconds of its rollouts
    server_cpu: float = 0.0
    pictures: int = 0  # that one viewer has seen


def results(config: WatchingBenchmark, watched: Trained, alone: Trained) -> dict[str, float]:
    """Returns `RESULTS` of a pair."""
    values = (
        watched.cpu / alone.cpu,
        watched.server_cpu / watched.cpu,
        watched.pictures / watched.playing / config.n_envs,
        watched.pictures / watched.seconds / config.n_envs,
    )
    return dict(zip(RESULTS, values, strict=True))


def trained(config: WatchingBenchmark, watched: bool) -> Trained:
    """Trains, with viewers or without."""
    settings = f"--n-envs {config.n_envs} --total-timesteps 100000000 --n-steps {config.n_steps}"
    settings += " --explore 0 --practice 0 --advice 0"
    with tempfile.TemporaryDirectory() as folder:
        flags = "--sessions", folder, *settings.split()
        with program("baselines.cli.emerald", "train", *flags) as trainer:
            session = wait_for(Path(folder), trainer)
            with viewers(config, session) if watched else nullcontext() as seen:
                return measure(config, session, trainer.pid, seen)


def measure(
    config: WatchingBenchmark, session: Session, trainer: int, seen: "Seen | None"
) -> Trained:
    """Waits for the end of the last update that counts, and returns what they took."""
    wait_for_updates(session, WARM_UP)
    started, cpu = time.monotonic(), cpu_seconds(trainer)
    server = pictures = 0.0
    if seen is not None:
        server, pictures = cpu_seconds(seen.server), seen.pictures
    found = wait_for_updates(session, config.updates)[WARM_UP : config.updates]
    took, used = time.monotonic() - started, cpu_seconds(trainer) - cpu
    speeds = [update["time/steps_per_second"] for update in found]
    playing = sum(update["time/rollout_seconds"] for update in found)
    if seen is None:
        return Trained(speeds, used, took, playing)
    server, pictures = cpu_seconds(seen.server) - server, seen.pictures - pictures
    return Trained(speeds, used, took, playing, server, int(pictures))


def wait_for(folder: Path, trainer: "subprocess.Popen[str]") -> Session:
    """Returns the session as soon as its games are shown.

    Raises:
        ValueError: the training ended before.
    """
    while not (found := list(folder.glob("*/live"))):
        if trainer.poll() is not None:
            raise ValueError("the training ended at once")
        time.sleep(0.2)
    return Session(found[0].parent)


def wait_for_updates(session: Session, count: int) -> list[dict[str, float]]:
    """Returns the metrics of all updates as soon as there are so many."""
    while True:
        found = [line["metrics"] for line in session.read_diagnostics()]
        if len(found) >= count:
            return found
        size = session.diagnostics.stat().st_size if found else 0
        while not session.diagnostics.exists() or session.diagnostics.stat().st_size == size:
            time.sleep(0.02)


@contextmanager
def viewers(config: WatchingBenchmark, session: Session) -> "Iterator[Seen]":
    """Serves the page, and looks at it; yields what one viewer sees."""
    flags = ("--sessions", str(session.folder.parent), "--no-browser")
    with program("baselines.cli.emerald", "watch", *flags) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().split()[-1].rstrip("/").rsplit(":", 1)[1])
        stop, seen = Event(), Seen(server.pid)
        pictures = "half" if config.n_envs > 24 else "full"
        path = f"/s/{session.folder.name}/live?pictures={pictures}"
        threads = [
            Thread(target=look, args=(port, path, stop, seen if number == 0 else None))
            for number in range(config.viewers)
        ]
        for thread in threads:
            thread.start()
        try:
            yield seen
        finally:
            stop.set()
            for thread in threads:
                thread.join()


@dataclass
class Seen:
    """The pictures that a viewer has seen."""

    server: int  # its process
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


def look(port: int, path: str, stop: Event, seen: Seen | None) -> None:
    """Reads the wall's stream; a viewer without `seen` only takes bytes."""
    give_way()  # this thread is no part of what is measured
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
