"""The kinds of the tiles around the player: on made memory, in real states, and walking on Jade."""

import numpy as np
import pytest
import torch
from helpers.handmade import US, Game

from baselines.games.vec_games import make_vec_env
from baselines.learner.policy.cnn.kinds_cnn import FEATURES, KindsCNN
from baselines.learner.vec_wrappers.frame_stack import ChannelsFirst, FrameStack
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.game import symbols as sym
from emerald_env.game.savefile import load
from emerald_env.state import Facing, decode, surroundings
from emerald_env.state.parts.around.surroundings import STEPS
from emerald_env.state.parts.around.targets import TargetKind, targets
from emerald_env.state.parts.around.tiles_around import (
    COLUMNS,
    KINDS,
    ROWS,
    Kind,
    kind_of_object,
    tiles_around,
)

ROM = 0x08000000
WIDTH = 20 + 15
HERE = (10 + 7, 12 + 7)
MIDDLE = (ROWS // 2, COLUMNS // 2)


def game(cells=None):
    """The player at (10, 12) on open ground of elevation 3, but for some cells {(dx, dy): u16}."""
    memory = Game(position=(10, 12)).memory()
    memory.write(US.s_backup_map_data, (0x3001).to_bytes(2, "little") * (WIDTH * 34))
    for (dx, dy), cell in (cells or {}).items():
        index = HERE[0] + dx + WIDTH * (HERE[1] + dy)
        memory.put(US.s_backup_map_data + 2 * index, "H", cell)
    return memory


def test_each_cell_is_where_it_lies():
    kinds = tiles_around(game({(-7, -5): 0x3401, (7, 5): 0x3FFF, (2, -1): 0x1001}).read)
    assert kinds.shape == (ROWS, COLUMNS) and kinds.dtype == np.uint8
    assert kinds[0, 0] == Kind.WALL and kinds[-1, -1] == Kind.UNKNOWN
    assert kinds[MIDDLE[0] - 1, MIDDLE[1] + 2] == Kind.WALL  # another elevation
    assert (kinds == Kind.FREE).sum() == ROWS * COLUMNS - 3


def test_people_and_balls_stand_on_their_tiles():
    memory = game()
    for slot, (x, look) in enumerate([(11, 20), (12, 59), (13, 87)], start=1):
        other = bytearray(Game(position=(x, 12)).player_object())
        other[2], other[5] = 0, look
        memory.write(US.g_object_events + slot * sym.OBJECT_EVENT_SIZE, bytes(other))
    row = tiles_around(memory.read)[MIDDLE[0]]
    assert row[8:11].tolist() == [Kind.PERSON, Kind.ITEM, Kind.THING]


@pytest.mark.parametrize(
    "look",
    [60, 61, 62]  # a berry tree, as its template has it, as a sprout, and later
    + [82, 86, 87, 88, 94, 97, 113, 114, 140, 141]  # trees, rocks, boats, a truck, a bag, boxes
    + [76, 81, 142, 166, 167, 176, 177, 186]  # the first and last dolls and cushions
    + [199, 224, 233],  # a fossil, a statue, a triangle
)
def test_what_does_not_live_is_no_person(look):
    assert kind_of_object(look, "BPEE") == Kind.THING


@pytest.mark.parametrize("look", [58, 63, 75, 83, 85, 89, 93, 95, 98, 112, 115, 139, 187, 198, 200])
def test_people_and_pokemon_beside_them_in_the_list_are_none_of_them(look):
    """A nurse, cyclists, Lucy, a clerk, May, Vigoroth, Zigzagoon, bathers, Latias, Groudon."""
    assert kind_of_object(look, "BPEE") == Kind.PERSON


def test_a_real_berry_tree_is_told_as_a_thing(shared):
    """On Route 119, in its late stages, beyond the water."""
    path = shared / "states" / "pokebot-gen3__south_of_a_waterfall.ss1"
    image = load(path)
    found = targets(image.read, decode(image.read)).tolist()
    assert [row[:3] for row in found if row[0]] == [[TargetKind.THING, 62, 28]]


def test_without_a_map_nothing_is_known():
    memory = game()
    memory.put(US.g_backup_map_layout, "ii", 0, 0)
    assert not tiles_around(memory.read).any()


@pytest.mark.parametrize("name", ["house", "npc", "dialog", "hackathon", "truck", "torchic"])
def test_real_states_agree_with_the_four_tiles_that_are_read_one_by_one(shared, name):
    path = next((shared / "states").glob(f"*{name}.state"), None)
    if path is None:
        pytest.skip(f"no state {name}")
    image = load(path)
    kinds, near = tiles_around(image.read), surroundings(image.read)
    assert len(set(kinds.ravel().tolist())) > 1
    for facing, (dx, dy) in STEPS.items():
        kind, tile = kinds[MIDDLE[0] + dy, MIDDLE[1] + dx], near[facing]
        assert (kind == Kind.UNKNOWN) == (tile is None)
        if tile is not None:
            # whoever stands at another elevation is seen, but not in the way
            assert kind >= Kind.PERSON or (not tile.occupied and (kind == Kind.FREE) == tile.free)


def test_walking_on_jade_goes_where_tiles_are_free_and_stops_at_walls():
    env = EmeraldEnv(EnvConfig(tiles=True, observation="dict"))
    names = [action.name for action in action_set("original")]
    observation, _ = env.reset(seed=0)
    dice, tried = np.random.default_rng(0), {Kind.FREE: 0, Kind.WALL: 0}
    for _ in range(500):
        observation, *_ = env.step(names.index("wait"))  # a step that is under way ends
        before, kinds = env.state, observation["tiles"].copy()
        facing = list(Facing)[dice.integers(4)]
        observation, *_ = env.step(names.index(facing.name.lower()))
        after = env.state
        free = None not in (before, after) and before.controllable and after.controllable
        if not free or before.location != after.location:
            continue
        dx, dy = STEPS[facing]
        kind = kinds[MIDDLE[0] + dy, MIDDLE[1] + dx]
        moved = after.position != before.position
        if kind == Kind.WALL:
            tried[Kind.WALL] += 1
            assert not moved
        elif kind == Kind.FREE and moved:
            tried[Kind.FREE] += 1
            step = (after.position[0] - before.position[0], after.position[1] - before.position[1])
            assert step in ((dx, dy), (2 * dx, 2 * dy))
    assert min(tried.values()) > 10
    env.close()


def test_games_that_step_together_show_what_one_shows_and_a_network_takes_the_newest():
    config = GameConfig(tiles=True, start_wait=0)
    games = make_vec_env(config, 2, 1, seed=7)
    seen = ChannelsFirst(FrameStack(games, 2)).reset()["tiles"]
    env = EmeraldEnv(EnvConfig(tiles=True, start_wait=0))
    alone, _ = env.reset(seed=7)
    assert np.array_equal(seen[0, :, -COLUMNS:], alone["tiles"]) and seen.max() < KINDS
    network = KindsCNN(games.observation_space["tiles"])
    stacked = torch.as_tensor(seen)
    assert network(stacked).shape == (2, FEATURES)
    other = stacked.clone()
    other[:, :, :COLUMNS] = 1
    assert torch.equal(network(stacked), network(other))
    games.close(), env.close()


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [(0x38, Kind.LEDGE_RIGHT), (0x39, Kind.LEDGE_LEFT), (0x3A, Kind.LEDGE_UP)]
    + [(0x3B, Kind.LEDGE_DOWN)]
    + [(corner, Kind.WALL) for corner in range(0x3C, 0x40)],
)
def test_ledges_are_jumped_in_four_directions_and_their_corners_in_none(behaviour, kind):
    """Emerald's MB_JUMP_EAST, _WEST, _NORTH, _SOUTH; whoever presses against a corner stays."""
    assert kind_beside(behaviour, 0x3405) == kind


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (0x1B, Kind.MAT),  # MB_STAIRS_OUTSIDE_ABANDONED_SHIP, of MetatileBehavior_IsNorthArrowWarp
        (0x64, Kind.MAT),  # MB_NORTH_ARROW_WARP
        (0x6E, Kind.DOOR),  # MB_DEEP_SOUTH_WARP, of MetatileBehavior_IsNonAnimDoor
        (0x60, Kind.DOOR),  # MB_NON_ANIMATED_DOOR
        (0x22, Kind.WATER),  # MB_SEAWEED
        (0x2A, Kind.WATER),  # MB_SEAWEED_NO_SURFACING
        (0x03, Kind.GRASS),  # MB_LONG_GRASS
        (0x09, Kind.FREE),  # MB_LONG_GRASS_SOUTH_EDGE, without wild Pokémon
    ],
)
def test_tiles_are_what_the_game_takes_them_for(behaviour, kind):
    """By pret's src/metatile_behavior.c: which tiles warp, how, are swum on, and are inhabited."""
    assert kind_beside(behaviour, 0x3005) == kind


def kind_beside(behaviour, cell):
    """The kind of a cell of metatile 5, which has this behaviour, on the player's right."""
    layout, tileset, attributes = ROM + 0x100, ROM + 0x200, ROM + 0x300
    memory = game({(1, 0): cell})
    memory.regions[ROM] = bytearray(0x1000)
    memory.put(US.g_map_header, "I", layout)
    memory.put(layout + sym.MAP_LAYOUT_PRIMARY_TILESET, "I", tileset)
    memory.put(tileset + sym.TILESET_METATILE_ATTRIBUTES, "I", attributes)
    memory.put(attributes + 2 * 5, "H", behaviour)
    return tiles_around(memory.read)[MIDDLE[0], MIDDLE[1] + 1]
