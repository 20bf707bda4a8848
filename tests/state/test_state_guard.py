"""Whatever memory holds: no exception, and no value that the game does not have."""

import random
from dataclasses import replace
from functools import cache

import pytest
from helpers.examples import examples
from helpers.handmade import US, Game, Memory, Mon
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.commands.check.state_report import report
from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.game.savefile import load
from emerald_env.state import (
    Facing,
    GameState,
    Mode,
    StateReader,
    decode,
    describe,
    milestones_done,
    read_storage,
    surroundings,
)
from emerald_env.state.state_memory import moving, stretches

PARTY = tuple(Mon(personality=number) for number in range(1, 7))
FIELD_GAME = Game(party=PARTY, bag={"items": {0: (13, 5)}}, flags=(0x860, 0x861), seen=(252,))
BATTLE_GAME = Game(party=PARTY, enemies=PARTY[3:], battle_type=9)
GAMES = {"field": FIELD_GAME, "battle": BATTLE_GAME}
BLOCK1, BLOCK2 = (base + FIELD_GAME.slide for base in (US.g_save_block_1, US.g_save_block_2))
BLOCKS = moving(US, BLOCK1, BLOCK2, US.g_object_events, sym.EWRAM)
WINDOWS = (  # every stretch that a look reads, and again where most depends on few bytes
    *BLOCKS,
    *stretches(US)[len(BLOCKS) :],
    (US.g_player_party_count, 3),
    (US.g_enemy_party, 600),
    (US.g_battlers_count, 24),
    (US.g_object_events, sym.OBJECT_EVENT_SIZE),
    (US.g_player_avatar, sym.PLAYER_AVATAR_SIZE),
    (BLOCK1 + sym.SB1_MONEY, 6),
)
CALLBACKS = sorted(tables.callbacks())


def check(state: GameState):
    """Asserts that every value is one that the game can have, and that it can be told."""
    assert state.mode in Mode and state.mode is not Mode.TITLE
    assert state.facing is None or state.facing in Facing
    assert state.location in tables.maps()
    x, y = state.position
    assert x >= 0 and y >= 0
    if state.map_size:
        assert x < state.map_size[0] and y < state.map_size[1]
    assert not state.controllable or state.mode is Mode.OVERWORLD
    assert (state.component is None) == (state.global_position is None)
    assert 0 <= state.money <= 999_999 and 0 <= state.coins <= 9_999
    assert (len(state.flags), len(state.vars), len(state.stats)) == (300, 512, 256)
    assert state.pokedex_caught & ~state.pokedex_seen == 0
    assert state.pokedex_seen < 1 << 386
    assert state.player_gender in (0, 1)
    hours, *rest = state.play_time
    assert hours <= 999 and max(rest) <= 59
    for slots in (*state.bag.values(), state.pc_items):
        assert all(0 < item <= 376 and quantity <= 999 for _, item, quantity in slots)
    assert len(state.party) <= 6 and len(state.enemy_party) <= 6
    for mon in (*state.party, *state.enemy_party):
        check_pokemon(mon)
    for battler in state.battlers:
        assert 1 <= battler.species <= 411 and battler.hp <= battler.max_hp
        assert all(-6 <= stage <= 6 for stage in battler.stat_stages)
    assert state.in_battle or not (state.enemy_party or state.battlers or state.battle_type)
    assert 0 <= state.opponent < len(tables.trainers())


def check_pokemon(mon):
    assert 1 <= mon.species <= 411 or mon.is_bad_egg
    assert 1 <= mon.level <= 100 or mon.is_bad_egg
    assert 0 <= mon.hp <= mon.max_hp
    assert len(mon.moves) == len(mon.pp) <= 4 and all(1 <= move <= 354 for move in mon.moves)
    assert 0 <= mon.held_item <= 376 and mon.exp_gained >= 0


def look(memory: Memory):
    """Reads memory in every way; checks whatever is believed."""
    state = decode(memory.read)
    if state is not None:
        check(state)
        assert describe(state) and report(state)
        milestones_done(state)
        surroundings(memory.read)
        read_storage(memory.read)
    return state


@cache
def original(name):
    memory = GAMES[name].memory()
    return memory, look(memory)


@st.composite
def mutations(draw):
    """Writes of a few bytes into what a look reads."""
    address, size = draw(st.sampled_from(WINDOWS))
    offset = draw(st.integers(0, size - 1))
    return address + offset, draw(st.binary(min_size=1, max_size=8))[: size - offset]


@given(st.sampled_from(sorted(GAMES)), st.lists(mutations(), min_size=1, max_size=6))
@settings(max_examples=examples(1500))
def test_mutated_memory_is_refused_or_possible(name, writes):
    pristine, _ = original(name)
    memory = pristine.copy()
    reader = StateReader(memory.read)
    before = reader.sample()
    for address, content in writes:
        memory.write(address, content)
    state = look(memory)
    sampled = reader.sample()
    if sampled is not None:
        check(sampled)
    if state is None and sampled is not None:
        assert sampled.party is before.party and sampled.flags is before.flags


@given(st.integers(0, 2**32 - 1), st.sampled_from(WINDOWS), st.sampled_from(sorted(GAMES)))
@settings(max_examples=examples(1000))
def test_a_stretch_of_random_bytes_is_refused_or_possible(seed, window, name):
    memory = original(name)[0].copy()
    memory.write(window[0], random.Random(seed).randbytes(window[1]))
    look(memory)
    StateReader(memory.read).sample()


@given(st.integers(0, 2**32 - 1), st.sampled_from([*CALLBACKS, 0, 1, 0xFFFFFFFF]))
@settings(max_examples=500)
def test_memory_that_is_random_all_over_is_refused(seed, callback2):
    memory = Memory()
    generator = random.Random(seed)
    for base, data in memory.regions.items():
        memory.write(base, generator.randbytes(len(data)))
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", callback2)
    memory.put(US.s_play_time_counter_state, "B", 1)
    assert look(memory) is None
    assert StateReader(memory.read).sample() is None


@given(st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
@settings(max_examples=500)
def test_pointers_that_are_not_the_games_are_never_followed(pointer1, pointer2):
    memory = original("field")[0].copy()  # it fails the test where a read leaves the memory
    memory.put(US.g_save_block_1_ptr, "II", pointer1, pointer2)
    state = look(memory)
    assert state is None or (pointer1, pointer2) == (BLOCK1, BLOCK2)


@given(st.sampled_from(("block1", "block2")), st.floats(0, 1), st.integers(0, 31))
@settings(max_examples=500)
def test_half_moved_save_blocks_are_refused_or_the_same(which, share, slide):
    """As if the game were stopped while it copies a block to another place under another key."""
    new = Game(**{**vars(FIELD_GAME), "slide": 4 * slide, "key": 0x0A0B0C0D})
    memory, state = original("field")
    memory, moved = memory.copy(), new.memory()
    bases = (US.g_save_block_1, US.g_save_block_2)
    memory.put(US.g_save_block_1_ptr, "II", *(base + new.slide for base in bases))
    sizes = {"block1": sym.SAVE_BLOCK_1_SIZE, "block2": sym.SAVE_BLOCK_2_SIZE}
    for base, (name, size) in zip(bases, sizes.items(), strict=True):
        written = size if name != which else int(size * share)
        memory.write(base + new.slide, moved.read(base + new.slide, written))
    found = look(memory)
    if found is not None:  # the last copy of the species seen lies far behind all other values
        assert found.pokedex_seen & ~state.pokedex_seen == 0
        assert replace(found, pokedex_seen=state.pokedex_seen) == state


@given(st.data())
@settings(max_examples=500)
def test_mutated_states_of_the_real_game_are_refused_or_possible(shared, data):
    folder = shared / "states"
    paths = sorted(folder.glob("*.state"))
    if not paths:
        pytest.skip("no states")
    image = real(data.draw(st.sampled_from(paths)))
    patches = dict(data.draw(st.lists(mutations(), min_size=1, max_size=4)))

    def read(address, size):
        raw = bytearray(image.read(address, size))
        for start, content in patches.items():
            for index, byte in enumerate(content, start - address):
                if 0 <= index < size:
                    raw[index] = byte
        return bytes(raw)

    state = decode(read)
    if state is not None:
        check(state)
        describe(state)


@cache
def real(path):
    return load(path)
