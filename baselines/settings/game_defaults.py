"""Defaults of a game's settings that depend on which it is, for `make` and the command line."""

from pathlib import Path
from typing import Any

from emerald_env.emulator import RomError
from emerald_env.game.rom_file import game_code

EMERALD: dict[str, Any] = {"episode_length": 32_768}


def game_defaults(
    rom: str | Path | None, observation: str | None, world: str | None = None
) -> dict[str, Any]:
    """Returns fields of `GameConfig` by name, where they are not the class's own.

    The story of Emerald and of Jade's demanding worlds needs moves that are taught from the bag:
    the Start key, and the menus where memory is observed.

    Args:
        rom: the ROM; None: Jade.
        observation: what is to be observed, if somebody said so.
        world: of Jade, or several, as in `GameConfig`.
    """
    own = {} if is_jade(rom) else EMERALD
    if not own and not _demands(world):
        return {}
    return own | {"action_set": "story"} | ({} if observation == "screen" else {"menus": True})


def _demands(world: str | None) -> bool:
    if world is None:
        return False
    from emerald_env.jade.cartridge import DEMANDING  # slow to load

    return world.endswith(DEMANDING)


def is_jade(rom: str | Path | None) -> bool:
    """Returns whether a ROM is Jade; None is. One that cannot be read is refused later."""
    try:
        return rom is None or game_code(Path(rom)) == "JADE"
    except (OSError, RomError):
        return False
