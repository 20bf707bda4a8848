"""Worlds called :emerald: people who wander, poison that hurts on the way, the pace."""

import random
import struct

import pytest

from emerald_env.emulator import GBA, key_mask
from emerald_env.files.data import DataError
from emerald_env.jade.cartridge import JADE_FULL, JADE_IDLE_LOOP, JADE_ROM, world_rom
from emerald_env.jade.editing import edited
from emerald_env.jade.journey import STEP, journey, press
from emerald_env.jade.maps import MapId, Place, Stuck, read_world
from emerald_env.jade.painting import paint_map
from emerald_env.jade.worlds.creatures import highest_level
from emerald_env.jade.worlds.demanding.demands import DEMANDS, demanded, readers_place
from emerald_env.jade.worlds.demanding.longer_scenes import LONGEST, spoken
from emerald_env.jade.worlds.demanding.wanderers import RANGE, wanderers
from emerald_env.jade.worlds.guidance.errands import LEADERS
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import (
    BORDER,
    HP,
    MEMBER,
    OBJECT_COUNT,
    OBJECT_SIZE,
    OBJECTS,
    OVERWORLD,
    PARTY,
    PARTY_COUNT,
    STATUS,
)
from emerald_env.jade.worlds.letters import table
from emerald_env.jade.worlds.rom_tables import RomTables, Thing
from emerald_env.state import decode
from experiments.jade_pace import walk as walk_timed
from tests.helpers.guided import follow

MUDKIP = 2  # VAR_STARTER_MON
PETRA = Thing((11, 3), "person", 0)
PERIOD = 4  # steps: pret, src/field_poison.c
FLASH_LEVEL = 0x30
PRINTER = 0x020201B0  # sTextPrinters: the letter that comes next
REGISTERS = 0x400  # in a state of mGBA
# SOUNDCNT_H, TM0CNT_H, DMA1CNT_H, DMA2CNT_H: as in all known states of Emerald
SOUND_REGISTERS = {0x82: 0x3302, 0x102: 0x80, 0xC6: 0xB640, 0xD2: 0xB640}
FEW_WORLDS = ("0:emerald", "3:emerald", "5:large:emerald")


@pytest.fixture(scope="module")
def rom() -> bytes:
    return world_rom("0:emerald")


def hurt(game: GBA, hp: int, member: int = 0, status: int = 8) -> None:
    """Poisons somebody of the party, whose HP are few."""
    at = PARTY + MEMBER * member
    for i, byte in enumerate(struct.pack("<I", status)):
        game.memory[at + STATUS + i] = byte
    for i, byte in enumerate(struct.pack("<H", hp)):
        game.memory[at + HP + i] = byte


def walk(game: GBA, guide: Guide, steps: int) -> int:
    """Walks to and fro, until a script takes over at last; how many steps that were."""
    count, last = 0, Look(game.memory).place
    for _ in range(40 * steps):
        look = Look(game.memory)
        if look.place != last:
            count, last = count + 1, look.place
        if count == steps or not look.free:
            break
        free = [key for key, to in guide.ways.after[last].items() if to not in look.people()]
        game.step(1 << "a b select start right left up down".split().index(sorted(free)[0]), 4, 4)
    return count


# ---- the whole story ----


def test_the_story_is_played_to_its_end_by_keys(guide, states):
    assert tuple(states) == guide.milestones


def demands_of(rom: bytes) -> set[str]:
    return {name for name in DEMANDS if demanded(RomTables(rom), name)}


def test_a_world_called_emerald_demands_all_but_the_pace_and_a_paced_one_that_too(rom):
    assert demands_of(rom) == DEMANDS.keys() - {"pace"}
    assert demands_of(world_rom("0:paced")) == DEMANDS.keys()
    assert demands_of(world_rom("0:demanding")) == {
        n for n, each in DEMANDS.items() if not each.full
    }


def test_emeralds_levels_are_met_and_trained_for(game, guide, states):
    game.set_state(states["badge_1"])
    assert highest_level(guide.tables, PETRA) == 15
    assert Look(game.memory).level >= 15 + LEADERS["badge_1"].above[MUDKIP]
    game.set_state(states["badge_2"])
    assert Look(game.memory).level > 15


def test_the_full_engine_plays_world_0_as_the_plain_one_does_until_the_pokedex():
    """Both engines are of one source, and differ where something is demanded, and in the west.

    Words come at another speed, so that luck in battles differs.
    """
    stories = []
    for rom in (JADE_ROM.read_bytes(), JADE_FULL.read_bytes()):
        story = []
        with GBA(rom, idle_loop=JADE_IDLE_LOOP) as game:
            for name, _ in journey(game, Guide(rom)):
                look = Look(game.memory)
                story.append((name, look.place, look.flags))
                if name == "pokedex":
                    break
        stories.append(story)
    assert stories[0] == stories[1]
    assert len(stories[0]) == 15


def test_only_the_full_engine_can_be_asked_for_poison():
    with pytest.raises(DataError, match="only worlds called :emerald or :paced can demand poison"):
        edited(world_rom("0:demanding"), {"demands": {"poison": True}})
    assert edited(world_rom("0:demanding"), {"demands": {"poison": False, "clock": False}})
    assert not demanded(
        RomTables(edited(world_rom("0:emerald"), {"demands": {"dark": False}})), "dark"
    )


# ---- people who wander ----


@pytest.mark.parametrize("world", FEW_WORLDS)
def test_wherever_somebody_wanders_to_the_ways_of_a_map_stay_joined(world):
    """Seen from one side of him: whatever could be reached without him still can be."""
    guide, chance = Guide(world_rom(world)), random.Random(world)
    assert len(wanderers(guide.tables)) > 8
    for thing in wanderers(guide.tables):
        places = sorted(guide.ways.tiles(thing.map) & set(box_of(guide, thing)))
        others = {(*thing.map, *tile) for tile in guide.elsewhere[thing.map]}
        others -= {(*thing.map, *guide.tables.place(thing))}
        for place in chance.sample(places, min(4, len(places))):
            start = next(to for to in guide.ways.after[place].values() if to not in others)
            reached = guide.ways.reached([start], others)
            assert reached - guide.ways.reached([start], others | {place}) <= {place}, thing


def box_of(guide: Guide, thing: Thing) -> list[Place]:
    """All tiles that somebody may wander to, walls among them."""
    x, y = guide.tables.place(thing)
    reach = guide.tables.unpack("<H", guide.tables.address(thing) + RANGE)[0]
    across, down = reach & 15, reach >> 4
    return [
        (*thing.map, x + dx, y + dy)
        for dx in range(-across, across + 1)
        for dy in range(-down, down + 1)
    ]


def objects(game: GBA) -> dict[int, tuple[int, int]]:
    """Where everybody of this map is, by number."""
    data = game.memory.read(OBJECTS, OBJECT_SIZE * OBJECT_COUNT)
    rows = range(OBJECT_SIZE, len(data), OBJECT_SIZE)
    places = {
        data[at + 8]: struct.unpack_from("<2h", data, at + 0x10) for at in rows if data[at] & 1
    }
    return {number: (x - BORDER, y - BORDER) for number, (x, y) in places.items()}


def test_people_wander_in_their_range_and_on_free_tiles_alone(game, guide, states):
    game.set_state(states["visited_petalburg"])
    here = Look(game.memory).place[:2]
    moving = {
        number: thing for thing, number in wanderers(guide.tables).items() if thing.map == here
    }
    seen: dict[int, set[Place]] = {number: set() for number in moving}
    still = {number: at for number, at in objects(game).items() if number not in moving}
    for _ in range(400):
        game.step(0, 8, 8, render=False)
        now = objects(game)
        assert len({*now.values(), Look(game.memory).place[2:]}) == len(now) + 1, "two on one tile"
        assert still.items() <= now.items(), "others stay where they are"
        for number in moving:
            seen[number].add((*here, *now[number]))
    assert seen
    for number, places in seen.items():
        assert 2 < len(places) and places <= guide.ways.tiles(here)
        assert places <= set(box_of(guide, moving[number]))


def test_nobody_wanders_while_somebody_speaks(game, guide, states):
    game.set_state(states["oldale_potion"])
    press(game, frozenset("a"))
    look = follow(game, guide, 200, until=lambda look: look.message_open)
    assert look.message_open
    before = objects(game)
    for _ in range(60):
        game.step(0, 8, 8, render=False)
    assert objects(game) == before


def test_the_guide_follows_somebody_who_wanders(game, guide, states):
    """The letter is for somebody in the last chamber of the cave, who walks about there."""
    reader = readers_place(guide.tables)
    assert reader in wanderers(guide.tables) and reader.map == (24, 10)
    assert readers_place(RomTables(world_rom("0:demanding"))).map == (0, 11)
    game.set_state(states["letter_delivered"])
    assert Look(game.memory).place[:2] == reader.map


# ---- poison ----


def test_poison_takes_a_point_each_fourth_step(game, guide, states):
    game.set_state(states["running_shoes"])
    follow(game, guide, 60, until=lambda look: look.free)
    hurt(game, 12)
    assert walk(game, guide, 3 * PERIOD) == 3 * PERIOD
    assert decode(game.memory.read).party[0].hp == 12 - 3
    assert decode(game.memory.read).party[0].status == 8
    hurt(game, 12, status=0)
    walk(game, guide, 2 * PERIOD)
    assert decode(game.memory.read).party[0].hp == 12


def test_poison_does_not_hurt_where_it_is_not_demanded(states):
    guide = Guide(JADE_ROM.read_bytes())
    with GBA(JADE_ROM.read_bytes(), idle_loop=JADE_IDLE_LOOP) as game:
        for name, _ in journey(game, guide):
            if name == "running_shoes":
                break
        follow(game, guide, 60, until=lambda look: look.free)
        hurt(game, 12)
        walk(game, guide, 2 * PERIOD)
        assert Look(game.memory).poisoned_hp == 12


def test_who_faints_from_poison_is_cured_by_it_and_the_others_walk_on(game, guide, states):
    game.set_state(states["running_shoes"])
    follow(game, guide, 60, until=lambda look: look.free)
    member = game.memory.read(PARTY, MEMBER)
    game.memory[PARTY + MEMBER : PARTY + 2 * MEMBER] = member
    game.memory[PARTY_COUNT] = 2
    hurt(game, 1, member=1)
    before = Look(game.memory).place
    assert walk(game, guide, PERIOD + 1) <= PERIOD
    for _ in range(30):
        press(game, frozenset("a"))
    look = Look(game.memory)
    assert look.free and look.place[:2] == before[:2]
    assert [one.hp for one in look.party][1] == 0
    assert decode(game.memory.read).party[1].status == 0


def test_who_has_nobody_left_wakes_up_where_he_was_healed_with_half_of_his_money(
    game, guide, states
):
    game.set_state(states["visited_petalburg"])
    follow(game, guide, 60, until=lambda look: look.free)
    owned, bed = decode(game.memory.read).money, Look(game.memory).last_heal
    hurt(game, 1)
    walk(game, guide, PERIOD + 1)
    for _ in range(60):
        press(game, frozenset("a"))
    look = Look(game.memory)
    assert look.place[:2] == bed
    assert decode(game.memory.read).money == owned // 2 > 0
    (member,) = decode(game.memory.read).party
    assert member.hp == member.max_hp and member.status == 0


def test_the_guide_takes_the_poisoned_to_a_nurse_if_she_is_near_enough(game, guide, states):
    game.set_state(states["visited_petalburg"])
    follow(game, guide, 60, until=lambda look: look.free)
    most = decode(game.memory.read).party[0].max_hp
    hurt(game, most)
    look = follow(game, guide, 400, until=lambda look: not look.poisoned_hp)
    assert look.place[:2] == (8, 4), "Petalburg's centre"
    game.set_state(states["visited_petalburg"])
    follow(game, guide, 60, until=lambda look: look.free)
    hurt(game, most, status=0)
    purpose = guide.purpose(game.memory)
    hurt(game, most)
    assert guide.purpose(game.memory) != purpose


# ---- the pace ----


@pytest.mark.parametrize(
    ("at", "ground"),
    [((0, 3), "q"), ((0, 1), "d"), ((0, 24), "d"), ((0, 2), "q"), ((0, 28), "a"), ((0, 16), ", 0")],
)
def test_around_a_sign_the_ground_beside_it_goes_on(at: MapId, ground: str) -> None:
    tables = RomTables(world_rom("3:emerald"))
    picture, own = paint_map(tables, at), read_world(tables)[at]

    def colours(x: int, y: int, rows: int) -> set[tuple[int, ...]]:
        part = picture[16 * y : 16 * y + rows, 16 * x : 16 * x + 16]
        return {tuple(map(int, dot)) for dot in part.reshape(-1, 3)}

    cell = table()["outdoors"][ground]
    spot = own.grid.index(cell)
    of_ground = colours(spot % own.width, spot // own.width, 16)
    boards = [tile for thing, tile in tables.things(at) if thing.kind == "sign"]
    assert boards
    for x, y in boards:
        assert colours(x, y, 1) <= of_ground, f"above the board at {x}, {y}"


def letters(world: str, keys: int) -> int:
    """How many letters are printed in 12 frames of a message, with some keys held."""
    rom = world_rom(world)
    guide = Guide(rom)
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as game:
        while not (look := Look(game.memory)).message_open or look.callback != OVERWORLD:
            labels = sorted(guide.labels(game.memory))
            game.step(key_mask(*labels[:1]), 2, 4, render=False)
        game.step(0, 4, 4, render=False)
        before = Look(game.memory).number(PRINTER)
        game.step(keys, 12, 12, render=False)
        return Look(game.memory).number(PRINTER) - before


def test_words_come_at_emeralds_middle_speed_and_faster_while_a_button_is_held():
    assert letters("0:paced", 0) == 12 // 4
    assert letters("0:paced", 1) == 12
    assert letters("0:emerald", 0) == 12, "other worlds begin with the fast one"


def test_the_guide_takes_peoples_time_to_clock_rivals_house_and_laboratory_within_a_fifth():
    """As in public saves of Emerald, in seconds; a journey's step has 24 frames of 60."""
    people = {"clock_set": 114, "met_rival_mom": 154, "starter_given": 375}
    rom, seconds = world_rom("0:paced"), {}
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as game:
        for name, step in journey(game, Guide(rom)):
            seconds[name] = step * 24 / 60
            if name == "starter_given":
                break
    for name, time in people.items():
        assert time * 4 / 5 <= seconds[name] <= time * 6 / 5, (name, seconds[name])


@pytest.mark.parametrize("world, waited", [("0:emerald", 60), ("0:paced", 240)])
def test_a_walk_waits_for_a_milestone_four_times_as_long_at_emeralds_pace(
    world, waited, monkeypatch
):
    monkeypatch.setattr(Guide, "labels", lambda self, memory: frozenset())  # presses nothing
    rom = world_rom(world)
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as game:
        before = game.frame_count
        with pytest.raises(Stuck):
            list(journey(game, Guide(rom), patience=60))
        assert game.frame_count - before == (waited + 1) * STEP


@pytest.mark.long
@pytest.mark.parametrize("world", ["0:paced", "1:large:paced"])
def test_the_guide_takes_peoples_time_to_rustboro_within_a_fifth(world):
    people = {"pokedex": 780, "wally_tutorial": 1_779, "visited_rustboro": 3_747}
    seconds = {name: sum(spent.seconds.values()) for name, spent in walk_timed(world_rom(world))}
    for name, time in people.items():
        assert time * 4 / 5 <= seconds[name] <= time * 6 / 5, (name, seconds[name])


@pytest.mark.parametrize("world", ["7:paced", "9:large:paced"])
def test_words_of_scenes_are_longer_in_paced_worlds(world):
    """All of them are found, whatever a world has made of the words, and fit into the engine."""
    tables = [RomTables(world_rom(name)) for name in (world, world.replace("paced", "emerald"))]
    paced, plain = ([text for _, text in spoken(each)] for each in tables)
    assert sum(map(len, paced)) > sum(map(len, plain)) + 8_000
    assert max(map(len, paced)) <= LONGEST


def test_no_key_ends_the_ride_in_the_truck():
    with GBA(world_rom("0:paced"), idle_loop=JADE_IDLE_LOOP) as game:
        guide = Guide(world_rom("0:paced"))
        follow(game, guide, 200, until=lambda look: look.block and look.callback == OVERWORLD)
        before = Look(game.memory).place
        for _ in range(12):  # 576 of 850 frames
            press(game, frozenset({"a"}))
            press(game, frozenset({"right"}))
        assert Look(game.memory).place == before and not Look(game.memory).free
        assert follow(game, guide, 60, until=lambda look: look.place[:2] == (0, 9)).place[0] == 0


def test_a_paced_world_plays_sound_and_works_through_the_blank():
    with GBA(world_rom("0:paced"), idle_loop=JADE_IDLE_LOOP) as game:
        game.step(0, 30, 30, render=False)
        registers = game.get_state()[REGISTERS:]
    found = {at: struct.unpack_from("<H", registers, at)[0] for at in SOUND_REGISTERS}
    assert found == SOUND_REGISTERS
