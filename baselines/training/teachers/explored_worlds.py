"""Games that were explored without a network, each in a folder with its archive and its atlas."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from baselines.exploration.archive_folder import ATLAS
from baselines.settings.game_config import GameConfig
from emerald_env.env.config import EnvConfig

OF_ROM = "rom"  # the folder of a game that is no world of Jade


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
    """Returns where what was explored in a game is: `7-small-demanding` for a world of Jade."""
    if game.rom is not None:
        return folder / OF_ROM
    from emerald_env.jade.cartridge import world_of  # slow to load

    return folder / str(world_of(game.world or "0")).replace(":", "-")


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
    """
    for one in each_world(game):
        if not is_whole(own := folder_of(folder, one)):
            flags = ["--worlds", game.worlds] if game.worlds else game.flags()
            command = " ".join(["emerald archive explore", str(folder), *flags])
            raise FileNotFoundError(f"no atlas in {own}: run `{command}` first")
