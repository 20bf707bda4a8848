"""A copy of memory that tracks changes between reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from emerald_env.game.symbols import Read

Watching = Callable[[Sequence[tuple[int, int]]], Any]
"""``watch(stretches)`` of pairs of an address and a size in bytes: makes what `ReadWatch` is."""


class ReadWatch:
    """A watch on any readable memory; `emulator.parts.memory_watch` has a faster one.

    Its ``copy`` has the stretches one after another; slices are `bytes`.
    """

    def __init__(self, read: Read, stretches: Sequence[tuple[int, int]]) -> None:
        self._read = read
        self._stretches = list(stretches)
        self._parts = [bytes(size) for _, size in stretches]
        self.copy = b""

    def aim(self, index: int, address: int) -> None:
        """Lets a stretch begin elsewhere."""
        self._stretches[index] = (address, self._stretches[index][1])

    def refresh(self, count: int | None = None) -> int:
        """Reads the stretches again, or the first `count`; returns what changed, bit i for i."""
        changed, parts = 0, self._parts
        found = [self._read(address, size) for address, size in self._stretches[:count]]
        for index, part in enumerate(found):
            if part != parts[index]:
                parts[index] = part
                changed |= 1 << index
        self.copy = b"".join(parts)
        return changed
