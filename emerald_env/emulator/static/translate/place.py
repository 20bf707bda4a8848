"""What translated code is made for: `struct place` of core/state.h."""

from dataclasses import dataclass, fields

WRAM, IWRAM, ROM = 0x02, 0x03, 0x08
JUMP_MASK = 0x01FFFFFF  # of an address, of what a jump in its region may reach


@dataclass(frozen=True)
class CodePlace:
    """The waits of code and data while code stays in a region, in the order of `struct place`."""

    region: int
    end: int
    seq16: int
    non16: int
    seq32: int
    non32: int
    wram_wait16: int
    wram_wait32: int
    rom_wait16: int
    rom_high_wait16: int
    rom_wait32: int
    rom_high_wait32: int
    rom_size: int
    idle_loop: int
    stalls: int

    def stays(self, address: int) -> bool:
        """Returns whether a jump there changes neither the region nor meets the wait loop."""
        inside = address >> 24 == self.region and address & JUMP_MASK < self.end
        return inside and address != self.idle_loop

    @property
    def longest(self) -> int:
        """The most cycles that one access waits."""
        waits = (self.wram_wait32, self.rom_wait32, self.rom_high_wait32, self.wram_wait16)
        return 2 + max(*waits, self.rom_wait16, self.rom_high_wait16) + self.late

    @property
    def late(self) -> int:
        """The most by which the cartridge's prefetch buffer can make a wait longer."""
        return max(self.seq16 - self.non16, 0)

    def of_several(self, count: int) -> int:
        """Returns the most cycles that an access to several registers waits."""
        return count * (1 + self.wram_wait32) + 1 + self.late

    def initialiser(self) -> str:
        """Returns the structure in C."""
        n = [f"{getattr(self, field.name)}u" for field in fields(self)]
        return (
            "{" + ", ".join([*n[:8], f"{{{n[8]}, {n[9]}}}", f"{{{n[10]}, {n[11]}}}", *n[12:]]) + "}"
        )
