"""Cartridges of random instructions, to compare two processors: see `lockstep.py`.

A dispatcher calls blocks of Thumb and ARM code in turn, in the cartridge, in work memory and in
internal memory. Registers go from one block to the next, so that a difference stays. Interrupts,
timers, transfers and sound come from registers that are written at the start and by the blocks.
"""

import struct
from typing import Final

import numpy as np

from experiments.benchmarks.idle_rom import ENTRY

Rng = np.random.Generator
SIZE: Final = 1 << 16
START: Final = 0xC0
CODE, TABLE = 0x2000, 0x1F00  # of the blocks in the cartridge; their addresses
ROM, EWRAM, IWRAM, IO = 0x08000000, 0x02000000, 0x03000000, 0x04000000
COUNTER, STACK, IRQ_VECTOR = 0x03007E00, 0x03007D00, 0x03007FFC
IN_EWRAM, IN_IWRAM, COPIED = 0x02020000, 0x03004000, 0x2400  # code, and its bytes in each
BLOCKS: Final = 32
# regions by the highest byte of an address, with the bits of an offset
DATA: Final = ((2, 17), (3, 14), (8, 15), (5, 9), (6, 16), (7, 9), (0, 14), (4, 8), (9, 20), (1, 9))
WEIGHTS: Final = (0.27, 0.3, 0.2, 0.03, 0.05, 0.03, 0.03, 0.05, 0.03, 0.01)
WRITTEN: Final = (0x00, 0x04, 0x08, 0x10, 0x50, 0x60, 0x62, 0x64, 0x80, 0x82, 0x84, 0x88, 0xA0) + (
    *(0xBA, 0xC4, 0xC6, 0xD0, 0xD2, 0xDC, 0xDE, 0x100, 0x102, 0x104, 0x106, 0x108, 0x10A),
    *(0x10C, 0x10E, 0x132, 0x200, 0x202, 0x204, 0x204, 0x208),
)
CALLS: Final = (0x06, 0x06, 0x08, 0x09, 0x0B, 0x0C, 0x0E)  # BIOS functions: Div to BgAffineSet


def bits(rng: Rng, count: int) -> int:
    """Returns a random number of this many bits."""
    return int(rng.integers(1 << count))


def pick(rng: Rng, *values: int) -> int:
    """Returns one of several numbers."""
    return values[int(rng.integers(len(values)))]


def region(rng: Rng) -> tuple[int, int]:
    """Returns where a load or a store goes."""
    return DATA[int(rng.choice(len(DATA), p=WEIGHTS))]


# --- Thumb: half-words. r7 counts loops, and is written by nothing else.


def thumb_item(rng: Rng, depth: int = 0) -> list[int]:
    """Returns a few instructions that belong together."""
    if rng.random() < 0.04:
        return thumb_loop(rng, depth)
    kinds = (thumb_alu, thumb_memory, thumb_branch, thumb_stack, thumb_high, thumb_io)
    chances = (0.42, 0.26, 0.1, 0.08, 0.07, 0.03, 0.02, 0.02)
    return (*kinds, thumb_patch, thumb_call)[int(rng.choice(len(chances), p=chances))](rng)


def thumb_alu(rng: Rng) -> list[int]:
    """Returns any shift, sum, comparison or logic of low registers but r7."""
    while True:
        op = bits(rng, 14) if rng.random() < 0.7 else 0x4000 | bits(rng, 10)
        target = op >> 8 & 7 if 0x2000 <= op < 0x4000 else op & 7
        if op < 0x4400 and target != 7:
            return [op]


def thumb_base(rng: Rng, register: int, exact: bool) -> list[int]:
    """Returns what makes a register an address of some region; uses r6."""
    high, size = region(rng)
    words = [register << 3 | register | (32 - size) << 6]  # lsl
    words.append(0x0800 | register << 3 | register | (32 - size) << 6)  # lsr
    if exact:
        words += [0x0880 | register << 3 | register, register << 3 | register | 2 << 6]
    return [*words, 0x2600 | high, 0x0636, 0x4330 | register]  # mov, lsl #24, orr


def thumb_memory(rng: Rng) -> list[int]:
    """Returns a load or a store of one or several registers, or of a literal."""
    if rng.random() < 0.15:
        return [0x4800 | pick(rng, 0, 1, 2, 3, 4, 5) << 8 | bits(rng, 5)]
    base, kind = pick(rng, 0, 1, 2, 3, 4, 5), rng.random()
    words = thumb_base(rng, base, bool(rng.random() < 0.85))
    target = pick(rng, 0, 1, 2, 3, 4, 5)
    if kind < 0.2:  # stmia, ldmia
        return [*words, 0xC000 | bits(rng, 1) << 11 | base << 8 | bits(rng, 6)]
    if kind < 0.5:  # the offset in r6
        return [
            *words,
            0x2600 | bits(rng, 5) << 2,
            0x5000 | bits(rng, 3) << 9 | 6 << 6 | base << 3 | target,
        ]
    op = pick(rng, 0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800)
    return [*words, op | bits(rng, 5) << 6 | base << 3 | target]


def thumb_branch(rng: Rng) -> list[int]:
    """Returns a jump over some arithmetic, conditional or not, or a call of it."""
    over = [thumb_alu(rng)[0] for _ in range(int(rng.integers(1, 5)))]
    kind = rng.random()
    if kind < 0.7:
        return [0xD000 | int(rng.integers(14)) << 8 | (len(over) - 1), *over]
    if kind < 0.85:
        return [0xE000 | (len(over) - 1), *over]
    # bl to a function behind, which the return address jumps over
    return [0xF000, 0xF800 | 1, 0xE000 | (len(over) + 1), 0xB500, *over, 0xBD00]


def thumb_stack(rng: Rng) -> list[int]:
    """Returns a push and a pop with something between, or what belongs to the stack's pointer."""
    some = bits(rng, 7)
    if rng.random() < 0.6 and some:
        return [0xB400 | some, *thumb_alu(rng), *thumb_alu(rng), 0xBC00 | some]
    room, register = bits(rng, 4), pick(rng, 0, 1, 2, 3, 4, 5)
    access = pick(rng, 0x9000, 0x9800, 0xA800, 0xA000) | register << 8 | bits(rng, 3)
    return [0xB080 | room, access, 0xB000 | room]


def thumb_high(rng: Rng) -> list[int]:
    """Returns a sum, comparison or move with one of all registers."""
    target = pick(rng, 0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12)
    op = pick(rng, 0x4400, 0x4500, 0x4600)
    return [op | (target & 8) << 4 | bits(rng, 4) << 3 | target & 7]


def thumb_io(rng: Rng) -> list[int]:
    """Returns a load or a store of a register of the machine; uses r5 and r6."""
    place = pick(rng, *WRITTEN)
    words = [0x2604, 0x0636, 0x2500 | place >> 1, 0x006D, 0x19AD]  # r5 = 0x04000000 + place
    if rng.random() < 0.7:
        return [*words, pick(rng, 0x8800, 0x6800, 0x7800) | 5 << 3 | bits(rng, 2)]
    return [*words, 0x8000 | 5 << 3 | bits(rng, 2)]


def thumb_patch(rng: Rng) -> list[int]:
    """Returns a store of an instruction a few places ahead of itself: it changes code in RAM."""
    other = thumb_alu(rng)[0]
    # mov r5, pc; then r6 = instruction; strh r6, [r5, #offset]; some that may be replaced
    words = [0x467D, 0x2600 | other >> 8, 0x0236, 0x3600 | other & 0xFF]
    return [*words, 0x8000 | pick(rng, 3, 4, 5, 6, 7) << 6 | 5 << 3 | 6] + [
        thumb_alu(rng)[0] for _ in range(5)
    ]


def thumb_call(rng: Rng) -> list[int]:
    """Returns a call of the BIOS, or a way to ARM code and back."""
    if rng.random() < 0.5:  # bx pc; nop; add r5, pc, #1; bx r5: entered at a multiple of four
        return [0x4778, 0x46C0, 0x5001, 0xE28F, 0xFF15, 0xE12F]
    # r0 and r1 in work memory, r2 small: what the functions take
    words = [0x0380, 0x0B80, 0x2602, 0x0636, 0x4330, 0x0389, 0x0B89, 0x4331, 0x2200 | bits(rng, 6)]
    return [*words, 0xDF00 | pick(rng, *CALLS)]


def thumb_loop(rng: Rng, depth: int) -> list[int]:
    """Returns a loop of a few turns."""
    if depth:
        return thumb_alu(rng)
    body = [word for _ in range(4) for word in thumb_item(rng, 1) if word != 0x4778]
    body = [word for word in body if word >> 8 != 0xDF][:60]
    return [0x2700 | bits(rng, 5) + 1, *body, 0x3F01, 0xD100 | -(len(body) + 3) & 0xFF]


# --- ARM: words. r11 counts loops.


def arm_item(rng: Rng) -> list[int]:
    """Returns a few instructions that belong together."""
    kinds = (arm_alu, arm_memory, arm_branch, arm_multiply, arm_status, arm_patch, arm_loop)
    kind = kinds[int(rng.choice(len(kinds), p=(0.4, 0.32, 0.1, 0.1, 0.03, 0.02, 0.03)))]
    return kind(rng)


def condition(rng: Rng) -> int:
    """Returns a condition, mostly "always"."""
    return (14 if rng.random() < 0.7 else bits(rng, 4)) << 28


def low(rng: Rng) -> int:
    """Returns a register that may be written."""
    return int(rng.integers(11))


def arm_alu(rng: Rng) -> list[int]:
    """Returns any arithmetic or logic."""
    op, sets = bits(rng, 4), bits(rng, 1)
    sets |= 8 <= op < 12
    word = condition(rng) | op << 21 | sets << 20 | bits(rng, 4) << 16 | low(rng) << 12
    kind = rng.random()
    if kind < 0.3:
        return [word | 1 << 25 | bits(rng, 12)]
    if kind < 0.8:
        return [word | bits(rng, 5) << 7 | bits(rng, 2) << 5 | bits(rng, 4)]
    return [word | low(rng) << 8 | bits(rng, 2) << 5 | 1 << 4 | bits(rng, 4)]


def arm_base(rng: Rng, register: int, exact: bool) -> list[int]:
    """Returns what makes a register an address of some region."""
    high, size = region(rng)
    up, down = 32 - size + 2 * exact, 32 - size
    words = [0xE1A00000 | register << 12 | up << 7 | register]
    words.append(0xE1A00020 | register << 12 | down << 7 | register)
    return [*words, 0xE3800400 | register << 16 | register << 12 | high]


def arm_memory(rng: Rng) -> list[int]:
    """Returns a load or a store: words, bytes, half-words, several registers, or an exchange."""
    base, target, kind = low(rng), low(rng), rng.random()
    words = arm_base(rng, base, bool(rng.random() < 0.85))
    word = condition(rng) | base << 16 | target << 12
    if kind < 0.4:
        return [*words, word | 0x04000000 | bits(rng, 5) << 20 | bits(rng, 6)]
    if kind < 0.55:
        words.append(0xE2000000 | 9 << 16 | 9 << 12 | bits(rng, 6))  # r9 small
        return [
            *words,
            word | 0x06000000 | bits(rng, 5) << 20 | bits(rng, 2) << 7 | bits(rng, 2) << 5 | 9,
        ]
    if kind < 0.75:
        op, kind = pick(rng, 0xB0, 0xD0, 0xF0), bits(rng, 5) | 4
        kind |= op != 0xB0  # with a sign there are only loads: stores are no instructions, and
        return [*words, word | kind << 20 | op | bits(rng, 4)]  # end in the BIOS for good
    if kind < 0.95:
        words.append(0xE2800040 | base << 16 | base << 12)  # add: nothing lies below some regions
        return [*words, word & ~0xF000 | 0x08000000 | (bits(rng, 5) & ~4) << 20 | bits(rng, 11)]
    return [
        *words,
        condition(rng) | 0x01000090 | bits(rng, 1) << 22 | base << 16 | target << 12 | low(rng),
    ]


def arm_branch(rng: Rng) -> list[int]:
    """Returns a jump over some arithmetic."""
    over = [arm_alu(rng)[0] for _ in range(int(rng.integers(1, 5)))]
    return [condition(rng) | 0x0A000000 | bits(rng, 1) << 24 | (len(over) - 1), *over]


def arm_multiply(rng: Rng) -> list[int]:
    """Returns a multiplication, short or long."""
    op = pick(rng, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15)
    fields = low(rng) << 16 | low(rng) << 12 | low(rng) << 8 | 0x90 | low(rng)
    return [condition(rng) | op << 20 | fields]


def arm_status(rng: Rng) -> list[int]:
    """Returns a load or a store of the flags."""
    if rng.random() < 0.5:
        return [condition(rng) | 0x010F0000 | low(rng) << 12]
    return [condition(rng) | 0x0128F000 | low(rng)]


def arm_patch(rng: Rng) -> list[int]:
    """Returns a store of an instruction a few places ahead of itself: it changes code in RAM."""
    offset = pick(rng, 0, 4, 8, 12)
    words = [0xE59F9000 | 8, 0xE58F9000 | offset + 4, *arm_alu(rng), 0xEA000000, arm_alu(rng)[0]]
    return [*words, *(arm_alu(rng)[0] for _ in range(4))]


def arm_loop(rng: Rng) -> list[int]:
    """Returns a loop of a few turns."""
    body = [word for _ in range(3) for word in (*arm_alu(rng), *arm_memory(rng))]
    return [
        0xE3A0B000 | bits(rng, 4) + 1,
        *body,
        0xE25BB001,
        0x1A000000 | -(len(body) + 3) & 0xFFFFFF,
    ]


# --- loops of what compilers write most, which the interpreter runs two at a time. What follows the
# base (r5, r10) is in its region, or near; r6 and r9 are small, and nothing else writes these.


def thumb_usual(rng: Rng) -> list[int]:
    """Returns a loop of usual instructions."""
    body: list[int] = []
    for _ in range(int(rng.integers(8, 40))):
        target, other, five = int(rng.integers(5)), int(rng.integers(7)), bits(rng, 5)
        low, at, byte = other << 3 | target, five << 6 | 5 << 3 | target, bits(rng, 8)
        usual = [five << 6 | low, low, 0x0800 | five << 6 | low, 0x4400 | low, 0x4600 | low]
        usual += [0x1800 | bits(rng, 3) << 6 | low, 0x3000 | target << 8 | byte, 0x4000 | low]
        usual += [0x4800 | target << 8 | byte >> 3, 0x6800 | at, 0x7800 | at, 0x8800 | at]
        usual += [0x8000 | at, 0x5800 | 6 << 6 | 5 << 3 | target, 0xD000 | five % 14 << 8]
        body.append(pick(rng, *usual, 0x4280 | low, 0x4500 | low, 0x2800 | target << 8 | byte))
        if rng.random() < 0.3:
            body += [pick(rng, 0x4280 | low, 0x4500 | low), 0xD000 | int(rng.integers(14)) << 8]
    start = [*thumb_base(rng, 5, True), 0x2600 | bits(rng, 4) << 2, 0x2700 | bits(rng, 3) + 2]
    return [*start, *body, 0x46C0, 0x3F01, 0xD100 | -(len(body) + 4) & 0xFF]


def arm_usual(rng: Rng) -> list[int]:
    """Returns a loop of usual instructions."""
    body: list[int] = []
    for _ in range(int(rng.integers(8, 40))):
        target, n, m, s = (int(value) for value in rng.integers(9, size=4))
        up, place = bits(rng, 1) << 23, 10 << 16 | target << 12
        moved, summed = target << 12 | m, n << 16 | target << 12
        usual = [0x05100000 | up | place | bits(rng, 4) << 2, 0x05000000 | up | place | s << 2]
        usual += [0x019000D0 | place | 9, 0x01A00000 | moved, 0x03A00000 | target << 12 | m]
        usual += [0x01A00020 | moved | s << 7, 0x01A00040 | moved | s << 7, 0x00800000 | summed | m]
        usual += [0x02800000 | summed | m, 0x02400000 | summed | m, 0x02500000 | summed | m]
        usual += [0x00200090 | target << 16 | n << 12 | s << 8 | m, 0x01500000 | n << 16 | m]
        usual += [0x00000090 | target << 16 | s << 8 | m, 0x03500000 | n << 16 | m, 0x0A000000]
        body.append(condition(rng) | pick(rng, *usual))
        if rng.random() < 0.3:
            body += [0xE1500000 | n << 16 | m, bits(rng, 4) << 28 | pick(rng, *usual)]
    start = [*arm_base(rng, 10, True), 0xE3A09000 | bits(rng, 4) << 2, 0xE3A0B002 + bits(rng, 3)]
    return [*start, *body, 0xE1A00000, 0xE25BB001, 0x1A000000 | -(len(body) + 4) & 0xFFFFFF]


# --- the cartridge


def block(rng: Rng, thumb: bool, usual: bool) -> bytes:
    """Returns a function of random code, a multiple of four bytes."""
    if thumb:
        halves = [0xB500]
        for _ in range(int(rng.integers(4, 40))):
            item = thumb_usual(rng) if usual and rng.random() < 0.3 else thumb_item(rng)
            if item[0] == 0x4778 and len(halves) % 2:
                halves.append(0x46C0)
            halves += item
        halves += [0xBC01, 0x4700]
        halves += [0x46C0] * (len(halves) % 2)
        return struct.pack(f"<{len(halves)}H", *halves)
    words = [0xE52DE004]
    for _ in range(int(rng.integers(4, 40))):
        words += arm_usual(rng) if usual and rng.random() < 0.3 else arm_item(rng)
    words += [0xE49DE004, 0xE12FFF1E]
    return struct.pack(f"<{len(words)}I", *(word & 0xFFFFFFFF for word in words))


def constant(register: int, value: int) -> list[int]:
    """Returns mov, then three orr: any 32-bit value."""
    words = [0xE3A00000 | register << 12 | value & 0xFF]
    for rotation, shift in ((12, 8), (8, 16), (4, 24)):
        byte = value >> shift & 0xFF
        words.append(0xE3800000 | register << 16 | register << 12 | rotation << 8 | byte)
    return words


def write(address: int, value: int) -> list[int]:
    """Returns a store of a half-word."""
    return [*constant(0, address), *constant(1, value & 0xFFFF), 0xE1C010B0]


def settings(rng: Rng) -> list[tuple[int, int]]:
    """Returns what the registers of the machine have at the start."""
    waits = pick(rng, 0, 0x4017, 0x4317, 0x4014, 0x0010, bits(rng, 15))
    found = [(0x204, waits), (0x004, pick(rng, 0x08, 0x18, 0x28, 0x38) | bits(rng, 8) << 8)]
    found.append((0x000, pick(rng, 0x0100, 0x1F40, 0x0403, 0x0080)))
    for timer in range(4):
        control = pick(rng, 0, 0x80, 0xC0, 0xC1, 0xC2, 0x84)
        found += [(0x100 + 4 * timer, bits(rng, 16) | 0x8000), (0x102 + 4 * timer, control)]
    if rng.random() < 0.5:  # a sound like Emerald's
        found += [(0x84, 0x80), (0x82, 0x3302), (0x88, pick(rng, 0x200, 0x4200, 0xC200))]
        for at, fifo in ((0xBC, 0xA0), (0xC8, 0xA4)):
            found += [(at, 0x66D0), (at + 2, 0x0300), (at + 4, fifo), (at + 6, 0x0400)]
            found += [(at + 8, 4), (at + 10, pick(rng, 0xB640, 0xB600, 0xF640))]
        found += [(0x100, pick(rng, 0xFB1A, 0xFC00, 0xFF80)), (0x102, pick(rng, 0x80, 0x80, 0xC0))]
    if rng.random() < 0.3:  # a transfer at the blanks, or at once, perhaps over code
        at, target = (
            pick(rng, 0xB0, 0xD4),
            pick(rng, EWRAM, 0x06000000, IN_IWRAM + 0x100, 0x05000000),
        )
        found += [(at, 0), (at + 2, pick(rng, 0x0200, 0x0800)), (at + 4, target & 0xFFFF)]
        found += [(at + 6, target >> 16), (at + 8, bits(rng, 6) + 1)]
        found.append((at + 10, pick(rng, 0xA240, 0xA600, 0x9240, 0x8400, 0xE240)))
    return [*found, (0x200, bits(rng, 14) | 1), (0x208, 1)]


def copy(source: int, target: int) -> list[int]:
    """Returns a call of the BIOS that copies code."""
    return [
        *constant(0, source),
        *constant(1, target),
        *constant(2, COPIED // 4 | 1 << 26),
        0xEF0B0000,
    ]


HANDLER: Final = (
    *(0xE3A00301, 0xE2800C02, 0xE1D010B2, 0xE1C010B2),  # r0 = 0x04000200; acknowledges all
    *(0xE3A02402, 0xE3822801, 0xE5923000),  # r2 = 0x02010000: sums what it finds
    *(0xE0833081, 0xE59F1004, 0xE5823000, 0xE12FFF1E, 0x00000000, 0x00000000),
)


def random_cartridge(seed: int) -> bytes:
    """Returns a whole ROM; each seed gives another, each fourth one with loops of usual code."""
    rng = np.random.default_rng(seed)
    rom = bytearray(rng.bytes(SIZE))
    struct.pack_into("<I", rom, 0, ENTRY)
    rom[0xA0:0xB2] = b"RANDOM".ljust(12, b"\0") + b"RAND" + b"01"
    rom[0xB2] = 0x96
    addresses: list[int] = []
    end = CODE
    while len(addresses) < BLOCKS:
        thumb = bool(rng.random() < 0.6)
        code = block(rng, thumb, seed % 4 == 3)
        rom[end : end + len(code)] = code
        place = pick(rng, ROM + end, IN_EWRAM + end - CODE, IN_IWRAM + end - CODE)
        inside = end + len(code) <= CODE + COPIED
        addresses.append((place if inside else ROM + end) | thumb)
        end += len(code)
    struct.pack_into(f"<{BLOCKS}I", rom, TABLE, *addresses)
    loop = [*constant(12, COUNTER), 0xE59CB000, 0xE28BB001, 0xE58CB000, 0xE20BB01F]
    loop += [*constant(10, ROM + TABLE), 0xE79AA10B, *constant(13, STACK), 0xE1A0E00F, 0xE12FFF1A]
    loop.append(0xEA000000 | -(len(loop) + 2) & 0xFFFFFF)
    setup = [*copy(ROM + CODE, IN_EWRAM), *copy(ROM + CODE, IN_IWRAM)]
    for place, value in settings(rng):
        setup += write(IO + place, value)
    vector = [*constant(0, IRQ_VECTOR), *constant(1, 0), 0xE5801000]
    handler = ROM + START + 4 * (len(vector) + len(setup) + len(loop))
    vector = [*constant(0, IRQ_VECTOR), *constant(1, handler), 0xE5801000]
    program = [*vector, *setup, *loop, *HANDLER]
    struct.pack_into(f"<{len(program)}I", rom, START, *program)
    return bytes(rom)
