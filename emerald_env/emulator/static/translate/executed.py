"""What a game executed while it was counted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.library import ffi, lib
from emerald_env.emulator.static.translate.place import IWRAM, ROM, WRAM, CodePlace

WRAM_BYTES, IWRAM_BYTES = 0x40000, 0x8000
CLOCK = range(0xC0, 0xD0)  # where the cartridge's clock is seen
MIN_RUNS = 16  # times that an instruction ran, for it to be translated
OFTEN = 1 / 16  # of the times, not behind the instruction before it: a block begins there
WRAPS = 8  # half-words at a region's end, behind which its beginning is fetched


@dataclass(frozen=True)
class Code:
    """The executed code of one region, ARM or Thumb.

    Attributes:
        thumb: which of them.
        place: the waits it was executed with.
        memory: the bytes of its region.
        counts: how often each executed address ran, by address.
        entries: addresses that were often reached otherwise than from the instruction before.
        elsewhere: those whose instruction often loaded or stored in other memory than the core's.
    """

    thumb: bool
    place: CodePlace
    memory: bytes
    counts: dict[int, int]
    entries: frozenset[int]
    elsewhere: frozenset[int]

    @property
    def size(self) -> int:
        """Bytes of an instruction."""
        return 2 if self.thumb else 4

    @property
    def base(self) -> int:
        """Where the region begins."""
        return self.place.region << 24

    @property
    def is_written(self) -> bool:
        """Whether the code lies in memory that the game writes."""
        return self.place.region in (WRAM, IWRAM)

    @property
    def is_constant(self) -> bool:
        """Whether the code is the cartridge's, which is always the same."""
        return self.place.region == ROM

    def op(self, address: int) -> int:
        """Returns an instruction."""
        at = address - self.base
        return int.from_bytes(self.memory[at : at + self.size], "little")

    def literal(self, address: int) -> int | None:
        """Returns a word of the cartridge, None if it is not that, or not aligned."""
        at = address - self.base
        inside = 0 <= at <= len(self.memory) - 4 and at not in CLOCK
        if self.place.region != ROM or address & 3 or not inside:
            return None
        return int.from_bytes(self.memory[at : at + 4], "little")


def count_executed(
    game: Any, play: Callable[[], None], least: int = MIN_RUNS
) -> tuple[list[Code], int]:
    """Returns the code that a game executes during a play, and how many instructions ran at all.

    Args:
        game: of the library.
        play: runs it.
        least: how often an instruction must have run to be among the code.

    Raises:
        ValueError: the game was not built for that.
    """
    if not lib.game_profile(game, True):
        raise ValueError("mGBA is not compiled in, so code cannot be translated: make fast")
    try:
        play()
        found, total = [], 0
        for region, memory in memories(game).items():
            for thumb in (False, True):
                counts = numbers_of(game, region, thumb)
                total += int(counts[0].sum(dtype=np.uint64))
                place = place_of(game, region)
                if (code := code_of(place, thumb, memory, counts, least)) is not None:
                    found.append(code)
        return found, total
    finally:
        lib.game_profile(game, False)


def memories(game: Any) -> dict[int, bytes]:
    """Returns the bytes of each region that code may be in."""
    size = ffi.new("size_t *")
    bios = bytes(ffi.buffer(lib.game_bios(game, size), size[0]))
    rom = bytes(ffi.buffer(lib.game_rom(game, size), size[0]))
    wram = bytes(ffi.buffer(lib.game_ewram(game), WRAM_BYTES))
    return {
        0: bios,
        WRAM: wram,
        IWRAM: bytes(ffi.buffer(lib.game_iwram(game), IWRAM_BYTES)),
        ROM: rom,
    }


def code_of(
    place: CodePlace,
    thumb: bool,
    memory: bytes,
    numbers: tuple[NDArray[np.uint32], ...],
    least: int,
) -> Code | None:
    """Returns the executed code of a region, None if there is none."""
    counts, arrivals, reaches = numbers
    counts[len(counts) - WRAPS :] = 0
    addresses = np.flatnonzero(counts >= least)
    if not len(addresses):
        return None
    some, base = np.maximum(counts[addresses] * OFTEN, 1), place.region << 24
    entries, elsewhere = (
        frozenset(base + 2 * int(at) for at in addresses[times[addresses] >= some])
        for times in (arrivals, reaches)
    )
    by_address = {base + 2 * int(at): int(counts[at]) for at in addresses}
    return Code(thumb, place, memory, by_address, entries, elsewhere)


def numbers_of(game: Any, region: int, thumb: bool) -> tuple[NDArray[np.uint32], ...]:
    """Returns how often each half-word's instruction ran, came from elsewhere, and went there."""
    size = ffi.new("size_t *")
    pointer = lib.game_profile_counts(game, thumb, region, size)
    shape = (size[0], 3)
    if not size[0]:
        return tuple(np.zeros(shape, np.uint32).T)
    return tuple(
        np.frombuffer(ffi.buffer(pointer, 12 * size[0]), np.uint32).reshape(shape).copy().T
    )


def place_of(game: Any, region: int) -> CodePlace:
    """Returns what the code of a region was last executed with."""
    size = ffi.new("size_t *")
    pointer = lib.game_profile_place(game, region, size)
    return CodePlace(*(int(pointer[n]) for n in range(size[0])))
