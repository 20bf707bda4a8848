"""The clock in the cartridge, and what a game last read from it."""

from datetime import datetime, timedelta
from typing import Any, Final

from emerald_env.emulator.cartridge.saved_formats import STATE_CLOCK
from emerald_env.emulator.library import lib

EPOCH: Final = datetime(1970, 1, 1)
FIRST_DATE: Final = datetime(2024, 1, 1)  # of a clock that nobody set: CLOCK_START of shim.c
YEARS: Final = range(2000, 2100)  # of a cartridge's clock, which has two digits for them


def read_clock(game: Any) -> datetime:
    """Returns the clock's date and time, of the game with a handle of the shim."""
    return EPOCH + timedelta(seconds=int(lib.game_clock(game)))


def set_clock(game: Any, now: datetime) -> None:
    """Sets the clock of the game with a handle of the shim.

    Raises:
        ValueError: no cartridge's clock can show this date, or it has a time zone.
    """
    if now.tzinfo is not None or now.year not in YEARS:
        raise ValueError(
            f"the clock must be from {YEARS[0]} to {YEARS[-1]}, without a time zone, got {now}"
        )
    lib.game_set_clock(game, int((now - EPOCH).total_seconds()))


def time_read(state: bytes) -> datetime | None:
    """Returns what the game in a state last read from the clock, None if it never did."""
    digits, devices = STATE_CLOCK.unpack_from(state)
    year, month, day, _, hour, minute, second = (byte // 16 * 10 + byte % 16 for byte in digits)
    try:
        return datetime(2000 + year, month, day, hour, minute, second) if devices & 1 else None
    except ValueError:
        return None
