"""Parts kept from the last sample equal those of a fresh one."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from helpers.handmade import US, Game
from hypothesis import given, settings
from hypothesis import strategies as st
from test_state_guard import CALLBACKS, GAMES, WINDOWS

from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.game import symbols as sym
from emerald_env.game.editions import open_game
from emerald_env.jade.walk import Walker, walk_through
from emerald_env.state import (
    GameState,
    Mode,
    Rejection,
    StateReader,
    decode,
    examine,
)
from emerald_env.state.decode import Decoder
from emerald_env.state.parts import field
from emerald_env.state.state_memory import WHERE
from emerald_env.state.watched_memory import ReadWatch

POKE = st.tuples(
    st.just("poke"),
    st.sampled_from(WINDOWS),
    st.integers(0, 1 << 16),
    st.binary(min_size=1, max_size=4),
)
LOCKED = (US.s_lock_field_controls, b"\1")
SWITCHES = (  # what a few bytes decide
    (US.s_lock_field_controls, b"\0"),
    LOCKED,
    (US.g_palette_fade + sym.PALETTE_FADE_ACTIVE, b"\0"),
    (US.g_palette_fade + sym.PALETTE_FADE_ACTIVE, b"\x80"),
    (sym.DIALOGUE_FRAME_CELL, sym.DIALOGUE_FRAME_TILE.to_bytes(2, "little")),
    (US.g_main + sym.MAIN_CALLBACK2, US.cb2_overworld.to_bytes(4, "little")),
    (US.g_main + sym.MAIN_CALLBACK2, US.battle_main_cb2.to_bytes(4, "little")),
    (US.g_main + sym.MAIN_IN_BATTLE, b"\0"),
    (US.g_main + sym.MAIN_IN_BATTLE, b"\2"),
    (US.g_tasks, US.task_show_start_menu.to_bytes(4, "little") + b"\1"),
    (US.g_object_events + sym.OBJECT_EVENT_CURRENT_COORDS, b"\x0a\0\x0a\0"),
    (US.g_trainer_battle_opponent_a, b"\5\0"),
    (US.g_battle_type_flags, b"\x08\0"),
    (US.g_player_party_count, b"\0"),
)
SWITCH = st.tuples(st.just("write"), st.sampled_from(SWITCHES))
CALLBACK = st.tuples(st.just("callback"), st.sampled_from(CALLBACKS))
REWRITE = st.tuples(  # another game, or the same with its save blocks moved and under another key
    st.just("rewrite"),
    st.sampled_from(sorted(GAMES)),
    st.integers(0, 31).map(lambda step: 4 * step),
    st.integers(0, 2**32 - 1),
)
CHANGE = st.one_of(
    POKE, SWITCH, SWITCH, CALLBACK, REWRITE, st.just(("undo",)), st.just(("nothing",))
)
LOOKS = st.lists(
    st.tuples(st.lists(CHANGE, max_size=3), st.sampled_from(("decode", "decode", "look"))),
    min_size=1,
    max_size=10,
)
CONSOLE = open_game()


class Poked:
    """The memory of a real console, into which a test writes handmade games and single bytes."""

    def __init__(self, memory):
        self.memory, self.saved = memory, []

    def put(self, game):
        for base, data in game.memory().regions.items():
            self.memory.write(base, bytes(data))
        self.saved.clear()

    def write(self, address, content):
        self.saved.append((address, self.memory.read(address, len(content))))
        self.memory.write(address, content)

    def change(self, kind, *values):
        if kind == "poke":
            (start, size), offset, content = values
            self.write(start + offset % size, content)
        elif kind == "write":
            self.write(*values[0])
        elif kind == "callback":
            pointer = values[0].to_bytes(4, "little")
            self.write(US.g_main + sym.MAIN_CALLBACK2, pointer)
        elif kind == "rewrite":
            name, slide, key = values
            self.put(replace(GAMES[name], slide=slide, key=key))
        elif kind == "undo" and self.saved:
            self.memory.write(*self.saved.pop())


def glance(read):
    fresh = Decoder(partial(ReadWatch, read))
    fresh.look()
    return fresh.glance()


def look(decoder):
    decoder.look()
    return decoder.decode()


@settings(max_examples=400)
@given(name=st.sampled_from(sorted(GAMES)), looks=LOOKS)
def test_a_look_after_any_change_of_memory_is_a_fresh_look(name, looks):
    poked = Poked(CONSOLE.memory)
    poked.put(GAMES[name])
    read = poked.memory.read
    decoders = [Decoder(poked.memory.watch), Decoder(partial(ReadWatch, read))]
    for changes, what in looks:
        for change in changes:
            poked.change(*change)
        for decoder in decoders:
            assert decoder.look().to_bytes(4, "little") == read(US.g_main + 4, 4)
            assert decoder.glance() == glance(read)
            if what == "decode":
                found = decoder.decode()
                assert found == examine(read)
                assert look(decoder) is found


SCENES = {
    "walking": ("field", ()),
    "battle": ("battle", ()),
    "a scene that sent the camera elsewhere": (
        "field",
        (LOCKED, (US.g_object_events + sym.OBJECT_EVENT_CURRENT_COORDS, b"\x0a\0\x0a\0")),
    ),
    "menu": (
        "field",
        (LOCKED, (US.g_tasks, US.task_show_start_menu.to_bytes(4, "little") + b"\1")),
    ),
}


@pytest.fixture(params=SCENES)
def scene(request):
    """A memory that can be believed, and a decoder that has seen it."""
    name, writes = SCENES[request.param]
    poked = Poked(GAMES[name].memory())
    for address, content in writes:
        poked.memory.write(address, content)
    decoder = Decoder(partial(ReadWatch, poked.memory.read))
    assert isinstance(look(decoder), GameState)
    return poked, decoder


def test_a_change_of_any_byte_that_counts_is_seen(scene):
    poked, decoder = scene
    before = look(decoder)
    for start, size in WINDOWS:
        for address in range(start, start + size, max(1, size // 60)):
            for flip in (1, 0xFF):
                poked.write(address, bytes([poked.memory.read(address, 1)[0] ^ flip]))
                assert look(decoder) == examine(poked.memory.read)
                poked.change("undo")
                assert look(decoder) == before


def test_one_change_after_another_is_seen(scene):
    poked, decoder = scene
    for pair in product(SWITCHES, repeat=2):
        for switch in pair:
            poked.write(*switch)
            assert look(decoder) == examine(poked.memory.read)
        for _ in pair:
            poked.change("undo")
            assert look(decoder) == examine(poked.memory.read)


@settings(max_examples=200)
@given(name=st.sampled_from(sorted(GAMES)), looks=LOOKS)
def test_a_reader_believes_what_a_fresh_look_does(name, looks):
    poked = Poked(CONSOLE.memory)
    poked.put(GAMES[name])
    read = poked.memory.read
    reader = StateReader(read, poked.memory.watch)
    for changes, _ in looks:
        for change in changes:
            poked.change(*change)
        before, counted = reader.get_state(), reader.rejections.total()
        plain = StateReader(read)
        plain.set_state(before)
        assert reader.sample() == plain.sample()
        assert reader.rejections == plain.rejections
        if reader.rejections.total() == counted and before["last"] is not None:
            assert reader.get_state()["last"] == decode(read)


def test_each_step_of_a_random_walk_reads_as_a_fresh_look_does():
    env = EmeraldEnv(EnvConfig())
    env.reset(seed=0)
    read, random = env.gba.memory.read, np.random.default_rng(0)
    decoder, places = Decoder(env.gba.memory.watch), [env.gba.get_state()]
    for number, action in enumerate(random.integers(15, size=1500)):
        env.step(action)
        fresh = examine(read)
        assert look(decoder) == fresh
        if isinstance(fresh, GameState) and fresh.mode.value != "transition":
            assert env.state == fresh
        if number % 150 == 149:  # nobody tells the decoder
            places.append(env.gba.get_state())
            env.gba.set_state(places[random.integers(len(places))])
            assert look(decoder) == examine(read)
    env.gba.reset()
    assert look(decoder) == examine(read)
    env.close()


def test_a_state_remains_the_same_object_while_memory_does():
    memory = GAMES["battle"].memory()
    reader = StateReader(memory.read)
    first = reader.sample()
    assert reader.sample() is first
    memory.put(US.g_save_block_2 + GAMES["battle"].slide + sym.SB2_PLAY_TIME, "H", 7)
    second = reader.sample()
    assert second is not first and second.play_time[0] == 7


def test_save_blocks_that_move_under_a_new_key_say_the_same():
    memory, moved = Game(bag={"items": {0: (13, 5)}}), Game(bag={"items": {0: (13, 5)}}, slide=0)
    moved.key ^= 0x5A5A5A5A
    images = {"now": memory.memory()}
    decoder = Decoder(partial(ReadWatch, lambda *where: images["now"].read(*where)))
    first = look(decoder)
    images["now"] = moved.memory()
    assert look(decoder) == first and isinstance(first, GameState)


class Comparing(Walker):
    """Walks, and compares after every movement: a decoder that goes along, and a fresh look."""

    def __init__(self, gba):
        super().__init__(gba)
        self.decoder, self.modes = Decoder(gba.memory.watch), set()

    def tick(self, frames=1, *keys):
        super().tick(frames, *keys)
        fresh = examine(self.gba.memory.read)
        assert look(self.decoder) == fresh
        self.modes.add(fresh if isinstance(fresh, Rejection) else fresh.mode)


def test_the_story_to_its_first_battles_reads_as_fresh_looks_do(jade):
    walker = Comparing(jade)
    next(name for name, _ in walk_through(walker) if name == "rival_route103")
    assert {Mode.OVERWORLD, Mode.BATTLE, Mode.DIALOG, Rejection.LOADING} <= walker.modes


def test_what_did_not_change_is_the_same_object():
    memory = GAMES["battle"].memory()
    decoder = Decoder(partial(ReadWatch, memory.read))
    first = look(decoder)
    clock = memory.read(US.g_save_block_2 + GAMES["battle"].slide + sym.SB2_PLAY_TIME, 5)
    memory.write(
        US.g_save_block_2 + GAMES["battle"].slide + sym.SB2_PLAY_TIME,
        bytes([*clock[:4], (clock[4] + 1) % 60]),
    )
    second = look(decoder)
    assert first.play_time != second.play_time
    for name in ("party", "enemy_party", "flags", "vars", "bag_data", "pokedex_seen"):
        assert getattr(first, name) is getattr(second, name)


def test_places_are_remembered_up_to_a_number(monkeypatch):
    monkeypatch.setattr(field, "MAX_PLACES", 2)
    at, size = US, WHERE.stop - WHERE.start
    places = field.KnownPlaces(at, locked=False)
    for number in range(5):
        memory = bytes(size - 1) + bytes([number])
        assert places[memory] == field.whereabouts(at, memory, locked=False)
        assert memory in places
    assert len(places) <= 2
