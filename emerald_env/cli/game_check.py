"""Plays a minute of a game with random keys, and says what of it works here."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from emerald_env.emulator import KEYS, key_mask
from emerald_env.env.starts import NEW_GAME, prepare_starts
from emerald_env.game.editions import Game, open_game
from emerald_env.state import GameState, StateReader, read_storage, surroundings

STEPS, FRAMES = 150, 24  # a minute of play
SEED = 0
Check = tuple[str, bool, str]  # what, whether it works, what was found


def check_game(rom: Path | None) -> Iterator[Check]:
    """Yields what works of a game: its new game, reading it, save states.

    Args:
        rom: the game; None: Jade.

    Raises:
        RomError, StateError: it cannot be begun; the message says where it came to.
    """
    (start,) = prepare_starts(rom, NEW_GAME)
    yield "new game", True, "begins, and arrived where new games begin"
    with open_game(rom) as gba:
        start.restore(gba)
        reader = StateReader.of(gba)
        yield from _parts(gba, reader.sample())
        seen = _play(gba, reader)
        yield "play", seen["unknown_callback"] == 0, _found(seen)
        yield "save states", _repeats(gba), "a state that was loaded plays on as before"


def _parts(gba: Game, state: GameState | None) -> Iterator[Check]:
    """Yields whether each part of a state can be read."""
    boxes = read_storage(gba.read, gba.edition)
    around = surroundings(gba.read, gba.edition)
    known = sum(tile is not None for tile in around.values())
    name = state.player_name if state else "nobody"
    yield "state", state is not None, f"player {name}, {len(state.flags_set) if state else 0} flags"
    yield "boxes", boxes is not None and not boxes.broken, f"{boxes and len(boxes.pokemon)} Pokémon"
    yield "map", known > 0, f"{known} of 4 tiles around the player"


def _play(gba: Game, reader: StateReader) -> Counter[str]:
    """Presses random keys for a minute of play; returns how often each answer was given."""
    keys, seen = random.Random(SEED), Counter[str]()
    for _ in range(STEPS):
        gba.step(key_mask(keys.choice(KEYS)), FRAMES // 2, FRAMES)
        state = reader.sample()
        seen[state.mode.value if state else "no state"] += 1
    return seen + reader.rejections


def _found(seen: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in seen.most_common())


def _repeats(gba: Game) -> bool:
    state, ends = gba.save_state(), []
    for _ in range(2):
        gba.load_state(state)
        gba.step(key_mask("a"), FRAMES // 2, 10 * FRAMES)
        ends.append(gba.save_state())
    return ends[0] == ends[1]
