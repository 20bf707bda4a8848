"""22,600 mutated memories and 8,000 mutated files: refused or possible, and never an exception.

    PYTHONPATH=.:tests:tests/state python tests/state/mutate.py

It takes half a minute, so it is no part of the tests.
"""

import random

from helpers.handmade import Game, flash, state_file
from test_state_guard import BATTLE_GAME, FIELD_GAME, GAMES, WINDOWS, check, look, original

from emerald_env.game.savefile import FlashSave, SaveFileError, parse
from emerald_env.state import GameState, StateReader, decode, decode_save

MEMORIES, FILES = 22_600, 8_000


def mutate_memories(rng):
    """Writes bytes into what a look reads; returns how many memories were believed."""
    believed = 0
    for _ in range(MEMORIES):
        memory = original(rng.choice(sorted(GAMES)))[0].copy()
        for _ in range(rng.randint(1, 6)):
            address, size = rng.choice(WINDOWS)
            offset = rng.randrange(size)
            memory.write(address + offset, rng.randbytes(min(rng.randint(1, 8), size - offset)))
        believed += look(memory) is not None
        StateReader(memory.read).sample()
    return believed


def mutate_files(rng):
    """Changes bytes of states and saves, or cuts them off; returns how many were believed."""
    files = [state_file(FIELD_GAME.memory()), state_file(BATTLE_GAME.memory())]
    files.append(flash({0: (3, Game()), 1: (4, FIELD_GAME)}))
    believed = 0
    for _ in range(FILES):
        data = bytearray(rng.choice(files))
        for _ in range(rng.randint(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        try:
            content = parse(bytes(data))
        except SaveFileError:
            continue
        is_save = isinstance(content, FlashSave)
        found = decode_save(content.block1, content.block2) if is_save else decode(content.read)
        if isinstance(found, GameState):
            check(found)
            believed += 1
    return believed


if __name__ == "__main__":
    rng = random.Random(0)
    print(f"{MEMORIES:,} memories, {mutate_memories(rng):,} believed, no exception")
    print(f"{FILES:,} files, {mutate_files(rng):,} believed, no exception")
