"""Searching without a network: cells, keys, bursts, the archive, and what is drawn from it."""

import json
import math
import zlib
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from helpers.sb3_games import in_process
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.exploration import search as search_module
from baselines.exploration.search import ANYWHERE, GUIDED, Search
from baselines.exploration.selection import BEHIND, Spot, weights
from baselines.exploration.state_archive import Archive
from baselines.exploration.team import Team
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from baselines.training.callbacks.exploring_callbacks import ExplorationCallback
from emerald_env.emulator import GBA
from emerald_env.env.state_vector.details import FOE_PARTS
from emerald_env.explorer import (
    Burst,
    Cell,
    Explorer,
    Found,
    Job,
    Round,
    Strength,
    cell_of,
    goal_walks,
    strength_of,
)
from emerald_env.explorer.explorer import WORTH
from emerald_env.explorer.goal_walks import GoalWalks
from emerald_env.explorer.random_keys import (
    BLOCKED,
    DIRECTIONS,
    KEEP,
    MASKS,
    PRESSED,
    WALKING,
    RandomKeys,
)
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.game.savefile import load, unpack_png
from emerald_env.game.tables import milestones
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.state import NOWHERE, Mode, StateReader
from emerald_env.state.parts.around.targets import TargetKind
from rewards.audit.new_game import NEW_GAME, STARTER

CONFIG = GameConfig(start_wait=0)
HERO = replace(NEW_GAME, party=(STARTER,))
HOME = Cell(1, 0, 0, 0, 9, 3, 4, 0)
WELL = Strength(1.0, 5)


def found(cell=HOME, length=0, strength=WELL, text=""):
    state = zlib.compress(f"{cell} {length} {text}".encode())
    return Found(cell, length, strength, state)


# ---- cells


def test_a_cell_is_the_same_for_all_that_the_search_does_not_care_about():
    state = replace(HERO, position=(6, 8))
    same = replace(state, position=(7, 9), money=17, play_time=(9, 9, 9, 9), facing=None)
    assert cell_of(state) == cell_of(same)
    for other in (
        replace(state, position=(8, 8)),
        replace(state, location=(0, 10)),
        replace(state, flags=(1 << 0x505).to_bytes(300, "little")),  # a trainer
        replace(state, flags=(1 << 0x12).to_bytes(300, "little")),  # a tree that was cut
        replace(state, flags=(1 << 0x63).to_bytes(300, "little")),  # a wall in a gym
        replace(state, flags=(1 << 2159).to_bytes(300, "little")),  # a milestone
        replace(state, in_battle=True),
    ):
        assert cell_of(other) != cell_of(state)


def test_cells_of_a_battle_follow_the_opponents_health_and_not_the_place():
    foe = STARTER
    parts = set()
    for hp in range(foe.max_hp + 1):
        state = replace(HERO, in_battle=True, enemy_party=(replace(foe, hp=hp),))
        assert cell_of(state) == cell_of(replace(state, position=(99, 3)))
        parts.add(cell_of(state).battle)
    assert len(parts) == min(8, foe.max_hp) + 1
    assert cell_of(replace(state, opponent=7)).battle not in parts


@pytest.mark.parametrize(("trainer", "squares"), [(0, 1), (6, 9)])
def test_battles_with_wild_pokemon_are_one_square_and_a_trainers_as_many_as_cells(trainer, squares):
    def battle(hp):
        foes = (replace(STARTER, hp=hp, max_hp=80),)
        return cell_of(replace(HERO, in_battle=True, opponent=trainer, enemy_party=foes))

    cells = {battle(hp) for hp in range(81)}
    assert len(cells) == 9
    assert len({cell.square for cell in cells}) == squares
    assert cell_of(HERO).square not in {cell.square for cell in cells}
    assert len({cell.room for cell in cells}) == 1
    assert (battle(1).room == cell_of(HERO).room) == (trainer == 0)


def test_a_leaders_battle_is_drawn_as_often_as_all_the_squares_of_the_gym():
    gym = [replace(HERO, controllable=True, position=(x, y)) for x in range(16) for y in range(16)]
    leader = [replace(HERO, in_battle=True, opponent=265, enemy_party=(STARTER,))]
    spots = [Spot(cell.rank, cell.room, cell.square) for cell in map(cell_of, leader + gym)]
    found = weights(spots, [0] * len(spots), {spot.room: 0 for spot in spots})
    assert found[0] == pytest.approx(sum(found[1:]))


@given(st.floats(0, 1), st.integers(0, 600), st.integers(0, 10**6))
def test_shorter_healthier_and_stronger_all_cost_less(health, levels, length):
    cost = Strength(health, levels).cost(length)
    assert cost < Strength(health, levels).cost(length + 1)
    assert cost <= Strength(health / 2, levels).cost(length)
    assert cost > Strength(health, levels + 1).cost(length)


def test_an_empty_party_is_healthy():
    assert cell_of(NOWHERE) == Cell(*[0] * 8)


def test_an_eggs_hit_points_are_no_part_of_a_partys_health():
    egg = replace(STARTER, is_egg=True)
    hurt = replace(STARTER, hp=STARTER.max_hp // 4)
    assert strength_of(replace(HERO, party=(hurt, egg))).health == 0.25


def test_an_egg_makes_a_party_no_stronger():
    egg = replace(STARTER, level=5, is_egg=True)
    alone = strength_of(replace(HERO, party=(replace(STARTER, level=7),)))
    assert alone.levels == 7
    assert strength_of(replace(HERO, party=(replace(STARTER, level=7), egg))) == alone


# ---- keys


def test_a_direction_is_kept_for_as_many_steps_as_its_chance_says():
    free = [replace(HERO, controllable=True, position=(step, 3)) for step in range(2)]
    keys = RandomKeys(Random(1))
    pressed = [keys.choose(free[step % 2]) for step in range(20_000)]  # never stands still
    walked = [mask for mask in pressed if mask in MASKS[: len(DIRECTIONS)]]
    # a key that is thrown anew may be the same again
    again = KEEP + (1 - KEEP) * WALKING[0]
    repeated = sum(
        a == b for a, b in zip(pressed, pressed[1:], strict=False) if a in MASKS[: len(DIRECTIONS)]
    )
    assert repeated / len(walked) == pytest.approx(again, abs=0.015)
    assert set(pressed) == set(MASKS[: len(PRESSED)])


def test_what_does_not_give_way_is_often_touched_with_a():
    free = replace(HERO, controllable=True)
    keys = RandomKeys(Random(3))
    pressed = [keys.choose(free) for _ in range(20_000)]
    walked = MASKS[: len(DIRECTIONS)]
    after = [then for key, then in zip(pressed, pressed[1:], strict=False) if key in walked]
    assert after.count(MASKS[4]) / len(after) == pytest.approx(BLOCKED[4], abs=0.02)


def test_talk_and_battles_are_mostly_answered_with_a():
    keys, a = RandomKeys(Random(2)), MASKS[4]
    for state in (replace(HERO, controllable=False), replace(HERO, in_battle=True)):
        pressed = Counter(keys.choose(state) for _ in range(4000))
        assert pressed[a] / 4000 > 0.65


def corridor(length, kind, which=(1, 2)):
    """What is seen on a way of one tile's width, with something at its right end."""

    def look(state):
        rows = np.zeros((32, 5), np.uint8)
        rows[0] = kind, *which, length - state.position[0], 8  # right
        return rows

    return look


def walk(look, length, seed):
    """Keys pressed on such a walk until it ends; a key to the right walks, up to the end."""
    walks, x, pressed = GoalWalks(Random(seed), look), 0, []
    for _ in range(1000):
        state = replace(HERO, controllable=True, mode=Mode.OVERWORLD, position=(x, 3))
        key = walks.next_key(state)
        if key is None and pressed:
            return pressed
        if key is not None:
            pressed.append(key)
            x = min(x + (key == "right"), length - 1)
    return pressed


def test_a_walk_to_somebody_walks_there_turns_and_presses_a():
    for seed in range(20):
        pressed = walk(corridor(7, TargetKind.PERSON), 7, seed)
        assert pressed[:8] == ["right"] * 7 + ["a"]


def test_a_walk_that_gets_no_nearer_ends():
    for seed in range(20):
        pressed = walk(corridor(7, TargetKind.DOOR), 4, seed)  # something stands in the way
        assert set(pressed) == {"right"} and len(pressed) < 20


def test_goal_walks_are_for_steps_on_foot():
    def look(state):
        raise AssertionError("nobody walks now")

    walks = GoalWalks(Random(0), look)
    for state in (None, replace(HERO, controllable=False), replace(HERO, mode=Mode.BATTLE)):
        assert all(walks.next_key(state) is None for _ in range(100))


@pytest.mark.long
def test_with_goals_the_search_gets_further(tmp_path, monkeypatch):
    def reached(chance):
        monkeypatch.setattr(goal_walks, "BEGIN", chance)
        archive = Archive(tmp_path / str(chance))
        search = Search(archive, Explorer(CONFIG), seed=0)
        for _ in range(4):
            search.explore()
        return len(archive.first_with())

    assert reached(goal_walks.BEGIN) > reached(0.0)


# ---- bursts


@cache
def home_state():
    return Explorer(CONFIG).home()[0]


@pytest.fixture
def archive(tmp_path):
    archive = Archive(tmp_path / "archive")
    archive.add(home_state(), None)
    return archive


def jobs(archive, count, steps=30):
    return tuple(Job(0, archive.path(0), 0, seed, steps) for seed in range(count))


def test_any_number_of_explorers_finds_the_same(archive):
    work = Round(0, jobs(archive, 5), archive.costs())
    alone = Explorer(CONFIG).play(work)
    shared = [None] * 5
    for number in range(2):
        shared[number::2] = Explorer(CONFIG, number, 2).play(work)
    assert shared == alone and sum(len(burst.found) for burst in alone) > 5


def test_what_is_found_is_a_state_of_its_cell_and_better_than_what_was_known(archive):
    known = archive.costs()
    explorer = Explorer(CONFIG)
    (burst,) = explorer.play(Round(0, jobs(archive, 1), known))
    first = burst.found
    gba = GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP)
    for each in first:
        gba.set_state(zlib.decompress(each.state))
        assert cell_of(StateReader(gba.memory.read).sample()) == each.cell
        assert each.cost < known.get(each.cell, math.inf) - WORTH
        assert 0 < each.length <= 30
    # told of it, it finds none of that again
    news = {each.cell: each.cost for each in first}
    (again,) = explorer.play(Round(1, jobs(archive, 1), news))
    assert again.found == [] and again.trail == burst.trail


def test_an_explorer_that_missed_a_round_says_so(archive):
    explorer = Explorer(CONFIG)
    assert explorer.play(Round(3, (), {})) is None
    assert explorer.play(Round(0, (), {})) == []
    assert explorer.play(Round(1, (), {})) == [] and explorer.play(Round(3, (), {})) is None


class Idle:
    """Explorers that find nothing, and note where bursts were to begin."""

    def __init__(self):
        self.begun = []

    def play(self, work):
        self.begun += [job.node for job in work.jobs]
        return [Burst() for _ in work.jobs]


def test_bursts_are_counted_where_they_begin_those_from_anywhere_too(tmp_path):
    archive, idle = Archive(tmp_path), Idle()
    battle = Cell(0, 0, 0, 0, 0, 0, 0, 5 * (FOE_PARTS + 2))  # of trainer 5
    behind = archive.add(found(battle), None)
    for number in range(40):  # each further milestone makes it half as likely
        archive.add(found(Cell((2 << number) - 1, *[0] * 7)), None)
    search = Search(archive, idle, seed=0)
    for _ in range(3):
        search.explore()
    assert len(idle.begun) == 3 * 32
    counted = {number: node.drawn for number, node in archive.nodes.items() if node.drawn}
    assert counted == Counter(idle.begun)
    fights = {at % 32 for at, node in enumerate(idle.begun) if node == behind}
    assert {3, 11, 19, 27} <= fights <= {3, 7, 11, 15, 19, 23, 27, 31}


# ---- the archive

CELLS = st.builds(
    Cell,
    st.sampled_from([1, 3, 7, 15]),
    *[st.integers(0, 1)] * 2,
    *[st.just(0)] * 3,
    st.integers(0, 2),
    st.just(0),
    *[st.integers(0, 2)] * len(Cell._field_defaults),
)
FINDS = st.lists(
    st.tuples(CELLS, st.integers(1, 500), st.floats(0, 1), st.integers(0, 9), st.floats(0, 1)),
    max_size=40,
)


def filled(folder, finds, most_cells=10**6):
    archive = Archive(folder, most_cells)
    archive.add(found(), None)
    for number, (cell, length, health, levels, where) in enumerate(finds):
        parents = list(archive.cells.values())
        parent = parents[int(where * (len(parents) - 1))]
        length += archive.nodes[parent].length
        archive.add(found(cell, length, Strength(health, levels), str(number)), parent)
        if number % 5 == 4:
            archive.tidy()
    archive.tidy()
    return archive


@settings(max_examples=60)
@given(finds=FINDS)
def test_a_cells_state_never_gets_worse_and_every_way_comes_from_home(tmp_path_factory, finds):
    folder = tmp_path_factory.mktemp("a")
    best = {HOME: found().cost}
    archive = Archive(folder)
    archive.add(found(), None)
    for number, (cell, length, health, levels, _) in enumerate(finds):
        new = found(cell, length, Strength(health, levels), str(number))
        kept = archive.add(new, 0)
        assert (kept is not None) == (new.cost < best.get(cell, math.inf))
        best[cell] = min(best.get(cell, math.inf), new.cost)
    archive.tidy()
    assert archive.costs() == best
    archive = filled(folder, finds)
    for number in archive.nodes:
        chain = archive.chain(number)
        assert chain[0] == 0 and chain == sorted(chain)
        lengths = [archive.nodes[node].length for node in chain]
        assert lengths == sorted(lengths)
        assert archive.path(number).is_file()
    children = Counter(node.parent for node in archive.nodes.values())
    best = set(archive.cells.values())
    for number, node in archive.nodes.items():
        assert node.children == children[number]
        assert node.children or number in best  # nothing is kept that nobody needs


@settings(max_examples=25)
@given(finds=FINDS, seed=st.integers(0, 99))
def test_an_archive_resumes_where_it_stopped(tmp_path_factory, finds, seed):
    archive = filled(tmp_path_factory.mktemp("a"), finds)
    archive.draw(Random(seed), 5)
    again = Archive(archive.folder)
    again.set_state(json.loads(json.dumps(archive.get_state())))
    assert again.get_state() == archive.get_state() and again.costs() == archive.costs()
    assert again.draw(Random(seed), 9) == archive.draw(Random(seed), 9)
    for each in (archive, again):
        each.add(found(Cell(31, *[0] * 7), 999), 0)
        each.tidy()
    assert again.get_state() == archive.get_state()


def test_a_state_that_cannot_be_written_leaves_the_known_one(tmp_path, monkeypatch):
    archive = filled(tmp_path, [(Cell(1, *[0] * 7), 100, 1.0, 5, 0.0)])
    before, costs = archive.get_state(), archive.costs()
    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", Mock(side_effect=OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space left"):
            archive.add(found(Cell(1, *[0] * 7), 50), 0)
    assert (archive.get_state(), archive.costs()) == (before, costs)
    assert archive.add(found(Cell(1, *[0] * 7), 50), 0) is not None


def test_files_go_when_neither_the_archive_nor_the_saved_one_needs_them(tmp_path):
    archive = filled(tmp_path, [])
    archive.add(found(Cell(3, *[0] * 7), 100), 0)
    saved = archive.get_state()
    old = archive.path(1)
    archive.add(found(Cell(3, *[0] * 7), 50), 0)
    archive.tidy()
    archive.sweep(saved)
    assert old.is_file() and 1 not in archive.nodes
    archive.sweep(archive.get_state())
    assert not old.exists() and all(archive.path(node).is_file() for node in archive.nodes)


def test_the_states_of_an_archive_take_no_more_disk_than_they_may(tmp_path):
    archive = Archive(tmp_path, most_bytes=40_000)
    archive.add(found(), None)
    size = archive.path(0).stat().st_size
    assert size < 4_000
    for n in range(3 * 40_000 // size):
        archive.add(found(Cell(1, 0, 0, 0, 0, n, 0, 0), n + 1), 0)
        archive.tidy()
    assert 0.8 * 40_000 < len(archive) * size < 1.2 * 40_000


def test_cells_beyond_the_bound_are_forgotten_the_oldest_part_of_the_story_first(tmp_path):
    finds = [(Cell(2 ** (n // 20 + 1) - 1, 0, 0, 0, 0, n, 0, 0), n + 1) for n in range(100)]
    archive = Archive(tmp_path, most_cells=60)
    archive.add(found(), None)
    parent = 0
    for cell, length in finds:
        new = archive.add(found(cell, length), parent)
        if length % 20 == 0:
            parent = new
        archive.tidy()
        assert len(archive) <= 61
    progress = Counter(cell.progress for cell in archive.cells)
    assert progress[5] == 20 > progress[1]
    assert archive.chain(archive.furthest())[0] == 0
    assert math.inf in archive.take_news().values()


@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(0, 3), st.integers(0, 99)),
        min_size=1,
        max_size=60,
    )
)
def test_far_fresh_and_new_ground_is_drawn_most(cells):
    spots = [Spot((rank, 0), (0, place), (square,)) for rank, place, square, _ in cells]
    first = {(0, place): min(c[0] for c in cells if c[1] == place) for _, place, *_ in cells}
    found = weights(spots, [drawn for *_, drawn in cells], first)
    by_spot, freshness = Counter(), {}
    for spot, weight in zip(spots, found, strict=True):
        by_spot[spot] += weight
        own = [cell[3] for cell, other in zip(cells, spots, strict=True) if other == spot]
        freshness[spot] = 1 / (sum(own) + 1)
    ranks = sorted({spot.rank for spot in spots}, reverse=True)
    for behind, rank in enumerate(ranks):
        inside = [spot for spot in by_spot if spot.rank == rank]
        assert sum(by_spot[spot] for spot in inside) == pytest.approx(BEHIND**behind)
        # what is left when age and freshness are taken out is alike for all
        squares = Counter(spot.room for spot in inside)
        left = [
            by_spot[spot] * (rank[0] - first[spot.room] + 1) * squares[spot.room] / freshness[spot]
            for spot in inside
        ]
        assert left == pytest.approx([left[0]] * len(left))
    for spot in by_spot:  # cells that share a square are alike
        alike = [w for w, other in zip(found, spots, strict=True) if other == spot]
        assert alike == pytest.approx([alike[0]] * len(alike))


@settings(max_examples=30)
@given(finds=FINDS, slug=st.sampled_from([entry.slug for entry in milestones()][:4]))
def test_another_way_to_a_milestone_begins_before_it(tmp_path_factory, finds, slug):
    archive = filled(tmp_path_factory.mktemp("a"), finds)
    (bit,) = [1 << entry.bit for entry in milestones() if entry.slug == slug]
    drawn = archive.draw(Random(1), 50, before=slug)
    behind = [bool(archive.nodes[number].cell.milestones & bit) for number in drawn]
    if any(not cell.milestones & bit for cell in archive.cells):
        assert not any(behind)
    else:
        assert all(behind)  # there is nowhere else to begin


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a.png", 5, None, ".ss1"])
def test_a_strangers_file_name_is_no_path(tmp_path, name):
    state = filled(tmp_path, []).get_state()
    state["nodes"][0][5] = name
    with pytest.raises(ValueError, match="the archive names a file"):
        Archive(tmp_path).set_state(state)


def test_nothing_begins_in_a_state_whose_file_is_gone(tmp_path):
    archive = filled(tmp_path, [])
    state, gone = archive.get_state(), next(iter(archive.cells.values()))
    archive.path(gone).unlink()
    resumed = Archive(tmp_path)
    resumed.set_state(state)
    assert resumed.lost == {gone}
    if set(resumed.cells.values()) == {gone}:
        with pytest.raises(FileNotFoundError, match="no state .* can be read"):
            resumed.draw(Random(0), 5)
    else:
        assert gone not in resumed.draw(Random(0), 50)


def test_a_search_loses_a_damaged_state_once_and_continues(tmp_path, capsys):
    archive = filled(tmp_path, [])
    search = Search(archive, None, 0)
    assert search.take(0, None) == 0 and search.take(0, None) == 0
    assert archive.lost == {0} and capsys.readouterr().out.count("it is not used any more") == 1


# ---- the search


def test_every_eighth_burst_begins_in_a_battle_and_each_trainer_is_as_likely(tmp_path):
    def battle(trainer, hp):
        foe = replace(STARTER, hp=hp, max_hp=80)
        return cell_of(replace(HERO, in_battle=True, opponent=trainer, enemy_party=(foe,)))

    class Listener:
        def __init__(self):
            self.begun = []

        def play(self, work):
            self.begun += [job.node for job in work.jobs[ANYWHERE :: 2 * len(GUIDED)]]
            return [Burst()] * len(work.jobs)

    cells = [battle(265, hp) for hp in range(1, 81)] + [battle(6, 80)]
    archive = filled(tmp_path, [(cell, 9, 1.0, 5, 0.0) for cell in cells])
    search = Search(archive, listener := Listener(), seed=0)
    for _ in range(100):
        search.explore()
    begun = Counter(archive.nodes[node].cell.trainer for node in listener.begun)
    assert len(listener.begun) == 400 and begun.keys() == {6, 265}
    assert abs(begun[6] - 200) < 4 * math.sqrt(400 / 4)


@pytest.fixture
def short_rounds(monkeypatch):
    monkeypatch.setattr(search_module, "JOBS", 6)
    monkeypatch.setattr(search_module, "STEPS", 60)


def test_a_search_that_stopped_continues_to_the_same_archive(tmp_path, short_rounds):
    def begin(name):
        return Search(Archive(tmp_path / name), Explorer(CONFIG), seed=4)

    whole, part = begin("whole"), begin("part")
    whole.explore(), part.explore()
    state = from_plain(*to_plain([part.get_state(), part.archive.get_state()]))
    part.explore()  # which is lost
    again = begin("part")
    again.set_state(state[0])
    again.archive.set_state(state[1])
    assert whole.explore() == again.explore() > 0
    assert again.archive.get_state() == whole.archive.get_state()
    assert to_plain(again.get_state())[0] == to_plain(whole.get_state())[0]
    ours, theirs = again.get_state()["atlas"], whole.get_state()["atlas"]
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    assert again.steps == 2 * 6 * 60 and "visited_littleroot" in again.first_seen
    # its states are states of mGBA that a game can begin in
    for node in list(again.archive.nodes)[:20]:
        file = again.archive.path(node)
        assert load(file).data == unpack_png(file.read_bytes())


class Searching:
    """Explorers whose bursts search for the best moves as long as they may."""

    def home(self):
        return [found()]

    def play(self, work):
        return [Burst(searched=int(min(job.searched, 400))) for job in work.jobs]


def test_a_round_searches_for_moves_as_long_as_there_is_room(tmp_path):
    search = Search(Archive(tmp_path), Searching(), seed=0)
    search.explore(4000)
    assert search.steps == 32 * (100 + 25) == 4000
    search.explore()
    assert search.steps == 4000 + 32 * (100 + 400)


def test_no_round_passes_the_end_of_a_run(tmp_path):
    search = Search(Archive(tmp_path), Searching(), seed=0)
    explored = SimpleNamespace(search=search, due=lambda learnt: 10**9, frontier=lambda: 0.0)
    callback = ExplorationCallback(explored)
    logger = SimpleNamespace(record=lambda name, value: None)
    callback.model = SimpleNamespace(num_timesteps=512, _total_timesteps=23_000, logger=logger)
    callback.on_rollout_end()
    # a round of 32 bursts with 400 steps of searching each, then one with room for 102
    assert callback.model.num_timesteps == 512 + 32 * (100 + 400) + 32 * (100 + 102) <= 23_000


def test_a_way_from_a_forgotten_state_still_comes_from_home(tmp_path):
    search = Search(filled(tmp_path, []), None, seed=0)
    assert search.take(77, [found(Cell(3, *[0] * 7), 100)]) == 1
    assert search.archive.chain(1) == [0, 1]


def test_of_several_starts_none_is_taken_for_that_of_a_way_from_a_forgotten_state(tmp_path):
    archive = Archive(tmp_path)
    first, second = (archive.add(found(Cell(0, start, *[0] * 11), 0), None) for start in (1, 2))
    slow, fast = (archive.add(found(Cell(1, *[0] * 12), steps), second) for steps in (50, 20))
    archive.tidy()
    assert slow not in archive.nodes and archive.chain(fast) == [second, fast]
    way = [found(Cell(3, *[0] * 12), 80)]
    assert Search(archive, None, seed=0).take(slow, way) == 0
    assert set(archive.nodes) == {first, second, fast}
    assert Search(archive, None, seed=0).take(fast, way) == 1


@pytest.mark.parametrize("content", [None, b"", b"no state"])
def test_a_job_whose_state_cannot_be_read_differs_from_one_that_finds_nothing(archive, content):
    archive.path(0).unlink()
    if content is not None:
        archive.path(0).write_bytes(content)
    assert Explorer(CONFIG).play(Round(0, jobs(archive, 1), {})) == [None]


def test_exploring_is_the_same_on_workers_and_disturbs_no_episode(tmp_path, short_rounds):
    config = GameConfig(observation="dict", shrink=8, start_wait=0)
    games = make_vec_env(config, 3, 2, seed=3, practice=True)
    alone = in_process(config, 3, seed=3)
    try:
        ours = Search(Archive(tmp_path / "ours"), Team(games), seed=1)
        theirs = Search(Archive(tmp_path / "theirs"), Explorer(CONFIG), seed=1)
        games.reset(), alone.reset()
        for action in range(3):
            if action == 1:
                assert ours.explore() == theirs.explore() > 0
            seen, expected = (each.step(np.full(3, action))[0] for each in (games, alone))
            assert all(np.array_equal(seen[key], expected[key]) for key in seen)
        assert ours.archive.get_state() == theirs.archive.get_state()
    finally:
        games.close(), alone.close()


@pytest.mark.parametrize("good, told", [(0, [0, 0, 0, 1]), (1, [0, 1, 0, 0, 1])])
def test_workers_that_are_lost_twice_in_a_round_do_not_end_the_run(tmp_path, good, told):
    class Lost:
        told = []

        def home(self):
            return [found()]

        def play(self, work):
            self.told.append(work.number)
            return None if 0 <= len(self.told) - 1 - good < 2 else [Burst() for _ in work.jobs]

    search = Search(Archive(tmp_path), Lost(), seed=0)
    for _ in range(good + 2):
        search.explore()
    assert Lost.told == told


def test_workers_that_are_too_slow_for_a_round_end_the_run_with_what_helps(tmp_path):
    class Slow:
        def home(self):
            return [found()]

        def play(self, work):
            return None  # replaced before it was done, again and again

    with pytest.raises(WorkerError, match="--worker-seconds"):
        Search(Archive(tmp_path), Slow(), seed=0).explore()
