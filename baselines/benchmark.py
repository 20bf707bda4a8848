"""Measures our layers against a plain C loop around the emulator, side by side in one run.

Each round runs every contestant on the same keys from the same state, so that all do the same
emulation; the machine's noise is shared, and only ratios are reported.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from emerald_env.actions import action_set
from emerald_env.config import EnvConfig
from emerald_env.emulator import GreyPlace
from emerald_env.env import EmeraldEnv
from emerald_env.games import JADE_ROM, identify, open_game
from emerald_env.vec_env import make_vec_env

HERE = Path(__file__).parent


@dataclass(frozen=True)
class BenchmarkConfig:
    """Measure the emulator binding, the env and the parallel games against a plain C loop."""

    rom: Path | None = None
    """Emerald's ROM; left out: the built-in game."""
    steps: int = 600
    """Env steps of each contestant in a round."""
    rounds: int = 7
    """Rounds, in each of which every contestant runs once."""
    n_envs: int = 16
    """Games of the parallel contestant."""
    seed: int = 0
    """Seed of the keys."""
    json: bool = False
    """Print one JSON object instead of tables."""


@dataclass(frozen=True)
class Work:
    """What every contestant does: these actions from this state."""

    config: EnvConfig
    rom: Path
    state: bytes
    actions: NDArray[np.int64]  # (steps,)

    @property
    def keys(self) -> list[int]:
        """The key mask of each step."""
        table = action_set(self.config.action_set)
        return [table[action].keys for action in self.actions]


def prepare(config: BenchmarkConfig) -> Work:
    """Returns the work: random keys in the overworld, from the start of a game."""
    env_config = EnvConfig(rom=config.rom, start_wait=0, episode_length=1 << 40)
    env = EmeraldEnv(env_config)
    env.reset(seed=config.seed)
    n_actions = len(action_set(env_config.action_set))
    actions = np.random.default_rng(config.seed).integers(n_actions, size=config.steps)
    return Work(env_config, config.rom or JADE_ROM, env.gba.save_state(), actions)


class PlainLoop:
    """The plain C loop, compiled once into a temporary folder."""

    def __init__(self, work: Work, folder: Path) -> None:
        program, state, keys = folder / "plain_loop", folder / "state", folder / "keys"
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, "-O3", "-std=gnu11", "-o", program, HERE / "plain_loop.c", "-lmgba"],
            check=True,
        )
        state.write_bytes(work.state)
        keys.write_bytes(np.array(work.keys, np.uint16).tobytes())
        idle_loop = identify(work.rom).idle_loop or 0
        settings = (idle_loop, work.config.frame_skip, work.config.hold_frames)
        self._command = [str(p) for p in (program, work.rom, state, keys, *settings)]

    def __call__(self, sound: bool = False) -> float:
        """Returns the seconds of one run."""
        command = [*self._command, str(int(sound))]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def time_step(work: Work) -> float:
    """Returns the seconds that `GBA.step` takes for the work."""
    with open_game(work.rom) as gba:
        gba.load_state(work.state)
        hold, frames = work.config.hold_frames, work.config.frame_skip
        begin = time.perf_counter()
        for keys in work.keys:
            gba.step(keys, hold, frames)
        return time.perf_counter() - begin


def time_env(work: Work) -> float:
    """Returns the seconds that `EmeraldEnv.step` takes for the work."""
    env = EmeraldEnv(work.config)
    env.reset()
    env.gba.load_state(work.state)
    begin = time.perf_counter()
    for action in work.actions:
        env.step(action)
    seconds = time.perf_counter() - begin
    env.close()
    return seconds


class Parallel:
    """Games on worker processes; every game presses the same keys as the others."""

    def __init__(self, work: Work, n_envs: int, n_workers: int) -> None:
        self.n_envs = n_envs
        self._actions = work.actions
        self._games = make_vec_env(work.config, n_envs, n_workers)

    def __call__(self) -> float:
        """Returns the seconds of one run, per game."""
        self._games.reset()
        begin = time.perf_counter()
        for action in self._actions:
            self._games.step(np.full(self.n_envs, action))
        return (time.perf_counter() - begin) / self.n_envs

    def close(self) -> None:
        """Ends the workers."""
        self._games.close()


@dataclass(frozen=True)
class Row:
    """One line of the report: how many times as fast as its reference something is."""

    name: str
    target: float | None
    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle ratio of all rounds."""
        return statistics.median(self.ratios)


def run_rounds(
    contestants: dict[str, Callable[[], float]], rounds: int
) -> dict[str, NDArray[np.float64]]:
    """Returns the seconds of each contestant, (rounds,), measured in turns after one warm-up."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, run in contestants.items():
            took = run()
            if number:
                seconds[name].append(took)
    return {name: np.array(values) for name, values in seconds.items()}


PIECES = 400  # calls over which a piece of Python is timed


def time_pieces(work: Work) -> dict[str, float]:
    """Returns the microseconds of processor time that each piece of an env step takes."""
    env = EmeraldEnv(work.config)
    env.reset()
    env.gba.load_state(work.state)
    sums = dict.fromkeys(("emulator", "state", "reward", "observation"), 0.0)
    clock = time.process_time_ns
    hold, frames = work.config.hold_frames, work.config.frame_skip
    place = GreyPlace.new(work.config.shrink)
    for keys in work.keys[:PIECES]:
        marks = [clock()]
        env.gba.step(keys, hold, frames)
        marks.append(clock())
        before, env.state = env.state, env.reader.sample()
        marks.append(clock())
        env.reward(before, env.state)
        marks.append(clock())
        env.gba.grey(place)
        marks.append(clock())
        for name, begin, end in zip(sums, marks, marks[1:], strict=False):
            sums[name] += (end - begin) / 1000 / PIECES
    env.close()
    return sums


def measure(work: Work, config: BenchmarkConfig) -> tuple[list[Row], dict[str, float]]:
    """Returns the rows of the report, and frames per second of each contestant."""
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        plain = PlainLoop(work, Path(folder))
        parallel = Parallel(work, config.n_envs, cores)
        try:
            seconds = run_rounds(
                {
                    "plain C loop": plain,
                    "plain C loop with sound": lambda: plain(sound=True),
                    "GBA.step": lambda: time_step(work),
                    "EmeraldEnv.step": lambda: time_env(work),
                    "parallel games": parallel,
                },
                config.rounds,
            )
        finally:
            parallel.close()
    frames = config.steps * work.config.frame_skip
    speeds = {name: frames / statistics.median(values) for name, values in seconds.items()}
    return compare(seconds, cores), speeds


def compare(seconds: dict[str, NDArray[np.float64]], cores: int) -> list[Row]:
    """Returns the ratios of design interest, round by round."""
    plain, env = seconds["plain C loop"], seconds["EmeraldEnv.step"]
    parallel = seconds["parallel games"]
    table: list[tuple[str, float | None, NDArray[np.float64]]] = [
        ("GBA.step / plain C loop", 0.97, plain / seconds["GBA.step"]),
        ("EmeraldEnv.step / plain C loop", 0.90, plain / env),
        (f"games on {cores} workers / {cores} x one env", 0.95, env / cores / parallel),
        (f"games on {cores} workers / {cores} x plain C loop", None, plain / cores / parallel),
        ("plain C loop without / with sound", None, seconds["plain C loop with sound"] / plain),
    ]
    return [Row(name, target, tuple(ratios)) for name, target, ratios in table]


def as_json(rows: list[Row], speeds: dict[str, float], pieces: dict[str, float]) -> dict[str, Any]:
    """Returns the report as plain values."""
    ratios = {
        row.name: {"median": row.median, "target": row.target, "rounds": row.ratios} for row in rows
    }
    return {
        "ratios": ratios,
        "frames_per_second": speeds,
        "microseconds_per_step": pieces,
        "cores": os.cpu_count(),
    }


def show(rows: list[Row], speeds: dict[str, float], pieces: dict[str, float]) -> None:
    """Prints the report for people."""
    table = Table(title="side by side, medians over the rounds")
    for column in ("what", "ratio", "lowest", "highest", "target"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for row in rows:
        target = f">= {row.target:.2f}" if row.target else ""
        low, high = min(row.ratios), max(row.ratios)
        table.add_row(row.name, f"{row.median:.3f}", f"{low:.3f}", f"{high:.3f}", target)
    console = Console()
    console.print(table)
    for name, speed in speeds.items():
        console.print(f"{name}: {speed:,.0f} frames/s", highlight=False)
    shares = ", ".join(f"{name} {microseconds:.0f}" for name, microseconds in pieces.items())
    console.print(f"one env step in microseconds: {shares}", highlight=False)


def main() -> None:
    """Measures and reports."""
    config = tyro.cli(BenchmarkConfig)
    work = prepare(config)
    report = (*measure(work, config), time_pieces(work))
    if config.json:
        print(json.dumps(as_json(*report)))
    else:
        show(*report)


if __name__ == "__main__":
    main()
