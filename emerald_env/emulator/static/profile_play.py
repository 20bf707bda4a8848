"""Plays Jade with an instrumented shim, to profile it for the compiler.

usage: profile_play.py SHIM ROM
"""

import importlib.util
import random
import sys

STEPS, FRAMES, HOLD = 1500, 24, 12
INTRO = 300  # steps of pressing A, after which the player walks
A, RIGHT, LEFT, UP, DOWN = (1 << bit for bit in (0, 4, 5, 6, 7))


def main(shim: str, rom: str) -> None:
    """Plays for a few seconds."""
    spec = importlib.util.spec_from_file_location("_shim", shim)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with open(rom, "rb") as file:
        game = module.lib.game_open(file.fileno(), 0x080000E0)
    keys = random.Random(0)
    picture = module.ffi.new("uint8_t[]", 160 * 240 // 4)
    state = module.ffi.new("uint8_t[]", module.lib.game_state_size(game))
    for step in range(STEPS):
        key = A if step < INTRO else keys.choice((RIGHT, LEFT, UP, DOWN, A))
        module.lib.game_step(game, key, HOLD, FRAMES, 2, picture)
        if step % 100 == 0:
            module.lib.game_save_state(game, state)
            module.lib.game_load_state(game, state)
    module.lib.game_close(game)


if __name__ == "__main__":
    main(*sys.argv[1:])
