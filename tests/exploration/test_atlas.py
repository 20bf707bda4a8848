"""The atlas: shortest ways out of random walks, places told apart, and what is kept of them."""

import io
import tracemalloc
import zipfile
from collections import Counter, deque
from dataclasses import replace
from itertools import chain, product
from random import Random
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib import format as npy
from scipy import sparse

from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.exploration.archive_folder import load_atlas, save_atlas
from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.atlas.atlas import MAX_NEW, NEW_SHARE, Atlas
from baselines.exploration.atlas.chapter_model import TOLERANCE, A, ChapterModel
from baselines.exploration.atlas.grounds import GAMMA
from baselines.exploration.atlas.matchup_table import ENOUGH
from baselines.exploration.atlas.own_trails import (
    LONG,
    circled,
    drawn_out,
    keys_of_actions,
    own_trails,
)
from baselines.training.callbacks.exploring_callbacks import OwnTrailsCallback
from emerald_env.env.observation import FULL_SIZE, VECTOR_SIZE, observe_fully, observe_state
from emerald_env.env.state_vector.details import FOE_LEFT, SIZE, observe_details
from emerald_env.env.state_vector.state_layout import FACINGS, LAYOUT, MODES
from emerald_env.explorer import Advice, Trail
from emerald_env.explorer.battles.fights import Fight
from emerald_env.explorer.exact_places import (
    CLOSED,
    COLUMNS,
    FACTORS,
    SCALES,
    UNKNOWN,
    level_classes,
    passed_over,
    places_and_grounds,
)
from emerald_env.explorer.random_keys import KEYS, MASKS
from emerald_env.files.arrays import read_arrays
from emerald_env.files.data import DataError
from emerald_env.game.flags import FLAG_COUNT, TRAINER_FLAGS
from emerald_env.state import N_SWITCHES, Battler, Facing, Mode
from rewards.audit.new_game import NEW_GAME, STARTER

HISTORY_FLAGS = (0x20, 0x41, 0x500, 0x521, 0x85F)  # of scripts and trainers
SIDE, GOAL = 5, 999
MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def led_to(place, key, walls):
    """A room of 5 x 5 tiles; the far corner is the goal, where a milestone is reached."""
    x, y = place % SIDE, place // SIDE
    dx, dy = MOVES.get(KEYS[key], (0, 0))
    x, y = x + dx, y + dy
    there = x + SIDE * y
    if not (0 <= x < SIDE and 0 <= y < SIDE) or there in walls:
        return place
    return GOAL if there == SIDE * SIDE - 1 else there


def wander(dice, walls, steps):
    trail, place = Trail([0], [0], [True], []), 0
    for _ in range(steps):
        key = dice.randrange(len(KEYS))
        place = led_to(place, key, walls)
        trail.keys.append(key)
        trail.places.append(place)
        trail.progress.append(int(place == GOAL))
        trail.walks.append(True)
        if place == GOAL:
            break
    return trail


def distances(walls):
    """Steps to the goal from each tile, by breadth-first search."""
    steps, queue = {GOAL: 0}, deque([GOAL])
    while queue:
        at = queue.popleft()
        for place in set(range(SIDE * SIDE - 1)) - walls - steps.keys():
            if any(led_to(place, key, walls) == at for key in range(len(KEYS))):
                steps[place] = steps[at] + 1
                queue.append(place)
    return steps


@settings(max_examples=20)
@given(walls=st.sets(st.integers(1, SIDE * SIDE - 2), max_size=8), seed=st.integers(0, 99))
def test_what_random_walks_saw_becomes_the_shortest_way(walls, seed):
    steps = distances(walls)
    if 0 not in steps:
        return
    dice, atlas = Random(seed), Atlas()
    for _ in range(400):
        atlas.add(wander(dice, walls, 60))
    atlas.solve()
    place, taken = 0, 0
    while place != GOAL:
        (key,) = atlas.advice.look_up(np.array([place]))
        place, taken = led_to(place, int(key), walls), taken + 1
        assert taken <= steps[0]
    assert taken == steps[0]


def drawn_chapter(dice, n_places, n_keys):
    """A few places with random ways between them and to a goal behind them, some of talk."""
    presses = dice.integers(0, 4, (n_places, n_keys, n_places + 1))
    presses *= dice.random(presses.shape) < 0.4
    gain = presses[..., -1] * 1.0  # the goal's place comes last
    model = sparse.csr_matrix(presses.reshape(-1, n_places + 1).astype(float))
    halts = dice.random(n_places) < 0.3
    return ChapterModel(np.arange(n_places), halts, model, gain, presses.sum(axis=2) * 1.0), presses


def swept_once(values, presses, halts):
    """The same equations, written out place by place."""
    after = []
    for place, keys in enumerate(presses):
        ahead = [
            sum(n * (GAMMA * values[to] + (to == len(presses))) for to, n in enumerate(row))
            for row in keys
        ]
        average = sum(ahead) / max(keys.sum(), 1)
        usual = min(average, GAMMA * values[place])
        tried = [
            (a + 2 * usual) / (row.sum() + 2)
            for a, row in zip(ahead, keys, strict=True)
            if row.sum()
        ]
        after.append(max([average] if halts[place] else [*tried, 0.0]))
    return np.array([*after, 0.0])


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), n_places=st.integers(1, 12), guess=st.floats(0, 3))
def test_values_solve_the_equations_from_any_guess(seed, n_places, guess):
    chapter, presses = drawn_chapter(np.random.default_rng(seed), n_places, len(KEYS))
    values = np.append(np.full(n_places, guess), 0.0)
    q = chapter.solve(values)
    after = swept_once(values, presses, chapter.halts)
    assert np.abs(after - values).max() < 2 * TOLERANCE
    assert np.allclose(np.maximum(q.max(axis=1), 0), values[:-1])
    assert ((q[~chapter.halts] == -1) == (chapter.count[~chapter.halts] == 0)).all()


@settings(max_examples=30)
@given(walls=st.sets(st.integers(1, SIDE * SIDE - 2), max_size=6), seed=st.integers(0, 10**6))
def test_where_a_direction_led_is_known_whichever_way_one_faces(walls, seed):
    """Who walks at random leaves few tiles in all directions from each facing."""
    dice, atlas, seen = Random(seed), Atlas(), {}
    facings = [int(factor) for factor in FACTORS[len(MODES) : LAYOUT.controllable]]
    facing_by_key = {KEYS.index(f.name.lower()): n for f, n in zip(FACINGS, facings, strict=True)}

    def number(tile, facing):
        return int(np.int64(tile) * np.int64(1 << 20) + np.int64(facing))

    for _ in range(4):
        tile, facing = 0, facings[0]
        trail = Trail([number(tile, facing)], [0], [True], [])
        for _ in range(60):
            key = dice.choice(list(facing_by_key))
            there = led_to(tile, key, walls)
            seen.setdefault(tile, {})[key] = there
            tile, facing = there, facing_by_key[key]
            trail.keys.append(key)
            trail.places.append(number(tile, facing))
            trail.progress.append(int(tile == GOAL))
            trail.walks.append(True)
            if tile == GOAL:
                break
        atlas.add(trail)
    atlas.solve()
    known = set(atlas.places.tolist())
    reaches = {GOAL}
    while new := {t for t, moves in seen.items() if reaches & set(moves.values())} - reaches:
        reaches |= new
    for tile, facing in product(seen, facings):
        if number(tile, facing) not in known:
            continue
        for _ in range(3 * SIDE * SIDE):
            if tile not in reaches or tile == GOAL:
                break
            (key,) = atlas.advice.look_up(np.array([number(tile, facing)])).tolist()
            tile, facing = seen[tile][key], facing_by_key[key]
        assert (tile == GOAL) == (tile in reaches)


@pytest.mark.parametrize("solved", [100, 10_000_000])
def test_the_advice_is_due_after_a_share_of_new_steps_but_never_after_too_many(solved):
    atlas = Atlas()
    atlas._solved = atlas_steps = solved
    enough = min(round(NEW_SHARE * solved), MAX_NEW)
    for more, is_due in ((enough, False), (enough + 1, True)):
        with patch.object(Atlas, "steps", atlas_steps + more):
            assert atlas.due() == is_due


@settings(max_examples=20)
@given(walls=st.sets(st.integers(1, SIDE * SIDE - 2), max_size=8), seed=st.integers(0, 99))
def test_who_comes_with_another_history_is_led_over_the_ground_and_never_in_circles(walls, seed):
    steps = distances(walls)
    if 0 not in steps:
        return
    dice, atlas = Random(seed), Atlas()
    for _ in range(400):
        trail = wander(dice, walls, 60)
        history = 1000 * dice.randrange(1, 6)  # such as trainers who were beaten on the way
        places, grounds = ([p + more for p in trail.places] for more in (history, 1))
        atlas.add(replace(trail, places=places, grounds=grounds))
    atlas.solve()
    nobody_was_here = 1000 * 7
    place, been = 0, set()
    while place != GOAL:
        assert place not in been
        been.add(place)
        here = np.array([place + nobody_was_here])
        assert atlas.advice.look_up(here).tolist() == [UNKNOWN]
        (key,) = atlas.advice.look_up(here, np.array([place + 1]))
        assert key != UNKNOWN
        place = led_to(place, int(key), walls)
    assert len(been) == steps[0]


def test_where_the_way_on_depends_on_the_history_the_ground_has_no_advice():
    """A lever at place 2 opens the door at 0: before and after it the way is another."""
    right, left, up = (KEYS.index(key) for key in ("right", "left", "up"))
    atlas = Atlas()
    for _ in range(3):
        before, after = [10, 11, 12], [22, 21, 20, 30]
        keys = [right, right, A, left, left, up]
        atlas.add(Trail([*before, *after], [0] * 6 + [1], [True] * 7, keys, [1, 2, 3, 3, 2, 1, 4]))
    atlas.solve()
    everywhere = np.arange(1, 5)
    known = atlas.advice.look_up(np.array([10, 11, 12, 22, 21, 20, 30]))
    assert known.tolist() == [right, right, A, left, left, up, UNKNOWN]
    unknown = atlas.advice.look_up(everywhere + 90, everywhere)
    assert unknown.tolist() == [up, UNKNOWN, UNKNOWN, UNKNOWN]


@settings(max_examples=20)
@given(defeats=st.integers(3, 40), wins=st.integers(1, 3), detour=st.integers(500, 800) | st.none())
def test_whoever_lost_a_battle_that_others_won_is_led_to_it_again(defeats, wins, detour):
    """Five tiles and a leader; a longer way, which others know, was not tried in this history.

    Whoever knows another way on, but a far one, is led to the leader, too.
    """
    right, up, atlas = KEYS.index("right"), KEYS.index("up"), Atlas()
    row, battle, goal, hill = [1, 2, 3, 4, 5], 6, 7, [8, 9, 10]
    on_foot, keys = [True] * 5 + [False, True], [right] * 5 + [A]
    for _ in range(wins):
        won = [*row, battle, goal]
        atlas.add(Trail(won, [0] * 6 + [1], on_foot, keys, won, [CLOSED] * 7))
        walked = [1, 2, 3, *hill, 5, battle, goal]
        foot, others = [*[True] * 7, False, True], [place + 200 for place in walked]
        around = [right, right, up, up, up, right, right, A]
        atlas.add(Trail(others, [0] * 8 + [1], foot, around, walked, [CLOSED] * 9))
    lost = [place + 100 for place in (*row, battle)] + [101]
    for _ in range(defeats):
        grounds = [*row, battle, 1]
        atlas.add(Trail(lost, [0] * 7, on_foot, keys, grounds, [CLOSED] * 7))
    if detour:
        far = [lost[0], *range(2000, 2000 + detour), goal]
        foot, pressed = [True] * len(far), [up] * (detour + 1)
        atlas.add(Trail(far, [0] * (detour + 1) + [1], foot, pressed, [row[0], *far[1:]]))
    atlas.solve()
    assert atlas.advice.look_up(np.array(lost[:5])).tolist() == [right] * 5
    resumed = Atlas()
    resumed.set_state(atlas.get_state())
    resumed.add(Trail(lost, [0] * 7, on_foot, keys, grounds, [CLOSED] * 7))
    resumed.solve()
    assert resumed.advice.look_up(np.array(lost[:5])).tolist() == [right] * 5


@settings(max_examples=20)
@given(detour=st.integers(500, 800), short=st.integers(2, 12), barred=st.booleans())
def test_whoever_knows_only_a_long_way_first_tries_the_short_one_of_others(detour, short, barred):
    """As after a defeat, when a way is known: to be beaten again, and to wake up at home."""
    right, left, atlas = KEYS.index("right"), KEYS.index("left"), Atlas()
    row, goal = list(range(1, short + 1)), 10**6
    around = list(range(2000, 2000 + detour))
    own = [place + 5000 for place in row]
    for _ in range(3):
        way = [*row, goal]
        atlas.add(Trail(way, [0] * short + [1], [True] * (short + 1), [right] * short, way))
        way = [own[0], *around, goal]
        keys = [left] * (detour + 1)
        atlas.add(Trail(way, [0] * len(keys) + [1], [True] * len(way), keys, [1, *way[1:]]))
    told, place = [], 0
    for _ in range(4 * short):
        atlas.solve()
        key = int(atlas.advice.look_up(np.array(own[place : place + 1]))[0])
        told.append(key)
        if key == left or place == short - 1 and not barred:
            break
        after = place if barred else place + 1
        atlas.add(
            Trail([own[place], own[after]], [0, 0], [True] * 2, [key], [place + 1, after + 1])
        )
        if not barred:
            place = after
    assert told == ([right] * 3 + [left] if barred else [right] * short)


LEVER, DOOR, END = 6, 0, 8  # on a row of tiles; the door's tile leads up to the end


def walk_row(tile, lever, key):
    """Returns where a key leads in a row of tiles with a lever at one end, a door at the other."""
    if key == "a" and tile == LEVER:
        return tile, True
    if key == "up" and tile == DOOR and lever:
        return END, True
    step = {"left": -1, "right": 1}.get(key, 0)
    return min(max(tile + step, 0), LEVER), lever


def follow(atlas, dice, history, start, steps):
    """Walks as advised, else at random; returns the trail, in which only the end is progress."""
    tile, lever, places, grounds, keys = start, False, [], [], []
    for _ in range(steps):
        places.append(1000 * history + 100 * lever + tile)
        grounds.append(tile + 1)
        here = np.array(places[-1:]), np.array(grounds[-1:])
        advised = int(atlas.advice.look_up(*here)[0])
        keys.append(dice.randrange(len(KEYS)) if advised == UNKNOWN else advised)
        tile, lever = walk_row(tile, lever, KEYS[keys[-1]])
        if tile == END:
            break
    places.append(10**6 if tile == END else 1000 * history + 100 * lever + tile)
    progress, walks = [0] * len(keys) + [int(tile == END)], [True] * len(places)
    return Trail(places, progress, walks, keys, [*grounds, tile + 1]), tile == END


@settings(max_examples=30)
@given(seed=st.integers(0, 999), start=st.integers(0, LEVER))
def test_who_is_led_in_circles_by_another_history_is_led_out_of_them(seed, start):
    """With one history the way is known, with another no place has one: the lever comes first."""
    dice, atlas = Random(seed), Atlas()
    way = ["right"] * (LEVER - 3) + ["a"] + ["left"] * LEVER + ["up"]
    tile, lever, places, grounds, keys = 3, False, [], [], []
    for name in way:
        places.append(100 * lever + tile)
        grounds.append(tile + 1)
        keys.append(KEYS.index(name))
        tile, lever = walk_row(tile, lever, name)
    progress = [0] * len(places) + [1]
    for _ in range(3):
        atlas.add(Trail([*places, 10**6], progress, [True] * len(progress), keys, [*grounds, 9]))
    atlas.solve()
    for _ in range(60):
        trail, arrived = follow(atlas, dice, 5, start, 40)
        if arrived:
            return
        atlas.add(trail)
        atlas.solve()
    pytest.fail("60 episodes of 40 steps, each after the advice was solved")


def test_a_hint_that_led_nowhere_is_given_up_and_the_next_one_is_tried():
    right, left = KEYS.index("right"), KEYS.index("left")
    atlas = Atlas()
    for _ in range(
        3
    ):  # on ground 1 two histories went on, the one nearer to the milestone to the left
        atlas.add(Trail([10, 19], [0, 1], [True, True], [left], [1, 2]))
        atlas.add(Trail([20, 28, 29], [0, 0, 1], [True] * 3, [right, right], [1, 3, 2]))
    told = []
    for _ in range(8):
        atlas.solve()
        key = int(atlas.advice.look_up(np.array([30]), np.array([1]))[0])
        told.append(key)
        atlas.add(Trail([30, 30], [0, 0], [True, True], [max(key, 0)], [1, 1]))
    assert told == [UNKNOWN, left, left, left, right, right, right, UNKNOWN]


def trails(dice, count):
    return [wander(dice, {7, 8, 12}, 30) for _ in range(count)]


def counted(atlas):
    state = atlas.get_state()
    return {
        name: state[name].tolist() for name in ("places", "progress", "walks", "links", "counts")
    }


def test_it_does_not_matter_when_transitions_are_counted():
    all_at_once, one_by_one = Atlas(), Atlas()
    many = trails(Random(1), 40)
    for number, trail in enumerate(many):
        all_at_once.add(trail)
        one_by_one.add(trail)
        if number % 7 == 0:
            one_by_one.solve()
    assert counted(all_at_once) == counted(one_by_one)
    assert all_at_once.steps == one_by_one.steps == sum(len(trail.keys) for trail in many)
    expected = Counter(
        step
        for trail in many
        for step in zip(trail.places, trail.keys, trail.places[1:], strict=False)
    )
    assert sorted(expected.values()) == sorted(all_at_once.get_state()["counts"].tolist())


@pytest.mark.parametrize("how", ["checkpoint", "file"])
def test_an_atlas_resumes_where_it_stopped(tmp_path, how):
    atlas, again = Atlas(), Atlas()
    for trail in trails(Random(2), 20):
        atlas.add(trail)
    atlas.solve()
    if how == "file":
        load_atlas(tmp_path, again)  # there is none yet
        save_atlas(atlas, tmp_path)
        load_atlas(tmp_path, again)
    else:
        again.set_state(from_plain(*to_plain(atlas.get_state())))
    for trail in trails(Random(3), 20):
        atlas.add(trail), again.add(trail)
    assert atlas.due() and again.due()
    atlas.solve(), again.solve()
    ours, theirs = atlas.get_state(), again.get_state()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def zipped(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def with_shape(content, shape, dtype="<i8"):
    """A member of an atlas with another header."""
    file = io.BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(file, header)
    return file.getvalue() + content[128:]


def hostile_atlases(atlas):
    """Yields name, and the members of a file; each has one thing wrong."""
    state = atlas.get_state()
    members = {}
    for name, array in state.items():
        file = io.BytesIO()
        np.save(file, array)
        members[f"{name}.npy"] = file.getvalue()
    links = members["links.npy"]
    for shape in ((1 << 40,), (-1,), (1 << 62, 1 << 62), (0, 1 << 60)):
        yield f"a header of {shape}", members | {"links.npy": with_shape(links, shape)}
    yield "objects", members | {"links.npy": with_shape(links, (3,), "|O")}
    yield "a long header", members | {"links.npy": b"\x93NUMPY\1\0\xff\xff" + b"(" * 65535}
    yield "an open bracket", members | {"links.npy": b"\x93NUMPY\1\0\x09\0{'a': (1,"}
    yield "cut short", members | {"links.npy": links[:-1]}
    yield "no keys", {name: part for name, part in members.items() if name != "keys.npy"}
    changes = {
        "keys": np.full_like(state["keys"], 100),
        "advised": state["advised"][::-1],
        "circled": np.array([2, 1]),
        "places": state["places"][::-1],
        "walks": state["walks"][:-1],
        "on_foot": state["on_foot"][:-1],
        "values": np.full_like(state["values"], np.nan),
        "counts": np.full_like(state["counts"], -1),
        "progress": np.full_like(state["progress"], -1),
        "links": np.full_like(state["links"], 1 << 60),
        "moves": np.full_like(state["moves"], 4),
        "matchups_advised": state["matchups_advised"][::-1],
        "solved": np.int64(-1),
    }
    for name, array in changes.items():
        file = io.BytesIO()
        np.save(file, array)
        yield f"wrong {name}", members | {f"{name}.npy": file.getvalue()}


def wandered():
    atlas = Atlas()
    for trail in trails(Random(2), 20):
        atlas.add(trail)
    for matchup in (5, 9):
        atlas.matchups.add([Fight(matchup, (0.0, 1.0, -9.0, -9.0))] * ENOUGH)
    atlas.solve()
    return atlas


@pytest.mark.parametrize("what", [what for what, _ in hostile_atlases(wandered())])
def test_a_strangers_atlas_is_refused_in_one_line(what, tmp_path):
    zipped(tmp_path / "atlas.npz", dict(hostile_atlases(wandered()))[what])
    atlas = Atlas()
    with pytest.raises(ValueError, match=r"atlas\.npz is damaged") as refused:
        load_atlas(tmp_path, atlas)
    assert "\n" not in str(refused.value)
    assert atlas.steps == 0


@pytest.mark.parametrize("shape", [(0, 10**26), (10**26, 0), (0, 1 << 62, 1 << 62)])
def test_a_shape_without_elements_that_no_array_can_have_is_damage(shape, tmp_path):
    zipped(tmp_path / "a.npz", {"a.npy": with_shape(bytes(128), shape)})
    with pytest.raises(DataError, match="a.npy has the impossible shape"):
        read_arrays(tmp_path / "a.npz", {"a": np.int64}, 10)


def test_an_atlas_whose_compressed_bytes_are_damaged_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "atlas.npz", **wandered().get_state())
    content = bytearray((tmp_path / "atlas.npz").read_bytes())
    content[200:220] = b"\xff" * 20
    (tmp_path / "atlas.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"atlas\.npz is damaged"):
        load_atlas(tmp_path, Atlas())


def test_an_atlas_of_gigabytes_of_zeros_takes_no_memory(tmp_path):
    with zipfile.ZipFile(tmp_path / "atlas.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("links.npy", "w", force_zip64=True) as member:
            for _ in range(1 << 9):
                member.write(bytes(1 << 20))
    tracemalloc.start()
    with pytest.raises(ValueError, match="times its size"):
        load_atlas(tmp_path, Atlas())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("places", [[1]]),
        ("links", [1 << 60]),
        ("values", []),
        ("counts", []),
        ("solved", None),
        ("moves", np.zeros(1, np.int8)),
        ("matchups_advised", [7]),
    ],
)
def test_a_damaged_atlas_is_refused(name, value):
    atlas = Atlas()
    atlas.add(wander(Random(0), set(), 30))
    state = atlas.get_state() | {name: value}
    with pytest.raises((ValueError, LookupError)):
        Atlas().set_state(state)


def test_nobody_is_told_to_try_for_ever_what_happened_once():
    """B in the hall of mirrors, 1, led out of it once; the door at the end of a corridor does."""
    hall, out, goal = 1, 50, GOAL
    b, right = KEYS.index("b"), KEYS.index("right")
    corridor = list(range(2, 42))
    stays = Trail([hall] * 301, [0] * 301, [True] * 301, [b] * 300)
    once = Trail([hall, out, goal], [0, 0, 1], [True] * 3, [b, right])
    walk = Trail([hall, *corridor, goal], [0] * 41 + [1], [True] * 42, [right] * 41)
    alone, both = Atlas(), Atlas()
    for atlas, trails in ((alone, [stays, once]), (both, [stays, once, walk])):
        for trail in trails:
            atlas.add(trail)
        atlas.solve()
    assert alone.advice.look_up(np.array([hall, out])).tolist() == [UNKNOWN, right]
    assert both.advice.look_up(np.array([hall, out, 20])).tolist() == [right] * 3
    rare = Atlas()  # a milestone is believed however rare it was
    for trail in (stays, Trail([hall, goal], [0, 1], [True] * 2, [b])):
        rare.add(trail)
    rare.solve()
    assert rare.advice.look_up(np.array([hall])).tolist() == [b]


def test_one_lucky_step_is_believed_less_than_many_good_ones():
    atlas = Atlas()
    for number in range(100):  # right helps in 90 of 100 tries, down did in its only one
        atlas.add(Trail([0, 1 if number < 90 else 0], [0, int(number < 90)], [True] * 2, [3]))
    atlas.add(Trail([0, 1], [0, 1], [True] * 2, [1]))
    atlas.solve()
    assert atlas.advice.look_up(np.array([0])).tolist() == [3]


def test_in_talk_the_advice_is_a_whatever_key_the_end_fell_on():
    atlas = Atlas()
    for _ in range(5):
        atlas.add(Trail([0, 0, 1], [0, 0, 1], [False, False, True], [A, 2]))
    atlas.solve()
    assert atlas.advice.look_up(np.array([0, 1, 5])).tolist() == [A, UNKNOWN, UNKNOWN]


# ---- places


def numbers(*states):
    return places_and_grounds(np.stack([observe_fully(state) for state in states]))[0].tolist()


def test_places_differ_in_what_matters_for_the_next_key_and_in_nothing_else():
    hero = replace(NEW_GAME, party=(STARTER,))
    foe = replace(STARTER, hp=10, max_hp=20)
    fight = replace(hero, in_battle=True, enemy_party=(foe,))
    different = [
        hero,
        fight,
        replace(fight, enemy_party=(replace(foe, hp=4),)),
        replace(hero, position=(11, 10)),
        replace(hero, facing=Facing.LEFT),
        replace(hero, location=(0, 10)),
        replace(hero, controllable=False),
        *(replace(hero, flags=(1 << bit).to_bytes(300, "little")) for bit in (0x12, 0x505, 2159)),
    ]
    assert len(set(numbers(*different))) == len(different)
    hurt = replace(STARTER, hp=STARTER.max_hp - 1)
    same = replace(hero, money=5, play_time=(1, 2, 3, 4), party=(hurt,))
    assert numbers(hero) == numbers(same)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 40)), max_size=6))
def test_who_should_rest_is_in_another_place_on_the_same_ground(party):
    """The first of the strongest fights; rest is due below half of its HP, of 40."""
    well = replace(NEW_GAME, party=tuple(replace(STARTER, level=one) for one, _ in party))
    hurt = tuple(replace(STARTER, level=one, hp=hp, max_hp=40) for one, hp in party)
    states = [well, replace(well, party=hurt)]
    vectors = np.stack([observe_fully(state) for state in states])
    grounds = places_and_grounds(vectors)[1]
    assert grounds[0] == grounds[1]
    is_weak = bool(party) and max(party, key=lambda one: one[0])[1] < 20
    places = places_and_grounds(vectors)[0]
    assert (places[0] != places[1]) == is_weak


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from(HISTORY_FLAGS)), st.integers(1, 100)),
        min_size=2,
        max_size=5,
    ),
    st.booleans(),
)
def test_a_place_is_its_ground_and_the_history(histories, moves):
    states = [
        replace(
            NEW_GAME,
            position=(number if moves else 9, 9),
            flags=sum(1 << flag for flag in beaten).to_bytes(300, "little"),
            party=(replace(STARTER, level=level),),
        )
        for number, (beaten, level) in enumerate(histories)
    ]
    vectors = np.stack([observe_fully(state) for state in states])
    assert len(set(places_and_grounds(vectors)[1].tolist())) == (len(states) if moves else 1)
    whole = np.rint(vectors[:, COLUMNS] * SCALES).astype(np.int64)
    quarters = [sum(5**n <= level * 4**n for n in range(1, 30)) for _, level in histories]
    expected = (whole * FACTORS[:-1]).sum(axis=1) + np.array(quarters) * FACTORS[-1]
    np.testing.assert_array_equal(places_and_grounds(vectors)[0], expected)


def test_a_class_of_levels_ends_where_one_is_a_quarter_stronger():
    begins = [5, 6, 8, 10, 12, 15, 19, 23, 29, 36, 45, 56, 70, 87]
    classes = level_classes(np.arange(101))
    assert (np.flatnonzero(np.diff(classes)) + 1).tolist() == [2, 3, 4, *begins]


@given(
    st.sampled_from(list(Facing)), st.sampled_from(list(Facing)), st.integers(1, 3), st.booleans()
)
def test_the_tile_that_a_run_passes_over_is_where_a_walk_stops(at, to, tiles, other_map):
    dx, dy = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}[to.name]
    begin = replace(NEW_GAME, position=(9, 9), facing=at)
    walked, run = (replace(begin, position=(9 + n * dx, 9 + n * dy), facing=to) for n in (1, tiles))
    run = replace(run, location=(0, 10)) if other_map else run
    numbered = places_and_grounds(np.stack([observe_fully(s) for s in (begin, walked, run)]))[1]
    (over,) = passed_over(numbered[:1], numbered[2:])
    assert over == (numbered[1] if tiles == 2 and not other_map else 0)


def test_who_walks_where_others_ran_hears_the_way_on_between_their_tiles():
    up = KEYS.index("up")
    states = [replace(NEW_GAME, position=(9, y), facing=Facing.UP) for y in range(20, 9, -1)]
    grounds = places_and_grounds(np.stack([observe_fully(state) for state in states]))[1].tolist()
    ran = grounds[::2]
    atlas = Atlas()
    atlas.add(Trail(ran, [0] * 5 + [1], [True] * 6, [up] * 5, ran))
    atlas.solve()
    everywhere = np.array(grounds)
    assert atlas.advice.look_up(everywhere + 5, everywhere).tolist() == [up] * 10 + [UNKNOWN]


def test_places_far_down_a_long_route_differ():
    ends = [replace(NEW_GAME, position=(9, y), global_position=(50, 300 + y)) for y in (130, 131)]
    assert len(set(numbers(*ends))) == 2


def test_places_at_the_end_of_the_desert_underpass_differ():
    """It is 139 tiles wide, and has no place among the maps outdoors."""
    inside = replace(NEW_GAME, location=(24, 98), component=None, global_position=None)
    ends = [replace(inside, position=(x, 10)) for x in range(120, 139)]
    assert len(set(numbers(*ends))) == 19


@given(st.lists(st.integers(-(2**62), 2**62), unique=True), st.lists(st.integers(-9, 9)))
def test_advice_is_looked_up_as_in_a_dictionary(places, asked):
    table = {place: index % len(KEYS) for index, place in enumerate(sorted(places))}
    advice = Advice(np.array(sorted(table), np.int64), np.array(list(table.values()), np.int8))
    wanted = [*places, *asked]
    found = advice.look_up(np.array(wanted, np.int64)).tolist()
    assert found == [table.get(place, UNKNOWN) for place in wanted]


def test_the_number_of_trainers_beaten_stops_at_256_for_places_too():
    def beaten(*trainers):
        flags = sum(1 << TRAINER_FLAGS[one] for one in trainers).to_bytes(FLAG_COUNT // 8, "little")
        return observe_fully(replace(NEW_GAME, flags=flags))

    two = (600, 600 + N_SWITCHES)  # whose folded bits cancel out
    some = [beaten(*range(255)), beaten(*range(256))]
    more = [beaten(*range(256), *two), beaten(*range(864))]
    numbers = [each[LAYOUT.switched.stop - 1] for each in some + more]
    assert numbers == [255 / 256, 1, 1, 1]
    few, many = beaten(*range(100)), beaten(*range(100), *two)
    assert len(set(places_and_grounds(np.array([few, many]))[0].tolist())) == 2
    assert len(set(places_and_grounds(np.array([some[1], more[0]]))[0].tolist())) == 1


def test_the_longer_vector_begins_with_the_shorter_and_adds_the_battle_exactly():
    assert not observe_fully(None).any()
    assert not observe_details(NEW_GAME)[N_SWITCHES:].any()
    foe = replace(STARTER, hp=9, max_hp=20)
    state = replace(NEW_GAME, in_battle=True, enemy_party=(foe,), party=(STARTER,))
    vector = observe_fully(state)
    assert vector.shape == (FULL_SIZE,) == (VECTOR_SIZE + SIZE,)
    assert np.array_equal(vector[:VECTOR_SIZE], observe_state(state))
    assert vector[VECTOR_SIZE + FOE_LEFT] == 4 / 8  # 9 of 20 are between three and four eighths


def test_the_teacher_names_the_action_of_the_key_for_the_newest_of_stacked_vectors():
    states = [NEW_GAME, replace(NEW_GAME, position=(3, 3)), replace(NEW_GAME, position=(4, 4))]
    vectors = np.stack([observe_fully(state) for state in states])
    atlas = Atlas()
    order = np.argsort(places_and_grounds(vectors[:2])[0])
    keys = np.array([KEYS.index("up"), KEYS.index("b")], np.int8)
    atlas.advice = Advice(places_and_grounds(vectors[:2])[0][order], keys[order])
    stacked = torch.from_numpy(np.concatenate([vectors[::-1], vectors], axis=1))
    assert Advisor(atlas, "simple")({"state": stacked}).tolist() == [0, 5, -1]
    assert Advisor(atlas, "original")({"state": stacked}).tolist() == [3, 2, -1]


def test_there_is_no_advice_where_it_led_in_circles_until_it_is_computed_again():
    vectors = np.stack([observe_fully(replace(NEW_GAME, position=(x, 4))) for x in (3, 4)])
    places = places_and_grounds(vectors)[0]
    order, up = np.argsort(places), KEYS.index("up")
    atlas = Atlas()
    atlas.advice = Advice(places[order], np.full(2, up, np.int8))
    advisor = Advisor(atlas, "original")
    seen = {"state": torch.from_numpy(vectors)}
    assert (advisor(seen) >= 0).tolist() == [True, True]
    atlas.give_up([int(places[0])])
    atlas.give_up([])  # the next rollout, in which nobody is led there any more
    assert (advisor(seen) >= 0).tolist() == [False, True]
    again = Atlas()
    again.set_state(atlas.get_state())
    assert again.circled.tolist() == [places[0]]
    again.add(Trail([0, 1], [0, 1], [True] * 2, [up]))
    again.solve()
    assert not len(again.circled)


def test_places_on_foot_where_a_trail_followed_the_advice_four_times_are_a_circle():
    places, walks = [1, 2, 9, 9, 9, 9, 1, 2, 1, 2, 1, 2], [True] * 2 + [False] * 4 + [True] * 6
    trail = Trail(places, [0] * 12, walks, [A] * 11)
    told = Advice(np.array([1, 2, 9]), np.array([A, A, A], np.int8))
    assert circled(trail, told) == [1]
    # who comes back and did something else says nothing against the advice
    assert circled(trail, Advice(np.array([1, 2, 9]), np.array([A + 1, A, A], np.int8))) == []
    assert circled(trail, Advice()) == []
    over_ground = replace(trail, grounds=[7 * place for place in places])
    assert circled(over_ground, Advice(grounds=np.array([7]), ground_keys=told.keys[:1])) == [1]


def test_the_teacher_has_no_advice_for_battles_and_menus():
    walking = replace(NEW_GAME, position=(3, 3))
    foe = replace(STARTER, hp=10, max_hp=20)
    fight = replace(walking, in_battle=True, mode=Mode.BATTLE)
    bag = replace(fight, mode=Mode.MENU, enemy_party=(foe,))
    clock = replace(walking, mode=Mode.MENU)  # it asks a question that opens on No
    vectors = np.stack([observe_fully(state) for state in (walking, fight, bag, clock)])
    places, a = places_and_grounds(vectors)[0], KEYS.index("a")
    atlas = Atlas()
    atlas.advice = Advice(np.sort(places), np.full(4, a, np.int8))
    assert (atlas.advice.look_up(places) == a).all()
    pressed = Advisor(atlas, "simple")({"state": torch.from_numpy(vectors)}).tolist()
    assert pressed[0] >= 0 and pressed[1:] == [-1, -1, -1]


def fighting(hp, mode=Mode.BATTLE):
    foe = replace(STARTER, hp=hp, max_hp=20)
    return replace(NEW_GAME, in_battle=True, mode=mode, enemy_party=(foe,), party=(STARTER,))


@pytest.mark.parametrize("turns", [0, 1, LONG - 1, LONG, LONG + 3])
def test_in_a_battle_that_does_not_go_on_the_teacher_says_a(turns):
    hurt, bag, other = fighting(20), fighting(10, Mode.MENU), fighting(10)
    states = [hurt, *[bag, other] * ((turns + 2) // 2)][: turns + 2]
    seen = {"state": np.stack([observe_fully(state) for state in states])[:, None]}
    starts = np.zeros((len(states), 1), np.float32)
    advisor = Advisor(Atlas(), "simple")
    advisor.drawn_out = drawn_out(seen, starts)
    late = set(places_and_grounds(seen["state"][LONG + 1 :, 0])[0].tolist())
    assert set(advisor.drawn_out) == late
    asked = np.stack([observe_fully(state) for state in (hurt, bag, other, NEW_GAME)])
    pressed = keys_of_actions("simple") == A
    a = int(np.flatnonzero(pressed)[0])
    told = [a if place in late else -1 for place in places_and_grounds(asked)[0].tolist()]
    assert advisor({"state": torch.from_numpy(asked)}).tolist() == told
    starts[len(states) // 2] = 1  # another episode begins in the same state
    assert drawn_out(seen, starts) == []


OWN = Battler(
    index=0,
    party_index=0,
    species=STARTER.species,
    nickname="",
    level=STARTER.level,
    hp=20,
    max_hp=20,
    moves=(45, 33),  # Growl, Tackle
    pp=(40, 35),
    status=0,
    status2=0,
    stat_stages=(6,) * 8,
    ability=0,
    types=(12, 12),
    held_item=0,
    personality=0,
)
FOE = replace(OWN, index=1, hp=200, max_hp=200, level=5)


@pytest.mark.parametrize(
    ("change", "is_drawn_out"),
    [
        (lambda turn: (replace(OWN, pp=(40 - turn, 35)), FOE), True),
        (lambda turn: (replace(OWN, hp=20 - turn), FOE), True),
        (lambda turn: (replace(OWN, level=5 + turn), FOE), True),
        (lambda turn: (OWN, replace(FOE, hp=200 - turn)), False),  # the same eighth
        (lambda turn: (OWN, replace(FOE, level=5 + turn % 2)), False),  # another one is sent out
    ],
    ids=["PP", "HP", "level", "opponent's HP", "opponent's level"],
)
def test_a_battle_goes_on_only_where_an_opponents_hp_changes(change, is_drawn_out):
    foe = replace(STARTER, hp=200, max_hp=200)
    whole = replace(fighting(20), enemy_party=(foe,))
    states = [replace(whole, battlers=change(step // 10)) for step in range(LONG + 9)]
    seen = {"state": np.stack([observe_fully(state) for state in states])[:, None]}
    found = drawn_out(seen, np.zeros((len(states), 1), np.float32))
    assert bool(found) == is_drawn_out


def test_actions_are_as_good_as_the_key_that_makes_them_walk_or_answer():
    names = [KEYS[key] if key != UNKNOWN else None for key in keys_of_actions("original")]
    walks = [[way, None, way] for way in ("up", "down", "right", "left")]
    assert names == [None, "a", "b", *(name for way in walks for name in way)]


def test_an_agents_own_steps_become_trails_wherever_nothing_breaks_them():
    dice = np.random.default_rng(0)
    steps, games = 40, 3
    states = np.zeros((steps, games, 2 * FULL_SIZE), np.float32)
    for t, game in np.ndindex(steps, games):
        if dice.random() < 0.9:  # else no game runs
            at = replace(NEW_GAME, position=(int(dice.integers(20)), 3))
            states[t, game, FULL_SIZE:] = observe_fully(at)
    keys = dice.integers(-1, 6, (steps - 1, games)).astype(np.int8)
    starts = dice.random((steps, games)) < 0.1
    expected = Counter()
    for t, game in np.ndindex(steps - 1, games):
        pair = states[t : t + 2, game, FULL_SIZE:]
        if keys[t, game] != UNKNOWN and not starts[t + 1, game] and pair.any(axis=1).all():
            here, there = places_and_grounds(pair)[0].tolist()
            expected[here, int(keys[t, game]), there] += 1
    found = Counter()
    for trail in own_trails({"state": states}, keys, starts):
        assert len(trail.places) == len(trail.progress) == len(trail.walks) == len(trail.keys) + 1
        found.update(zip(trail.places, trail.keys, trail.places[1:], strict=False))
        assert not trail.keys or all(trail.walks)
    assert found == expected and len(expected) > 20


@pytest.mark.parametrize(("flag", "risen"), [(2218, 0), (2240, 1)], ids=["fiery path", "shoes"])
def test_a_search_and_an_agent_count_the_same_milestones_in_the_same_place(flag, risen):
    """The Fiery Path is one of those that the state vector, and so a place's number, leaves out."""
    key = KEYS.index("right")
    flags = bytearray(NEW_GAME.flags)
    flags[flag >> 3] |= 1 << (flag & 7)
    walk = [replace(NEW_GAME, position=(x, 3)) for x in range(3)]
    walk += [replace(state, flags=bytes(flags)) for state in walk]
    searched = Trail()
    for state in walk:
        searched.arrive(state, MASKS[key])
    states = np.stack([observe_fully(state) for state in walk])[:, None]
    keys = np.full((5, 1), key, np.int8)
    (own,) = own_trails({"state": states}, keys, np.zeros((6, 1), bool))
    assert searched.places == own.places
    before = own.progress[0]
    assert searched.progress == own.progress == [before] * 3 + [before + risen] * 3


def own_links(states, keys, starts):
    """Which key led from which place to which, and how often."""
    trails = list(own_trails({"state": states}, keys, starts))
    steps = (zip(trail.places, trail.keys, trail.places[1:], strict=False) for trail in trails)
    return Counter(chain.from_iterable(steps))


@given(seed=st.integers(0, 99), cut=st.integers(0, 19))
def test_an_agents_trails_go_on_from_one_rollout_to_the_next(seed: int, cut: int):
    dice = np.random.default_rng(seed)
    at = [replace(NEW_GAME, position=(int(x), 3)) for x in dice.integers(20, size=21)]
    states = np.stack([observe_fully(state) for state in at])[:, None]
    keys = dice.integers(-1, 6, (20, 1)).astype(np.int8)
    starts = dice.random((21, 1)) < 0.1
    parts = (slice(0, cut), slice(cut, 20))
    halves = [
        own_links(
            states[part.start : part.stop + 1], keys[part], starts[part.start : part.stop + 1]
        )
        for part in parts
    ]
    assert sum(halves, Counter()) == own_links(states, keys, starts)


def test_a_battle_goes_on_whatever_key_is_pressed_in_it():
    fights = replace(NEW_GAME, mode=Mode.BATTLE, in_battle=True, controllable=False)
    states = np.stack([observe_fully(state) for state in (fights, NEW_GAME, fights, fights)])
    keys = np.array([[UNKNOWN], [UNKNOWN], [UNKNOWN]], np.int8)
    here, there = places_and_grounds(states[:2])[0].tolist()
    found = own_links(states[:, None], keys, np.zeros((4, 1), bool))
    assert found == {(here, A, there): 1, (here, A, here): 1}


def test_every_step_of_a_rollout_is_counted_its_last_one_too():
    walked = [observe_fully(replace(NEW_GAME, position=(x, 3))) for x in range(4)]
    whole = np.stack(walked)[:, None]
    rollout = SimpleNamespace(
        observations={"state": whole[:3]},
        actions=np.ones((3, 1, 1)),
        episode_starts=np.zeros((3, 1)),
    )
    atlas = Atlas()
    callback = OwnTrailsCallback(atlas, "story", Advisor(atlas, "story"))
    for done, counted in ((False, 3), (True, 3 + 2)):
        last = {"new_obs": {"state": whole[3]}, "dones": np.array([done])}
        callback.locals = {"rollout_buffer": rollout, **last}
        callback.on_rollout_end()
        assert atlas.steps == counted
