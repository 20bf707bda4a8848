"""Ledges in four directions: as the engine, the planner and the state's reader have them."""

import dataclasses
import random
from collections.abc import Iterator

import numpy as np
import pytest
from helpers.jade_story import JADE_IDLE_LOOP
from test_jade_battle import BLOCK_2

from emerald_env.emulator import GBA, key_mask
from emerald_env.jade.cartridge import JADE_FULL, world_rom
from emerald_env.jade.maps import LEDGES, STEPS, Place, Stuck, plan, step
from emerald_env.jade.walk import SAVE_BLOCK_1_POINTER, Walker
from emerald_env.jade.worlds.letters import FREE, Drawing
from emerald_env.jade.worlds.outdoors.thicket import Thicket
from emerald_env.jade.worlds.rom_tables import RomTables
from emerald_env.state import NOWHERE
from emerald_env.state.parts.around.targets import TargetKind, targets
from emerald_env.state.parts.around.tiles_around import COLUMNS, ROWS, Kind, tiles_around
from tests.helpers.guided import trap_after

TOWN, SIZE, TILE = (0, 9), 20, 16
JUMPED = {"_": "down", "^": "up", "<": "left", ">": "right"}
JUMPED |= {"l": "down", "u": "up", "{": "left", "}": "right"}
KINDS = {key: Kind[f"LEDGE_{key.upper()}"] for key in STEPS}
JUMPS, STATS, KEY = 43, 0x159C, 0xAC  # GAME_STAT_JUMPED_DOWN_LEDGES; in SaveBlock1; in SaveBlock2
UNKNOWN = 255
ROUTE_113, ROUTE_114 = (0, 28), (0, 29)


def beyond(rows: list[list[str]], x: int, y: int, key: str) -> tuple[int, int]:
    """Where a key leads on a map of letters, by the rules of the game."""
    dx, dy = STEPS[key]
    letter = rows[y + dy][x + dx]
    if JUMPED.get(letter) == key and rows[y + 2 * dy][x + 2 * dx] in FREE:
        return x + 2 * dx, y + 2 * dy
    return (x + dx, y + dy) if letter in FREE else (x, y)


@pytest.fixture(scope="module")
def field() -> Drawing:
    """The first town, as a field of ledges with a way between any two."""
    drawing, chance = Drawing.of(10), random.Random(1)
    drawing.houses = []
    drawing.fill(",", 2, 2, SIZE - 4, SIZE - 4)
    for y in range(3, SIZE - 3, 2):
        for x in range(3, SIZE - 3, 2):
            drawing.fill(chance.choice("_^<>lu{}T"), x, y)
    return drawing


@pytest.fixture(scope="module")
def walker(field: Drawing) -> Iterator[Walker]:
    tables = RomTables(JADE_FULL.read_bytes())
    tables.set_grid(TOWN, SIZE, SIZE, field.cells())
    spots = [(x, y) for y in range(SIZE) for x in range(SIZE) if field.rows[y][x] == ","]
    chance = random.Random(2)
    for thing, _ in tables.things(TOWN):
        if thing.kind == "sign":
            tables.move(thing, *chance.choice(spots))
        elif thing.kind != "warp" or thing.number < 3:
            tables.move(thing, 0, 0)
    with GBA(bytes(tables.data), idle_loop=JADE_IDLE_LOOP) as gba:
        walker = Walker(gba)
        walker.start()
        walker.go_to(*TOWN, 4, 10)
        yield walker


def jumped(walker: Walker) -> int:
    """How often one jumped, as the game counts."""
    count = walker.number(walker.number(SAVE_BLOCK_1_POINTER) + STATS + 4 * JUMPS)
    return count ^ walker.number(walker.number(BLOCK_2) + KEY)


@pytest.mark.parametrize("letter", JUMPED)
def test_a_ledge_is_jumped_in_its_direction_only(walker, field, letter):
    chance = random.Random(letter)
    ledges = [(x, y) for y in range(SIZE) for x in range(SIZE) if field.rows[y][x] == letter]
    x, y = chance.choice(ledges)
    for key, (dx, dy) in STEPS.items():
        walker.go_to(*TOWN, x - dx, y - dy)
        before = jumped(walker)
        after = beyond(field.rows, x - dx, y - dy, key)
        assert (step(walker.world, walker.place, key, set()) or walker.place)[2:] == after
        walker.step(key, limit=24)
        assert walker.place == (*TOWN, *after)
        assert jumped(walker) - before == (JUMPED[letter] == key)


def overlap(before, after, slid: int):
    """The parts of two pictures that show the same, if what is seen slid so far to the left."""
    width = before.shape[1] - abs(slid)
    first, second = before[:, max(slid, 0) :], after[:, max(-slid, 0) :]
    return first[:, :width], second[:, :width]


@pytest.mark.parametrize("key", ["left", "right"])
def test_the_picture_only_slides_while_one_leaps_sideways(walker, field, key):
    """The map is drawn in a ring of sixteen columns, and a leap passes seventeen."""
    dx, _ = STEPS[key]
    x, y = next(
        (x, y) for x in range(7, 13) for y in range(7, 13) if JUMPED.get(field.rows[y][x]) == key
    )
    walker.go_to(*TOWN, x - dx, y)
    walker.face(key)
    pictures = []
    for frame in range(40):
        walker.gba.step(key_mask(key) if 1 < frame < 5 else 0, 1, 1, render=True)
        picture = walker.gba.screen.ndarray[:, :, :3].copy()
        picture[48:112] = 0  # where the player is
        pictures.append(picture)
    walker.settle()
    slid = 0
    for picture in pictures:
        while not np.array_equal(*overlap(pictures[0], picture, dx * slid)):
            slid += 1
            assert slid <= 2 * TILE
    assert slid == 2 * TILE


def test_the_tiles_around_name_each_ledge_by_its_direction(walker, field):
    walker.go_to(*TOWN, 8, 8)
    x, y = 8, 8
    kinds = tiles_around(walker.gba.memory.read)
    shown = 0
    for row in range(ROWS):
        for column in range(COLUMNS):
            i, j = x + column - COLUMNS // 2, y + row - ROWS // 2
            if 2 <= i < SIZE - 2 and 2 <= j < SIZE - 2 and field.rows[j][i] in JUMPED:
                assert kinds[row, column] == KINDS[JUMPED[field.rows[j][i]]]
                shown += 1
    assert shown > 15


def test_signs_are_as_far_as_the_planner_says(walker):
    signs = [
        (thing.number, tile) for thing, tile in walker.tables.things(TOWN) if thing.kind == "sign"
    ]
    chance, compared, ways = random.Random(4), 0, 0
    for _ in range(40):
        for _ in range(4):
            walker.step(chance.choice(list(STEPS)), limit=24)
        rows = targets(walker.gba.memory.read, dataclasses.replace(NOWHERE, location=TOWN)).tolist()
        told = {row[2]: row[3] for row in rows if row[0] == TargetKind.SIGN}
        for number, tile in signs:
            steps = fewest(walker, (*TOWN, *tile))
            if steps is not None:
                assert told[number] == steps
                compared += 1
            ways += steps is None
    assert compared > 40, (compared, ways)


def fewest(walker: Walker, goal: Place) -> int | None:
    try:
        return len(plan(walker.world, walker.place, {goal}, set()))
    except Stuck:
        return None


# ---- worlds ----


def beside(rows: list[list[str]], x: int, y: int, key: str) -> tuple[int, int]:
    """Where a key leads who jumps nowhere."""
    dx, dy = STEPS[key]
    return (x + dx, y + dy) if rows[y + dy][x + dx] in FREE else (x, y)


def reached(rows, start, moves) -> set[tuple[int, int]]:
    found, todo = {start}, [start]
    for place in todo:  # it grows at its end
        for key in STEPS:
            if (after := moves(rows, *place, key)) not in found:
                found.add(after)
                todo.append(after)
    return found


@pytest.mark.parametrize("large", [False, True])
def test_ledges_strand_nobody_and_the_ways_around_them_stay(large):
    shown = set()
    for seed in range(12):
        chance = random.Random(seed)
        drawing = Drawing([list("T" * 40) for _ in range(40)], "", [])
        wood = Thicket.of(drawing, chance, (2, 2, 36, 36), ",T")
        for place in ((2, 2), (36, 36), (2, 36)):
            wood.need(*place)
        wood.grow(4, 3, large)
        wood.drop_ledges(3)
        rows = drawing.rows
        free = {(x, y) for y in range(40) for x in range(40) if rows[y][x] in FREE}
        for moves in (beyond, beside):  # over ledges, and around them
            assert reached(rows, min(free), moves) == free
        shown |= {JUMPED[letter] for row in rows for letter in row if letter in JUMPED}
    assert shown == STEPS.keys()


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("2:emerald")


def test_worlds_have_sideways_ledges(guide):
    found = {
        LEDGES[kind]
        for own in guide.ways.world.values()
        for kind in own.behaviours
        if kind in LEDGES
    }
    assert found >= {"left", "right", "down"}


@pytest.mark.parametrize(
    ("at", "line", "letter"),
    [
        (ROUTE_113, "column", "{"),
        (ROUTE_113, "column", "}"),
        (ROUTE_114, "row", "_"),
        (ROUTE_114, "row", "^"),
    ],
)
def test_a_ledge_across_the_only_way_is_found(rom, at, line, letter):
    def close(tables: RomTables) -> None:
        (cell,) = Drawing([[letter]], "", []).cells()
        width, height = tables.size(at)
        place = 50 if line == "column" else 24
        for n in range(height if line == "column" else width):
            tile = (place, n) if line == "column" else (n, place)
            if not tables.grid(at)[tile[1] * width + tile[0]] & 0xC00:
                tables.set_cell(at, *tile, cell)

    assert "no way from" in trap_after(rom, close)
