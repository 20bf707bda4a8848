"""Which key of the keyboard does what in a window: shown beside the game, printed in a terminal."""

from collections.abc import Iterable
from typing import Final

Keys = tuple[tuple[str, str], ...]  # (key of the keyboard, what it does)

BUTTONS: Final[Keys] = (
    ("Arrows", "directions"),
    ("X", "A"),
    ("Z", "B"),
    ("A", "L"),
    ("S", "R"),
    ("Return", "Start"),
    ("Backspace", "Select"),
)
"""The console's, as mGBA assigns them (`emerald_env.emulator.keys.KEYBOARD`)."""
WINDOW: Final[Keys] = (
    ("Space", "pauses"),
    ("N", "a single step"),
    ("+ and -", "speed"),
    ("Tab", "full speed"),
    ("F5", "saves the state"),
)
BACK: Final = ("F6", "back five seconds")
TAKE_OVER: Final = ("T", "agent plays or you")
END: Final = ("Esc", "ends")


def listed(keys: Iterable[tuple[str, str]], between: str = ": ") -> str:
    """Returns keys and what they do in one line."""
    return ", ".join(f"{key}{between}{does}" for key, does in keys)
