"""Jade with more work for the processor, to measure a game that seldom or never sleeps."""

import struct
from typing import Final

from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM

BLANK: Final = 160  # the line at which the game's frame begins, of 228
HALF_ASLEEP: Final = 114
# Loads from cartridge and work memory, arithmetic, a call and branches, until the next frame
# begins or a line to sleep through is reached; then Jade's own wait loop.
WORK: Final = (
    0xB5F1,  #       push {r0, r4-r7, lr}
    0xB082,  #       sub  sp, #8
    0x2600,  #       movs r6, #0
    0x4C14,  #       ldr  r4, =0x08000000
    0x4D14,  #       ldr  r5, =0x02000000
    0x59A1,  # turn: ldr  r1, [r4, r6]
    0x59AA,  #       ldr  r2, [r5, r6]
    0x4051,  #       eors r1, r2
    0x9100,  #       str  r1, [sp]
    0x9B01,  #       ldr  r3, [sp, #4]
    0x185B,  #       adds r3, r1
    0x9301,  #       str  r3, [sp, #4]
    0x0959,  #       lsrs r1, r3, #5
    0x4359,  #       muls r1, r3
    0xF000,  #       bl   leaf
    0xF817,
    0x4299,  #       cmp  r1, r3
    0xD900,  #       bls  same
    0x43DB,  #       mvns r3, r3
    0x3604,  # same: adds r6, #4
    0x05B6,  #       lsls r6, #22            1,024 bytes, over and over
    0x0DB6,  #       lsrs r6, #22
    0x9802,  #       ldr  r0, [sp, #8]
    0x8807,  #       ldrh r7, [r0]           the flag that the interrupt sets
    0x07FF,  #       lsls r7, #31
    0xD106,  #       bne  done
    0x4F0A,  #       ldr  r7, =0x04000006
    0x883F,  #       ldrh r7, [r7]           VCOUNT
    0x4A0A,  #       ldr  r2, =first
    0x1ABF,  #       subs r7, r2
    0x4A0A,  #       ldr  r2, =count
    0x4297,  #       cmp  r7, r2
    0xD2E3,  #       bhs  turn
    0xB002,  # done: add  sp, #8
    0xBCF1,  #       pop  {r0, r4-r7}
    0xBC02,  #       pop  {r1}
    0x468E,  #       mov  lr, r1
    0x4908,  #       ldr  r1, =wait
    0x4708,  #       bx   r1
    0xB510,  # leaf: push {r4, lr}
    0x782C,  #       ldrb r4, [r5]
    0x1909,  #       adds r1, r4
    0xBD10,  #       pop  {r4, pc}
    0x46C0,  #       nop
)


def busy_rom(asleep: int = 0) -> bytes:
    """Returns Jade with a processor that works until this many lines before the next frame.

    It is the same game; only the ROM's checksum in its states differs from Jade's.

    Args:
        asleep: lines, 0 to 160, of the 228 of a frame; 0: the processor never sleeps.
    """
    rom = bytearray(JADE_ROM.read_bytes())
    wait = JADE_IDLE_LOOP or 0
    literals = (0x08000000, 0x02000000, 0x04000006, BLANK - asleep, asleep, wait | 1)
    code = struct.pack(f"<{len(WORK)}H{len(literals)}I", *WORK, *literals)
    place = len(rom) - len(code) & ~3
    if rom[place:].strip(b"\xff"):
        raise ValueError(f"{JADE_ROM} has no {len(code)} free bytes at its end")
    pointer = struct.pack("<I", wait | 1)  # by which Jade calls its wait loop
    if rom.count(pointer) != 1:
        raise ValueError(f"{JADE_ROM} has {rom.count(pointer)} pointers to its wait loop, not one")
    where = rom.index(pointer)
    rom[where : where + 4] = struct.pack("<I", 0x08000000 + place | 1)
    rom[place : place + len(code)] = code
    return bytes(rom)
