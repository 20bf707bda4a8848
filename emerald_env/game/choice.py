"""Which game a command plays: a ROM, and what its user knows about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emerald_env.emulator.static.translate import Core


@dataclass(frozen=True, kw_only=True)
class GameChoice:
    """A ROM, and how much it may differ from a cartridge's."""

    rom: Path | None = None
    """Emerald's ROM, your own file. Left out: the built-in game Jade."""

    world: str | None = None
    """Another world of Jade, by its number, size and demands (7, 7:large, 7:demanding,
    7:emerald): the same story on other maps. Left out, or 0: Jade. Not beside rom."""

    symbols: Path | None = None
    """For a hack built from the decompilation: its .sym file, which has its memory layout."""

    allow_unknown_rom: bool = False
    """Play a modified ROM whose code is still Emerald's. It is checked first, but changes may
    still be misread."""

    core: Core = "auto"
    """What runs the processor: mGBA's own interpreter (plain), that of `make fast` (cached), code
    made by `emerald translate` (translated), or the fastest of these that is there (auto). All
    play alike, bit for bit."""

    data: Path | None = None
    """For any other game, which nobody can read here: the values of its memory that you name for a
    reward of your own, as stable-retro's data.json (docs/ANOTHER_GAME.md)."""

    @property
    def choice(self) -> GameChoice:
        """The choice alone, from settings that contain more."""
        return GameChoice(
            rom=self.rom,
            world=self.world,
            symbols=self.symbols,
            allow_unknown_rom=self.allow_unknown_rom,
            core=self.core,
            data=self.data,
        )

    def flags(self) -> list[str]:
        """Returns the choice as command-line arguments."""
        files = {"--rom": self.rom, "--world": self.world, "--symbols": self.symbols}
        files["--data"] = self.data
        named = [part for flag, file in files.items() if file for part in (flag, str(file))]
        named += ["--allow-unknown-rom"] * self.allow_unknown_rom
        return named + (["--core", self.core] if self.core != "auto" else [])


def check_worlds(world: str | None, worlds: str | None) -> None:
    """Checks that either one world of Jade is chosen or several.

    Raises:
        ValueError: both are.
    """
    if world is not None and worlds is not None:
        raise ValueError(
            f"world is {world} and worlds are {worlds}: episodes are played in one or the other, "
            "so leave --world or --worlds out"
        )


Rom = GameChoice | Path | str | None
"""A choice, or the file of a known game; None: Jade."""


def choice_of(rom: Rom) -> GameChoice:
    """Returns what was chosen."""
    if isinstance(rom, GameChoice):
        return rom.choice
    return GameChoice(rom=None if rom is None else Path(rom))
