"""The date in the cartridge, which drives Emerald's berries and tides."""

from __future__ import annotations

from datetime import datetime

from emerald_env.emulator import GBA, StateError
from emerald_env.emulator.cartridge.real_time_clock import FIRST_DATE, YEARS
from emerald_env.game.editions import Game

OWN = "state"


def check_clock(setting: str | None) -> None:
    """Checks the setting of the clock.

    Raises:
        ValueError: it is not a date that a cartridge's clock can show.
    """
    if setting not in (None, OWN):
        _date(str(setting))


def set_clock(game: Game, setting: str | None) -> None:
    """Sets a game's clock in the state in which episodes begin.

    Args:
        game: in that state.
        setting: see `EnvConfig.clock`.

    Raises:
        StateError: the state has no date of its own.
    """
    if setting is None:
        return
    found = game.shown_time() if setting == OWN else _date(setting)
    if found is None:
        raise StateError(
            "the game never read the clock before this state: give the date itself, such as "
            "--clock 2024-07-01T12:00"
        )
    game.clock = found


def switch_on(game: GBA) -> None:
    """Switches a game off and on at the date of a new cartridge, whatever was played before."""
    game.clock = FIRST_DATE
    game.reset()


def _date(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"clock is {text!r}: give a date like 2024-07-01 or 2024-07-01T12:00, or {OWN!r}"
        ) from None
    if found.tzinfo is not None or found.year not in YEARS:
        raise ValueError(
            f"clock is {text!r}: it must lie between {YEARS[0]} and {YEARS[-1]}, without a zone"
        )
    return found
