"""Jade: built as committed, true to Emerald's memory, and playable to its end."""

import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from emerald_env.emulator import GBA, KEYS, key_mask
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.cartridge import JADE_FULL
from emerald_env.jade.walk import (
    MILESTONES,
    SAVE_BLOCK_1_POINTER,
    WALKTHROUGH,
    Stuck,
    Walker,
    walk_through,
)

SOURCE = Path(__file__).parents[2] / "jade"
SAVE_BLOCK_2_POINTER = 0x03005D90
PLAY_TIME_STATE = 0x03000E08
PARTY_COUNT, PARTY = 0x020244E9, 0x020244EC
GRID_SIZE, GRID = 0x03005DC0, 0x02032318
MAP_HEADER = 0x02037318
ISLAND = {(0, 11), (3, 1), (3, 3), (24, 7), (0, 24)}
FAR_BEACH = (0, 24)
TRUCK = (25, 40)
GAME_COUNTERS = 0x030022C0 + 0x20  # gMain: frames worked through, frames that passed


def open_jade() -> GBA:
    return GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP)


@pytest.fixture(scope="module")
def free_state() -> bytes:
    with open_jade() as gba:
        Walker(gba).start()
        return gba.get_state()


@pytest.fixture
def walker(free_state: bytes) -> Walker:
    gba = open_jade()
    gba.set_state(free_state)
    return Walker(gba)


@pytest.fixture(scope="module")
def story() -> tuple[Walker, dict[str, int], dict[str, bytes]]:
    """The whole story walked once: the walker at its end, frames and states by milestone."""
    walker = Walker(open_jade())
    frames, states = {}, {}
    for name, frame in walk_through(walker):
        frames[name] = frame
        states[name] = walker.gba.get_state()
    return walker, frames, states


def at(state: bytes) -> Walker:
    gba = open_jade()
    gba.set_state(state)
    return Walker(gba)


# ---- the ROM ----


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="no arm-none-eabi-gcc")
def test_the_committed_rom_is_what_its_source_builds(tmp_path: Path):
    shutil.copytree(SOURCE, tmp_path / "jade", ignore=shutil.ignore_patterns("build", "*.gba"))
    subprocess.run(["make", "-s", "-j2"], cwd=tmp_path / "jade", check=True, capture_output=True)
    for rom in (JADE_ROM, JADE_FULL):
        assert (tmp_path / "jade" / rom.name).read_bytes() == rom.read_bytes()


def test_the_committed_tables_are_what_the_tools_draw(tmp_path: Path):
    command = [sys.executable, str(SOURCE / "tools" / "generate.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    for drawn in tmp_path.glob("gen_*.c"):
        assert drawn.read_text() == (SOURCE / "src" / "art" / drawn.name).read_text()


def test_the_header_is_jades_own():
    rom = JADE_ROM.read_bytes()
    assert rom[0xA0:0xB2] == b"JADE".ljust(12, b"\0") + b"JADE" + b"01"
    assert not any(rom[4:0xA0])  # no logo
    assert rom[0xBD] == -(sum(rom[0xA0:0xBD]) + 0x19) & 0xFF
    assert b"FLASH1M_V103" in rom
    assert len(rom) & (len(rom) - 1) == 0 and len(rom) <= 512 << 10


# ---- from power-on to the free game ----


def test_it_boots_to_the_title_in_120_frames():
    with open_jade() as gba:
        walker = Walker(gba)
        walker.tick()
        assert walker.number(SAVE_BLOCK_1_POINTER) == 0
        walker.tick(119)
        assert walker.number(0x030022C4) == 0x080AAB2D  # MainCB2 of Emerald's title screen
        gba.tick(1)
        assert len({tuple(pixel) for row in gba.screen.rgb for pixel in row}) > 8


def test_no_game_has_started_at_the_title():
    with open_jade() as gba:
        walker = Walker(gba)
        walker.tick(120)
        block = walker.number(SAVE_BLOCK_1_POINTER)
        assert block and not any(gba.memory.read(block, 0x3D88))
        assert not any(gba.memory.read(MAP_HEADER, 28)) and not walker.number(PLAY_TIME_STATE, "<B")


def test_pressing_a_leads_to_the_free_game_within_600_frames():
    with open_jade() as gba:
        walker = Walker(gba)
        walker.start()
        assert len(walker.keys) < 600
        assert walker.place == (25, 40, 1, 2) and not walker.flag(0x86F)


def test_the_same_keys_give_the_same_memory(free_state: bytes):
    ends = []
    for _ in range(2):
        random.seed(7)
        walker = at(free_state)
        for _ in range(100):
            walker.tick(8, random.choice(KEYS))
        ends.append(walker.gba.get_state())
    assert ends[0] == ends[1]


# ---- walking ----


def test_a_step_takes_16_frames(walker: Walker):
    walker.go_to(0, 9, 8, 10)
    walker.step("right")
    start = walker.place
    walker.tick(16 * 3 - 1, "right")
    assert walker.place[2] - start[2] == 2
    walker.tick(1, "right")
    walker.tick(1)
    assert walker.place[2] - start[2] == 3


def test_a_tap_turns_on_the_spot(walker: Walker):
    walker.go_to(0, 9, 8, 10)
    walker.step("right")
    walker.tick(4)
    start = walker.place
    walker.tick(4, "down")
    walker.tick(20)
    assert walker.place == start and walker.facing == 1


def test_in_a_step_the_object_is_ahead_of_the_saved_position(walker: Walker):
    walker.go_to(0, 9, 8, 10)
    walker.step("right")
    group, number, x, y = walker.place
    walker.tick(5, "right")
    assert walker.place == (group, number, x, y)
    assert struct.unpack("<hh", walker.gba.memory.read(0x02037360, 4)) == (x + 1 + 7, y + 7)


def test_walls_and_people_block(walker: Walker):
    walker.go_to(0, 9, 3, 10)
    for _ in range(3):
        walker.step("left")
    assert walker.place == (0, 9, 2, 10)  # trees from column 1 on
    walker.go_to(0, 9, 10, 4)
    walker.step("up")
    assert walker.place == (0, 9, 10, 4)  # the boy stands in the gap


def test_the_grid_in_memory_is_the_map_with_a_border_of_seven(walker: Walker):
    walker.go_to(0, 9, 8, 10)
    width, height = struct.unpack("<ii", walker.gba.memory.read(GRID_SIZE, 8))
    own = walker.world[0, 9]
    north = walker.world[0, 16]
    grid = struct.unpack(f"<{width * height}H", walker.gba.memory.read(GRID, 2 * width * height))
    assert (width, height) == (own.width + 15, own.height + 14)
    for x in range(own.width):
        assert grid[(5 + 7) * width + x + 7] == own.cell(x, 5)
        assert grid[(7 - 1) * width + x + 7] == north.cell(x, north.height - 1)


def test_a_ledge_is_jumped_down_but_not_up(story):
    walker = at(story[2]["visited_oldale"])
    walker.go_to(0, 16, 3, 13)
    walker.step("down")
    assert walker.place == (0, 16, 3, 15)
    walker.step("up")
    walker.step("up")
    assert walker.place == (0, 16, 3, 15)


def test_b_runs_once_the_shoes_are_there(story):
    for name, speed in (("pokedex", 1), ("running_shoes", 2)):
        walker = at(story[2][name])
        walker.go_to(0, 9, 8, 10)
        walker.step("right")
        start = walker.place
        walker.tick(33, "right", "b")
        assert walker.place[2] - start[2] == 2 * speed


# ---- people ----


def test_a_message_opens_prints_and_closes(walker: Walker):
    walker.go_to(0, 9, 6, 10)
    walker.face("up")
    assert not walker.message_open
    walker.tick(2, "a")
    walker.tick(4)
    assert walker.message_open and not walker.free
    assert walker.number(0x020375BC, "<B") == 2  # sFieldMessageBoxMode while it prints
    walker.tick(200)
    assert walker.message_open and not walker.number(0x020375BC, "<B")
    walker.tick(2, "a")
    walker.tick(2)
    assert not walker.message_open and walker.free


def test_the_boy_lets_nobody_north_before_the_neighbours_are_met(story):
    walker, _, states = story
    early = at(states["tv_report"])
    early.use(0, 9, 10, 3)
    with pytest.raises(Stuck):
        early.go_to(0, 16, 10, 18)
    late = at(states["met_rival"])
    late.go_to(0, 16, 10, 18)
    assert late.place == (0, 16, 10, 18)


def test_the_guard_lets_nobody_west_before_the_shoes(story):
    early = at(story[2]["pokedex"])
    early.go_to(0, 10, 3, 10)
    early.use(0, 10, 2, 10)
    with pytest.raises(Stuck):
        early.go_to(0, 17, 48, 10)
    late = at(story[2]["running_shoes"])
    late.go_to(0, 17, 48, 10)
    assert late.place == (0, 17, 48, 10)


# ---- the story ----


def test_the_walkthrough_reaches_every_milestone(story):
    _, frames, _ = story
    assert list(frames) == [name for name, *_ in MILESTONES]
    assert len(WALKTHROUGH) >= 10


def test_the_walkthrough_replays_bit_equal(story):
    walker, _, _ = story
    with open_jade() as gba:
        for mask in walker.keys:
            gba.step(mask, 1, 1, render=False)
        assert gba.get_state() == walker.gba.get_state()


def test_hardly_a_frame_is_late(story):
    walker = at(story[2]["badge_1"])  # later the console is switched off and on
    worked, passed = struct.unpack("<2I", walker.gba.memory.read(GAME_COUNTERS, 8))
    assert passed > 30_000
    assert passed - worked <= 0.008 * passed  # loading pictures, and menus that are drawn


def test_the_starter_joins_with_a_valid_checksum(story):
    gba = at(story[2]["starter"]).gba
    assert gba.memory.read(PARTY_COUNT, 1) == b"\1"
    mon = gba.memory.read(PARTY, 100)
    personality, ot_id = struct.unpack_from("<II", mon)
    words = struct.unpack_from("<12I", mon, 0x20)
    plain = struct.pack("<12I", *(word ^ personality ^ ot_id for word in words))
    assert sum(struct.unpack("<24H", plain)) & 0xFFFF == struct.unpack_from("<H", mon, 0x1C)[0]
    # where the growth part lies, by personality % 24 (facts: struct_layouts.json)
    position = int("000000112323112323112323"[personality % 24])
    species, _, experience = struct.unpack_from("<HHI", plain, 12 * position)
    assert species == 283 and 135 <= experience < 179 and mon[0x54] == 5  # it won its first battle


def test_what_is_picked_up_lies_encrypted_in_the_bag(story):
    walker = at(story[2]["visited_petalburg"])
    block = walker.number(SAVE_BLOCK_1_POINTER)
    key = walker.number(walker.number(SAVE_BLOCK_2_POINTER) + 0xAC)
    assert key
    slots = struct.unpack("<60H", walker.gba.memory.read(block + 0x560, 120))
    items = {slots[i]: slots[i + 1] ^ key & 0xFFFF for i in range(0, 60, 2)}
    assert items == {13: 1, 73: 1, 0: 0}  # one potion was sold
    balls = struct.unpack("<2H", walker.gba.memory.read(block + 0x650, 4))
    assert (balls[0], balls[1] ^ key & 0xFFFF) == (4, 6)
    # what Kim paid, a ball, a potion
    assert walker.number(block + 0x490) ^ key == 3000 + 300 - 200 + 150
    assert walker.number(block + 0x159C + 4 * 5) ^ key > 100  # steps


@pytest.mark.parametrize("name, over_sea", [("visited_petalburg", False), ("badge_2", True)])
def test_every_map_can_be_walked_to(story, name: str, over_sea: bool):
    walker = at(story[2][name])
    for (group, number), own in walker.world.items():
        if (group, number) == walker.place[:2] or ((group, number) in ISLAND) != over_sea:
            continue
        if (group, number) in (FAR_BEACH, TRUCK):
            continue
        goals = {
            (group, number, x, y)
            for y in range(own.height)
            for x in range(own.width)
            if not own.cell(x, y) & 0x0C00 and own.behaviour(x, y) not in (0x69, 0x61)
        }
        walker.go(goals)
        assert walker.place[:2] == (group, number)


@pytest.mark.parametrize("seed", range(3))
def test_no_keys_lock_the_game(free_state: bytes, seed: int):
    walker = at(free_state)
    chance = random.Random(seed)
    masks = [key_mask(key) for key in KEYS] + [0]
    for _ in range(1500):
        walker.gba.step(chance.choice(masks), chance.choice((4, 8, 20)), 24, render=False)
    walker.settle()
    home = walker.place[:2] == (1, 0) or walker.place[:2] == (1, 1)
    walker.go_to(1, 0, 5, 5) if home else walker.go_to(0, 9, 8, 10)
