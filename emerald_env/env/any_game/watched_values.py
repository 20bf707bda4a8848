"""Named values of a game's memory, each an address and a type in stable-retro's notation."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import SupportsIndex

Read = Callable[[int, int], bytes]  # address, size
TYPE = re.compile(r"(?P<order>[<>|=])(?P<kind>[uidn])(?P<size>[1-8])")
TYPES = "such as |u1, <u2, >i4 (order, kind and bytes; kinds: u, i, and d or n for decimal digits)"


@dataclass(frozen=True)
class WatchedValue:
    """A number at a fixed address.

    Args:
        address: on the console's bus, such as 0x02024284.
        type: "|u1", "<u2", ">i4" ...: "<" is the console's own order of bytes, "u" without and "i"
            with a sign, "d" two decimal digits a byte, "n" one.
        mask: bits that count; None: all.

    Raises:
        ValueError: the type is none of these, or address or mask is no whole number.
    """

    address: int
    type: str
    mask: int | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot be read."""
        for name, number in (("address", self.address), ("mask", self.mask)):
            if isinstance(number, bool) or not isinstance(number, SupportsIndex | None):
                raise ValueError(f"its {name} must be a whole number, got {number!r:.60}")
        if not isinstance(self.type, str) or not TYPE.fullmatch(self.type):
            raise ValueError(f"no type {self.type!r} of memory: give one {TYPES}")

    def read(self, read: Read) -> int:
        """Returns the value.

        Raises:
            ValueError: there is no memory at the address.
        """
        found = TYPE.fullmatch(self.type)
        assert found is not None
        data = read(self.address, int(found["size"]))
        if found["order"] != ">":
            data = data[::-1]
        if found["kind"] in "dn":
            value = _digits(data, found["kind"] == "d")
        else:
            value = int.from_bytes(data, "big", signed=found["kind"] == "i")
        return value if self.mask is None else value & self.mask


def _digits(data: bytes, packed: bool) -> int:
    """Returns the number that decimal digits write, the highest first."""
    value = 0
    for byte in data:
        value = value * 100 + (byte >> 4) * 10 + (byte & 15) if packed else value * 10 + byte % 16
    return value


def check_readable(values: Mapping[str, WatchedValue], read: Read) -> None:
    """Checks that the game has memory at every address.

    Raises:
        ValueError: it has none; the message names the value.
    """
    for name, value in values.items():
        try:
            value.read(read)
        except ValueError as error:
            raise ValueError(f"watch {name}: {error}") from error
