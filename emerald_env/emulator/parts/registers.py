"""The processor's registers, by name."""

from typing import Any

from emerald_env.emulator.library import lib

PC, CPSR = 15, 16
RUNNABLE = {0x02: "ewram", 0x03: "iwram", **dict.fromkeys(range(0x08, 0x0E), "rom")}


class Register:
    """One register, as an attribute that can be read and set.

    Args:
        number: its own; 16 is the status register.
    """

    def __init__(self, number: int) -> None:
        self._number = number

    def __get__(self, file: "RegisterFile", owner: type) -> int:
        return int(lib.game_register(file._game, self._number))

    def __set__(self, file: "RegisterFile", value: int) -> None:
        if self._number == CPSR:
            raise AttributeError("cpsr can only be read")
        if self._number == PC and value >> 24 not in RUNNABLE:
            raise ValueError(f"no code at 0x{value:08X}: pc must be in ewram, iwram or rom")
        lib.game_set_register(file._game, self._number, value & 0xFFFFFFFF)


class RegisterFile:
    """The ARM7TDMI's registers: `r0` to `r12`, `sp`, `lr`, `pc` and `cpsr`, unsigned.

    In a hook they are what the instruction at its address will find. `pc` is the address of the
    next instruction; setting it jumps there, in the same state (ARM or Thumb). `cpsr` can only be
    read.
    """

    r0, r1, r2, r3 = Register(0), Register(1), Register(2), Register(3)
    r4, r5, r6, r7 = Register(4), Register(5), Register(6), Register(7)
    r8, r9, r10, r11 = Register(8), Register(9), Register(10), Register(11)
    r12, sp, lr, pc, cpsr = Register(12), Register(13), Register(14), Register(PC), Register(CPSR)

    def __init__(self, game: Any) -> None:
        self._game = game
