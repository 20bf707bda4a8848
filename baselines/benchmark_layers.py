"""Microseconds a step of each of our layers, from the plain C loop to one env."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time, process_time_ns

import numpy as np
from numpy.typing import NDArray

from baselines.benchmark_scenes import Work, with_full_party
from emerald_env.emulator import GBA, GreyPlace
from emerald_env.env import EmeraldEnv
from emerald_env.games import identify, open_game

HERE = Path(__file__).parent
PIECES = 300  # steps over which a piece of Python is timed
IN_TURN = 8  # games that one process runs in turn


class PlainLoop:
    """The plain C loop, compiled once into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._program = folder, folder / "plain_loop"
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, "-O3", "-std=gnu11", "-o", self._program, HERE / "plain_loop.c", "-lmgba"],
            check=True,
        )

    def __call__(self, work: Work, sound: bool = False) -> float:
        """Returns the microseconds of processor time that a step of the work takes.

        Args:
            work: what is done.
            sound: whether mGBA mixes the sound.
        """
        state, keys = self._folder / "state", self._folder / "keys"
        state.write_bytes(work.state)
        keys.write_bytes(np.array(work.keys, np.uint16).tobytes())
        idle_loop = identify(work.rom).idle_loop or 0
        settings = (idle_loop, work.config.frame_skip, work.config.hold_frames, int(sound))
        command = [self._program, work.rom, state, keys, *settings]
        done = subprocess.run([*map(str, command)], check=True, capture_output=True, text=True)
        return float(done.stdout) / len(work.keys) * 1e6


class Layers:
    """Our layers, made once and run again and again; each returns microseconds a step."""

    def __init__(self, work: Work) -> None:
        self.gba = open_game(work.rom)
        self.envs = [EmeraldEnv(work.config) for _ in range(IN_TURN)]
        for env in self.envs:
            env.reset()

    def gba_step(self, work: Work) -> float:
        """`GBA.step`, drawing the last frame."""
        self.gba.load_state(work.state)
        hold, frames, keys_of_steps = work.config.hold_frames, work.config.frame_skip, work.keys
        begin = process_time()
        for keys in keys_of_steps:
            self.gba.step(keys, hold, frames)
        return (process_time() - begin) / len(keys_of_steps) * 1e6

    def idle_step(self, work: Work) -> float:
        """`GBA.step` of a ROM that only waits, from its power-on."""
        with GBA(work.rom) as gba:
            begin = process_time()
            for keys in work.keys:
                gba.step(keys, work.config.hold_frames, work.config.frame_skip)
            return (process_time() - begin) / len(work.actions) * 1e6

    def env_step(self, work: Work, count: int = 1) -> float:
        """`EmeraldEnv.step`, of one env or of several in turn."""
        envs, actions = self.envs[:count], work.actions.tolist()
        for env in envs:
            env.gba.load_state(work.state)
            env.reader.reset()
        begin = process_time()
        for action in actions:
            for env in envs:
                env.step(action)
        return (process_time() - begin) / len(actions) / count * 1e6

    def in_turn(self, work: Work) -> float:
        """`EmeraldEnv.step` of several envs in turn in one process, as a worker runs them."""
        return self.env_step(work.shortened(max(1, len(work.actions) // IN_TURN)), IN_TURN)

    def close(self) -> None:
        """Switches all games off."""
        self.gba.close()
        for env in self.envs:
            env.close()


def time_pieces(work: Work, full_party: bool = False) -> dict[str, float]:
    """Returns the microseconds of processor time of each piece of an env step, medians."""
    env = EmeraldEnv(work.config)
    env.reset()
    env.gba.load_state(work.state)
    env.reader.reset()
    if full_party:
        with_full_party(env.gba)
    place = GreyPlace.new(work.config.shrink)
    hold, frames = work.config.hold_frames, work.config.frame_skip
    rows, clock = [], process_time_ns
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
        rows.append(np.diff(marks) / 1000)
    env.close()
    medians = np.median(rows, axis=0)
    names = ("emulator", "state", "reward", "picture")
    return dict(zip(names, medians.tolist(), strict=True))


def run_rounds(
    contestants: dict[str, Callable[[], float]], rounds: int, what: str
) -> dict[str, NDArray[np.float64]]:
    """Returns what each contestant measured, (rounds,), in turns after one warm-up."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        print(f"\r{what}: round {number} of {rounds} ", end="", file=sys.stderr, flush=True)
        for name, run in contestants.items():
            value = run()
            if number:
                found[name].append(value)
    print(file=sys.stderr)
    return {name: np.array(values) for name, values in found.items()}
