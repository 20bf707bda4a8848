"""Makes games of a ROM faster: translates what they execute to C, once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.emulator import GBA, RomError, key_mask
from emerald_env.emulator.static.translate.compiler import compiler_version
from emerald_env.emulator.static.translate.translation import translated_play
from emerald_env.emulator.static.translate.translation_cache import keep_translation
from emerald_env.env.setting_types import Positive, Seed, checked
from emerald_env.files.printable import say
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import open_game, rom_file
from emerald_env.jade.walk import Walker, walk_through
from emerald_env.starts.starts import NEW_GAME, Start, prepare_starts

HOLD, FRAMES = 12, 24  # of a step
STEPS = 50  # of one play from a start
BOOT_STEPS = 100  # of a play from power-on
# directions and A most
TAPPED = ("up", "down", "left", "right") * 3 + ("a",) * 6 + ("b", "b", "start", "select", "l", "r")


@checked
@dataclass(frozen=True)
class TranslateConfig(GameChoice):
    """Play a ROM for a while, and compile what it executes, so that it runs faster from then on.

    Nothing else changes: every bit of the game is the same. What is compiled stays in your cache
    folder and is used by every command. It is made of the ROM, so do not pass it on.
    """

    minutes: Positive = 2.0
    """How long it is played."""
    start: str = NEW_GAME
    """Where plays begin: "new-game", a state, a .sav, or a folder of them. The more of the game
    they show, the more of it is translated."""
    seed: Seed = 0
    """Seed of the keys."""


@reports_user_errors()
def main(arguments: list[str] | None = None) -> int:
    """Translates the game that the command line names; returns the exit status."""
    config = read_flags(TranslateConfig, arguments)
    compiler_version()  # before minutes of playing
    with open_console(config) as gba:
        rom = gba.memory.rom.copy()  # before the cartridge's clock appears in it
        say(f"playing for {config.minutes:g} minutes to see what is executed ...")
        translation = translated_play(gba, lambda: play(gba, config))
    begin = time.monotonic()
    say(f"compiling {translation.instructions:,} instructions ...")
    path = keep_translation(rom, *translation.compile())
    say(
        f"{translation.share:.1%} of what was executed is translated; compiling took "
        f"{time.monotonic() - begin:.0f} s. Games of this ROM use it from now on: {path}"
    )
    return 0


def open_console(config: TranslateConfig) -> GBA:
    """Returns the game, or a console with a ROM that is no known game.

    Raises:
        OSError, RomError: it cannot be opened.
    """
    try:
        return open_game(config.choice)
    except RomError:
        return GBA(rom_file(config.choice))


def play(gba: GBA, config: TranslateConfig) -> None:
    """Plays until the time is over: the beginning, then from each start in turn."""
    end = time.monotonic() + 60 * config.minutes
    for _ in plays(gba, config):
        if time.monotonic() > end:
            return


def plays(gba: GBA, config: TranslateConfig) -> Iterator[None]:
    """Plays forever, a step at a time."""
    rng = np.random.default_rng(config.seed)
    yield from random_steps(gba, rng, BOOT_STEPS)
    starts = starts_of(config)
    while True:
        for start in starts:
            start.restore(gba)
            yield from random_steps(gba, rng, STEPS)
        if not starts:
            gba.reset()
            yield from random_steps(gba, rng, BOOT_STEPS)
        elif gba.game_code == "JADE" and config.rom is None:
            gba.reset()
            for _ in walk_through(Walker(gba), int(rng.integers(1 << 31))):
                yield


def random_steps(gba: GBA, rng: np.random.Generator, count: int) -> Iterator[None]:
    """Taps random keys, a step each; each eighth picture is drawn."""
    for step in range(count):
        gba.step(key_mask(TAPPED[int(rng.integers(len(TAPPED)))]), HOLD, FRAMES, step % 8 == 0)
        yield


def starts_of(config: TranslateConfig) -> tuple[Start, ...]:
    """Returns where plays begin; none for a game that is not known.

    Raises:
        ValueError: a start that was named cannot be used.
    """
    try:
        return prepare_starts(config.choice, config.start)
    except RomError:
        if config.start != NEW_GAME:
            raise
        return ()
