"""Games that were explored without a network, each in a folder with its archive and its atlas."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from baselines.exploration.archive_folder import ATLAS, INDEX
from baselines.settings.game_config import GameConfig
from emerald_env.env.config import EnvConfig
from emerald_env.files.atomic import PART

OF_ROM = "rom"  # begins the name of a ROM's folder, and once was all of it
DIGITS = 12  # of the ROM's SHA-1 that follow
STATE = r"[0-9a-f]{20}\.ss1"
FILES = f"({re.escape(INDEX)}|{re.escape(ATLAS)})"
OF_A_SEARCH = re.compile(rf"{STATE}|{FILES}|\.{FILES}\.[0-9a-f]{{8}}{re.escape(PART)}")


def as_explored(game: GameConfig) -> GameConfig:
    """Returns a game that shows all by which an atlas tells places apart, menus included."""
    return replace(game, observation="state", coordinates=True, menus=True)


def each_world(game: GameConfig) -> Iterator[GameConfig]:
    """Yields the game in each of `--worlds`, or as it is."""
    if game.worlds is None:
        yield game
        return
    from emerald_env.jade.cartridge import worlds_of  # slow to load

    for name in worlds_of(game.worlds).names():
        yield replace(game, world=name, worlds=None)


def folder_of(folder: Path, game: EnvConfig) -> Path:
    """Returns where a game is explored: `7-small-demanding`, `rom-f3ae088181bf`.

    Raises:
        FileNotFoundError, RomError: its ROM is missing, or cannot be read.
    """
    if game.rom is not None:
        from emerald_env.game.editions import describe_game  # slow to load

        return folder / f"{OF_ROM}-{describe_game(game)['sha1'][:DIGITS]}"
    from emerald_env.jade.cartridge import world_of  # slow to load

    return folder / str(world_of(game.world or "0")).replace(":", "-")


def found_in(folder: Path, game: EnvConfig) -> Path:
    """Returns where what was explored in a game is, which for a ROM may be the former `rom`.

    Raises:
        FileNotFoundError, RomError: its ROM is missing, or cannot be read.
    """
    own, former = folder_of(folder, game), folder / OF_ROM
    return former if game.rom is not None and is_whole(former) and not is_whole(own) else own


def left_over(folder: Path) -> list[Path]:
    """Returns the files that an interrupted search has left in a game's own folder.

    Raises:
        ValueError: there is something else, which must not be removed; the message names it.
    """
    found = sorted(folder.iterdir()) if folder.exists() else []
    for path in found:
        if path.is_dir() or not OF_A_SEARCH.fullmatch(path.name):
            raise ValueError(
                f"{folder} has {path.name}, which is not of a search, and no {ATLAS}: move it "
                "away, or explore into another folder"
            )
    return found


def is_whole(folder: Path) -> bool:
    """Returns whether a game's own folder has all that a search has found."""
    return (folder / ATLAS).is_file()


def is_explored(folder: Path) -> bool:
    """Returns whether a folder has what was explored in some game."""
    return folder.is_dir() and any(folder.glob(f"*/{ATLAS}"))


def check_explored(folder: Path, game: GameConfig) -> None:
    """Checks that a game, in each of `--worlds`, was explored.

    Raises:
        FileNotFoundError: it was not; the message says which.
        RomError: its ROM cannot be read.
    """
    for one in each_world(game):
        if not is_whole(own := found_in(folder, one)):
            flags = ["--worlds", game.worlds] if game.worlds else game.flags()
            command = shlex.join(["emerald", "archive", "explore", str(folder), *flags])
            raise FileNotFoundError(f"no atlas in {own}: run `{command}` first")
