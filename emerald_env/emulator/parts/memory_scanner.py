"""Finds the addresses whose values are what a player sees on the screen."""

from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.parts.memory import Memory

Order = Literal["little", "big"]


class StandardComparisonType(Enum):
    """How a value is compared with a given one."""

    EXACT = 1
    LESS_THAN = 2
    GREATER_THAN = 3
    LESS_THAN_OR_EQUAL = 4
    GREATER_THAN_OR_EQUAL = 5


class DynamicComparisonType(Enum):
    """How a value is compared with that of the last scan; MATCH: with a given one."""

    UNCHANGED = 1
    CHANGED = 2
    INCREASED = 3
    DECREASED = 4
    MATCH = 5


class ScanMode(Enum):
    """What the bytes are: an unsigned integer, or decimal digits in half a byte each."""

    INT = 1
    BCD = 2


COMPARE = {
    StandardComparisonType.EXACT: np.equal,
    StandardComparisonType.LESS_THAN: np.less,
    StandardComparisonType.GREATER_THAN: np.greater,
    StandardComparisonType.LESS_THAN_OR_EQUAL: np.less_equal,
    StandardComparisonType.GREATER_THAN_OR_EQUAL: np.greater_equal,
    DynamicComparisonType.UNCHANGED: np.equal,
    DynamicComparisonType.CHANGED: np.not_equal,
    DynamicComparisonType.INCREASED: np.greater,
    DynamicComparisonType.DECREASED: np.less,
    DynamicComparisonType.MATCH: np.equal,
}


class MemoryScanner:
    """Searches memory, as `GBA.memory_scanner`.

    Args:
        memory: the game's.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._found: NDArray[np.int64] | None = None
        self._values: NDArray[np.int64] = np.empty(0, np.int64)
        self._start = self._size = 0
        self._width, self._mode, self._order = 1, ScanMode.INT, "little"

    def scan_memory(
        self,
        target_value: int | None = None,
        start_addr: int = 0x02000000,
        end_addr: int = 0x0203FFFF,
        standard_comparison_type: StandardComparisonType = StandardComparisonType.EXACT,
        value_type: ScanMode = ScanMode.INT,
        byte_width: int = 1,
        byteorder: Order = "little",
    ) -> list[int]:
        """Returns the addresses from `start_addr` to `end_addr` whose values compare so.

        Args:
            target_value: to compare with; None: every address.
            start_addr: the first byte.
            end_addr: the last byte; both in one region, work RAM unless said otherwise.
            standard_comparison_type: how.
            value_type: what the bytes are.
            byte_width: bytes of a value, 1 to 7.
            byteorder: of a value.

        Raises:
            ValueError: the bytes cannot be read, or there is no such width.
        """
        if not 1 <= byte_width <= 7:
            raise ValueError(f"byte_width must be 1 to 7, got {byte_width}")
        if end_addr - start_addr + 1 < byte_width:
            raise ValueError(f"no {byte_width} bytes from 0x{start_addr:08X} to 0x{end_addr:08X}")
        self._start, self._size = start_addr, end_addr - start_addr + 1
        self._width, self._mode, self._order = byte_width, value_type, byteorder
        values = self._read()
        chosen = np.ones(values.shape, bool)
        if target_value is not None:
            chosen = COMPARE[standard_comparison_type](values, target_value) & (values >= 0)
        return self._keep(np.flatnonzero(chosen), values)

    def rescan_memory(
        self,
        new_value: int | None = None,
        dynamic_comparison_type: DynamicComparisonType = DynamicComparisonType.UNCHANGED,
        byteorder: Order = "little",
    ) -> list[int]:
        """Returns those addresses of the last scan whose values now compare so with that scan's.

        Bytes that are no decimal digits where those are scanned for, now or then, do not compare.

        Args:
            new_value: for MATCH.
            dynamic_comparison_type: how.
            byteorder: of a value.

        Raises:
            ValueError: nothing was scanned before, or MATCH has no value.
        """
        if self._found is None:
            raise ValueError("call scan_memory first")
        before = self._values
        if dynamic_comparison_type is DynamicComparisonType.MATCH:
            if new_value is None:
                raise ValueError("MATCH needs new_value")
            before = np.full(self._found.shape, new_value)
        self._order = byteorder
        values = self._read()
        now = values[self._found]
        chosen = COMPARE[dynamic_comparison_type](now, before) & (now >= 0) & (before >= 0)
        return self._keep(self._found[chosen], values)

    def _keep(self, places: NDArray[np.int64], values: NDArray[np.int64]) -> list[int]:
        self._found, self._values = places, values[places]
        return [int(place) for place in places + self._start]

    def _read(self) -> NDArray[np.int64]:
        """Returns the value at each address; -1 where half a byte is no digit."""
        content = self._memory.read(self._start, self._size)
        memory = np.frombuffer(content, np.uint8).astype(np.int64)
        count = len(memory) - self._width + 1
        order = range(self._width) if self._order == "big" else reversed(range(self._width))
        columns = [memory[i : i + count] for i in order]
        if self._mode is ScanMode.INT:
            return sum((c << 8 * i for i, c in enumerate(reversed(columns))), np.zeros(count, int))
        values = np.zeros(count, np.int64)
        wrong = np.zeros(count, bool)
        for column in columns:
            wrong |= (column >> 4 > 9) | (column & 15 > 9)
            values = values * 100 + (column >> 4) * 10 + (column & 15)
        return np.where(wrong, -1, values)
