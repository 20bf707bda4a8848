"""What it costs a training to be watched, and how many pictures arrive.

`python -m experiments.benchmarks.watching [--n-envs N] [--viewers N]` trains on Jade without
exploring, so that the games play all the time: a training that viewers watch in every other update,
and the same one, step for step, that they watch in the others, several times. The same updates are
compared. While nobody watches, the server does not find the training. The viewers read with the
lowest priority: what browsers take to draw is not measured.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import median
from threading import Event, Thread

import numpy as np
import psutil
import tyro

from baselines.commands.command import run_command
from baselines.commands.learn.watch import give_way
from baselines.games.game import make_env
from baselines.playing.intervals import median_of
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.viewer.feed import LENGTHS
from emerald_env.watching.host import ASK_SECONDS, FRAME_SECONDS
from emerald_env.watching.live_file import LiveFile
from emerald_env.wrappers import publisher
from experiments.benchmarks.report import machine

WARM_UP = 4  # updates: the first compile and allocate
RESTS = ASK_SECONDS + 0.05  # age of a heartbeat of games that do not play
STEPS = 25  # of a turn of one game
TAKE_SECONDS = 0.05  # between two looks at what has come


@dataclass(frozen=True)
class WatchingBenchmark:
    """Measure what watching costs, and the pictures a second."""

    n_envs: int = 16
    """Games of the training."""
    viewers: int = 1
    """Pages open at the same time."""
    pairs: int = 8
    """Pairs of trainings."""
    updates: int = 20
    """Updates of each training, an even number; the first four do not count."""
    n_steps: int = 512
    """Steps of a rollout. Viewers come in up to a second late, which counts in short rollouts."""
    rounds: int = 60
    """Turns of 25 steps in which a single game is timed."""

    @property
    def pictures(self) -> str:
        """The pictures' size that the page asks for."""
        return "half" if self.n_envs > 24 else "full"


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
                vars(publisher)["FRAME_SECONDS"] = 0.0 if which == 2 else FRAME_SECONDS
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
    """Runs a module in another process, and ends it."""
    code = f"from {module} import main; main()"
    command = [sys.executable, "-u", "-c", code, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def compare(config: WatchingBenchmark) -> None:
    """Runs the pairs of trainings, and prints the ratios."""
    pairs, ratios = [], []
    for _ in range(config.pairs):
        both = trained(config, False), trained(config, True)
        watched = [pair[i % 2] for i, pair in enumerate(zip(*both, strict=True))]
        alone = [pair[1 - i % 2] for i, pair in enumerate(zip(*both, strict=True))]
        assert all(update.watched for update in watched)
        ratios += successive([on.speed / off.speed for on, off in zip(watched, alone, strict=True)])
        pairs.append(results(config, watched, alone))
        print(
            f"{median(ratios):.3f}", *(f"{value:.3f}" for value in pairs[-1].values()), flush=True
        )
    print(f"{config.n_envs} games, {config.viewers} viewers, {config.pairs} pairs of trainings")
    print(f"steps a second of an update with viewers / without: {spread(ratios, 3)}")
    for name, digits in RESULTS.items():
        print(f"{name}: {spread([pair[name] for pair in pairs], digits)}")


def successive(ratios: list[float]) -> list[float]:
    """Returns the geometric means of two at a time.

    One of both trainings may be faster all the time: that makes one of the two ratios larger and
    the other smaller.
    """
    return [sqrt(one * other) for one, other in zip(ratios[::2], ratios[1::2], strict=True)]


RESULTS = {
    "processor time of a training's step with viewers / without": 3,
    "the server's processor time / the training's": 4,
    "pictures a second of each game while games play": 1,
    "the same over all time, learning included": 1,
}


@dataclass(frozen=True)
class Update:
    """An update of a training."""

    watched: bool
    speed: float  # env steps a second
    playing: float  # seconds of its rollout
    seconds: float
    cpu: float  # seconds of processor time, all processes
    server_cpu: float
    pictures: float  # that one viewer has seen


def results(
    config: WatchingBenchmark, watched: list[Update], alone: list[Update]
) -> dict[str, float]:
    """Returns `RESULTS` of a pair."""

    def total(name: str, updates: list[Update] = watched) -> float:
        return sum(float(getattr(update, name)) for update in updates)

    values = (
        total("cpu") / total("cpu", alone),
        total("server_cpu") / total("cpu"),
        total("pictures") / total("playing") / config.n_envs,
        total("pictures") / total("seconds") / config.n_envs,
    )
    return dict(zip(RESULTS, values, strict=True))


def trained(config: WatchingBenchmark, second: bool) -> list[Update]:
    """Trains; viewers look in every other update, from the first or the second that counts on."""
    settings = f"--n-envs {config.n_envs} --total-timesteps 100000000 --n-steps {config.n_steps}"
    settings += " --explore 0 --practice 0 --advice 0"
    with tempfile.TemporaryDirectory() as folder:
        flags = "--sessions", folder, *settings.split()
        with program("baselines.commands.emerald", "train", *flags) as trainer:
            session = wait_for(Path(folder), trainer)
            with viewers(config, session) as seen:
                wait_for_updates(session, WARM_UP - 1)
                return measure(config, session, (trainer.pid, seen), second)


def measure(
    config: WatchingBenchmark, session: Session, who: tuple[int, "Seen"], second: bool
) -> list[Update]:
    """Lets the viewers look in every other update, and returns what the updates took."""
    trainer, seen = who
    file, counts = LiveFile(session.live), []
    hidden = session.live.with_name("hidden")  # from the server, which then waits for a training
    for number in range(WARM_UP, config.updates + 1):
        wait_for_learning(file)
        if number % 2 == second:
            if hidden.exists():
                hidden.rename(session.live)
            file.look(closely=config.pictures == "full")
        elif session.live.exists():
            session.live.rename(hidden)
            file.look_away()
        found = wait_for_updates(session, number)
        used = cpu_seconds(trainer), cpu_seconds(seen.server), seen.pictures
        counts.append(np.array([time.monotonic(), *used]))
    updates = []
    for index, taken in enumerate(np.diff(counts, axis=0)):
        metrics = found[WARM_UP + index]
        speed, playing = metrics["time/steps_per_second"], metrics["time/rollout_seconds"]
        updates.append(Update(index % 2 == second, speed, playing, *taken.tolist()))
    return updates


def wait_for_learning(file: LiveFile) -> None:
    """Returns as soon as the games of a rollout, which may be about to begin, no longer play."""
    while file.heartbeat[0] > RESTS:
        time.sleep(0.02)
    while file.heartbeat[0] < RESTS:
        time.sleep(0.02)


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
    """Returns the metrics of all updates as soon as there are `count`."""
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
    with program("baselines.commands.emerald", "watch", *flags) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().split()[-1].rstrip("/").rsplit(":", 1)[1])
        stop, seen = Event(), Seen(server.pid)
        path = f"/s/{session.folder.name}/live?pictures={config.pictures}"
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
        if seen is None:
            buffer = bytearray(1 << 20)
            while not stop.is_set() and line.recv_into(buffer):
                time.sleep(TAKE_SECONDS)
            return
        stream = line.makefile("rb", buffering=1 << 20)
        while stream.readline().strip():
            pass  # headers
        while not stop.is_set() and (head := stream.read(LENGTHS.size)):
            facts, _ = (stream.read(length) for length in LENGTHS.unpack(head))
            seen.pictures += len(json.loads(zlib.decompress(facts)).get("games", ()))


def spread(values: list[float], digits: int) -> str:
    """Returns the median with its interval of 95 % in brackets."""
    found = median_of(values)
    return f"{found.value:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


if __name__ == "__main__":
    run_command(main)
