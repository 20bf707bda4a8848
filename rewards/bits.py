"""The bits of long numbers, for flags and Pokédexes."""

from collections.abc import Iterable, Iterator


def mask(positions: Iterable[int]) -> int:
    """Returns the number whose bits at some positions are set."""
    number = 0
    for position in positions:
        number |= 1 << position
    return number


def positions(number: int) -> Iterator[int]:
    """Yields the positions of the bits that are set, ascending; the time goes with their count."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
