"""Defaults of a game's settings that depend on its ROM, for `make` and for the command line."""

from pathlib import Path
from typing import Any

from emerald_env.emulator import RomError
from emerald_env.game.rom_file import game_code

EMERALD: dict[str, Any] = {"episode_length": 32_768, "action_set": "story"}
"""Its story needs moves that are taught from the bag: Start, and menus where memory is observed."""


def game_defaults(rom: str | Path | None, observation: str | None) -> dict[str, Any]:
    """Returns fields of `GameConfig` by name, where they are not the class's own.

    Args:
        rom: the ROM; None: Jade.
        observation: what is to be observed, if somebody said so.
    """
    if is_jade(rom):
        return {}
    return EMERALD | ({} if observation == "screen" else {"menus": True})


def is_jade(rom: str | Path | None) -> bool:
    """Returns whether a ROM is Jade; None is. One that cannot be read is refused later."""
    try:
        return rom is None or game_code(Path(rom)) == "JADE"
    except (OSError, RomError):
        return False
