"""What stands from the last look is what a fresh look would give."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from test_state_guard import GAMES, WINDOWS

from emerald_env import symbols as sym
from emerald_env.config import EnvConfig
from emerald_env.env import EmeraldEnv
from emerald_env.jade.walk import Walker, walk_through
from emerald_env.state import GameState, Mode, Rejection, examine
from emerald_env.state.decode import Decoder
from emerald_env.state.kept import Kept

POKES = st.lists(
    st.tuples(st.sampled_from(WINDOWS), st.integers(0, 1 << 16), st.binary(min_size=1, max_size=4)),
    min_size=1,
    max_size=8,
)


def look(decoder, memory):
    return decoder.examine(memory.read, memory.read(sym.G_MAIN, sym.MAIN_SIZE))


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(sorted(GAMES)), pokes=POKES, undo=st.booleans())
def test_a_look_after_any_change_of_memory_is_a_fresh_look(name, pokes, undo):
    memory, decoder = GAMES[name].memory(), Decoder()
    assert look(decoder, memory) == examine(memory.read)
    for (start, size), offset, content in pokes:
        place = start + offset % size
        before = memory.read(place, len(content))
        memory.write(place, content)
        assert look(decoder, memory) == examine(memory.read)
        if undo:
            memory.write(place, before)
            assert look(decoder, memory) == examine(memory.read)


def test_each_step_of_a_random_walk_reads_as_a_fresh_look_does():
    env = EmeraldEnv(EnvConfig())
    env.reset(seed=0)
    decoder, read = Decoder(), env.gba.memory.read
    for action in np.random.default_rng(0).integers(15, size=1500):
        env.step(action)
        fresh = examine(read)
        assert decoder.examine(read, read(sym.G_MAIN, sym.MAIN_SIZE)) == fresh
        if isinstance(fresh, GameState) and fresh.mode.value != "transition":
            assert env.state == fresh
    env.close()


class Comparing(Walker):
    """Walks, and compares after every movement: a decoder that goes along, and a fresh look."""

    def __init__(self, gba):
        super().__init__(gba)
        self.decoder, self.modes = Decoder(), set()

    def tick(self, frames=1, *keys):
        super().tick(frames, *keys)
        read = self.gba.memory.read
        fresh = examine(read)
        assert self.decoder.examine(read, read(sym.G_MAIN, sym.MAIN_SIZE)) == fresh
        self.modes.add(fresh if isinstance(fresh, Rejection) else fresh.mode)


def test_the_story_to_its_first_battles_reads_as_fresh_looks_do(jade):
    walker = Comparing(jade)
    next(name for name, _ in walk_through(walker) if name == "rival_route103")
    assert {Mode.OVERWORLD, Mode.BATTLE, Mode.DIALOG, Rejection.LOADING} <= walker.modes


def test_what_did_not_change_is_the_same_object():
    memory, decoder = GAMES["battle"].memory(), Decoder()
    first = look(decoder, memory)
    clock = memory.read(sym.G_SAVE_BLOCK_2 + GAMES["battle"].slide + sym.SB2_PLAY_TIME, 5)
    memory.write(
        sym.G_SAVE_BLOCK_2 + GAMES["battle"].slide + sym.SB2_PLAY_TIME,
        bytes([*clock[:4], (clock[4] + 1) % 60]),
    )
    second = look(decoder, memory)
    assert first.play_time != second.play_time
    for name in ("party", "enemy_party", "flags", "vars", "bag_data", "pokedex_seen"):
        assert getattr(first, name) is getattr(second, name)


def test_a_function_is_called_again_only_for_other_arguments():
    calls = []
    kept = Kept(lambda *arguments: calls.append(arguments) or len(calls))
    assert [kept(b"a", 1), kept(b"a", 1), kept(b"b", 1), kept(b"a", 1)] == [1, 1, 2, 3]
