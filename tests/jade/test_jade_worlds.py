"""Worlds from a number: solvable, playable by keys, and unlike each other."""

import random
from contextlib import closing
from pathlib import Path

import pytest

from emerald_env.emulator import GBA, KEYS
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM, describe_game, identify
from emerald_env.jade import cartridge
from emerald_env.jade.cartridge import world_file, world_rom
from emerald_env.jade.journey import journey, press
from emerald_env.jade.maps import COLLISION, LEDGES, METATILE, STEPS, read_world, step
from emerald_env.jade.walk import MILESTONES
from emerald_env.jade.worlds.creatures import HABITAT, KINDS, habitats
from emerald_env.jade.worlds.guidance.errands import ERRANDS, START
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import OVERWORLD
from emerald_env.jade.worlds.guidance.ways import FAR
from emerald_env.jade.worlds.letters import Drawing, table
from emerald_env.jade.worlds.make_world import SIZES
from emerald_env.jade.worlds.outdoors.outdoors import Outdoors
from emerald_env.jade.worlds.outdoors.thicket import Thicket
from emerald_env.jade.worlds.places import ROUTE_101, ROUTE_103
from emerald_env.jade.worlds.rom_tables import WALK, RomTables, Thing
from emerald_env.jade.worlds.rooms import reshape
from emerald_env.jade.worlds.solvable import find_trap

NAMES = {name for name, *_ in MILESTONES}
SOME = (1, 2, 3, 4, 5)
NEXT = {  # what is named in each place until the first badge
    (1, 4): "Oldale", (0, 16): "Oldale", (0, 10): "Petalburg", (0, 17): "Petalburg",
    (0, 0): "Rustboro", (0, 19): "Rustboro", (24, 11): "Rustboro", (0, 3): "hall",
}  # fmt: skip


def play(rom: bytes) -> dict[str, int]:
    """The steps in which a guide's keys reach each milestone."""
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        return dict(journey(gba, Guide(rom)))


def test_world_0_is_the_game_as_it_comes():
    assert world_rom("0") == JADE_ROM.read_bytes()


def test_a_world_is_a_number():
    with pytest.raises(ValueError, match="must be a number from 0"):
        world_rom("seven")
    with pytest.raises(ValueError, match="got '-1'"):
        identify(GameChoice(world="-1"))


def test_the_environment_plays_a_world_and_says_so():
    with closing(EmeraldEnv(EnvConfig(world="3", start_wait=0))) as env:
        env.reset(seed=1)
        assert env.gba.memory.rom.tobytes() == world_rom("3")
        assert describe_game(env.config.choice)["name"] == "Jade, world 3"


def test_world_0s_ways_lead_nowhere_in_other_worlds():
    """Somebody who knows world 0 by heart, and presses every tenth key at random, stays at home."""
    guide = Guide(JADE_ROM.read_bytes())
    assert blind_walk(guide, JADE_ROM.read_bytes(), steps=250)
    assert [seed for seed in SOME[:3] if blind_walk(guide, world_rom(str(seed)), steps=800)] == []


def blind_walk(guide: Guide, rom: bytes, steps: int) -> bool:
    """Whether a guide of another world meets Kim at home."""
    chance = random.Random(0)
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        for _ in range(steps):
            look, keys = Look(gba.memory), guide.labels(gba.memory)
            if look.block and look.callback == OVERWORLD and look.free:
                if not keys or chance.random() < 0.1:
                    keys = frozenset({chance.choice(("up", "down", "left", "right"))})
            press(gba, keys)
        return Look(gba.memory).story("var", 0x408D) >= 3


def test_best_keys_are_those_that_shorten_the_way():
    guide = Guide(world_rom("2"))
    goals = guide.ways.tiles((0, 10))
    distances = guide.ways.distances(goals, set())
    for place in sorted(distances)[:: len(distances) // 200]:
        steps = guide.ways.after[place]
        best = {key for key in steps if distances.get(steps[key], 10**9) < distances[place]}
        assert guide.ways.best(place, distances) == best
        assert bool(best) == (place not in goals)


def test_ways_are_what_single_steps_say():
    ways = Guide(world_rom("1:emerald")).ways
    for place, steps in ways.after.items():
        one_by_one = {key: step(ways.world, place, key, set()) for key in STEPS}
        assert steps == {key: after for key, after in one_by_one.items() if after}


def test_a_distance_is_one_more_than_the_nearest_neighbours():
    ways, chance = Guide(world_rom("2")).ways, random.Random(1)
    goals, blocked = (
        chance.sample(sorted(ways.after), 3),
        set(chance.sample(sorted(ways.after), 400)),
    )
    distances = ways.distances(goals, blocked)
    assert len(distances) == len(list(distances)) <= len(ways.after) - 400
    for place, steps in ways.after.items():
        nearest = min((distances.get(after, FAR) for after in steps.values()), default=FAR)
        expected = FAR if place in blocked else 0 if place in goals else min(nearest + 1, FAR)
        assert distances.get(place, FAR) == expected


def test_a_number_always_gives_the_same_world():
    assert world_rom("3") == world_rom("3")


@pytest.mark.parametrize(
    "world",
    ["0", "1", "2", "1:large", *(pytest.param(w, marks=pytest.mark.long) for w in ("3", "4", "5"))],
)
def test_a_guides_keys_reach_the_end_of_every_world(world):
    assert set(play(world_rom(world))) == NAMES


def test_a_guide_has_been_to_the_centre_before_it_fights_the_leader_across_the_sea():
    rom = JADE_ROM.read_bytes()
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        ends = {name: Look(gba.memory).last_heal for name, _ in journey(gba, Guide(rom))}
    assert ends["badge_2"] == (0, 11)


def test_random_keys_between_the_guides_do_not_get_it_lost():
    chance, rom = random.Random(4), world_rom("4")
    guide = Guide(rom)
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        for _ in range(2500):
            astray = chance.random() < 0.3
            press(gba, frozenset({chance.choice(KEYS)}) if astray else guide.labels(gba.memory))
        assert Look(gba.memory).story("flag", 0x861), "no Pokédex"


def test_ways_are_longer_in_large_worlds():
    small, large = (sum(tiles_to_rustboro(f"{n}:{size}") for n in SOME) for size in SIZES)
    assert large > 1.1 * small


def tiles_to_rustboro(world: str) -> int:
    """The shortest way from the truck to Rustboro, errand by errand."""
    guide, place, count = Guide(world_rom(world)), START, 0
    for errand in ERRANDS[: [e.name for e in ERRANDS].index("visited_rustboro") + 1]:
        distances = guide.ways.distances(guide.sides(errand), set())
        count += distances[place]
        while distances[place]:
            steps = guide.ways.after[place]
            place = min(steps.values(), key=lambda after: distances.get(after, 10**9))
    return count


def test_worlds_differ_in_every_map_but_the_truck_and_the_sea():
    maps = [read_world(RomTables(world_rom(str(seed)))) for seed in (0, *SOME)]
    same = {at for at in maps[0] if len({(own[at].width, own[at].grid) for own in maps}) == 1}
    assert same <= {(25, 40), (0, 11), (0, 24), (24, 7)}


def said(tables: RomTables, thing: Thing) -> str:
    addresses = [at for at in tables.commands(tables.script(thing)) if tables.read(at, 1) == b"\1"]
    return " ".join(tables.text(tables.word(at + 8)) for at in addresses)


@pytest.mark.parametrize("world", ["1", "2", "7:large"])
def test_signs_say_in_which_direction_a_house_is(world):
    tables = RomTables(world_rom(world))
    for sign, door in (
        (Thing((0, 9), "sign", 0), Thing((0, 9), "warp", 0)),
        (Thing((0, 9), "sign", 1), Thing((0, 9), "warp", 1)),
        (Thing((0, 3), "sign", 1), Thing((0, 3), "warp", 0)),
    ):
        (sx, sy), (x, y) = tables.place(sign), tables.place(door)
        words = said(tables, sign)
        assert ("west" in words) <= (x < sx) and ("east" in words) <= (x >= sx)
        assert ("north" in words) <= (y < sy) and ("south" in words) <= (y >= sy)
        assert any(word in words for word in ("north", "south", "east", "west"))


def test_nobody_speaks_of_a_lake_that_is_not_there():
    water = {cell for letter, cell in table()["outdoors"].items() if letter.startswith("~")}
    for world in ("0", *map(str, SOME)):
        tables = RomTables(world_rom(world))
        for at, own in read_world(tables).items():
            words = " ".join(said(tables, t) for t, _ in tables.things(at) if tables.script(t))
            assert ("lake" in words or "pond" in words) <= bool(water & {*own.grid}), (world, at)
            assert ("ledge" in words) <= any(kind in LEDGES for kind in own.behaviours), (world, at)


def test_somebody_in_each_place_names_the_next_on_the_storys_way():
    for world in map(str, SOME):
        tables = RomTables(world_rom(world))
        for at, further in NEXT.items():
            words = " ".join(said(tables, t) for t, _ in tables.things(at) if tables.script(t))
            assert further in words, (world, at)


def test_each_sign_outdoors_has_something_to_read():
    post = table()["outdoors"]["s"]
    for world in map(str, SOME):
        tables = RomTables(world_rom(world))
        for at in NEXT.keys() - {(1, 4)}:
            width, grid = tables.size(at)[0], tables.grid(at)
            signs = {tile: said(tables, t) for t, tile in tables.things(at) if t.kind == "sign"}
            for tile in (n for n, cell in enumerate(grid) if cell == post):
                words = signs[tile % width, tile // width]
                assert words and "hidden" not in words, (world, at)


@pytest.mark.parametrize("layout", [k for k, own in table()["layouts"].items() if own["palette"]])
def test_stretched_rooms_have_whole_tables_and_one_row_of_a_walls_foot(layout):
    before = Drawing.of(int(layout))
    for seed in range(50):
        room = Drawing.of(int(layout))
        reshape(room, random.Random(seed), ())
        assert sum("w" in row for row in room.rows) == sum("w" in row for row in before.rows)
        floor, letters = table()["rooms"][f"{room.palette} -"], sum(room.rows, [])
        drawn = {c for letter, c in zip(letters, room.cells(), strict=True) if letter == "t"}
        assert floor not in drawn


def test_a_wall_across_the_only_way_is_found():
    tables = RomTables(world_rom("1"))
    (layout,) = tables.unpack("<I", tables.headers[0, 18])
    width, height, _, cells = tables.unpack("<4I", layout)
    for x in range(width):  # Route 103's southern edge, where one comes in
        at = cells + 2 * ((height - 1) * width + x)
        tables.pack("<H", at, tables.unpack("<H", at)[0] | 0x400)
    assert "(0, 18)" in (find_trap(bytes(tables.data)) or "")


def test_somebody_who_bars_a_way_is_seen_before_any_proof():
    tables, chance = RomTables(world_rom("1")), random.Random(1)
    world = Outdoors(tables, chance, large=False)
    ground = Thicket.of(Drawing.of(17), chance, (2, 2, 16, 16), ",T")
    free, wall = (table()["outdoors"][letter] for letter in (", 0", "T 00"))
    for y in range(20):
        for x in range(20):
            tables.set_cell(ROUTE_101, x, y, wall if y == 9 and x != 7 else free)
    ground.ends = [(4, 4), (14, 16)]
    tables.move(Thing(ROUTE_101, "person", 0), 7, 9)
    world.check_way(ROUTE_101, ground)  # who is not of this ground is elsewhere in the end
    ground.spots.add((7, 9))
    with pytest.raises(ValueError, match="bars the way"):
        world.check_way(ROUTE_101, ground)


@pytest.mark.parametrize("world", ["0:emerald", "1:paced"])
def test_what_a_kind_of_worlds_changes_bars_no_way(world):
    assert find_trap(world_rom(world)) is None


def test_other_kinds_live_in_the_grass_at_the_same_levels():
    tables = [RomTables(world_rom(str(seed))) for seed in (0, *SOME)]
    for at in habitats(tables[0]):
        rows = [HABITAT.unpack(own.read(at, HABITAT.size)) for own in tables]
        assert len({(*row[:3], *row[4::3], *row[5::3]) for row in rows}) == 1
        assert {kind for row in rows[1:] for kind in row[3::3]} <= {*KINDS, *rows[0][3::3]}
    assert len({own.read(habitats(own)[0], HABITAT.size) for own in tables}) > 2


TREES = {
    table()["outdoors"][f"{letter} {i}{j}"] & METATILE: (letter, i, j)
    for letter in "TY"
    for i in (0, 1)
    for j in (0, 1)
}


def cut_trees(tables: RomTables, at: tuple[int, int]) -> set[tuple[int, int]]:
    """Returns the corners of trees of which something else covers a part."""
    width, height = tables.size(at)
    grid = [cell & METATILE for cell in tables.grid(at)]
    found = set()
    for n, number in enumerate(grid):
        if number in TREES:
            letter, i, j = TREES[number]
            x, y = n % width - i, n // width - j
            parts = [(a, b) for a in (0, 1) for b in (0, 1) if x + a < width and y + b < height]
            whole = all(
                TREES.get(grid[(y + b) * width + x + a]) == (letter, a, b) for a, b in parts
            )
            found |= set() if whole else {(x, y)}
    return found


@pytest.mark.parametrize("name", ["3", "7:large", "7:emerald"])
def test_no_tree_is_cut_by_a_way_a_house_or_a_hole(name):
    tables = RomTables(world_rom(name))
    assert not {at: cut for at in tables.headers if (cut := cut_trees(tables, at))}


@pytest.mark.parametrize("name", ["3", "5", "7", "7:large"])
def test_whoever_leaves_after_a_scene_walks_on_free_ground(name):
    tables = RomTables(world_rom(name))
    for at in (ROUTE_101, ROUTE_103):
        things = list(tables.things(at))
        taken = {place for thing, place in things if thing.kind in ("person", "sign")}
        people = {
            tables.unpack("<B", tables.address(thing))[0]: place
            for thing, place in things
            if thing.kind == "person"
        }
        walks = [
            command
            for command in tables.map_commands(at)
            if tables.unpack("<B", command)[0] == WALK
        ]
        assert len(walks) == {ROUTE_101: 1, ROUTE_103: 2}[at]
        for command in walks:
            x, y = people[tables.unpack("<B", command + 1)[0]]
            for letter in tables.text(tables.word(command + 8)):
                dx, dy = next(step for key, step in STEPS.items() if key[0].upper() == letter)
                x, y = x + dx, y + dy
                cell = tables.grid(at)[y * tables.size(at)[0] + x]
                assert not cell & COLLISION and (x, y) not in taken


@pytest.mark.parametrize(
    "changed",
    [
        "cartridge.py",
        "jade_full.gba",
        "maps.py",
        "worlds/demanding/emerald_levels.toml",
        "worlds/guidance/ways.py",
        "worlds/letters.json",
        "worlds/outdoors/thicket.py",
    ],
)
def test_a_world_is_made_anew_where_what_makes_it_has_changed(changed, tmp_path, monkeypatch):
    monkeypatch.setattr(cartridge, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(cartridge, "_made", lambda world: b"a world")
    monkeypatch.setattr(cartridge, "_program", cartridge._program.__wrapped__)  # else once a run
    before, read = world_file("7"), Path.read_bytes
    assert world_file("7") == before
    maker = Path(cartridge.__file__).parent / changed
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + bytes(path == maker))
    assert world_file("7") != before
