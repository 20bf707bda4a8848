"""Jade keeps its memory as Emerald does: moving blocks, keys, menus, saves, battles."""

import struct
from pathlib import Path

import numpy as np
import pytest

from emerald_env.emulator import GBA
from emerald_env.game import savefile
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.walk import SAVE_BLOCK_1_POINTER, Walker, walk_through
from emerald_env.state import Mode, StateReader
from emerald_env.state.parts.storage import read_storage

SAVE_BLOCK_2_POINTER, STORAGE_POINTER = 0x03005D90, 0x03005D94
BASES = {
    SAVE_BLOCK_1_POINTER: 0x02025A00,
    SAVE_BLOCK_2_POINTER: 0x02024A54,
    STORAGE_POINTER: 0x02029808,
}
CALLBACK2, TASKS, MENU_CURSOR = 0x030022C4, 0x03005E00, 0x0203760E
LAST_HEAL, PARTY_COPY_COUNT = 0x1C, 0x234
POTION, BALL = 13, 4


@pytest.fixture(scope="module")
def states() -> dict[str, bytes]:
    """States at the story's milestones, up to Petalburg."""
    found = {}
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        for name, _ in walk_through(Walker(gba)):
            found[name] = gba.get_state()
            if name == "visited_petalburg":
                break
    return found


def at(state: bytes) -> Walker:
    gba = GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP)
    gba.set_state(state)
    return Walker(gba)


def sample(walker: Walker):
    return StateReader(walker.gba.memory.read).sample()


def slides(walker: Walker) -> set[int]:
    return {walker.number(pointer) - base for pointer, base in BASES.items()}


def key(walker: Walker) -> int:
    return walker.number(walker.number(SAVE_BLOCK_2_POINTER) + 0xAC)


def press(walker: Walker, name: str, frames: int = 60) -> None:
    walker.tick(2, name)
    walker.tick(frames)


def menu_entry(walker: Walker, entry: int) -> None:
    """Opens the start menu and chooses an entry by its number."""
    press(walker, "start", 10)
    for _ in range(6):
        if walker.number(MENU_CURSOR, "<B") == entry:
            break
        press(walker, "down", 6)
    press(walker, "a")


# ---- the blocks ----


def test_a_warp_moves_all_blocks_by_one_slide_under_a_new_key(states):
    walker = at(states["visited_petalburg"])
    seen = []
    for place in ((8, 2, 4, 7), (0, 0, 8, 17), (8, 4, 7, 7), (0, 0, 21, 17)):
        walker.go_to(*place)
        (slide,) = slides(walker)
        assert slide % 4 == 0 and 0 <= slide <= 124
        assert sample(walker).money == sample(at(states["visited_petalburg"])).money
        seen.append((slide, key(walker)))
    assert len({number for _, number in seen}) == 4 and len({slide for slide, _ in seen}) > 1


def test_walking_to_a_neighbour_moves_nothing_but_forgets_the_map(states):
    walker = at(states["visited_petalburg"])
    walker.go_to(0, 0, 28, 20)
    before = slides(walker), key(walker)
    block = walker.number(SAVE_BLOCK_1_POINTER)
    walker.gba.memory.write(block + 0x1270, b"\xff\xff\xff\xff")  # flags 0x00 to 0x1F
    walker.go_to(0, 17, 1, 10)
    assert (slides(walker), key(walker)) == before
    assert walker.gba.memory.read(block + 0x1270, 4) == bytes(4)


def test_the_save_blocks_party_is_stale_until_the_game_is_saved(states):
    walker = at(states["visited_petalburg"])
    count = walker.number(SAVE_BLOCK_1_POINTER) + PARTY_COPY_COUNT
    assert not walker.number(count, "<B") and len(sample(walker).party) == 1
    menu_entry(walker, 4)
    for _ in range(40):
        press(walker, "a", 12)
        if walker.free:
            break
    assert walker.number(walker.number(SAVE_BLOCK_1_POINTER) + PARTY_COPY_COUNT, "<B") == 1


def test_daily_flags_are_cleared_when_a_day_of_play_is_over(states):
    walker = at(states["visited_petalburg"])
    walker.use(0, 0, 10, 22)
    assert walker.flag(0x930)
    time = walker.number(SAVE_BLOCK_2_POINTER) + 0x10
    walker.gba.memory.write(time, bytes([walker.number(time, "<B") // 10 * 10 + 9, 59, 58]))
    walker.tick(4)
    assert not walker.flag(0x930)


# ---- menus ----


@pytest.mark.parametrize(
    "entry, callback", list(enumerate((0x080BB775, 0x081B01B1, 0x081AAD5D, 0x080C2711)))
)
def test_each_screen_has_emeralds_callback_and_b_leads_back(states, entry: int, callback: int):
    walker = at(states["visited_petalburg"])
    menu_entry(walker, entry)
    assert walker.number(CALLBACK2) == callback
    assert sample(walker).mode is Mode.MENU
    press(walker, "b")
    assert sample(walker).mode is Mode.MENU  # the start menu again
    press(walker, "b")
    assert walker.free


def test_start_opens_and_closes_the_menu(states):
    walker = at(states["visited_petalburg"])
    press(walker, "start", 8)
    assert not walker.free and sample(walker).mode is Mode.MENU
    press(walker, "start", 8)
    assert walker.free and sample(walker).mode is Mode.OVERWORLD


def test_a_saved_game_is_emeralds_and_continues_where_it_was(states):
    walker = at(states["visited_petalburg"])
    for saves in (1, 2, 3):
        menu_entry(walker, 4)
        for _ in range(60):
            press(walker, "a", 12)
            if walker.free:
                break
        saved = savefile.parse_flash(walker.gba.save_data())
        assert (saved.counter, saved.slot) == (saves, saves & 1)
    block = walker.number(SAVE_BLOCK_1_POINTER)
    assert saved.block1[:0x30] == walker.gba.memory.read(block, 0x30)
    again = GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP)
    again.load_save(walker.gba.save_data())
    other = Walker(again)
    other.start()
    assert other.place == walker.place
    before, after = sample(walker), sample(other)
    assert (after.money, after.flags, after.party) == (before.money, before.flags, before.party)


# ---- services ----


def test_a_centre_is_where_one_wakes_up(states):
    walker = at(states["visited_petalburg"])
    walker.use(8, 4, 6, 3)
    block = walker.number(SAVE_BLOCK_1_POINTER)
    assert walker.gba.memory.read(block + LAST_HEAL, 8) == struct.pack("<bbbxhh", 0, 0, -1, 20, 16)


def test_the_shop_sells_and_buys(states):
    walker = at(states["visited_petalburg"])
    walker.go_to(2, 4, 3, 3)
    walker.face("left")
    press(walker, "a", 160)
    assert walker.number(CALLBACK2) == 0x080DFD65
    money, balls = sample(walker).money if sample(walker) else 0, 6
    press(walker, "a", 10)
    press(walker, "a", 10)
    block = walker.number(SAVE_BLOCK_1_POINTER)
    assert walker.number(block + 0x490) ^ key(walker) == money - 200
    slot = struct.unpack("<2H", walker.gba.memory.read(block + 0x650, 4))
    assert (slot[0], slot[1] ^ key(walker) & 0xFFFF) == (BALL, balls + 1)
    press(walker, "right", 10)
    press(walker, "a", 10)
    press(walker, "a", 10)
    assert walker.number(block + 0x490) ^ key(walker) == money - 200 + 150
    press(walker, "b", 60)
    walker.settle()
    assert walker.free


def full_of(walker: Walker) -> bytes:
    """Returns the pocket of balls with 99 in each of its slots."""
    return struct.pack("<2H", BALL, 99 ^ key(walker) & 0xFFFF) * 16


def test_a_shop_sells_nothing_that_does_not_fit_into_the_bag(states):
    walker = at(states["visited_petalburg"])
    walker.go_to(2, 4, 3, 3)
    block = walker.number(SAVE_BLOCK_1_POINTER)
    walker.gba.memory.write(block + 0x650, full_of(walker))
    walker.face("left")
    press(walker, "a", 160)
    block = walker.number(SAVE_BLOCK_1_POINTER)
    money = walker.number(block + 0x490) ^ key(walker)
    for name in ("a", "a"):
        press(walker, name, 20)
    assert walker.number(block + 0x490) ^ key(walker) == money
    assert walker.gba.memory.read(block + 0x650, 64) == full_of(walker)


def test_somebody_put_into_a_box_comes_back_the_same(states):
    walker = at(states["visited_petalburg"])
    twin = walker.gba.memory.read(0x020244EC, 100)
    walker.gba.memory.write(0x020244EC + 100, twin)
    walker.gba.memory.write(0x020244E9, b"\2")
    walker.go_to(8, 4, 12, 2)
    walker.face("right")
    press(walker, "a", 120)
    assert walker.number(CALLBACK2) == 0x080C7D55
    press(walker, "a", 20)
    assert len(read_storage(walker.gba.memory.read).pokemon) == 1 and sample(walker) is not None
    press(walker, "right", 20)
    press(walker, "a", 20)
    assert not read_storage(walker.gba.memory.read).pokemon
    assert walker.gba.memory.read(0x020244E9, 1) == b"\2"
    assert walker.gba.memory.read(0x020244EC + 100, 80) == twin[:80]


def test_what_is_hidden_is_found_once(states):
    walker = at(states["visited_petalburg"])
    walker.use(0, 0, 24, 3)
    assert walker.flag(0x253)
    keys = len(walker.keys)
    walker.use(0, 0, 24, 3)
    assert len(walker.keys) - keys < 200


# ---- battles ----


def meet(walker: Walker) -> None:
    """Walks to and fro in Route 101's grass until something appears."""
    walker.go_to(0, 16, 4, 16)
    for count in range(800):
        walker.tick(16, ("left", "right")[count // 2 % 2])
        if walker.in_battle:
            break
    for _ in range(60):
        if walker.number(0x03005D04) == 0x0803BE75:
            return
        walker.tick(20)
    raise AssertionError("nothing came out of the grass")


def test_a_battle_shows_in_emeralds_memory_and_stays_there_stale(states):
    walker = at(states["starter_given"])
    before = slides(walker), key(walker)
    meet(walker)
    state = sample(walker)
    assert state.mode is Mode.BATTLE and state.in_battle and len(state.battlers) == 2
    assert state.battle_outcome == 0 and state.battle_type == 0 and len(state.enemy_party) == 1
    assert (slides(walker), key(walker)) != before
    assert np.asarray(walker.gba.screen.rgb).std() > 20
    walker.settle()
    after = sample(walker)
    assert not after.in_battle and after.mode is Mode.OVERWORLD
    assert walker.number(0x0202433A, "<B") in (1, 2)
    assert any(walker.gba.memory.read(0x02024744, 100))  # the enemy's party is still there


def test_winning_teaches_and_costs_pp(states):
    walker = at(states["starter_given"])
    meet(walker)
    before = sample(walker).party[0]
    walker.settle()
    after = sample(walker).party[0]
    if walker.number(0x0202433A, "<B") == 1:
        assert after.exp > before.exp and sum(after.pp) < sum(before.pp)
    else:
        assert after.hp == after.max_hp


def test_a_lost_battle_costs_half_the_money_and_leads_home(states):
    walker = at(states["starter_given"])
    meet(walker)
    money = sample(walker).money
    walker.gba.memory.write(0x02024084 + 0x28, b"\1\0")  # one HP left
    walker.gba.memory.write(0x02024084 + 0x58 + 0x28, b"\xff\0")
    walker.gba.memory.write(0x02024084 + 0x58 + 0x2C, b"\xff\0")
    walker.settle()
    state = sample(walker)
    assert walker.number(0x0202433A, "<B") == 2
    assert state.money == money // 2 and state.party[0].hp == state.party[0].max_hp
    assert state.location == (1, 1)  # the new room


def test_running_away_ends_a_battle_with_nothing_gained(states):
    walker = at(states["starter_given"])
    meet(walker)
    before = sample(walker).party[0]
    for _ in range(30):
        if not walker.in_battle:
            break
        if walker.number(0x03005D04) == 0x0803BE75:
            press(walker, "right", 6)
            press(walker, "down", 6)
        press(walker, "a", 30)
    walker.settle()
    assert walker.number(0x0202433A, "<B") == 4
    assert sample(walker).party[0].exp == before.exp


def test_the_rom_is_small():
    assert Path(JADE_ROM).stat().st_size <= 512 << 10
