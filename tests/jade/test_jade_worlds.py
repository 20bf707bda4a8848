"""Worlds from a number: solvable, playable by keys, and unlike each other."""

from contextlib import closing

import pytest

from emerald_env.emulator import GBA
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.maps import read_world
from emerald_env.jade.walk import MILESTONES
from emerald_env.jade.worlds.guide import Guide
from emerald_env.jade.worlds.journey import journey
from emerald_env.jade.worlds.rom_tables import RomTables
from emerald_env.jade.worlds.solvable import find_trap

NAMES = {name for name, *_ in MILESTONES}
SOME = (1, 2, 3, 4, 5)


def play(rom: bytes) -> dict[str, int]:
    """The steps in which a guide's keys reach each milestone."""
    with closing(GBA(rom, idle_loop=JADE_IDLE_LOOP)) as gba:
        return dict(journey(gba, Guide(rom)))


def test_world_0_is_the_game_as_it_comes():
    assert world_rom("0") == JADE_ROM.read_bytes()


def test_a_number_always_gives_the_same_world():
    assert world_rom("3") == world_rom("3")


@pytest.mark.parametrize("seed", [0, *SOME])
def test_a_teachers_keys_reach_the_end_of_every_world(seed):
    assert set(play(world_rom(str(seed)))) == NAMES


def test_worlds_differ_in_every_map_but_the_truck_and_the_sea():
    maps = [read_world(RomTables(world_rom(str(seed)))) for seed in (0, *SOME)]
    same = {at for at in maps[0] if len({(own[at].width, own[at].grid) for own in maps}) == 1}
    assert same <= {(25, 40), (0, 11), (0, 24), (24, 7)}


def test_a_wall_across_the_only_way_is_found():
    tables = RomTables(world_rom("1"))
    (layout,) = tables.unpack("<I", tables.headers[0, 18])
    width, height, _, cells = tables.unpack("<4I", layout)
    for x in range(width):  # Route 103's southern edge, where one comes in
        at = cells + 2 * ((height - 1) * width + x)
        tables.pack("<H", at, tables.unpack("<H", at)[0] | 0x400)
    assert "(0, 18)" in (find_trap(bytes(tables.data)) or "")
