"""Plays a minute of a game with random keys, and reports what works."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from emerald_env.emulator import KEYS, key_mask
from emerald_env.emulator.cartridge.saved_formats import SAVE_SIZE
from emerald_env.game.editions import Game, open_game
from emerald_env.state import GameState, Rejection, StateReader, read_storage, surroundings

STEPS, FRAMES = 150, 24  # a minute of play
SEED = 0
WATCHED = 60  # frames in which nothing is pressed
AWAKE = 6  # of them that may keep a game's processor busy to the end
UNKNOWN = 15  # steps on unknown screens before B is pressed, which leaves all but a few


class Check(NamedTuple):
    """The result of one check."""

    what: str
    works: bool
    found: str
    matters: bool = True  # False: without it the game is exact, only slower


def self_check(gba: Game) -> Iterator[Check]:
    """Yields the checks of a game, from reading its memory to its save states.

    Args:
        gba: the game, where the player can walk. The check moves it.
    """
    reader = StateReader.of(gba)
    yield from _parts(gba, reader.sample())
    yield _wait_loop(gba)
    yield from _cartridge(gba)
    seen, longest = _play(gba, reader)
    tolerated = 0 if gba.edition.is_proved else 2 * UNKNOWN
    yield Check("play", longest <= tolerated and not seen["no state"], _found(seen))
    yield Check("save states", _repeats(gba), "a loaded state plays on as before")


def _parts(gba: Game, state: GameState | None) -> Iterator[Check]:
    """Yields whether each part of a state can be read."""
    boxes = read_storage(gba.memory.read, gba.edition)
    around = surroundings(gba.memory.read, gba.edition)
    known = sum(tile is not None for tile in around.values())
    name = state.player_name if state else "nobody"
    flags = len(state.flags_set) if state else 0
    yield Check("state", state is not None, f"player {name}, {flags} flags")
    found = "not readable" if boxes is None else f"{len(boxes.pokemon)} Pokémon"
    yield Check("boxes", boxes is not None and not boxes.broken, found)
    yield Check("map", known > 0, f"{known} of 4 tiles around the player")


def _wait_loop(gba: Game) -> Check:
    """Returns whether the processor sleeps while the game waits for the next frame.

    If it does not, the frames are timed against as many of Jade, which sleeps: so much is lost.
    """
    asleep, seconds = _waits(gba)
    found = f"skipped in {asleep} of {WATCHED} frames"
    skipped = asleep >= WATCHED - AWAKE
    if not skipped:
        with open_game() as jade:
            jade.step(0, 0, WATCHED)
            lost = seconds / _waits(jade)[1]
        found += (
            f"; {WATCHED / FRAMES / seconds:,.0f} steps/s, {lost:.1f} times slower than skipped"
        )
    return Check("wait loop", skipped, found, matters=False)


def _waits(gba: Game) -> tuple[int, float]:
    """Returns in how many of `WATCHED` frames a game sleeps, and how long they all take."""
    asleep, begin = 0, time.perf_counter()
    for _ in range(WATCHED):
        gba.step(0, 0, 1)
        asleep += gba.sleeps
    return asleep, time.perf_counter() - begin


def _cartridge(gba: Game) -> Iterator[Check]:
    size = len(gba.save_data())
    yield Check("flash", size == SAVE_SIZE, f"{size >> 10} KiB")
    if gba.edition.code != "JADE":  # whose cartridge has no clock
        shown = gba.shown_time()
        yield Check("clock", shown is not None, f"the game read {shown or 'no date'}", False)


def _play(gba: Game, reader: StateReader) -> tuple[Counter[str], int]:
    """Presses random keys for a minute of play, and B where it stays on unknown screens.

    Returns:
        How often each reading occurred, and the most steps in a row on unknown screens.
    """
    keys, seen = random.Random(SEED), Counter[str]()
    known = longest = 0
    for step in range(1, STEPS + 1):
        key = keys.choice(KEYS) if step - known <= UNKNOWN else "b"
        unknown = reader.rejections[Rejection.UNKNOWN_CALLBACK.value]
        gba.step(key_mask(key), FRAMES // 2, FRAMES)
        state = reader.sample()
        seen[state.mode.value if state else "no state"] += 1
        if reader.rejections[Rejection.UNKNOWN_CALLBACK.value] == unknown:
            known = step
        longest = max(longest, step - known)
    return seen + reader.rejections, longest


def _found(seen: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in seen.most_common())


def _repeats(gba: Game) -> bool:
    state, ends = gba.get_state(), []
    for _ in range(2):
        gba.set_state(state)
        gba.step(key_mask("a"), FRAMES // 2, 10 * FRAMES)
        ends.append(gba.get_state())
    return ends[0] == ends[1]
