"""Small cartridges for tests, made of ARM instructions."""

import struct
from collections.abc import Iterable
from typing import Literal

from experiments.benchmarks.idle_rom import ENTRY

SIZE = 4096
CODE = 0xC0
IO = 0x04000000
LOG = 0x02000000  # what interrupts and wakings found, 16 bits each
LOG_SIZE = 0x4000
LOG_NEXT = 0x03000000  # address of the next entry
IRQ_VECTOR = 0x03007FFC
# registers that tell the time, the line or the sound: DISPSTAT, VCOUNT, NR52, wave, timers, IF
WATCHED = (0x004, 0x006, 0x084, 0x090, 0x100, 0x104, 0x108, 0x202)

Loop = Literal["halt", "busy", "half", "poll", "idle"]


def load(register: int, value: int) -> list[int]:
    """mov, then three orr: any 32-bit value."""
    words = [0xE3A00000 | register << 12 | value & 0xFF]
    for rotation, shift in ((12, 8), (8, 16), (4, 24)):
        words.append(
            0xE3800000 | register << 16 | register << 12 | rotation << 8 | value >> shift & 0xFF
        )
    return words


def halfword(store: bool, register: int, base: int, offset: int = 0) -> int:
    """ldrh or strh register, [base, #offset]."""
    split = (offset & 0xF0) << 4 | offset & 0xF
    return (0xE1C000B0 if store else 0xE1D000B0) | base << 16 | register << 12 | split


def branch(words: int, condition: int = 0xE) -> int:
    """b, so many instructions on from this one."""
    return condition << 28 | 0x0A000000 | (words - 2) & 0xFFFFFF


def log_watched() -> list[int]:
    """Appends the watched registers to the log; uses r0 to r3."""
    words = [*load(3, LOG_NEXT), 0xE5932000]  # ldr r2, [r3]
    for register in WATCHED:
        words += [*load(0, IO + register), halfword(False, 1, 0), halfword(True, 1, 2)]
        words += [0xE2822002, 0xE3C22901]  # add r2, #2; bic r2, #0x4000
    return [*words, 0xE5832000]  # str r2, [r3]


def handler() -> list[int]:
    """Logs, acknowledges all interrupts, returns."""
    acknowledge = [*load(0, IO + 0x200), halfword(False, 1, 0, 2), halfword(True, 1, 0, 2)]
    return [*log_watched(), *acknowledge, 0xE12FFF1E]


def counted(count: int) -> list[int]:
    """Counts r5 down from `count`: three cycles or more a turn."""
    return [*load(5, count), 0xE2555001, branch(-1, 0x1)]  # subs r5, #1; bne


HALT = [0xEF020000]  # swi 0x020000; a cartridge's own write of HALTCNT is only heeded by 0.10.1


def main_loop(kind: Loop, work: int) -> list[int]:
    """The loop that the program never leaves."""
    if kind == "idle":  # a wait loop: to be named as such, or the processor is fully busy
        return [0xE1A00000, branch(-1)]
    poll = [*load(0, IO), halfword(False, 1, 0, 6), 0xE35100A0, branch(-2, 0x1)]  # VCOUNT == 160
    body = {
        "halt": [*HALT, *log_watched()],
        "busy": [*counted(50), *log_watched()],
        "half": [*counted(work), *HALT, *log_watched()],
        "poll": [*poll, *log_watched(), *counted(400)],
    }[kind]
    return [*body, branch(-len(body))]


def program(writes: Iterable[tuple[int, int]], kind: Loop = "halt", work: int = 1000) -> bytes:
    """A cartridge that writes 16-bit values to addresses, allows interrupts and then loops.

    Args:
        writes: pairs of address and value, in their order.
        kind: the loop: halt and log; count and log; both; poll the line and log; only wait.
        work: turns of the counting loop of "half".
    """
    code = [*load(0, LOG_NEXT), *load(1, LOG), 0xE5801000]
    for address, value in writes:
        code += [*load(0, address), *load(1, value), halfword(True, 1, 0)]
    loop, interrupt = main_loop(kind, work), handler()
    start = 0x08000000 + CODE
    vector = len(load(0, 0)) * 2 + 1
    interrupt_at = start + 4 * (len(code) + vector + len(loop))
    code += [*load(0, IRQ_VECTOR), *load(1, interrupt_at), 0xE5801000, *loop, *interrupt]
    return cartridge(code)


def idle_loop(rom_writes: Iterable[tuple[int, int]]) -> int:
    """The address of the loop of `program(rom_writes, "idle")`."""
    setup = len(load(0, 0)) * 2 + 1
    return 0x08000000 + CODE + 4 * (setup * (2 + len(list(rom_writes))))


def cartridge(code: list[int]) -> bytes:
    """A whole ROM with this code behind its header."""
    rom = bytearray(SIZE)
    struct.pack_into("<I", rom, 0, ENTRY)
    rom[0xA0:0xB2] = b"PROGRAM".ljust(12, b"\0") + b"PROG" + b"01"
    rom[0xB2] = 0x96
    struct.pack_into(f"<{len(code)}I", rom, CODE, *code)
    return bytes(rom)
