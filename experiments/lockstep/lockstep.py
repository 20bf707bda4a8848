"""Compares the interpreter of ours with mGBA's own, instruction by instruction.

`python -m experiments.lockstep [--minutes 15]` plays cartridges of random instructions with both:
frames, keys, drawing, saved and loaded states. After each frame the whole state and the picture
must be equal. `--folder FOLDER` plays the ROMs in a folder instead, such as public test ROMs.
A difference is reported with the seed that repeats it, and the exit status is 1.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro

from baselines.commands.command import reports_user_errors
from emerald_env.emulator import GBA, is_compiled_in
from emerald_env.emulator.library import lib
from emerald_env.emulator.static.translate.compiler import loaded
from emerald_env.emulator.static.translate.translation import translated_play
from experiments.lockstep.random_programs import random_cartridge

FRAMES = 8  # of a cartridge; most that can go wrong has gone wrong by then
ROM_FRAMES = 1200  # of a ROM from a folder


class Difference(Exception):
    """The two interpreters left different states."""


@dataclass(frozen=True)
class LockstepConfig:
    """Compare the interpreter of ours with mGBA's own."""

    minutes: float = 15.0
    """How long new cartridges are begun."""
    seed: int = 0
    """Seed of the first cartridge; the next ones follow."""
    translated: bool = False
    """Translate each game's code after a first part of it, and compare from there on."""
    folder: Path | None = None
    """ROMs (*.gba) to play instead of random cartridges, each once."""


class Pair:
    """The same game twice, in turn: by our interpreter, and by mGBA's own.

    Args:
        rom: the cartridge.
        idle_loop: address of a wait loop, which is skipped.
    """

    def __init__(self, rom: bytes | Path, idle_loop: int | None = None) -> None:
        self.both = [
            GBA(rom, idle_loop=idle_loop, core="cached"),
            GBA(rom, idle_loop=idle_loop, core="plain"),
        ]
        lib.game_batch_lines(self.both[1]._running, False)

    def translate(self, play: Callable[[], None], flags: str = "-O0") -> int:
        """Translates what ours executes in a play of both; returns how many instructions."""
        ours = self.both[0]
        translation = translated_play(ours, play, least=1)
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "translation.so"
            library.write_bytes(translation.compile(flags)[0])
            if not lib.game_translate(ours._running, loaded(library)):
                raise ValueError("the translation is refused")
        return translation.instructions

    @property
    def instructions(self) -> int:
        """Those that mGBA's own interpreter has run."""
        return int(lib.game_instructions(self.both[1]._running))

    def step(self, keys: int, frames: int, render: bool) -> bytes:
        """Runs both, and returns the state.

        Raises:
            Difference: theirs and ours differ; the message names the first places.
        """
        for gba in self.both:
            gba.step(keys, 1, frames, render)
        ours, theirs = (gba.get_state() for gba in self.both)
        if ours != theirs:
            one, other = (np.frombuffer(state, np.uint8) for state in (ours, theirs))
            places = ", ".join(hex(place) for place in np.flatnonzero(one != other)[:8])
            raise Difference(f"the states differ at {places}")
        if not np.array_equal(self.both[0].screen.rgb, self.both[1].screen.rgb):
            raise Difference("the pictures differ")
        return ours

    def load(self, state: bytes) -> None:
        """Loads a state into both."""
        for gba in self.both:
            gba.set_state(state)

    def close(self) -> None:
        """Switches both off."""
        for gba in self.both:
            gba.stop()


def compare(rom: bytes | Path, seed: int, frames: int, translated: bool = False) -> int:
    """Plays a cartridge with both, a frame or a few at a time; returns the instructions run.

    Args:
        rom: the cartridge.
        seed: of the keys, and of where states are saved and loaded.
        frames: how many.
        translated: whether these are played twice, ours being translated after the first time.

    Raises:
        Difference: they differ; the message says after which frame.
    """
    pair, frame = Pair(rom), 0

    def play() -> None:
        nonlocal frame
        rng, saved, end = np.random.default_rng(seed), None, frame + frames
        while frame < end:
            length = int(rng.integers(1, 4))
            frame += length
            state = pair.step(int(rng.integers(1024)), length, bool(rng.random() < 0.5))
            if saved is not None and rng.random() < 0.1:
                pair.load(saved)
            saved = state

    try:
        begin = pair.both[1].get_state()
        if translated:
            pair.translate(play)
            pair.load(begin)
        play()
        return pair.instructions
    except Difference as error:
        raise Difference(f"frame {frame}: {error}") from None
    finally:
        pair.close()


def cartridges(config: LockstepConfig) -> Iterator[tuple[str, bytes | Path, int, int]]:
    """Yields name, cartridge, seed and number of frames, until the time is over."""
    if config.folder is not None:
        for number, path in enumerate(sorted(config.folder.rglob("*.gba"))):
            yield str(path), path, config.seed + number, ROM_FRAMES
        return
    end, seed = time.monotonic() + 60 * config.minutes, config.seed
    while time.monotonic() < end:
        yield f"--seed {seed}", random_cartridge(seed), seed, FRAMES
        seed += 1


@reports_user_errors()
def main(arguments: list[str] | None = None) -> int:
    """Compares as the command line says; returns the exit status."""
    config = tyro.cli(LockstepConfig, args=arguments)
    if not is_compiled_in():
        raise ValueError("mGBA is not compiled in, so there is nothing to compare: make fast")
    count, instructions, differ = 0, 0, 0
    for name, rom, seed, frames in cartridges(config):
        try:
            instructions += compare(rom, seed, frames, config.translated)
        except Difference as error:
            differ += 1
            print(f"{name}: {error}", flush=True)
        count += 1
    if not count:
        raise ValueError(
            f"there is nothing to compare: {config.minutes:g} minutes are too short"
            if config.folder is None
            else f"there is nothing to compare: no *.gba in {config.folder}"
        )
    print(f"{count:,} cartridges, {instructions:,} instructions, {differ} with a difference")
    return int(differ > 0)
