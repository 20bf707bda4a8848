"""The game's memory: numpy views without copies, and reads by bus address."""

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.library import ffi, lib
from emerald_env.emulator.parts.memory_watch import MemoryWatch

# GBATEK, "GBA Memory Map": the address's top byte, then name and size; mirrors are not used
REGIONS = {
    0x02: ("ewram", 0x40000),
    0x03: ("iwram", 0x8000),
    0x05: ("palette", 0x400),
    0x06: ("vram", 0x18000),
    0x07: ("oam", 0x400),
}
ROM_PAGE = 0x08
IO_SIZE = 0x400
PLACES = ", ".join(
    [f"{name} is at 0x{page:02X}000000" for page, (name, _) in REGIONS.items()]
    + [f"rom, read-only, at 0x{ROM_PAGE:02X}000000"]
)


def view(game: Any, pointer: Any, size: int) -> Any:
    """Returns a buffer over the game's memory that keeps the game alive while in use."""
    return ffi.buffer(ffi.gc(pointer, lambda _, keep=game: None), size)


class Memory:
    """What the game sees, as `memory[address]` and `memory[start:stop:step]`.

    Writing works the same way: `memory[address] = 5`, `memory[start:stop] = b"..."`; one number
    fills a whole slice.

    Attributes:
        ewram, iwram, palette, vram, oam, rom: uint8 views without a copy; `rom` is read-only.
        io: the same of the input-output registers as the game last wrote them, read-only.
    """

    def __init__(self, game: Any) -> None:
        size = ffi.new("size_t *")
        rom = lib.game_rom(game, size)
        self._buffers = {
            page: view(game, getattr(lib, f"game_{name}")(game), length)
            for page, (name, length) in REGIONS.items()
        }
        self._buffers[ROM_PAGE] = view(game, rom, size[0])
        views = {page: np.frombuffer(buffer, np.uint8) for page, buffer in self._buffers.items()}
        self.ewram: NDArray[np.uint8] = views[0x02]
        self.iwram: NDArray[np.uint8] = views[0x03]
        self.palette: NDArray[np.uint8] = views[0x05]
        self.vram: NDArray[np.uint8] = views[0x06]
        self.oam: NDArray[np.uint8] = views[0x07]
        self.rom: NDArray[np.uint8] = views[ROM_PAGE]
        self.rom.flags.writeable = False
        self.io: NDArray[np.uint8] = np.frombuffer(view(game, lib.game_io(game), IO_SIZE), np.uint8)
        self.io.flags.writeable = False

    def read(self, address: int, size: int) -> bytes:
        """Returns `size` bytes from a bus address.

        Raises:
            ValueError: the bytes are not inside one region that can be read without side effects.
        """
        buffer = self._buffers.get(address >> 24, b"")
        start = address & 0xFFFFFF
        data = buffer[start : start + size]
        if len(data) != size:
            raise ValueError(f"no {size} readable bytes at 0x{address:08X}: {PLACES}")
        return bytes(data)

    def watch(self, stretches: Sequence[tuple[int, int]]) -> MemoryWatch:
        """Returns a copy of (address, size) stretches that tracks changes."""
        return MemoryWatch(self._buffers, stretches)

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes to RAM; for tests and for people, an agent only reads.

        Raises:
            ValueError: the bytes do not lie wholly inside one RAM region.
        """
        start, page = address & 0xFFFFFF, address >> 24
        if page not in REGIONS or start + len(data) > REGIONS[page][1]:
            raise ValueError(
                f"{len(data)} bytes at 0x{address:08X} are not inside one RAM region: {PLACES}"
            )
        self._buffers[page][start : start + len(data)] = data

    @overload
    def __getitem__(self, address: int) -> int: ...

    @overload
    def __getitem__(self, address: slice) -> bytes: ...

    def __getitem__(self, address: int | slice) -> int | bytes:
        if isinstance(address, slice):
            start, size = _stretch(address)
            return self.read(start, size)[:: address.step]
        return self.read(address, 1)[0]

    def __setitem__(self, address: int | slice, value: SupportsIndex | bytes) -> None:
        if not isinstance(address, slice):
            self.write(address, _content(value, 1))
            return
        start, size = _stretch(address)
        memory = bytearray(self.read(start, size))
        count = len(memory[:: address.step])
        data = _content(value, count)
        if len(data) != count:
            raise ValueError(f"{len(data)} bytes for a slice of {count}")
        memory[:: address.step] = data
        self.write(start, bytes(memory))


def _content(value: Any, count: int) -> bytes:
    """Returns what is to be written: `count` times a number, or bytes as they are."""
    if isinstance(value, np.generic):
        value = value.item()  # else a numpy float would count as the bytes it is stored in
    try:
        number = operator.index(value)
    except TypeError:
        return bytes(value)
    return bytes([number]) * count


def _stretch(addresses: slice) -> tuple[int, int]:
    """Returns where a slice of memory begins, and its size in bytes."""
    start, stop = addresses.start, addresses.stop
    if start is None or stop is None or stop < start:
        raise ValueError(f"a slice of memory needs a start and a later stop, got {start}:{stop}")
    return start, stop - start
