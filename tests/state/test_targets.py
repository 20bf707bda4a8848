"""What can be walked to: shortest walks by a second implementation, and by walking on Jade."""

import dataclasses
import struct

import numpy as np
import pytest
import torch
from helpers.handmade import US, Game
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from baselines.learner.policy.target_attention import TargetAttention
from emerald_env.env.actions import action_set
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import FULL_SIZE, NUMBERS, TARGETS, observation_space
from emerald_env.game import symbols as sym
from emerald_env.jade.cartridge import JADE_FULL, JADE_ROM
from emerald_env.jade.maps import MAT, read_world, step
from emerald_env.jade.worlds.guidance.guide import Look
from emerald_env.jade.worlds.rom_tables import RomTables
from emerald_env.state import NOWHERE
from emerald_env.state.parts.around.shortest_walks import NEVER, WalkCell, Walks
from emerald_env.state.parts.around.targets import TargetKind, targets

STEPS = {"down": (0, 1), "up": (0, -1), "left": (-1, 0), "right": (1, 0)}
BITS = {"down": 1, "up": 2, "left": 4, "right": 8}
HOPS = {key: WalkCell[f"HOP_{key.upper()}"] for key in STEPS}
UNKNOWN = 255
ROM = 0x08000000
SCENE = ROM + 0x6000


def landing(cells, place, direction):
    """Where one key leads, by the rules of the game; None: nowhere."""
    (x, y), (dx, dy) = place, STEPS[direction]
    for hops in (False, True):
        x, y = x + dx, y + dy
        if not (0 <= y < cells.shape[0] and 0 <= x < cells.shape[1]):
            return None
        if cells[y, x] == WalkCell.GROUND or (cells[y, x] == WalkCell.END and not hops):
            return x, y
        if cells[y, x] != HOPS[direction]:
            return None
    return None


def all_steps(cells, start):
    """The number of keys to each cell, by trying one more key until nothing gets nearer."""
    known, changed = {start: 0}, True
    while changed:
        changed = False
        for place, steps in list(known.items()):
            if place != start and cells[place[1], place[0]] == WalkCell.END:
                continue
            for direction in STEPS:
                after = landing(cells, place, direction)
                if after is not None and known.get(after, NEVER) > steps + 1:
                    known[after], changed = steps + 1, True
    return known


@given(
    hnp.arrays(
        np.uint8,
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7),
        elements=st.sampled_from([0, 1, 1, 1, 1, 2, 3, 4, 5, 6]),
    ),
    st.data(),
)
@settings(max_examples=60)
def test_walks_are_the_shortest_and_begin_with_every_key_that_begins_one(cells, data):
    y, x = (data.draw(st.integers(0, side - 1)) for side in cells.shape)
    walks, known = Walks(cells, x, y), all_steps(cells, (x, y))
    beyond = {key: landing(cells, (x, y), key) for key in STEPS}
    for (row, column), steps in np.ndenumerate(walks.steps):
        assert steps == known.get((column, row), NEVER)
        keys = 0
        for key, after in beyond.items():
            if after is None or steps in (0, NEVER):
                continue
            ends = cells[after[1], after[0]] == WalkCell.END
            rest = {after: 0} if ends else all_steps(cells, after)
            keys |= BITS[key] * (1 + rest.get((column, row), NEVER) == steps)
        assert walks.first[row, column] == keys


class Player:
    """Plays Jade by its guide, and looks at what can be walked to."""

    def __init__(self, world):
        self.env = EmeraldEnv(EnvConfig(observation="state", targets=True, guide=True, world=world))
        self.names = [action.name for action in action_set("original")]
        self.dice = np.random.default_rng(0)
        self.seen, _ = self.env.reset(seed=0)
        self.maps = read_world(self.env.gba.memory)

    def follow_guide(self):
        good = np.flatnonzero(self.seen["guide"])
        self.seen, *_ = self.env.step(self.dice.choice(good) if len(good) else 0)

    def press(self, key):
        self.seen, *_ = self.env.step(self.names.index(key))

    def leaving(self):
        """The steps from here to each other map, people stood around, by Jade's own tables."""
        look = Look(self.env.gba.memory)
        people, here = look.people(), look.place[:2]
        near, steps, found = {look.place}, 0, {}
        known = set(near)
        while near:
            steps += 1
            after = {step(self.maps, place, key, set(people)) for place in near for key in STEPS}
            for place in after - {None}:
                if place[:2] != here:
                    found.setdefault(place[:2], steps)
            near = {place for place in after - {None} - known if place[:2] == here}
            known |= near
        return found


@pytest.fixture(params=[None, "7"])
def player(request):
    played = Player(request.param)
    yield played
    played.env.close()


def test_doors_and_edges_are_as_far_as_jades_tables_say(player):
    compared = 0
    for turn in range(700):
        player.follow_guide()
        state = player.env.state
        if turn % 7 or state is None or not state.controllable or not player.seen["targets"].any():
            continue
        own, here = player.leaving(), player.maps[state.location]
        told = {}
        for kind, group, number, steps, _ in player.seen["targets"].tolist():
            if kind in (TargetKind.DOOR, TargetKind.EDGE) and steps != UNKNOWN:
                mats = [
                    warp[3] == (group, number) and here.behaviour(*warp[:2]) == MAT
                    for warp in here.warps
                ]
                steps += kind == TargetKind.DOOR and any(mats)  # one more, against the wall
                told[group, number] = min(told.get((group, number), UNKNOWN), steps)
        assert told == {at: steps for at, steps in own.items() if steps < UNKNOWN}
        compared += len(told)
    assert compared > 60


def test_who_presses_the_keys_that_are_told_gets_there(player):
    """To the door that is farthest: each key is one of those told, and the map is that one."""
    arrived = 0
    for _ in range(12):
        for _ in range(60):
            player.follow_guide()
        state = player.env.state
        doors = [
            row
            for row in player.seen["targets"].tolist()
            if row[0] == TargetKind.DOOR and row[3] not in (0, UNKNOWN)
        ]
        if not state or not state.controllable or not doors:
            continue
        goal = tuple(doors[-1][1:3])
        for _ in range(3 * doors[-1][3] + 20):
            if player.env.state and player.env.state.location == goal:
                arrived += 1
                break
            rows = player.seen["targets"].tolist()
            keys = [row[4] for row in rows if tuple(row[:3]) == (TargetKind.DOOR, *goal)]
            told = [key for key, bit in BITS.items() if keys and keys[0] & bit]
            player.press(told[0] if told else "b")
    assert arrived >= 2


def game(cells=None, **kwargs):
    """The player at (10, 12) of open ground, but for cells {(x, y): u16}; with its state."""
    memory = Game(position=(10, 12), **kwargs).memory()
    memory.regions[ROM] = bytearray(0x8000)
    memory.write(US.s_backup_map_data, (0x3001).to_bytes(2, "little") * (35 * 34))
    for (x, y), cell in (cells or {}).items():
        memory.put(US.s_backup_map_data + 2 * (x + 7 + 35 * (y + 7)), "H", cell)
    return memory


def table(memory, at, form, rows):
    memory.write(at, b"".join(struct.pack(form, *row) for row in rows))
    return at


def with_events(memory, people=(), warps=(), triggers=(), signs=()):
    """Writes the tables of a map where nothing else is."""
    lists = [
        table(memory, ROM + 0x1000, "<BBxxhh12xHxx", people),
        table(memory, ROM + 0x2000, "<hhBBbb", warps),
        table(memory, ROM + 0x3000, "<hhxxHHxxI", triggers),
        table(memory, ROM + 0x4000, "<HHBBxxI", signs),
    ]
    counts = [len(rows) for rows in (people, warps, triggers, signs)]
    table(memory, ROM + 0x5000, "<4B4I", [(*counts, *lists)])
    memory.put(US.g_map_header, "4I", 0, ROM + 0x5000, 0, 0)
    return memory


def reading(memory):
    """As in a saved state: what is not in it reads as 0."""

    def read(address, size):
        try:
            return memory.read(address, size)
        except AssertionError:
            return bytes(size)

    return read


def told(memory, **state):
    rows = targets(reading(memory), dataclasses.replace(NOWHERE, location=(0, 9), **state)).tolist()
    return [tuple(row) for row in rows if row[0]]


def test_somebody_behind_a_counter_is_spoken_to_across_it():
    memory = game({(10, 9): 0x3401, (9, 8): 0x3401, (11, 8): 0x3401, (10, 7): 0x3401})
    with_events(memory, people=[(1, 20, 10, 8, 0)])
    assert told(memory) == [(TargetKind.PERSON, 20, 1, 4, BITS["up"])]


def test_who_is_hidden_by_a_flag_is_nowhere():
    memory = with_events(game(), people=[(1, 20, 10, 8, 0x200), (2, 21, 12, 12, 0x201)])
    flags = bytearray(300)
    flags[0x200 // 8] |= 1
    assert told(memory, flags=bytes(flags)) == [(TargetKind.PERSON, 21, 2, 2, BITS["right"])]


@pytest.mark.parametrize(
    ("behaviour", "key"),
    [(0x62, "right"), (0x63, "left"), (0x64, "up"), (0x65, "down")]
    + [(0x1B, "up"), (0x1C, "down"), (0x6D, "down")],  # the Abandoned Ship, the Shoal Cave, water
)
def test_who_stands_on_a_mat_leaves_by_the_key_of_its_arrow(behaviour, key):
    memory = with_events(game({(10, 12): 0x3005}), warps=[(10, 12, 3, 0, 54, 24)])
    layout, tileset, attributes = ROM + 0x100, ROM + 0x200, ROM + 0x300
    memory.put(US.g_map_header, "I", layout)
    memory.put(layout + sym.MAP_LAYOUT_PRIMARY_TILESET, "I", tileset)
    memory.put(tileset + sym.TILESET_METATILE_ATTRIBUTES, "I", attributes)
    memory.put(attributes + 2 * 5, "H", behaviour)
    assert told(memory) == [(TargetKind.DOOR, 24, 54, 0, BITS[key])]


TWIN, FAT_MAN, TRUCK = (1, 6, 16, 10, 0), (2, 17, 12, 16, 868), (3, 94, 3, 12, 761)


def with_people_moved(people, now):
    """The map's own list of people, and the one of the game, in which scripts have moved them."""
    memory = with_events(game(), people=people)
    block = US.g_save_block_1 + Game().slide
    table(memory, block + sym.SB1_OBJECT_EVENT_TEMPLATES, "<BBxxhh12xHxx", now)
    return memory


def test_people_out_of_view_stand_where_scripts_have_moved_them():
    """As the twin of Littleroot, who guards its exit until the player has a Pokémon."""
    memory = with_people_moved([TWIN, FAT_MAN], [(1, 6, 10, 8, 0), FAT_MAN])
    assert told(memory) == [
        (TargetKind.PERSON, 6, 1, 4, BITS["up"]),
        (TargetKind.PERSON, 17, 2, 6, BITS["down"] | BITS["right"]),
    ]


@pytest.mark.parametrize(
    "now",
    [
        [],  # before the game has filled it
        [TWIN],  # of a map with fewer
        [(1, 6, 10, 8, 0), FAT_MAN, TRUCK],  # with more
        [(1, 6, 10, 8, 0), (4, 17, 12, 16, 868)],  # with others
    ],
)
def test_a_list_of_people_that_is_not_this_maps_moves_nobody(now):
    memory = with_people_moved([TWIN, FAT_MAN], now)
    assert sorted(row[1:4] for row in told(memory)) == [(6, 1, 8), (17, 2, 6)]


@pytest.mark.parametrize("pointer", [0, 0x01FFFFFF, 0x02FFFFFF])
def test_people_stand_where_the_map_has_them_if_there_is_no_save_block(pointer):
    memory = with_people_moved([TWIN, FAT_MAN], [(1, 6, 10, 8, 0), FAT_MAN])
    memory.put(US.g_save_block_1_ptr, "I", pointer)
    assert sorted(row[1:4] for row in told(memory)) == [(6, 1, 8), (17, 2, 6)]


def test_a_map_may_have_as_many_people_as_the_list_has_room_for():
    people = [(number, 20, 30, 30, 0x200) for number in range(1, 65)]
    memory = with_people_moved(people, [*people[:-1], (64, 21, 10, 8, 0)])
    flags = bytearray(300)
    flags[0x200 // 8] |= 1
    assert told(memory, flags=bytes(flags)) == [(TargetKind.PERSON, 21, 64, 4, BITS["up"])]


def test_a_scene_waits_only_while_its_variable_has_the_value():
    memory = with_events(game(), triggers=[(10, 15, 0x4050, 2, SCENE)])
    vars = bytearray(512)
    assert not told(memory, vars=bytes(vars))
    struct.pack_into("<H", vars, 2 * 0x50, 2)
    assert told(memory, vars=bytes(vars)) == [(TargetKind.TRIGGER, 0, 0, 3, BITS["down"])]


def test_tiles_that_only_change_the_weather_are_no_scenes():
    """In pret's coord_weather_event the pointer to a script is NULL, as for Route 113's ash."""
    ash = [(x, 14, 7, 0, 0) for x in range(19)]
    memory = with_events(game(), triggers=[*ash, (10, 15, 0x4050, 0, SCENE)])
    assert told(memory, vars=bytes(512)) == [(TargetKind.TRIGGER, 0, 19, 3, BITS["down"])]


@pytest.mark.parametrize("rom", [JADE_ROM, JADE_FULL])
def test_each_of_jades_triggers_has_a_scene(rom):
    tables = RomTables(rom.read_bytes())
    things = [thing for at in tables.headers for thing, _ in tables.things(at)]
    scenes = [tables.script(thing) for thing in things if thing.kind == "trigger"]
    assert len(scenes) >= 5 and all(scene >> 24 == 0x08 for scene in scenes)


def test_what_no_way_leads_to_comes_last_and_says_so():
    walls = {(4 + dx, 4 + dy): 0x3401 for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy}
    walls |= {(x, y): 0x3401 for x in range(2, 7) for y in (2, 6)}
    walls |= {(x, y): 0x3401 for y in range(2, 7) for x in (2, 6)}
    memory = with_events(game(walls), people=[(1, 9, 4, 4, 0)], signs=[(10, 13, 0, 0, SCENE)])
    assert told(memory) == [
        (TargetKind.SIGN, 0, 0, 1, BITS["down"]),
        (TargetKind.PERSON, 9, 1, UNKNOWN, 0),
    ]


@pytest.mark.parametrize("kind", range(5))
def test_signs_are_told_whichever_way_they_are_read_from(kind):
    """pret's BG_EVENT_PLAYER_FACING_ANY, _NORTH, _SOUTH, _EAST, _WEST; elevation 3."""
    memory = with_events(game(), signs=[(10, 13, 3, kind, SCENE)])
    assert told(memory) == [(TargetKind.SIGN, 0, 0, 1, BITS["down"])]


@pytest.mark.parametrize("kind", [5, 6, 7, 8])
@pytest.mark.parametrize("taken", [False, True])
def test_hidden_items_and_places_of_secret_bases_are_no_signs(kind, taken):
    """Numbers 5 to 7 are hidden items: flag 0x1F4 + 5, item 13; 8: pret's BG_EVENT_SECRET_BASE."""
    flags = bytearray(300)
    flags[(0x1F4 + 5) // 8] |= taken << (0x1F4 + 5) % 8
    signs = [(10, 14, 3, kind, 5 << 16 | 13), (10, 15, 3, 0, SCENE)]
    memory = with_events(game(), signs=signs)
    assert told(memory, flags=bytes(flags)) == [(TargetKind.SIGN, 0, 1, 3, BITS["down"])]


@pytest.mark.parametrize("pointer", [0, 1, 0x02FFFFFF, 0x09FFFFFF, 0xFFFFFFFF])
def test_tables_that_are_none_tell_nothing(pointer):
    memory = game()
    memory.put(US.g_map_header, "4I", 0, pointer, 0, pointer)
    assert not told(memory)


@given(st.binary(min_size=64, max_size=64))
@settings(max_examples=50)
def test_any_bytes_in_place_of_a_map_are_read_without_an_error(noise):
    memory = with_events(game(), people=[(1, 20, 10, 8, 0)])
    memory.write(ROM + 0x5000, noise[:20])
    memory.write(US.g_object_events + sym.OBJECT_EVENT_SIZE, noise[:36])
    rows = targets(reading(memory), dataclasses.replace(NOWHERE, location=(0, 9)))
    assert rows.shape == (TARGETS, NUMBERS) and rows.dtype == np.uint8


def test_attention_neither_sees_the_order_of_targets_nor_what_is_not_there():
    space = observation_space(EnvConfig(observation="state", targets=True))["targets"]
    torch.manual_seed(0)
    network, state = TargetAttention(space, FULL_SIZE), torch.rand(3, FULL_SIZE)
    rows = torch.randint(0, 200, (3, TARGETS, NUMBERS), dtype=torch.uint8)
    rows[:, :, 0] = torch.randint(1, 8, (3, TARGETS))
    rows[:, 20:] = 0
    answers = network(rows, state)
    assert answers.shape == (3, TargetAttention.size)
    mixed = rows[:, torch.randperm(TARGETS)]
    assert torch.allclose(network(mixed, state), answers, atol=1e-5)
    other = rows.clone()
    other[:, 20:, 1:] = 77  # of no kind
    assert torch.allclose(network(other, state), answers, atol=1e-5)
    stacked = torch.cat((torch.zeros_like(rows), rows), dim=2)
    assert torch.equal(network(stacked, state), answers)
    assert not torch.allclose(network(rows, torch.rand(3, FULL_SIZE)), answers)
    assert not network(torch.zeros_like(rows), state).any()
