"""A recording as a person would make it: keys by frames, with pauses and mistakes."""

import random

from emerald_env.game.editions import open_game
from emerald_env.jade.walk import Walker, walk_through
from emerald_env.jade.worlds.guidance.look import SAVE_BLOCK_1_POINTER
from emerald_env.recordings.recording import Recording, software
from emerald_env.recordings.replaying import identity, memory_hash
from emerald_env.starts.starts import NEW_GAME, Start, prepare_starts

HASH_EVERY = 768
STEP = 24


class PersonLike(Walker):
    """Plays Jade's story with pauses, ways there and back, and looks into the menu."""

    def __init__(self, gba, seed):
        super().__init__(gba)
        self._dice = random.Random(seed)

    def start(self):
        """Goes through the title after the walk's reset; at first it is over."""
        if not self.number(SAVE_BLOCK_1_POINTER):
            super().start()

    def go_to(self, *place):
        """Goes there, sometimes after a pause or a look into the menu."""
        self.tick(self._dice.randrange(120))
        if self._dice.random() < 0.3:
            self.press("start")
            self.tick(60)
            self.press("b")
            self.tick(60)
        super().go_to(*place)


def person_like(until, seed=0):
    """Returns the recording of a way from a new game to a milestone, and its states by step."""
    with open_game() as gba:
        (start,) = prepare_starts(None, NEW_GAME)
        start.restore(gba)
        begun = Start(gba.get_state(), gba.save_data())
        walker = PersonLike(gba, seed)
        for name, _ in walk_through(walker, seed):
            if name == until:
                break
        keys = [*walker.keys, *[0] * (-len(walker.keys) % STEP)]
        return recorded(gba, begun, keys)


def recorded(gba, start, keys):
    """Plays keys from a start; returns the recording, and states by the agent's step."""
    start.restore(gba)
    hashes, states = [memory_hash(gba)], {}
    for frame, mask in enumerate(keys, 1):
        gba.step(mask, 1, 1, render=False)
        if frame % HASH_EVERY == 0 or frame == len(keys):
            hashes.append(memory_hash(gba))
            states[frame // STEP] = gba.get_state()
    masks = sorted(set(keys))
    recording = Recording(
        game=identity(gba),
        env={"start": NEW_GAME, "frame_skip": 1, "hold_frames": 1, "sampled_every": STEP},
        actions=tuple((f"{mask:#05x}", mask) for mask in masks),
        reward={"name": "default"},
        total=0.0,
        milestones=(),
        hash_every=HASH_EVERY,
        versions=software(),
        start=start,
        pressed=bytes(masks.index(mask) for mask in keys),
        hashes=tuple(hashes),
    )
    return recording, states
