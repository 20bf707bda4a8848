"""Compares every core with the system's library, over the benchmark's scenes.

`python -m experiments.lockstep.library [--frames 100000] [--scene mix]` plays each scene for half
of these frames from the start with the keys of the walk through Jade, and for half from its state
with random keys. The plain core, the interpreter and translated code must leave the
states and pictures of the plain C loop, and go on from each other's states.
"""

import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray

from baselines.commands.command import reports_user_errors
from emerald_env.emulator import GBA, is_compiled_in
from emerald_env.emulator.library import lib
from emerald_env.emulator.static.translate.compiler import loaded
from emerald_env.emulator.static.translate.translation import translated_play
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.walk import Walker, walk_through
from experiments.benchmarks.layers import PLAYED, plain_library, play
from experiments.benchmarks.scenes import Work, busy_scenes, scenes
from experiments.lockstep.lockstep import Difference
from experiments.lockstep.system_game import SystemGame, compared

LONGEST = 24  # frames between two comparisons
LOADS = 0.02  # chance that all go on from another's state
WALK, RANDOM = "the walk", "random keys"


@dataclass(frozen=True)
class LibraryConfig:
    """Compare every core with the system's library."""

    frames: int = 100_000
    """Frames of each scene."""
    scene: str | None = None
    """Only this one."""
    seed: int = 0
    """Of the keys, and of where states are compared and loaded."""


def walk_keys(frames: int) -> NDArray[np.int64]:
    """Returns the keys of each frame of the walk through Jade, again and again if it is shorter."""
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        walker = Walker(gba)
        for _ in walk_through(walker):
            if len(walker.keys) >= frames:
                break
        return np.resize(np.array(walker.keys, np.int64), frames)


def cores(work: Work, folder: Path) -> dict[str, GBA]:
    """Returns the same game with every core."""
    games = {"plain": GBA(work.rom, idle_loop=JADE_IDLE_LOOP, core="plain")}
    if is_compiled_in():
        for name in ("cached", "translated"):
            games[name] = GBA(work.rom, idle_loop=JADE_IDLE_LOOP, core="cached")
        games["translated"].set_state(work.state)
        played = partial(play, games["translated"], work.part(0, PLAYED))
        library = folder / f"{work.rom.stem}.so"
        library.write_bytes(translated_play(games["translated"], played).compile()[0])
        lib.game_translate(games["translated"]._running, loaded(library))
    return games


def compare(
    games: dict[str, GBA], system: SystemGame, keys: NDArray[np.int64], rng: np.random.Generator
) -> int:
    """Plays the keys of each frame with all; returns how often they were compared.

    Raises:
        Difference: a core left another state or picture; the message names it and the frame.
    """
    everyone: list[SystemGame | GBA] = [system, *games.values()]
    frame, count = 0, 0
    while frame < len(keys):
        length = min(int(rng.integers(1, LONGEST + 1)), len(keys) - frame)
        hold, render = int(rng.integers(length + 1)), bool(rng.random() < 0.5)
        for game in everyone:
            game.step(int(keys[frame]), hold, length, render)
        frame, count = frame + length, count + 1
        expected, picture = system.get_state(), system.screen()
        for name, gba in games.items():
            if compared(gba.get_state()) != compared(expected):
                raise Difference(f"{name}: another state after frame {frame}")
            if not np.array_equal(gba.screen.rgb, picture):
                raise Difference(f"{name}: another picture after frame {frame}")
        if rng.random() < LOADS:
            state = games["plain"].get_state()
            for game in everyone:
                game.set_state(state)
    return count


def compare_scene(
    scene: str, work: Work, walked: NDArray[np.int64], rng: np.random.Generator, folder: Path
) -> None:
    """Plays the walk and random keys, and says how much was compared.

    Raises:
        Difference: see `compare`.
    """
    games, system = cores(work, folder), SystemGame(work.rom, plain_library(folder))
    games["plain"].reset()
    everyone: list[SystemGame | GBA] = [system, *games.values()]
    random = np.resize(np.repeat(work.keys, LONGEST), len(walked))
    begin = games["plain"].get_state()
    for what, state, keys in ((WALK, begin, walked), (RANDOM, work.state, random)):
        for game in everyone:
            game.set_state(state)
        count = compare(games, system, keys, rng)
        names = ", ".join(games)
        print(
            f"{scene}, {what}: {len(keys):,} frames, {count:,} comparisons of {names}", flush=True
        )
    for game in everyone:
        game.stop()


@reports_user_errors()
def main(arguments: list[str] | None = None) -> int:
    """Compares as the command line says; returns the exit status."""
    config = tyro.cli(LibraryConfig, args=arguments)
    half, differ = config.frames // 2, 0
    steps, walked = half // LONGEST + 1, walk_keys(half)
    with tempfile.TemporaryDirectory() as name:
        works = scenes(None, steps, config.seed) | busy_scenes(Path(name), steps, config.seed)
        for scene, work in works.items():
            if config.scene not in (None, scene):
                continue
            folder = Path(name) / scene  # a library that is loaded must not be written again
            folder.mkdir()
            try:
                compare_scene(scene, work, walked, np.random.default_rng(config.seed), folder)
            except Difference as error:
                differ += 1
                print(f"{scene}: {error}", flush=True)
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
