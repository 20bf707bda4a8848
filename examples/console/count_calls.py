"""Counts how often the processor reaches an address, and from where.

usage: count_calls.py [ROM ADDRESS_OR_SYMBOL [SYMBOLS]]
"""

import sys
from collections import Counter

from emerald_env import GBA
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM

FRAMES = 10


def main(rom: str = str(JADE_ROM), place: str = hex(JADE_IDLE_LOOP), symbols: str = "") -> None:
    """Hooks the address for some frames."""
    callers: Counter[int] = Counter()
    with GBA(rom, symbols=symbols or None) as gba:
        address = int(place, 16) if place.startswith("0x") else gba.symbol_lookup(place)
        gba.hook_register(address, lambda found: found.update([gba.register_file.lr]), callers)
        gba.tick(FRAMES)
        gba.hook_deregister(address)
    print(f"0x{address:08X} was reached {callers.total()} times in {FRAMES} frames")
    for caller, count in callers.most_common(3):
        print(f"  with lr = 0x{caller:08X}: {count} times")


if __name__ == "__main__":
    main(*sys.argv[1:])
