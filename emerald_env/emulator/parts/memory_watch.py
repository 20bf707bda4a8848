"""A copy of some stretches of memory that tracks which of them changed."""

from collections.abc import Sequence
from typing import Any, Final

from emerald_env.emulator.library import ffi, lib

MAX_STRETCHES = 64


class MemoryWatch:
    """A copy of stretches of a game's memory, updated by one call of C.

    Attributes:
        copy: a buffer with the stretches one after another; all zero until the first `refresh`.
            It stays the same buffer.

    Args:
        regions: the memory's regions by an address's top byte, see `Memory`.
        stretches: at most 64 pairs of an address and a size in bytes.

    Raises:
        ValueError: there are more, or one is not inside one region.
    """

    def __init__(self, regions: dict[int, Any], stretches: Sequence[tuple[int, int]]) -> None:
        if len(stretches) > MAX_STRETCHES:
            raise ValueError(f"a watch has at most {MAX_STRETCHES} stretches, not {len(stretches)}")
        self._regions = regions  # they keep the game alive
        self._sizes = ffi.new("uint32_t[]", [size for _, size in stretches])
        self._places = ffi.new("uint8_t *[]", len(stretches))
        total = sum(size for _, size in stretches)
        self._bytes = ffi.new("uint8_t[]", max(total, 1))
        self._count = len(stretches)
        self.copy: Final[Any] = ffi.buffer(self._bytes, total)
        for index, (address, _) in enumerate(stretches):
            self.aim(index, address)

    def aim(self, index: int, address: int) -> None:
        """Moves a stretch's start; it counts as changed if other bytes are there.

        Raises:
            ValueError: it would not lie inside one region.
        """
        region, start = self._regions.get(address >> 24, b""), address & 0xFFFFFF
        size = self._sizes[index]
        if start + size > len(region):
            raise ValueError(f"no {size} readable bytes at 0x{address:08X}")
        self._places[index] = ffi.cast("uint8_t *", ffi.from_buffer(region)) + start

    def refresh(self, count: int | None = None) -> int:
        """Copies what changed; returns which stretches did, bit i for stretch i.

        Args:
            count: only the first `count` stretches are compared; None: all.
        """
        number = self._count if count is None else min(count, self._count)
        changed: int = lib.memory_refresh(self._bytes, self._places, self._sizes, number)
        return changed
