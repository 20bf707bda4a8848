"""Keeps a second of play as an animated picture, as PyBoy programs do with Pillow.

usage: film_strip.py [ROM [PICTURE]]
"""

import sys

from emerald_env import GBA as PyBoy
from emerald_env.jade.cartridge import JADE_ROM

EVERY = 4  # frames


def main(rom: str = str(JADE_ROM), picture: str = "play.gif") -> None:
    """Skips the title at full speed, then films."""
    with PyBoy(rom, window="null") as pyboy:
        pyboy.set_emulation_speed(0)
        pyboy.tick(240, False)  # not drawn
        pyboy.button("start")
        pictures = []
        for _ in range(15):
            pyboy.tick(EVERY, True)
            pictures.append(pyboy.screen.image.convert("P"))
        pictures[0].save(
            picture, save_all=True, append_images=pictures[1:], duration=EVERY * 1000 // 60, loop=0
        )
        print(len(pictures), "pictures of", pyboy.screen.image.size)


if __name__ == "__main__":
    main(*sys.argv[1:])
