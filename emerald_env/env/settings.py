"""Bounds shared by all settings."""

import math
from dataclasses import fields
from typing import Any

LARGEST_SEED = 2**31 - 1  # a resumed run adds its steps, and numpy takes 32 bits
LARGEST = 1 << 40  # for all other integers
LARGEST_FLOAT = 1e30  # products still fit into the network's float32


def check_numbers(settings: Any, *at_least_one: str) -> None:
    """Refuses impossible numbers before anything starts.

    Args:
        settings: a dataclass; only its numbers are checked.
        at_least_one: names of settings that must be 1 or more, or None.

    Raises:
        ValueError: a number is NaN, infinite, too large or too small; the message names it.
    """
    for setting in fields(settings):
        name, value = setting.name, getattr(settings, setting.name)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value}: it must be a finite number")
        if isinstance(value, float) and abs(value) > LARGEST_FLOAT:
            raise ValueError(f"{name} is {value}: it must be at most {LARGEST_FLOAT}")
        if name == "seed" and not 0 <= value <= LARGEST_SEED:
            raise ValueError(f"seed is {value}: it must be between 0 and {LARGEST_SEED:,}")
        if isinstance(value, int) and abs(value) > LARGEST:
            raise ValueError(f"{name} is {value}: it must be at most {LARGEST:,}")
    for name in at_least_one:
        value = getattr(settings, name)
        if value is not None and value < 1:
            raise ValueError(f"{name} is {value}: it must be at least 1")
