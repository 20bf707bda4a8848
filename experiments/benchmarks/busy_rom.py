"""Jade with more work for the processor, to measure a game that seldom or never sleeps."""

import struct
from typing import Final

from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM

BLANK: Final = 160  # the line at which the game's frame begins, of 228
HALF_ASLEEP: Final = 114
NEVER_WORKS: Final = 228
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


# What the sound of Emerald has set in every known state of it: timer 0 overflows each 1,254 cycles
# and feeds both FIFOs, which two transfers fill, restarted every eight frames.
SOUND: Final = (
    0x490F,  #       ldr  r1, =0x030022E4    frames so far
    0x6809,  #       ldr  r1, [r1]
    0x0749,  #       lsls r1, r1, #29
    0xD118,  #       bne  next
    0x490E,  #       ldr  r1, =0x040000BC
    0x4A0F,  #       ldr  r2, =0x030066D0    samples
    0x600A,  #       str  r2, [r1]           DMA1SAD
    0x4B0F,  #       ldr  r3, =0x040000A0
    0x604B,  #       str  r3, [r1, #4]       DMA1DAD
    0x3304,  #       adds r3, #4
    0x610B,  #       str  r3, [r1, #16]      DMA2DAD
    0x4B0E,  #       ldr  r3, =0x630
    0x18D2,  #       adds r2, r2, r3
    0x60CA,  #       str  r2, [r1, #12]      DMA2SAD
    0x2300,  #       movs r3, #0
    0x814B,  #       strh r3, [r1, #10]      DMA1CNT_H
    0x82CB,  #       strh r3, [r1, #22]      DMA2CNT_H
    0x4B0C,  #       ldr  r3, =0xB640
    0x814B,  #       strh r3, [r1, #10]
    0x82CB,  #       strh r3, [r1, #22]
    0x393C,  #       subs r1, #0x3C
    0x2380,  #       movs r3, #0x80
    0x808B,  #       strh r3, [r1, #4]       SOUNDCNT_X
    0x4A0A,  #       ldr  r2, =0x3302
    0x804A,  #       strh r2, [r1, #2]       SOUNDCNT_H
    0x3180,  #       adds r1, #0x80
    0x4A09,  #       ldr  r2, =0xFB1A
    0x800A,  #       strh r2, [r1]           TM0CNT_L
    0x804B,  #       strh r3, [r1, #2]       TM0CNT_H
    0x4909,  # next: ldr  r1, =next
    0x4708,  #       bx   r1
    0x46C0,  #       nop
)
SOUND_VALUES: Final = (
    0x030022E4,
    0x040000BC,
    0x030066D0,
    0x040000A0,
    0x630,
    0xB640,
    0x3302,
    0xFB1A,
)


def busy_rom(asleep: int = 0, sounding: bool = False) -> bytes:
    """Returns Jade with a processor that works until this many lines before the next frame.

    It is the same game; only the ROM's checksum in its states differs from Jade's.

    Args:
        asleep: lines of the 228 of a frame, 0 to 160 or `NEVER_WORKS`; 0: it never sleeps.
        sounding: whether Emerald's timer and transfers of samples are on.
    """
    rom = bytearray(JADE_ROM.read_bytes())
    pointer = place_of_pointer(rom)
    next_code = wait_loop()
    if asleep < NEVER_WORKS:
        lines = (BLANK - asleep, asleep)
        values = (0x08000000, 0x02000000, 0x04000006, *lines, next_code)
        next_code = add_code(rom, WORK, values)
    if sounding:
        next_code = add_code(rom, SOUND, (*SOUND_VALUES, next_code))
    struct.pack_into("<I", rom, pointer, next_code)
    return bytes(rom)


def wait_loop() -> int:
    """Returns the address of Jade's wait loop as `bx` needs it."""
    return (JADE_IDLE_LOOP or 0) | 1


def place_of_pointer(rom: bytes | bytearray) -> int:
    """Returns where Jade keeps the address of its wait loop, to call it once a frame."""
    pointer = struct.pack("<I", wait_loop())
    if rom.count(pointer) != 1:
        raise ValueError(f"{JADE_ROM} has {rom.count(pointer)} pointers to its wait loop, not one")
    return rom.index(pointer)


def add_code(rom: bytearray, code: tuple[int, ...], values: tuple[int, ...]) -> int:
    """Puts Thumb code and the values behind it into a ROM; returns its address, as `bx` needs it.

    It is entered with the wait loop's r0 and lr.
    """
    packed = struct.pack(f"<{len(code)}H{len(values)}I", *code, *values)
    place = (len(rom.rstrip(b"\xff")) & ~31) + 64
    if place + len(packed) > len(rom):
        raise ValueError(f"{JADE_ROM} has no {len(packed)} free bytes at its end")
    rom[place : place + len(packed)] = packed
    return 0x08000000 + place | 1
