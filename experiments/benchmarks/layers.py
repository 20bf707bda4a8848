"""Microseconds per step of each of our layers, from the plain C loop to one env."""

import ctypes
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import process_time, process_time_ns
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator import GBA, GreyPlace
from emerald_env.emulator.library import lib
from emerald_env.emulator.static.translate.compiler import loaded
from emerald_env.emulator.static.translate.translation import translated_play
from emerald_env.game.editions import identify, open_game
from experiments.benchmarks.scenes import Work, is_known, open_env

HERE = Path(__file__).parent
PIECES = 300  # steps over which a piece of Python is timed
IN_TURN = 8  # games that one process runs in turn
PLAYED = 10  # steps for a translation
BLOCK = 25  # steps before the next contestant's turn


class Contestant(Protocol):
    """Does the benchmark's work, a few steps at a time."""

    def begin(self, work: Work) -> None:
        """Returns to the beginning of the work."""

    def run(self, work: Work) -> float:
        """Runs the next steps; returns the microseconds of processor time per step."""


def plain_library(folder: Path) -> ctypes.CDLL:
    """Returns the plain C loop, compiled into a folder."""
    library = folder / "plain_loop.so"
    command = [os.environ.get("CC", "cc"), "-O3", "-std=gnu11", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", library, HERE / "plain_loop.c", "-lmgba"], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.plain_open.restype, loaded.plain_run.restype = ctypes.c_void_p, ctypes.c_double
    loaded.plain_open.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_bool]
    loaded.game_load_state.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    loaded.game_close.argtypes = [ctypes.c_void_p]
    loaded.plain_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int] * 3]
    return loaded


class PlainLoop:
    """The plain C loop.

    Args:
        work: gives the ROM; the work of every block has the same.
        library: see `plain_library`.
        sound: whether mGBA mixes the sound.
    """

    def __init__(self, work: Work, library: ctypes.CDLL, sound: bool = False) -> None:
        self._library = library
        idle_loop = identify(work.rom).idle_loop or 0 if is_known(work.rom) else 0
        self._game = library.plain_open(os.fsencode(work.rom), idle_loop, sound)
        if not self._game:
            raise OSError(f"the plain C loop cannot open {work.rom}")

    def begin(self, work: Work) -> None:
        """Loads the state."""
        self._library.game_load_state(self._game, work.state)

    def run(self, work: Work) -> float:
        """Runs the steps."""
        keys = np.array(work.keys, np.uint16)
        settings = (len(keys), work.config.frame_skip, work.config.hold_frames)
        seconds: float = self._library.plain_run(self._game, keys.ctypes.data, *settings)
        return seconds / len(keys) * 1e6

    def close(self) -> None:
        """Switches the game off."""
        self._library.game_close(self._game)


class GBAStep:
    """`GBA.step`, drawing the last frame."""

    def __init__(self, work: Work) -> None:
        self._gba: GBA = open_game(work.rom) if is_known(work.rom) else GBA(work.rom)

    def begin(self, work: Work) -> None:
        """Loads the state."""
        self._gba.set_state(work.state)

    def run(self, work: Work) -> float:
        """Runs the steps."""
        return time_steps(self._gba, work)


class IdleStep:
    """`GBA.step` of a ROM that only waits."""

    def __init__(self, rom: bytes) -> None:
        self._gba = GBA(rom)

    def begin(self, work: Work) -> None:
        """Switches it off and on."""
        self._gba.reset()

    def run(self, work: Work) -> float:
        """Runs as many steps."""
        return time_steps(self._gba, work)


def time_steps(gba: GBA, work: Work) -> float:
    """Returns the microseconds of processor time of a `GBA.step` of the work."""
    hold, frames, keys_of_steps = work.config.hold_frames, work.config.frame_skip, work.keys
    begin = process_time()
    for keys in keys_of_steps:
        gba.step(keys, hold, frames)
    return (process_time() - begin) / len(keys_of_steps) * 1e6


def play(gba: GBA, work: Work) -> None:
    """Plays the work."""
    time_steps(gba, work)


class EnvSteps:
    """`EmeraldEnv.step` of one env, or of several in turn as a worker runs them."""

    def __init__(self, work: Work, count: int = 1) -> None:
        self._envs = [open_env(work.config) for _ in range(count)]
        for env in self._envs:
            env.reset()

    def begin(self, work: Work) -> None:
        """Loads the state into every env."""
        for env in self._envs:
            env.gba.set_state(work.state)
            env.reader.reset()

    def run(self, work: Work) -> float:
        """Runs the steps, divided by the number of envs."""
        envs = self._envs
        actions = work.actions[: max(1, len(work.actions) // len(envs))].tolist()
        begin = process_time()
        for action in actions:
            for env in envs:
                env.step(action)
        return (process_time() - begin) / len(actions) / len(envs) * 1e6


class TranslatedSteps(EnvSteps):
    """`EmeraldEnv.step` with the ROM's code translated, as after `emerald translate`.

    Args:
        work: what is played for the translation, and then measured.
        folder: for the library.
    """

    def __init__(self, work: Work, folder: Path) -> None:
        super().__init__(work)
        gba = self._envs[0].gba
        self.begin(work)
        library = folder / f"{work.rom.stem}.so"
        played = translated_play(gba, partial(play, gba, work.part(0, PLAYED)))
        library.write_bytes(played.compile()[0])
        lib.game_translate(gba._running, loaded(library))


class PlainInTurn:
    """The plain C loop of several games in turn, a step each: the effect of caches alone."""

    def __init__(self, work: Work, library: ctypes.CDLL, count: int = IN_TURN) -> None:
        self._games = [PlainLoop(work, library) for _ in range(count)]

    def begin(self, work: Work) -> None:
        """Loads the state into every game."""
        for game in self._games:
            game.begin(work)

    def run(self, work: Work) -> float:
        """Runs the steps, divided by the number of games."""
        steps = max(1, len(work.actions) // len(self._games))
        parts = [work.part(step, step + 1) for step in range(steps)]
        times = [game.run(part) for part in parts for game in self._games]
        return float(np.mean(times))


def time_pieces(work: Work) -> dict[str, float]:
    """Returns the microseconds of processor time of each piece of an env step, lower quartiles."""
    env = open_env(work.config)
    env.reset()
    env.gba.set_state(work.state)
    env.reader.reset()
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
    quartiles = np.percentile(rows, 25, axis=0)
    names = ("emulator", "state", "reward", "picture")
    return dict(zip(names, quartiles.tolist(), strict=True))


def run_rounds(
    contestants: dict[str, Contestant], work: Work, rounds: int, what: str
) -> dict[str, NDArray[np.float64]]:
    """Returns each contestant's time per step in each block, (rounds x blocks,), in microseconds.

    A round is the whole work; in it the contestants take turns block by block. An additional first
    round does not count.
    """
    found: dict[str, list[float]] = {name: [] for name in contestants}
    blocks = [work.part(at, at + BLOCK) for at in range(0, len(work.actions), BLOCK)]
    for number in range(rounds + 1):
        print(f"\r{what}: round {number} of {rounds} ", end="", file=sys.stderr, flush=True)
        for contestant in contestants.values():
            contestant.begin(work)
        for block in blocks:
            for name, contestant in contestants.items():
                value = contestant.run(block)
                if number:
                    found[name].append(value)
    print(file=sys.stderr)
    return {name: np.array(values) for name, values in found.items()}
