"""Plays a game in a window, as a PyBoy program does: arrows, x for A, z for B, Return for Start.

usage: play_in_window.py [ROM]
"""

import sys

from emerald_env import GBA as PyBoy
from emerald_env.jade.cartridge import JADE_ROM


def main(rom: str = str(JADE_ROM)) -> None:
    """Runs until the window is closed."""
    pyboy = PyBoy(rom, window="SDL2", scale=3)
    while pyboy.tick():
        pass
    print(f"{pyboy.cartridge_title} was closed after {pyboy.frame_count} frames")
    pyboy.stop(save=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
