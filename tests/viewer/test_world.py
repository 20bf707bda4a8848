"""The map is what the games saw, at the places where they saw it."""

import base64
import json
import shutil
import zlib
from collections import Counter, defaultdict
from time import sleep

import numpy as np
import pytest

from baselines.exploration.archive_folder import save_index
from baselines.exploration.state_archive import Archive
from baselines.runs.session_folder import Session
from baselines.viewer.server import Watched
from baselines.viewer.world_map import film
from baselines.viewer.world_map.board import GAP, bounds, lay_out
from baselines.viewer.world_map.film import BORDER, FOG, Canvas
from baselines.viewer.world_map.layers import Layers, states_on
from baselines.viewer.world_map.world import TILE, World, unpack_picture
from emerald_env.emulator import GBA
from emerald_env.explorer import Cell, Found, Strength
from emerald_env.game.editions import JADE_ROM
from emerald_env.game.tables import global_offsets
from emerald_env.jade.maps import METATILE, read_world

LITTLEROOT, HOME, UPSTAIRS, ROUTE_101 = (0, 9), (1, 0), (1, 1), (0, 16)


def photograph(x, y, picture, steps=1, size=(30, 30)):
    packed = base64.b64encode(zlib.compress(picture.tobytes())).decode()
    line = {"num_timesteps": steps, "tile": [0, 9, x, y], "size": size, "picture": packed}
    return json.dumps(line) + "\n"


def world_of(tmp_path, *lines):
    session = Session(tmp_path)
    session.photographs.write_text("".join(lines))
    world = World(session)
    world.update()
    return world


def test_what_is_painted_depends_on_the_games_own_map_alone(walked):
    """Jade's map says which picture lies on a tile: where it says the same, the same is painted."""
    with GBA(JADE_ROM) as gba:
        truth = read_world(gba.memory)
    world = World(walked)
    world.update()
    assert sum(len(ground.rows()) for ground in world.maps.values()) > 200
    same = total = 0
    for location, ground in world.maps.items():
        assert ground.size == (truth[location].width, truth[location].height)
        kinds = defaultdict(Counter)
        painted = world.paint(location)
        for x, y, _ in ground.rows():
            tile = painted[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE].tobytes()
            kinds[truth[location].cell(x, y) & METATILE][tile] += 1
        same += sum(max(pictures.values()) for pictures in kinds.values())
        total += sum(sum(pictures.values()) for pictures in kinds.values())
        assert len(kinds) > 3
    assert same / total > 0.97  # people stand on the others


def test_a_tile_has_the_colours_that_the_screen_had(tmp_path):
    screen = np.random.default_rng(0).integers(0, 256, (160, 240, 3), np.uint8)
    world = world_of(tmp_path, photograph(10, 12, screen))
    painted = world.paint(LITTLEROOT)
    for x, y, left, top in ((3, 8, 0, 8), (17, 16, 224, 136), (12, 12, 144, 72)):
        tile = painted[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE]
        assert np.array_equal(tile[:, :, :3], screen[top : top + TILE, left : left + TILE])
        assert (tile[:, :, 3] == 255).all()
    assert painted[7 * TILE, 3 * TILE, 3] == 0  # beyond the screen: fog
    seen = {(x, y) for x, y, _ in world.maps[LITTLEROOT].rows()}
    assert (9, 12) in seen and not seen & {(10, 12), (10, 11)}  # behind the player


def test_what_most_pictures_show_is_painted(tmp_path):
    grass, person = np.full((160, 240, 3), 9, np.uint8), np.full((160, 240, 3), 200, np.uint8)
    pictures = [photograph(10, 12, picture) for picture in (person, grass, grass)]
    world = world_of(tmp_path, *pictures)
    assert set(world.paint(LITTLEROOT)[12 * TILE, 5 * TILE]) == {9, 255}


def test_the_map_reads_what_is_added_and_skips_damaged_lines(tmp_path):
    screen = np.zeros((160, 240, 3), np.uint8)
    world = world_of(tmp_path, photograph(10, 12, screen, 5), "{}\n", "no JSON\n")
    assert world.bad == 2
    before = len(world.maps[LITTLEROOT].rows())
    with (tmp_path / "photographs.jsonl").open("a") as file:
        file.write(photograph(20, 12, screen, 9) + photograph(1, 1, screen)[:50])
    world.update()
    assert len(world.maps[LITTLEROOT].rows()) > before
    assert {since for _, _, since in world.maps[LITTLEROOT].rows()} == {5, 9}


@pytest.mark.parametrize("text", ["", "AAAA", base64.b64encode(zlib.compress(b"x" * 9)).decode()])
def test_a_picture_of_another_size_is_refused(text):
    with pytest.raises(ValueError):
        unpack_picture(text)


def test_towns_lie_where_the_game_has_them_and_houses_beside_them_at_their_doors():
    sizes = {LITTLEROOT: (20, 20), ROUTE_101: (20, 20), HOME: (11, 9), UPSTAIRS: (9, 8)}
    up = (*HOME, 8, 2, *UPSTAIRS, 7, 1)
    board = lay_out(sizes, Counter({(*LITTLEROOT, 5, 8, *HOME, 8, 8): 4, up: 2}))
    offsets = global_offsets()
    for town in (LITTLEROOT, ROUTE_101):
        assert board.corners[town] == (offsets[town].x, offsets[town].y)
    left = min(offsets[town].x for town in (LITTLEROOT, ROUTE_101))
    assert board.corners[HOME][0] + 11 < left  # the door is in the west
    assert board.corners[UPSTAIRS][0] + 9 == board.corners[HOME][0] - GAP
    town = board.corners[LITTLEROOT]
    house = board.corners[HOME]
    assert board.lines == [
        ((town[0] + 5.5, town[1] + 8.5), (house[0] + 8.5, house[1] + 8.5)),
    ]


def test_no_two_maps_lie_on_each_other():
    dice = np.random.default_rng(1)
    houses = {(5, number): tuple(dice.integers(4, 20, 2).tolist()) for number in range(12)}
    doors = Counter(
        {(*LITTLEROOT, *dice.integers(0, 20, 2).tolist(), *house, 1, 1): 1 for house in houses}
    )
    sizes = {LITTLEROOT: (20, 20), (9, 9): (6, 6)} | houses
    board = lay_out(sizes, doors)
    taken = Counter(
        (x + column, y + row)
        for at, (x, y) in board.corners.items()
        for column in range(sizes[at][0])
        for row in range(sizes[at][1])
    )
    assert len(board.corners) == len(sizes) and max(taken.values()) == 1


def test_the_archives_states_lie_on_the_squares_of_their_cells(walked):
    """A cell is a square of two tiles; one in battle lies where the way to it came through."""
    archive = Archive(walked.archive)
    strength = Strength(1.0, 5)
    home = archive.add(Found(Cell(0, 0, 0, 0, 9, 3, 4, 0), 0, strength, b"a"), None)
    archive.add(Found(Cell(0, 0, 0, 0, 9, 0, 0, 7), 1, strength, b"b"), home)
    archive.add(Found(Cell(1, 0, 0, 0, 9, 5, 1, 0), 2, strength, b"c"), home)
    assert states_on(archive) == Counter(
        {(0, 9, x, y): 2 for x in (6, 7) for y in (8, 9)}
        | {(0, 9, x, y): 1 for x in (10, 11) for y in (2, 3)}
    )
    save_index(archive)
    layers = Layers(walked)
    assert "archive" in layers.names and layers.rows("archive") == states_on(archive)
    (walked.archive / "index.json").write_text("{")
    assert not Layers(walked).rows("archive")
    shutil.rmtree(walked.archive)


def test_an_archive_that_took_long_to_read_is_not_read_again_soon(tmp_path):
    session = Session(tmp_path)
    archive, layers = Archive(session.archive), Layers(session)
    read = layers._read_archive
    layers._read_archive = lambda: sleep(0.2) or read()  # and for 10 seconds not again
    assert not layers.rows("archive")
    archive.add(Found(Cell(0, 0, 0, 0, 9, 3, 4, 0), 0, Strength(1.0, 5), b"a"), None)
    save_index(archive)
    assert not layers.rows("archive")
    layers._read_again = 0.0
    assert layers.rows("archive") == states_on(archive)
    (session.archive / "index.json").write_text("{")
    layers._read_again = 0.0
    assert not layers.rows("archive")
    layers._read_archive = lambda: pytest.fail("it was read again, though nothing has changed")
    layers._read_again = 0.0
    assert not layers.rows("archive")


def test_layers_add_up_over_time(walked):
    layers = Layers(walked)
    layers.update()
    assert layers.times == [100, 200, 300, 400]
    parts = [sum(layers.rows("visits", at, at + 100).values()) for at in range(0, 400, 100)]
    assert sum(parts) == sum(layers.rows("visits").values()) > 100
    assert all(part <= 100 for part in parts)


def test_the_picture_shows_the_painted_ground_fog_and_heat(walked):
    world, layers = World(walked), Layers(walked)
    world.update()
    layers.update()
    board = lay_out({at: ground.size for at, ground in world.maps.items()}, layers.doors)
    canvas = Canvas(world, board, 10**6)
    plain = canvas.paint(Counter())
    assert canvas.scale == TILE and tuple(plain[0, 0]) == FOG
    (location, ground), *_ = world.maps.items()
    corner = board.corners[location]
    left, top, _, _ = bounds(board, {at: ground.size for at, ground in world.maps.items()})
    x, y, _ = ground.rows()[0]
    column, row = corner[0] + x - left + BORDER, corner[1] + y - top + BORDER
    tile = (slice(row * TILE, (row + 1) * TILE), slice(column * TILE, (column + 1) * TILE))
    own = world.paint(location)[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE, :3]
    assert np.array_equal(plain[tile], own)
    assert (canvas.paint(Counter(), until=0) == FOG).all()
    heat = canvas.paint(Counter({(*location, x, y): 5}))
    assert not np.array_equal(heat[tile], own)
    assert np.array_equal(np.delete(heat, tile[0], 0), np.delete(plain, tile[0], 0))


def test_a_film_of_the_archive_has_the_colours_of_its_picture_in_each_frame(session, monkeypatch):
    monkeypatch.setattr(film, "FRAMES", 3)
    watched = Watched(session)
    watched.update()
    ((group, number), ground), *_ = watched.world.maps.items()
    (x, y, _), *_, (other_x, other_y, _) = ground.rows()
    archive = Archive(session.archive)
    for place in ((x // 2, y // 2, 0, 1), (x // 2, y // 2, 0, 2), (other_x // 2, other_y // 2, 0)):
        archive.add(Found(Cell(0, 0, 0, group, number, *place), 0, Strength(1.0, 5), b"a"), None)
    save_index(archive)
    canvas = Canvas(watched.world, watched.board, film.FILM_SIDE)
    heat = watched.layers.rows("archive")
    assert sorted(set(heat.values())) == [1, 2]
    shown = [frame[40:] for frame in film.frames(canvas, watched.layers, "archive")]  # no caption
    assert np.array_equal(shown[0], canvas.paint(heat, until=0)[40:])
    assert np.array_equal(shown[2], canvas.paint(heat)[40:])
    assert np.array_equal(shown[-1], shown[2]) and len(shown) == 3 + film.HOLD
