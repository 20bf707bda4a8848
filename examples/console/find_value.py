"""Finds what counts up in memory, as one finds a score, and holds it with a cheat.

usage: find_value.py [ROM]
"""

import sys

from emerald_env import GBA
from emerald_env.emulator import DynamicComparisonType
from emerald_env.jade.cartridge import JADE_ROM

START, END = 0x03000000, 0x03003FFF
HELD = 77


def main(rom: str = str(JADE_ROM)) -> None:
    """Scans while time passes."""
    with GBA(rom) as gba:
        scanner = gba.memory_scanner
        found = scanner.scan_memory(None, START, END)
        for _ in range(6):
            gba.tick(7, render=False)
            found = scanner.rescan_memory(dynamic_comparison_type=DynamicComparisonType.INCREASED)
        print(f"{len(found)} bytes counted up six times:", *(f"0x{a:08X}" for a in found[:4]))
        if found:
            gba.gameshark.add(f"{found[0]:08X}:{HELD:02X}")
            gba.tick(2)
            print(f"0x{found[0]:08X} is now held at {gba.memory[found[0]]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
