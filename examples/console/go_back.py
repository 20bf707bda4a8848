"""Saves a state in a file, plays on, rewinds, and loads the state again.

usage: go_back.py [ROM]
"""

import sys
import tempfile

from emerald_env import GBA
from emerald_env.jade.cartridge import JADE_ROM


def main(rom: str = str(JADE_ROM)) -> None:
    """Goes forth and back."""
    with GBA(rom, rewind=60) as gba, tempfile.TemporaryFile() as file:
        gba.tick(60)
        gba.save_state(file)
        for _ in range(10):
            gba.button("a")
            gba.tick(60)
        print(f"at frame {gba.frame_count}")
        print(f"{gba.rewind(180)} frames back: at frame {gba.frame_count}")
        file.seek(0)
        gba.load_state(file)
        print(f"the saved state: at frame {gba.frame_count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
