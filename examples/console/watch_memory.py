"""Tells which bytes of the internal RAM change most while nobody plays.

usage: watch_memory.py [ROM]
"""

import sys
from collections import Counter

from emerald_env import GBA
from emerald_env.jade.cartridge import JADE_ROM

START, SIZE, FRAMES = 0x03000000, 0x4000, 60


def main(rom: str = str(JADE_ROM)) -> None:
    """Compares two pictures of memory a frame."""
    changes: Counter[int] = Counter()
    with GBA(rom) as gba:
        before = gba.memory[START : START + SIZE]
        for _ in range(FRAMES):
            gba.tick(render=False)
            now = gba.memory[START : START + SIZE]
            changes.update(START + i for i in range(SIZE) if now[i] != before[i])
            before = now
        for address, count in changes.most_common(5):
            print(f"0x{address:08X} changed {count} times and is {gba.memory[address]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
