"""Takes the screen apart: sprites, backgrounds, and a second of sound.

usage: layers.py [ROM]
"""

import sys

from emerald_env import GBA
from emerald_env.jade.cartridge import JADE_ROM


def main(rom: str = str(JADE_ROM)) -> None:
    """Prints what is there."""
    with GBA(rom, sound_sample_rate=48_000) as gba:
        gba.tick(600)
        for number in range(4):
            background = gba.get_background(number)
            if background.is_shown:
                print("background", number, background.kind, background.image.size)
        sprites = [sprite for i in range(128) if (sprite := gba.get_sprite(i)).on_screen]
        print(len(sprites), "sprites", [sprite.shape for sprite in sprites[:4]])
        gba.tick(60)
        print(len(gba.sound.ndarray), "samples, loudest", int(abs(gba.sound.ndarray).max()))


if __name__ == "__main__":
    main(*sys.argv[1:])
