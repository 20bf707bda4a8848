"""Plays a little and keeps a picture of the screen.

usage: screenshot.py [ROM [PICTURE]]
"""

import sys

from emerald_env import GBA
from emerald_env.jade.cartridge import JADE_ROM


def main(rom: str = str(JADE_ROM), picture: str = "screen.png") -> None:
    """Presses Start a few times."""
    with GBA(rom) as gba:
        gba.tick(120, render=False)
        for _ in range(5):
            gba.button("start", delay=4)  # down for four frames, then up
            gba.tick(60)
        gba.screen.image.save(picture)
        print(gba.cartridge_title, gba.frame_count, gba.screen.ndarray.shape)


if __name__ == "__main__":
    main(*sys.argv[1:])
