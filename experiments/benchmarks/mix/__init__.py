"""Jade with the work of a game like Emerald in each frame: see mix.c."""

import struct
from pathlib import Path
from typing import Final

from emerald_env.jade.cartridge import JADE_ROM
from experiments.benchmarks.busy_rom import place_of_pointer, wait_loop

CODE: Final = Path(__file__).with_name("mix.bin")
PLACE: Final = 0x60000  # mix.ld
THEN: Final = 0x10  # entry.s: where the code goes on to


def mix_rom() -> bytes:
    """Returns Jade with that work before its wait loop; only the checksum in its states differs."""
    rom, code = bytearray(JADE_ROM.read_bytes()), bytearray(CODE.read_bytes())
    pointer = place_of_pointer(rom)
    struct.pack_into("<I", code, THEN, wait_loop())
    rom[PLACE : PLACE + len(code)] = code
    struct.pack_into("<I", rom, pointer, 0x08000000 + PLACE | 1)
    return bytes(rom)
