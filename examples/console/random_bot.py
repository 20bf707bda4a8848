"""A bot that tries random keys from a saved state and keeps what leads furthest, as in PyBoy.

usage: random_bot.py [ROM ADDRESS]   the address is of a byte that should change often
"""

import io
import random
import sys

from emerald_env import GBA as PyBoy
from emerald_env.jade.cartridge import JADE_ROM

BUTTONS = ("a", "b", "up", "down", "left", "right")
TRIES, PRESSES = 5, 8


def main(rom: str = str(JADE_ROM), address: str = "0x02037360") -> None:
    """Presses keys, counts the byte's values, and goes back to the start for each try."""
    dice = random.Random(0)
    with PyBoy(rom) as pyboy, io.BytesIO() as start:
        pyboy.tick(600, False)
        pyboy.save_state(start)
        best: tuple[int, list[str]] = (0, [])
        for _ in range(TRIES):
            start.seek(0)
            pyboy.load_state(start)
            keys, values = [], {pyboy.memory[int(address, 16)]}
            for _ in range(PRESSES):
                keys.append(dice.choice(BUTTONS))
                pyboy.button_press(keys[-1])
                pyboy.tick(12, False)
                pyboy.button_release(keys[-1])
                pyboy.tick(12, False)
                values.add(pyboy.memory[int(address, 16)])
            best = max(best, (len(values), keys))
        print(f"{best[0]} values of {address} with {' '.join(best[1])}, frame {pyboy.frame_count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
