"""Menus in the search: the keys that open them and choose, cells, places, advice."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.atlas.atlas import (
    DTYPES,
    FIGHTS,
    FIGHTS_ADVISED,
    GROUNDS,
    N_KEYS,
    NEWER,
    OLD_N_KEYS,
    Atlas,
)
from baselines.exploration.atlas.own_trails import keys_of_actions, own_trails
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from emerald_env.env.config import EnvConfig
from emerald_env.env.observation import MENU, observe_fully
from emerald_env.env.state_vector import menu_numbers
from emerald_env.env.state_vector.menu_numbers import MenuVector, item_at, observe_menu
from emerald_env.explorer import Advice, Explorer, Trail, cell_of
from emerald_env.explorer.cells import MENU_ROOM
from emerald_env.explorer.exact_places import (
    CLOSED,
    UNKNOWN,
    places_and_grounds,
    told_apart,
)
from emerald_env.explorer.menu_walks import LINES, MenuWalks
from emerald_env.explorer.random_keys import KEYS, MASKS, OPENS, TEACHES, RandomKeys
from emerald_env.game.tables import milestones
from emerald_env.state import POCKETS, Facing, Menu, MenuKind, Mode
from emerald_env.state.parts.field_moves import lessons_waiting
from rewards.audit.new_game import NEW_GAME, STARTER

START, A, B = (KEYS.index(key) for key in ("start", "a", "b"))
CUT, HM01, TM01, POTION, BIKE = 15, 339, 289, 13, 259
WALKING = replace(NEW_GAME, party=(STARTER,), controllable=True, mode=Mode.OVERWORLD)


def bag(**pockets):
    """The bag's bytes with these items, one of each."""
    data = bytearray(744)
    for name, items in pockets.items():
        for slot, item in enumerate(items):
            at = POCKETS[name][0] + 4 * slot
            data[at : at + 4] = item.to_bytes(2, "little") + b"\1\0"
    return bytes(data)


def in_menu(kind, cursor=None, pocket=None, words=None, state=WALKING):
    menu = Menu(kind, cursor, pocket, words)
    mode = Mode.DIALOG if kind is MenuKind.WORDS else Mode.MENU
    return replace(state, mode=mode, controllable=False, menu=menu)


TAUGHT = replace(WALKING, party=(replace(STARTER, moves=(1, CUT), pp=(1, 1)),))
WITH_HM = replace(WALKING, bag_data=bag(tm_hm=[TM01, HM01], items=[POTION]))
AT_HM = in_menu(MenuKind.BAG, 1, 2, state=WITH_HM)


# ---- numbers


def test_the_numbers_tell_the_menu_its_cursor_and_the_item_there():
    assert not observe_menu(None).any() and not observe_menu(WALKING).any()
    assert item_at(AT_HM, AT_HM.menu) == HM01 and lessons_waiting(WITH_HM) == 1
    states = [
        WALKING, WITH_HM, TAUGHT, AT_HM, replace(AT_HM, party=TAUGHT.party),
        *(in_menu(MenuKind.START, n) for n in (0, 1, 7, 8)),
        in_menu(MenuKind.BAG, 1, 2, 0), in_menu(MenuKind.BAG, 1, 3), in_menu(MenuKind.OTHER),
    ]  # fmt: skip
    seen = {observe_menu(state).tobytes() for state in states}
    assert len(seen) == len(states)
    assert all(((0 <= v) & (v <= 1)).all() for v in map(observe_menu, states))
    assert item_at(AT_HM, Menu(MenuKind.BAG, 9, 2)) == 0, "the way out, below the items"


def test_what_has_not_changed_is_not_computed_again():
    numbers = MenuVector()
    one = numbers.of(AT_HM)
    assert numbers.of(replace(AT_HM, position=(9, 9))) is one
    np.testing.assert_array_equal(numbers.of(TAUGHT), observe_menu(TAUGHT))
    assert not numbers.of(None).any()


# ---- keys


def entry(kind, goal, menu, pockets=5):
    """Whether the walk pressed A where it is; what each key makes of the menu."""
    steps = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
    page, row = steps[goal]
    pocket = menu.pocket if menu.pocket is None else (menu.pocket + page) % pockets
    return Menu(kind, max(menu.cursor + row, 0), pocket, menu.words)


@pytest.mark.parametrize("kind", [MenuKind.START, MenuKind.BAG, MenuKind.PARTY])
def test_a_walk_in_a_menu_ends_with_a_at_every_entry_sooner_or_later(kind):
    chosen = Counter()
    for seed in range(400):
        walks = MenuWalks(Random(seed))
        state = in_menu(kind, 0, 0 if kind is MenuKind.BAG else None, state=WITH_HM)
        for _ in range(20):
            key = walks.next_key(state)
            if key in (None, "a", "b"):
                chosen[key and (key, state.menu.pocket, state.menu.cursor)] += 1
                break
            state = replace(state, menu=entry(kind, key, state.menu))
    assert sum(chosen.values()) == 400, "each walk ends"
    if kind is MenuKind.BAG:
        assert chosen["a", 2, 1] > 20 and chosen["a", 0, 0] > 20
    else:
        lines = LINES if kind is MenuKind.START else 1
        assert all(chosen["a", None, line] for line in range(lines))
    assert any(key and key[0] == "b" for key in chosen)


def test_a_walk_to_an_entry_that_is_not_there_ends_too():
    for seed in range(50):
        walks = MenuWalks(Random(seed))
        keys = [walks.next_key(in_menu(MenuKind.START, 2)) for _ in range(15)]
        assert keys[0] is None or {"a", "b"} & set(keys)


def test_start_is_pressed_on_foot_more_often_where_a_move_can_be_taught():
    shares = {}
    for state in (WALKING, WITH_HM):
        keys = RandomKeys(Random(1), opens_menus=True)
        pressed = Counter(keys.choose(state) for _ in range(20_000))
        shares[state is WITH_HM] = pressed[MASKS[START]] / 20_000
    assert shares[False] == pytest.approx(OPENS, abs=0.001)
    assert shares[True] == pytest.approx(TEACHES, abs=0.004)


def test_without_start_among_the_actions_no_menu_is_opened():
    keys = RandomKeys(Random(1))
    assert MASKS[START] not in {keys.choose(WITH_HM) for _ in range(5000)}


# ---- cells


def test_a_menus_cell_tells_its_cursor_and_not_where_it_was_opened():
    cells = {
        cell_of(in_menu(MenuKind.START, 0)),
        cell_of(in_menu(MenuKind.START, 1)),
        cell_of(in_menu(MenuKind.BAG, 1, 2)),
        cell_of(in_menu(MenuKind.BAG, 1, 3)),
        cell_of(in_menu(MenuKind.BAG, 1, 3, 0)),
        cell_of(in_menu(MenuKind.PARTY, 1)),
    }
    assert len(cells) == 6 and {cell.group for cell in cells} == {MENU_ROOM}
    there = replace(in_menu(MenuKind.START, 0), location=(0, 10), position=(3, 3))
    assert cell_of(there) in cells
    question = in_menu(MenuKind.WORDS, 0)
    assert cell_of(question) != cell_of(replace(question, menu=Menu(MenuKind.WORDS, 1)))
    assert cell_of(question)[3:7] == cell_of(WALKING)[3:7]


def test_cells_tell_what_the_story_needs_of_bag_and_party():
    assert cell_of(TAUGHT).rank > cell_of(WALKING).rank
    for other in (
        WITH_HM,
        replace(WALKING, bag_data=bag(key_items=[BIKE])),
        replace(WALKING, party=(replace(STARTER, species=288),)),
    ):
        assert cell_of(other) != cell_of(WALKING)
    assert cell_of(replace(WALKING, bag_data=bag(items=[POTION], tm_hm=[TM01]))) == cell_of(WALKING)


# ---- places and advice


def numbers(*states):
    menus = np.stack([observe_menu(state) for state in states])
    vectors = np.stack([observe_fully(state) for state in states])
    return places_and_grounds(vectors, menus)[0].tolist()


def test_menus_are_places_and_the_same_ones_everywhere():
    here = [in_menu(MenuKind.START, n) for n in range(3)] + [AT_HM, TAUGHT, WALKING]
    assert len(set(numbers(*here))) == len(here)
    there = replace(here[0], location=(0, 10), position=(3, 3))
    assert numbers(here[0]) == numbers(there)
    elsewhere = replace(WALKING, location=(0, 10), position=(3, 3))
    assert numbers(WALKING) != numbers(elsewhere)


def test_the_partys_menu_is_another_place_for_an_item_than_to_be_looked_at():
    machine, medicine, seen = (in_menu(MenuKind.PARTY, 0, pocket) for pocket in (2, 0, None))
    assert len({*numbers(machine, medicine, seen)}) == 3
    assert observe_menu(machine)[menu_numbers.CURSOR].tolist() == [1, *[0] * 7]
    with_hm = replace(machine, bag_data=WITH_HM.bag_data)
    assert item_at(with_hm, with_hm.menu) == 0, "its cursor is no row of the bag"


def test_without_a_menu_or_a_lesson_places_are_those_of_older_atlases():
    vectors = observe_fully(WALKING)[None]
    assert places_and_grounds(vectors)[0].tolist() == numbers(WALKING)


def test_a_taught_move_is_another_place_on_the_same_ground_but_in_menus_another_ground():
    def numbered(*states):
        vectors, menus = (np.stack([f(s) for s in states]) for f in (observe_fully, observe_menu))
        return (numbers.tolist() for numbers in places_and_grounds(vectors, menus))

    places, grounds = numbered(WALKING, WITH_HM, TAUGHT, replace(TAUGHT, position=(9, 9)))
    assert len(set(places)) == 4
    assert grounds[0] == grounds[1] == grounds[2] != grounds[3]
    opened = in_menu(MenuKind.BAG, 1, 2)
    places, grounds = numbered(opened, AT_HM, in_menu(MenuKind.BAG, 1, 2, state=TAUGHT))
    assert len(set(places)) == len(set(grounds)) == 3


def test_the_teacher_knows_start_and_keys_in_menus_and_nothing_of_battles():
    fight = replace(in_menu(MenuKind.MOVE, 1), mode=Mode.BATTLE, in_battle=True)
    states = [WITH_HM, AT_HM, in_menu(MenuKind.OTHER), fight]
    vectors, menus = (np.stack([f(s) for s in states]) for f in (observe_fully, observe_menu))
    assert told_apart(vectors, menus).tolist() == [True, True, False, False]
    places = places_and_grounds(vectors, menus)[0]
    order, atlas = np.argsort(places), Atlas()
    keys = np.array([START, *[KEYS.index("down")] * 3], np.int8)
    atlas.advice = Advice(places[order], keys[order])
    seen = {"state": torch.from_numpy(vectors), MENU: torch.from_numpy(np.tile(menus, 2))}
    assert Advisor(atlas, "story")(seen).tolist() == [15, 6, -1, -1]
    assert Advisor(atlas, "original")(seen).tolist() == [-1, 6, -1, -1], "it cannot press Start"


def test_in_a_battle_that_does_not_go_on_no_move_is_chosen_for_the_agent():
    kinds = (MenuKind.MOVE, MenuKind.ACTION, MenuKind.BAG)
    states = [replace(in_menu(kind, 0), mode=Mode.BATTLE, in_battle=True) for kind in kinds]
    vectors, menus = (np.stack([f(s) for s in states]) for f in (observe_fully, observe_menu))
    advisor = Advisor(Atlas(), "story")
    advisor.drawn_out = places_and_grounds(vectors, menus)[0].tolist()
    seen = {"state": torch.from_numpy(vectors), MENU: torch.from_numpy(menus)}
    a = keys_of_actions("story").tolist().index(KEYS.index("a"))
    assert advisor(seen).tolist() == [-1, a, a]


def test_a_menu_is_the_same_for_who_should_rest():
    tired = replace(WALKING, party=(replace(STARTER, hp=1),))
    assert numbers(WALKING) != numbers(tired)
    assert numbers(in_menu(MenuKind.BAG, 1, 2)) == numbers(in_menu(MenuKind.BAG, 1, 2, state=tired))


def test_an_agents_own_menus_become_trails():
    states = [WITH_HM, in_menu(MenuKind.START, 0, state=WITH_HM), AT_HM]
    parts = {
        "state": np.stack([observe_fully(state) for state in states])[:, None],
        MENU: np.stack([observe_menu(state) for state in states])[:, None],
    }
    keys = keys_of_actions("story")[[15, 1]][:, None]
    (trail,) = own_trails(parts, keys, np.zeros((3, 1), bool))
    assert trail.places == numbers(*states) and trail.keys == [START, KEYS.index("a")]
    assert trail.walks == [True] * 3


def test_an_atlas_from_before_start_is_read_and_continues():
    dice = np.random.default_rng(0)
    places = dice.integers(0, 30, 400).tolist()
    keys = dice.integers(0, OLD_N_KEYS, 399).tolist()
    atlas = Atlas()
    assert DTYPES.keys() == atlas.get_state().keys() and set(NEWER) == {
        "n_keys",
        "circled",
        "on_foot",
        *GROUNDS,
        *FIGHTS,
        *FIGHTS_ADVISED,
    }
    atlas.add(Trail(places, [place // 10 for place in places], [True] * 400, keys))
    atlas.solve()
    state = atlas.get_state()
    pairs, nexts = np.divmod(state["links"], 1 << 31)
    at, key = np.divmod(pairs, N_KEYS)
    older = {name: state[name] for name in DTYPES if name not in NEWER}
    older["links"] = (at * OLD_N_KEYS + key << 31) | nexts
    again = Atlas()
    again.set_state(older)
    for name, values in again.get_state().items():
        np.testing.assert_array_equal(values, state[name], err_msg=name)
    with pytest.raises(ValueError, match="9 keys"):
        again.set_state(state | {"n_keys": 9})


# ---- the game itself


def test_the_search_opens_menus_of_the_game_and_keeps_what_they_show(tmp_path):
    config = EnvConfig(action_set="story", menus=True, start_wait=0)
    archive = Archive(tmp_path / "archive")
    search = Search(archive, Explorer(config), seed=0)
    search.explore()
    menus = [cell for cell in archive.cells if cell.group == MENU_ROOM]
    kinds = {cell.menu % (len(MenuKind) + 1) for cell in menus}
    assert MenuKind.START in kinds and len(menus) >= 3
    assert len(menus) < len(archive.cells) / 4
    assert menu_numbers.SIZE == observe_menu(None).size


def walked(first, *steps):
    """A trail through states, each after the key that led there."""
    trail = Trail()
    trail.arrive(first, 0, menus=True)
    for key, state in steps:
        trail.arrive(state, MASKS[KEYS.index(key)], menus=True)
    return trail


def two_questions(atlas):
    """Lets an atlas see two questions at a tile: of whom one faces upwards, No is the answer.

    To the left no answer leads anywhere. Returns both questions with the cursor on Yes, then No.
    """
    milestone = next(each for each in milestones() if each.slug == "clock_set")
    done = replace(WALKING, flags=(1 << milestone.id).to_bytes(300, "little"))
    up, left = (replace(WALKING, facing=facing) for facing in (Facing.UP, Facing.LEFT))
    yes_up, no_up = (in_menu(MenuKind.WORDS, cursor, state=up) for cursor in (0, 1))
    yes_left, no_left = (in_menu(MenuKind.WORDS, cursor, state=left) for cursor in (0, 1))
    turns = ("left", left), ("up", up)
    for _ in range(20):
        atlas.add(walked(up, ("a", yes_up), ("down", no_up), ("a", done)))
        atlas.add(walked(up, ("a", yes_up), ("a", up), *turns))
        atlas.add(walked(left, ("a", yes_left), ("a", left)))
        atlas.add(walked(left, ("a", yes_left), ("down", no_left), ("up", yes_left)))
        atlas.add(walked(yes_left, ("down", no_left), ("a", left)))
    return up, left, yes_up, no_up, yes_left, no_left


def test_two_questions_at_one_tile_are_two():
    atlas = Atlas()
    states = two_questions(atlas)
    atlas.solve()
    told = [KEYS[key] for key in atlas.advice.look_up(np.array(numbers(*states)))]
    assert told == ["a", "up", "down", "a", "a", "a"]


def test_an_atlas_that_does_not_tell_who_is_on_foot_continues_as_it_was():
    atlas, again = Atlas(), Atlas()
    states = two_questions(atlas)
    older = {name: array for name, array in atlas.get_state().items() if name != "on_foot"}
    again.set_state(older)
    again.solve()
    told = [KEYS[key] for key in again.advice.look_up(np.array(numbers(*states[4:])))]
    assert told == ["down", "up"], "as if the other question were this one"
    two_questions(again)  # what is seen again is known
    again.solve()
    assert KEYS[again.advice.look_up(np.array(numbers(states[5])))[0]] == "a"


def visit(dice, tile, knows, teaches):
    """A menu opened on a tile and closed: its places and `menu_visits`, and the place after."""
    menu = [1000 + knows, *[1001 + knows] * dice.randrange(3), 1002 + teaches, 1000 + teaches]
    codes = [1 + knows] * (len(menu) - 2) + [1 + teaches] * 2
    return menu, codes, 100 * teaches + tile


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_menus_opened_everywhere_and_closed_lead_nowhere(seed):
    """A row of tiles with a milestone at its end; whoever walks there opens a menu now and then."""
    dice, atlas, right = Random(seed), Atlas(), KEYS.index("right")
    for _ in range(60):
        trail = Trail([dice.randrange(20)], [0], [True], [], [], [CLOSED])
        while trail.places[-1] != 20:
            tile = trail.places[-1]
            if dice.random() < 0.3:
                menu, codes, _ = visit(dice, tile, 0, 0)
                trail.places += [*menu, tile]
                trail.visits += [*codes, CLOSED]
                trail.keys += [START, *[A] * (len(menu) - 1), B]
            else:
                trail.places.append(tile + 1)
                trail.visits.append(CLOSED)
                trail.keys.append(right)
        trail.walks = [True] * len(trail.places)
        trail.progress = [int(place == 20) for place in trail.places]
        atlas.add(trail)
    atlas.solve()
    tiles = np.array(sorted(set(range(20)) & set(atlas.places.tolist())))
    assert set(atlas.advice.look_up(tiles).tolist()) == {right}
    assert set(atlas.advice.look_up(np.array([1000, 1001, 1002])).tolist()) == {UNKNOWN}


def test_a_menu_in_which_a_move_is_taught_leads_on():
    dice, atlas, right = Random(0), Atlas(), KEYS.index("right")
    for _ in range(5):
        menu, codes, after = visit(dice, 7, 0, 1)
        places = [7, *menu, after, after + 1]
        keys = [START, *[A] * (len(menu) - 1), B, right]
        visits, progress = [CLOSED, *codes, CLOSED, CLOSED], [0] * (len(places) - 1) + [1]
        atlas.add(Trail(places, progress, [True] * len(places), keys, [], visits))
    atlas.solve()
    assert atlas.advice.look_up(np.array([7, 1000, 1001, 107])).tolist() == [START, A, A, right]


def test_a_visit_to_the_menus_begins_and_ends_on_foot():
    bag, start = in_menu(MenuKind.BAG, 0), in_menu(MenuKind.START, 2)
    fade = replace(WALKING, controllable=False, mode=Mode.TRANSITION)
    trail = Trail()
    for state in (WALKING, start, fade, bag, fade, fade, WALKING, fade, WALKING):
        trail.arrive(state, MASKS[A], menus=True)
    assert [code > CLOSED for code in trail.visits] == [False, True, False, True, *[False] * 5]
    assert [code < CLOSED for code in trail.visits] == [n in (2, 4, 5, 7) for n in range(9)]
    parts = [part.places for part in trail.without_idle_menus()]
    at = trail.places
    assert parts == [at[:1], at[1:2], at[2:3], at[3:4], at[4:]]


@pytest.mark.parametrize(
    ("visits", "parts"),
    [
        ([0, 1, -1, 1, -1, 2, 0, -1, 0], ["eg", "abcde", "f", "ghi"]),
        ([0, 1, 1, 2, 2, -1, 2, -1, 0], ["ci", "abc", "de", "f", "g", "hi"]),
        ([0, 1, 2, 1, 3, 3, 0, 1, 0], ["dg", "abcd", "ef", "g", "h", "i"]),
        ([0, 1, 2, 2, -1, -1, -1, 2, 2], ["ab", "cd", "efg", "hi"]),  # still in the menu
        ([2, 1, 0, 0, 0, 0, 0, 0, 0], ["ac", "a", "b", "cdefghi"]),
    ],
)
def test_what_was_done_last_in_a_menu_leads_to_where_it_was_closed(visits, parts):
    places, keys = [*range(9)], [*range(8)]
    trail = Trail(places, [0] * 9, [True] * 9, keys, places, visits, places, [False] * 9)
    found = list(trail.without_idle_menus())
    assert ["".join("abcdefghi"[place] for place in part.places) for part in found] == parts
    assert all(part.keys == part.places[:-1] for part in found)
    assert all(part.grounds == part.chapters == part.places for part in found)


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_whoever_has_taught_the_move_walks_on_wherever_others_taught_it(seed):
    """A row of tiles; who is taught gets to the milestone at its end, and looks around first."""
    dice, atlas, right = Random(seed), Atlas(), KEYS.index("right")
    for _ in range(80):
        tile, taught = dice.randrange(20), False
        trail = Trail([tile], [0], [True], [], [500 + tile], [CLOSED])
        for _ in range(400):
            if dice.random() < 0.3:
                then = taught or dice.random() < 0.5
                menu, codes, _ = visit(dice, tile, 10 * taught, 10 * then)
                menu += dice.choices([1000 + 10 * then, 1002 + 10 * then], k=dice.randrange(4))
                codes += [1 + 10 * then] * (len(menu) - len(codes))
                keys, taught = [START, *dice.choices([A, B], k=len(menu))], then
            else:
                menu, codes, keys = [], [], [right]
                tile += tile < 19 or taught
            trail.places += [*menu, tile + 100 * taught]
            trail.grounds += [*menu, 500 + tile]
            trail.visits += [*codes, CLOSED]
            trail.keys += keys
            if tile == 20:
                break
        trail.walks = [True] * len(trail.places)
        trail.progress = [int(place == 120) for place in trail.places]
        atlas.add(trail)
    atlas.solve()
    tiles = np.arange(20)
    walked = np.isin(tiles + 100, atlas.places)
    assert set(atlas.advice.look_up(tiles[walked] + 100).tolist()) == {right}
    assert set(atlas.advice.look_up(np.array([1010, 1012])).tolist()) == {UNKNOWN}
    waiting = atlas.advice.look_up(np.full(20, -7), 500 + tiles, np.ones(20, np.bool_))[walked]
    others = atlas.advice.look_up(np.full(20, -7), 500 + tiles)[walked]
    assert set(waiting.tolist()) <= {START, right} and START in waiting
    assert set(others.tolist()) <= {right, UNKNOWN} and right in others


def test_a_menu_without_a_move_to_teach_is_closed_unless_something_is_known_of_it():
    states = [WITH_HM, AT_HM, in_menu(MenuKind.START, 1), in_menu(MenuKind.WORDS, 1)]
    vectors, menus = (np.stack([f(s) for s in states]) for f in (observe_fully, observe_menu))
    seen = {"state": torch.from_numpy(vectors), MENU: torch.from_numpy(menus)}
    b = keys_of_actions("story").tolist().index(B)
    assert Advisor(Atlas(), "story")(seen).tolist() == [-1, -1, b, -1]


def test_the_page_says_how_many_numbers_a_menu_has():
    page = Path(__file__).resolve().parents[2] / "docs" / "EXPLORATION.md"
    assert menu_numbers.SIZE == 48 and "48 numbers with the kind of the menu" in page.read_text()
