"""Sets of small numbers as one large number: bit i means i."""

from collections.abc import Iterable, Iterator
from functools import lru_cache


def mask(positions: Iterable[int]) -> int:
    """Returns the number whose bits at these positions are set."""
    number = 0
    for position in positions:
        number |= 1 << position
    return number


def positions(number: int) -> Iterator[int]:
    """Yields the positions of the set bits, ascending, in time proportional to their count."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


@lru_cache(maxsize=1024)
def bits(number: int) -> tuple[int, ...]:
    """Returns the positions of the set bits, ascending; remembers its latest answers."""
    return tuple(positions(number))
