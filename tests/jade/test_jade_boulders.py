"""Boulders in the Fiery Path of worlds called :emerald: Strength, pushing, a room to be solved."""

import random
from collections import deque
from functools import cache

import pytest
from test_jade_cave import use_from_menu

from emerald_env.emulator import GBA
from emerald_env.game.editions import edition
from emerald_env.jade import menus
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.journey import journey, press
from emerald_env.jade.maps import BOULDER, COLLISION, LEDGES, STEPS
from emerald_env.jade.walk import SAVE_BLOCK_1_POINTER, Walker
from emerald_env.jade.worlds.demanding.mountain import ROOM_TOP
from emerald_env.jade.worlds.demanding.puzzles.boulder_room import (
    HEIGHT,
    Room,
    draw_room,
    lines_of,
    room_of,
    rooms,
)
from emerald_env.jade.worlds.guidance.boulders import FIERY_PATH, FLAG_SYS_USE_STRENGTH
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import YES_NO
from emerald_env.jade.worlds.guidance.menu_keys import A
from emerald_env.jade.worlds.guidance.taught_moves import STRENGTH
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.rom_tables import RomTables, Thing
from emerald_env.state.parts.around.tiles_around import COLUMNS, ROWS, Kind, tiles_around
from experiments.jade.boulder_rooms import FEWEST
from tests.helpers.guided import follow, trap_after

VISITED_FALLARBOR = 0x873
ROUTE_112 = (0, 27)
REPEL_STEPS = 0x139C + 2 * 0x21  # in SaveBlock1: VAR_REPEL_STEP_COUNT, which keeps battles away
Tile = tuple[int, int]


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("2:emerald")


@pytest.fixture(scope="module")
def states(game, guide) -> dict[str, bytes]:
    """States in the Fiery Path, by keys: before Strength is taught, and before a boulder."""
    found = {}
    for name, _ in journey(game, guide):
        found[name] = game.get_state()
        if name == "hm_strength":
            break
    follow(game, guide, 600, lambda look: look.story("move", STRENGTH) and look.free)
    found["taught"] = game.get_state()
    follow(game, guide, 600, lambda look: before_boulder(look) and look.free)
    found["boulder"] = game.get_state()
    return found


def before_boulder(look: Look) -> bool:
    return look.faced in look.people({BOULDER})


def strong(game: GBA, state: bytes) -> Look:
    """Begins before a boulder, which can be pushed."""
    game.set_state(state)
    for _ in range(40):
        look = Look(game.memory)
        if look.flag(FLAG_SYS_USE_STRENGTH) and look.free:
            break
        press(game, A)
    return Look(game.memory)


# ---- the rules, once more ----


@cache
def solved_in(room: Room) -> int | None:
    """The fewest pushes to the northern door, tile by tile; None: there is no way."""
    return pushes(room, room.boulders, (room.south, HEIGHT - 1))


def pushes(room: Room, boulders: tuple[Tile, ...], start: Tile) -> int | None:
    least = {(start, boulders): 0}
    todo = deque(least)
    while todo:
        (x, y), lying = here = todo.popleft()
        if (x, y) == (room.north, 0):
            return least[here]
        for dx, dy in STEPS.values():
            to, beyond = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if to not in room.floor:
                continue
            if to not in lying:
                after, cost = (to, lying), 0
            elif beyond in room.floor and beyond not in lying:
                after, cost = ((x, y), tuple(sorted({*lying} - {to} | {beyond}))), 1
            else:
                continue
            if least[here] + cost < least.get(after, 99):
                least[after] = least[here] + cost
                todo.append(after) if cost else todo.appendleft(after)
    return None


def test_each_room_is_solved_by_some_pushes_and_spoilt_by_others():
    assert len({*rooms()}) == len(rooms()) >= 60
    for room in random.Random(1).sample(rooms(), 12):
        assert FEWEST <= (solved_in(room) or 0) <= 12
        assert not room.floor.issuperset({(room.north, 2)})
        spoilt = [
            lying
            for boulder in room.boulders
            for dx, dy in STEPS.values()
            if (to := (boulder[0] + dx, boulder[1] + dy)) in room.floor - {*room.boulders}
            for lying in [tuple(sorted({*room.boulders} - {boulder} | {to}))]
            if pushes(room, lying, (room.south, HEIGHT - 1)) is None
        ]
        assert spoilt or solved_in(room) >= FEWEST


def test_other_worlds_have_other_rooms_and_see_them_in_a_mirror(guide):
    drawn = {draw_room(random.Random(seed)) for seed in range(60)}
    assert len(drawn) > 40 and drawn - {*rooms()}
    assert moved(*room_in(guide)) == {place[2:] for place in guide.boulders.start}


def moved(room: Room, left: int, top: int) -> set[Tile]:
    return {(x + left, y + top) for x, y in room.boulders}


def room_in(guide: Guide) -> tuple[Room, int, int]:
    """The room of a world, and its corner."""
    lying = {place[2:] for place in guide.boulders.start}
    mirrored = (room_of([line[::-1] for line in lines_of(room)]) for room in rooms())
    return next(
        (room, left, ROOM_TOP)
        for room in (*rooms(), *mirrored)
        if moved(room, left := min(lying)[0] - min(room.boulders)[0], ROOM_TOP) == lying
    )


# ---- Strength ----


def test_a_boulder_stays_where_it_is_until_somebody_strong_is_there(game, guide, states):
    game.set_state(states["hm_strength"])
    walker = Walker(game)
    boulder = min(guide.boulders.start)
    side = next(
        (place, key)
        for key, (dx, dy) in STEPS.items()
        if (place := (*FIERY_PATH, boulder[2] - dx, boulder[3] - dy)) in reachable(walker)
    )
    walker.go({side[0]})
    walker.face(side[1])
    walker.tick(60, side[1])
    assert walker.place == side[0] and boulder[2:] in walker.people()
    walker.tick(2, "a")
    walker.tick(30)
    look = Look(game.memory)
    assert walker.message_open and YES_NO not in look.tasks
    assert not look.flag(FLAG_SYS_USE_STRENGTH)


def reachable(walker: Walker) -> set:
    guide = Guide(walker.gba.memory.rom.tobytes())
    people = {(*walker.place[:2], *tile) for tile in walker.people()}
    return guide.ways.reached([walker.place], people)


def test_strength_is_asked_for_and_lasts_until_one_leaves(game, guide, states):
    game.set_state(states["boulder"])
    press(game, A)
    look = follow(game, guide, 40, lambda look: YES_NO in look.tasks)
    assert YES_NO in look.tasks and not look.flag(FLAG_SYS_USE_STRENGTH)
    look = strong(game, states["boulder"])
    assert look.flag(FLAG_SYS_USE_STRENGTH) and look.people({BOULDER}) == guide.boulders.start
    walker = Walker(game)
    pushed = random_pushes(walker, 120, random.Random(2))
    assert pushed and Look(game.memory).people({BOULDER}) != guide.boulders.start
    warp = guide.tables.place(Thing(FIERY_PATH, "warp", 0))
    walker.go_to(*ROUTE_112, *guide.tables.place(Thing(ROUTE_112, "warp", 2)))
    assert not Look(game.memory).flag(FLAG_SYS_USE_STRENGTH)
    walker.step("down")
    walker.go_to(*FIERY_PATH, *warp)
    assert Look(game.memory).people({BOULDER}) == guide.boulders.start


def random_pushes(walker: Walker, steps: int, chance: random.Random) -> int:
    """Presses keys at random, each checked against the rules; how many moved a boulder."""
    grid, pushed = walker.world[FIERY_PATH], 0
    for _ in range(steps):
        before, lying = (
            walker.place,
            {place[2:] for place in Look(walker.gba.memory).people({BOULDER})},
        )
        x, y = before[2:]
        near = [key for key, (dx, dy) in STEPS.items() if (x + dx, y + dy) in lying]
        key = chance.choice(near if near and chance.random() < 0.5 else list(STEPS))
        dx, dy = STEPS[key]
        to, beyond = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
        others = walker.people() - lying
        expected, place = lying, before
        if to in lying:
            if not grid.cell(*beyond) & COLLISION and beyond not in lying | others:
                expected = lying - {to} | {beyond}
        elif not grid.cell(*to) & COLLISION and to not in others:
            place = (*FIERY_PATH, *to)
        elif LEDGES.get(grid.behaviour(*to)) == key:
            place = (*FIERY_PATH, *beyond)
        if to in {warp[:2] for warp in grid.warps}:
            continue
        block = walker.number(SAVE_BLOCK_1_POINTER)
        walker.gba.memory.write(block + REPEL_STEPS, bytes([250, 0]))
        walker.face(key)
        walker.tick(4, key)
        walker.tick(32)
        walker.settle()
        now = {place[2:] for place in Look(walker.gba.memory).people({BOULDER})}
        assert (walker.place, now) == (place, expected), (key, before, lying)
        pushed += now != lying
    return pushed


def test_boulders_are_pushed_by_the_rules_and_seen_as_things(game, states):
    strong(game, states["boulder"])
    walker, chance, pushed = Walker(game), random.Random(5), 0
    for _ in range(6):
        strong(game, states["boulder"])
        pushed += random_pushes(walker, 30, chance)
    assert pushed > 5
    kinds = tiles_around(game.memory.read, edition("JADE"))
    for *_, x, y in Look(game.memory).people({BOULDER}):
        row, column = y - walker.place[3] + ROWS // 2, x - walker.place[2] + COLUMNS // 2
        assert kinds[row, column] == Kind.THING


def test_strength_is_used_from_the_partys_menu(game, states):
    game.set_state(states["boulder"])
    use_from_menu(game, STRENGTH)
    for _ in range(12):
        press(game, A)
    look = Look(game.memory)
    assert look.flag(FLAG_SYS_USE_STRENGTH)


def test_a_saved_game_goes_on_among_the_boulders_as_they_lay(game, guide, states):
    strong(game, states["boulder"])
    walker = Walker(game)
    random_pushes(walker, 120, random.Random(2))
    lying, place = Look(game.memory).people({BOULDER}), walker.place
    assert lying != guide.boulders.start
    menus.save_and_continue(walker)
    assert walker.place == place and Look(game.memory).people({BOULDER}) == lying


# ---- the guide ----


def spoil(walker: Walker, guide: Guide, chance: random.Random) -> bool:
    """Pushes at random until nothing helps but to leave; whether that happened."""
    room, left, top = room_in(guide)
    for _ in range(40):
        random_pushes(walker, 4, chance)
        *_, x, y = walker.place
        lying = Look(walker.gba.memory).people({BOULDER})
        inside = tuple(sorted((i - left, j - top) for *_, i, j in lying))
        if (x - left, y - top) in room.floor and pushes(room, inside, (x - left, y - top)) is None:
            return True
    return False


def test_the_guide_solves_the_room_whatever_was_pushed_before(game, guide, states):
    spoilt = 0
    for seed in range(6):
        strong(game, states["boulder"])
        spoilt += spoil(Walker(game), guide, random.Random(seed))
        look = follow(game, guide, 3000, lambda look: look.flag(VISITED_FALLARBOR))
        assert look.flag(VISITED_FALLARBOR)
        if spoilt:
            break
    assert spoilt


# ---- the proof ----


def test_boulders_that_bar_nothing_and_a_room_without_a_way_out_are_found(rom, guide):
    lane = next(
        place
        for place in sorted(guide.ways.tiles(FIERY_PATH))
        if "down" in guide.ways.after[place] and guide.ways.after[place]["down"][3] == place[3] + 2
    )

    def roll_away(tables: RomTables) -> None:
        for number in (3, 4, 5):
            tables.move(Thing(FIERY_PATH, "person", number), 0, number)

    def close_lane(tables: RomTables) -> None:
        wall = Drawing([["W"]], "", []).cells()[0]
        for x in (lane[2], lane[2] + 1):
            tables.set_cell(FIERY_PATH, x, lane[3] + 1, wall)

    def trap(tables: RomTables) -> None:
        start = tables.place(Thing(FIERY_PATH, "warp", 0))
        tables.move(Thing(FIERY_PATH, "person", 3), start[0], start[1] - 2)

    assert "visited_fallarbor can be reached before" in trap_after(rom, roll_away)
    assert "no way from" in trap_after(rom, close_lane)
    assert trap_after(rom, trap)
    assert trap_after(rom, lambda tables: None) == ""
    assert ROOM_TOP < lane[3] + 1
