"""Default settings that depend on the game.

Emerald takes longer than Jade: an expert has the first Pokémon after 171 steps in Jade; in Emerald
a good player is upstairs at the rival's after 385 steps and has the first Pokémon before 938.
"""

from pathlib import Path
from typing import Any

from emerald_env.emulator import RomError
from emerald_env.game.rom_file import game_code

EMERALD: dict[str, Any] = {"total_timesteps": 10_000_000}
"""An estimate, not measured on Emerald; the rest is as on Jade, see docs/EXPLORATION.md."""


def fitting(rom: Path | None) -> dict[str, Any]:
    """Returns the settings that fit a game, as JSON would have them; none for Jade.

    Args:
        rom: the game; None: Jade. An unreadable one is refused later, with the reason.
    """
    try:
        is_jade = rom is None or game_code(rom) == "JADE"
    except (OSError, RomError):
        is_jade = False
    return {} if is_jade else EMERALD
