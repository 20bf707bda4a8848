"""A ROM that only waits, to measure a frame in which the game does nothing."""

import struct
from typing import Final

SIZE = 1024  # bytes; a cartridge has a power of two
# The processor halts until the next vertical blank (GBATEK, "SWI 02h"): through the BIOS, since
# a cartridge that writes HALTCNT itself halts with mGBA 0.10.1, but not with 0.10.5.
ENTRY: Final = 0xEA00002E  # b 0xC0
PROGRAM: Final = (
    0xE3A00301,  # C0   mov  r0, #0x04000000
    0xE3A01008,  #      mov  r1, #8
    0xE1C010B4,  #      strh r1, [r0, #4]       interrupt at the vertical blank (DISPSTAT)
    0xE2802C02,  #      add  r2, r0, #0x200
    0xE3A01001,  # D0   mov  r1, #1
    0xE1C210B0,  #      strh r1, [r2]           IE
    0xE3A03403,  #      mov  r3, #0x03000000
    0xE2833902,  #      add  r3, r3, #0x8000
    0xE28F400C,  # E0   add  r4, pc, #0xC       the handler at F4
    0xE5034004,  #      str  r4, [r3, #-4]
    0xE1C210B8,  #      strh r1, [r2, #8]       IME
    0xEF020000,  #      swi  0x020000           Halt
    0xEAFFFFFD,  # F0   b    EC
    0xE3A00301,  #      mov  r0, #0x04000000    the handler: acknowledges
    0xE3A01001,  #      mov  r1, #1
    0xE2802C02,  #      add  r2, r0, #0x200
    0xE1C210B2,  # 100  strh r1, [r2, #2]       IF
    0xE12FFF1E,  #      bx   lr
)


def idle_rom() -> bytes:
    """Returns a complete cartridge that halts from one vertical blank to the next, forever.

    Its screen stays blank, it reads no keys and makes no sound. No game can run faster, so a game's
    speed divided by this ROM's shows the cost of the game itself.

    Returns:
        1,024 bytes for `GBA`, without a wait loop's address.
    """
    rom = bytearray(SIZE)
    struct.pack_into("<I", rom, 0, ENTRY)
    rom[0xA0:0xB2] = b"WAIT".ljust(12, b"\0") + b"WAIT" + b"01"
    rom[0xB2] = 0x96
    rom[0xBD] = -(sum(rom[0xA0:0xBD]) + 0x19) & 0xFF
    struct.pack_into(f"<{len(PROGRAM)}I", rom, 0xC0, *PROGRAM)
    return bytes(rom)
