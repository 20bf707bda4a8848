"""Sets of small numbers as one big number: bit i stands for i."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1024)
def bits(number: int) -> tuple[int, ...]:
    """Returns the positions of the bits set in ``number``, ascending."""
    return tuple(index for index in range(number.bit_length()) if number >> index & 1)
