"""Worlds called :emerald between Oldale and Rustboro: who must be met, a first catch, a thief."""

import random

import pytest

from emerald_env.emulator import GBA, KEYS
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.journey import press
from emerald_env.jade.maps import DIRECTIONS, ROCK, STEPS, MapId, Place
from emerald_env.jade.worlds.demanding.west import ACTORS, POSTS, TREE
from emerald_env.jade.worlds.guidance.errands import FURTHER_ERRANDS, PURPOSES, STORY_OVER
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import MEMBER, PARTY, PARTY_COUNT
from emerald_env.jade.worlds.rom_tables import FACING, SIGHT, TRAINER_TYPE, RomTables, Thing
from emerald_env.jade.worlds.solvable import find_trap
from emerald_env.state import decode, milestones_done
from tests.helpers.guided import follow

WORLDS = ("0:emerald", "3:emerald", "7:paced", "5:large:emerald")
PETALBURG, WOODS, OLDALE, RUSTBORO = (0, 0), (24, 11), (0, 10), (0, 3)
LESSON, LESSON_OVER, THIEF = 0x200, 2, 0x50A
GYM_STATE, WOODS_STATE = 0x4085, 0x4098
TYPE_FLAGS = 0x02022FEC
LENT, LENT_LEVEL = 288, 7
GREAT_BALL = 3
ALWAYS = {0, 11, 16}  # the player, a boat, a girl who plays
PALETTES = 7


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("2:emerald")


@pytest.fixture(scope="module")
def states(game, guide) -> dict[str, bytes]:
    """The state at each milestone until the first city, by keys."""
    found = {}
    for name in guide.milestones:
        follow(game, guide, 12_000, lambda look, name=name: name in done(look, guide))
        found[name] = game.get_state()
        if name == "visited_rustboro":
            return found
    raise AssertionError("no Rustboro")


def done(look: Look, guide: Guide) -> set[str]:
    if not look.block:
        return set()
    return {e.name for e in guide.errands if look.story(e.kind, e.number) >= e.value}


def seen_by(tables: RomTables, who: Thing) -> Place:
    """The tile that a trainer who sees one tile far looks at."""
    entry, (x, y) = tables.address(who), tables.place(who)
    assert tables.unpack("<H", entry + TRAINER_TYPE) == tables.unpack("<H", entry + SIGHT) == (1,)
    dx, dy = STEPS[DIRECTIONS[tables.unpack("<H", entry + FACING)[0]]]
    return (*who.map, x + dx, y + dy)


def _watched(tables: RomTables, at: MapId, name: str) -> set[Place]:
    """The tiles that nobody passes without a fight."""
    if name == "scene":
        return {(*at, *tile) for thing, tile in tables.things(at) if thing.kind == "trigger"}
    kind, number = name.split()
    who = Thing(at, kind, int(number))
    return {seen_by(tables, who), (*at, *tables.place(who))}


@pytest.mark.parametrize("world", WORLDS)
def test_nobody_gets_to_rustboro_unseen(world):
    guide = Guide(world_rom(world))
    x, y = guide.tables.place(Thing(OLDALE, "warp", 1))
    start, tree = (*OLDALE, x, y + 1), {(*TREE.map, *guide.tables.place(TREE))}
    goal = guide.ways.tiles(RUSTBORO)
    assert goal & guide.ways.reached([start], tree)
    for (at, _), posts in POSTS.items():
        for name in posts:
            assert not goal & guide.ways.reached([start], tree | _watched(guide.tables, at, name))


def test_a_way_around_a_scene_is_a_trap():
    rom = world_rom("3:emerald")
    for at in (PETALBURG, WOODS):
        tables = RomTables(rom)
        tables.move(Thing(at, "trigger", 1), *tables.place(Thing(at, "trigger", 0)))
        assert find_trap(bytes(tables.data)) == f"the gate of {at} can be walked around"


def test_emeralds_milestones_fire_on_the_way(game, guide, states):
    for name in ("visited_petalburg", "wally_tutorial", "petalburg_woods_grunt"):
        game.set_state(states[name])
        assert name in milestones_done(decode(game.memory.read))
        number = guide.purpose(game.memory) // 4
        assert number * 4 < PURPOSES
        assert (number * 4 > STORY_OVER) == (guide.errand(Look(game.memory)) in FURTHER_ERRANDS)


def test_nobody_leaves_petalburg_before_the_lesson(game, guide, states):
    game.set_state(states["visited_petalburg"])
    distances = guide.ways.distances(guide.ways.tiles((0, 19)), set())
    spoken = 0
    for _ in range(400):
        look = Look(game.memory)
        spoken += look.message_open
        keys = guide.ways.best(look.place, distances) if look.free else frozenset({"a"})
        press(game, keys - {"a"} if look.free and not look.in_battle else frozenset({"a"}))
        assert look.place[:2] != (0, 19)
    assert spoken


def test_somebody_else_catches_his_first_one_whatever_is_pressed(game, guide, states):
    game.set_state(states["visited_petalburg"])
    follow(game, guide, 4_000, lambda look: look.place[:2] == (8, 1) and look.free)
    before = party(game)
    look = follow(game, guide, 600, lambda look: look.in_battle)
    assert look.in_battle
    chance, lent = random.Random(1), set()
    for _ in range(600):
        if not (look := Look(game.memory)).in_battle:
            break
        if look.number(TYPE_FLAGS) == LESSON:
            lent.add((len(look.party), look.party[0].species, look.level))
        press(game, frozenset({chance.choice(KEYS)}))
    assert lent == {(1, LENT, LENT_LEVEL)}
    follow(game, guide, 300, lambda look: look.story("var", GYM_STATE) == LESSON_OVER)
    assert Look(game.memory).story("var", GYM_STATE) == LESSON_OVER
    assert party(game) == before


def party(game: GBA) -> tuple[int, bytes]:
    count = game.memory.read(PARTY_COUNT, 1)[0]
    return count, game.memory.read(PARTY, MEMBER * count)


def test_the_thief_stays_until_he_is_beaten_and_a_great_ball_is_the_thanks(game, guide, states):
    game.set_state(states["petalburg_woods_grunt"])
    look = follow(game, guide, 300, lambda look: look.story("var", WOODS_STATE) == 1 and look.free)
    assert look.flag(THIEF) and look.story("var", WOODS_STATE) == 1
    state = decode(game.memory.read)
    assert state.item_count(GREAT_BALL)
    here = look.people()
    assert not {(*WOODS, *guide.tables.place(who)) for who in ACTORS} & here


# ---- faces of their own ----


def test_every_map_has_room_for_the_faces_that_it_needs(guide):
    """Their pictures are where those of people are who are not on that map; a palette each."""
    for at in guide.tables.headers:
        people = [thing for thing, _ in guide.tables.things(at) if thing.kind == "person"]
        looks = {guide.tables.unpack("<B", guide.tables.address(thing) + 1)[0] for thing in people}
        own = {look for look in looks if look > ROCK}
        assert len(own) <= PALETTES
        assert len(looks | ALWAYS) <= ROCK + (ROCK in looks)


def test_a_nurse_and_the_father_look_like_nobody_else_after_a_battle_too(game, guide, states):
    game.set_state(states["wally_tutorial"])
    look = follow(game, guide, 4_000, lambda look: look.place[:2] == (8, 4) and look.free)
    assert look.place[:2] == (8, 4)
    for _ in range(6):
        press(game, frozenset({"up"}))
    assert shows(game, (248, 144, 168)), "the nurse's hair"
    game.set_state(states["visited_petalburg"])
    follow(game, guide, 4_000, lambda look: look.story("var", GYM_STATE) == LESSON_OVER)
    assert shows(game, (200, 64, 64)), "the father's jacket, after the lesson"


def shows(game: GBA, colour: tuple[int, int, int]) -> bool:
    """Whether a colour, of five bits each, is on the screen."""
    game.tick(2)
    return bool(
        (game.screen.ndarray[..., :3] // 8 == [value // 8 for value in colour]).all(-1).any()
    )
