"""The four tiles around the player."""

import pytest
from helpers.handmade import US, Game

from emerald_env.game import symbols as sym
from emerald_env.game.savefile import load
from emerald_env.state import Facing, surroundings

WIDTH = 20 + 15
HERE = (10 + 7, 12 + 7)


def game(cells=None):
    """The player at (10, 12) among grass of elevation 3, but for some cells {(dx, dy): u16}."""
    memory = Game(position=(10, 12)).memory()
    memory.write(US.s_backup_map_data, (0x3001).to_bytes(2, "little") * (WIDTH * 34))
    for (dx, dy), cell in (cells or {}).items():
        index = HERE[0] + dx + WIDTH * (HERE[1] + dy)
        memory.put(US.s_backup_map_data + 2 * index, "H", cell)
    return memory


def test_open_ground_is_free_on_all_sides():
    tiles = surroundings(game().read)
    assert set(tiles) == set(Facing) and all(tile.free for tile in tiles.values())


@pytest.mark.parametrize(
    ("facing", "step"),
    [(Facing.UP, (0, -1)), (Facing.DOWN, (0, 1)), (Facing.LEFT, (-1, 0)), (Facing.RIGHT, (1, 0))],
)
def test_a_wall_is_found_where_it_stands(facing, step):
    tiles = surroundings(game({step: 0x3402}).read)
    assert [side for side, tile in tiles.items() if not tile.free] == [facing]
    assert (tiles[facing].metatile, tiles[facing].collision) == (2, 1)


@pytest.mark.parametrize(("elevation", "free"), [(0, True), (3, True), (15, True), (1, False)])
def test_another_elevation_cannot_be_stepped_to(elevation, free):
    assert surroundings(game({(0, 1): elevation << 12 | 1}).read)[Facing.DOWN].free is free


def test_a_person_stands_in_the_way():
    memory = game()
    other = bytearray(Game(position=(11, 12)).player_object())
    other[2] = 0
    memory.write(US.g_object_events + sym.OBJECT_EVENT_SIZE, bytes(other))
    tiles = surroundings(memory.read)
    assert tiles[Facing.RIGHT].occupied and not tiles[Facing.RIGHT].free
    assert tiles[Facing.LEFT].free


@pytest.mark.parametrize(
    ("player", "other", "stands"),
    [(3, 3, True), (3, 0, True), (0, 3, True), (0, 0, True), (3, 4, False), (3, 15, False)],
)
def test_who_stands_at_another_elevation_is_not_in_the_way_unless_one_of_them_is_at_none(
    player, other, stands
):
    """Elevation 0 joins all, as in the game's own rule for objects; 15 does so for ground only."""
    memory = game()
    memory.put(US.g_object_events + sym.OBJECT_EVENT_ELEVATION, "B", player * 0x11)
    someone = bytearray(Game(position=(11, 12)).player_object())
    someone[2], someone[sym.OBJECT_EVENT_ELEVATION] = 0, other * 0x11
    memory.write(US.g_object_events + sym.OBJECT_EVENT_SIZE, bytes(someone))
    assert surroundings(memory.read)[Facing.RIGHT].occupied is stands


def test_a_moving_box_of_the_real_truck_is_in_the_way(shared):
    """The player is at (2, 2) and elevation 3, the box at (2, 3) and elevation 0."""
    image = load(shared / "states" / "pokeagent-speedrun__truck.state")
    assert surroundings(image.read)[Facing.DOWN].occupied


def test_cells_that_no_map_fills_are_unknown():
    assert surroundings(game({(0, -1): 0x03FF}).read)[Facing.UP] is None


def test_without_a_map_nothing_is_known():
    memory = game()
    memory.put(US.g_backup_map_layout, "ii", 0, 0)
    assert set(surroundings(memory.read).values()) == {None}


def test_the_player_of_a_real_state_stands_where_one_can_leave(shared):
    image = load(shared / "states" / "pokeagent-speedrun__house.state")
    assert all(tile.free for tile in surroundings(image.read).values())
