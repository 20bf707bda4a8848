"""What goes for a fifth move: the weakest that opens no way, and only for a stronger one."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.fakes import with_party
from hypothesis import given
from hypothesis import strategies as st

from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.atlas.atlas import Atlas
from baselines.exploration.atlas.own_trails import keys_of_actions
from emerald_env.emulator import key_mask
from emerald_env.env.observation import MENU, observe_fully
from emerald_env.env.state_vector.menu_numbers import SIZE, observe_menu
from emerald_env.explorer import Advice
from emerald_env.explorer.battles.battle_turns import Choice, TurnKeys
from emerald_env.explorer.battles.fifth_move import asks_for_lesson, fifth_move_key, fifth_move_keys
from emerald_env.explorer.battles.fights import Fights
from emerald_env.explorer.random_keys import KEYS
from emerald_env.game.tables import moves
from emerald_env.state import GameState, Menu, MenuKind
from emerald_env.state.parts.field_moves import FIELD_MOVES
from tests.exploration.test_fights import FOE, MON, OWN, asked, two_a_side

GROWL, TACKLE, MUD_SLAP, WATER_GUN, TAKE_DOWN, FORESIGHT = 45, 33, 189, 55, 36, 193
CUT, FLASH, ROCK_SMASH = 15, 148, 249
STEPS = {"up": -2, "down": 2, "left": -1, "right": 1}
A_MOVE = st.integers(1, len(moves()) - 1)


def box(known: tuple[int, ...], new: int | None, cursor: int = 0, **other) -> GameState:
    """A battle asks which move to forget."""
    fighter = replace(OWN, moves=known, pp=(9,) * len(known))
    menu = Menu(MenuKind.WORDS, cursor, lesson=new)
    state = asked(battlers=(fighter, FOE), menu=menu, party=(replace(MON, moves=known),))
    return replace(state, **other)


def summary(known: tuple[int, ...], new: int | None, cursor: int = 0, **other) -> GameState:
    """The same in Emerald's screen, where the cursor may also be on the new move."""
    return box(known, new, menu=Menu(MenuKind.OTHER, cursor, lesson=new), **other)


def forgotten(known: tuple[int, ...], new: int, cursor: int = 0, asks=box) -> int | None:
    """Presses the keys until something happens; returns the move that goes, None if none does."""
    for _ in range(5):
        key = fifth_move_key(asks(known, new, cursor))
        if key in ("a", "b"):
            return known[cursor] if key == "a" else None
        step = STEPS[key]
        assert asks is box or abs(step) == 2, "one column"
        cursor += step if asks is box else step // 2
    raise AssertionError("the cursor does not arrive")


@pytest.mark.parametrize(
    ("known", "new", "expected"),
    [
        ((TACKLE, GROWL, MUD_SLAP, CUT), WATER_GUN, GROWL),
        ((TACKLE, WATER_GUN, MUD_SLAP, CUT), TAKE_DOWN, MUD_SLAP),
        ((TACKLE, WATER_GUN, MUD_SLAP, CUT), FORESIGHT, None),
        ((TACKLE, WATER_GUN, TAKE_DOWN, CUT), MUD_SLAP, None),
        ((TACKLE, FLASH, MUD_SLAP, CUT), WATER_GUN, MUD_SLAP),
        ((TACKLE, FLASH, ROCK_SMASH, CUT), WATER_GUN, TACKLE),
        ((CUT, FLASH, ROCK_SMASH, FIELD_MOVES[2]), TAKE_DOWN, None),
    ],
)
@pytest.mark.parametrize("cursor", range(4))
def test_the_weakest_goes_for_a_stronger_one_but_for_moves_of_the_field(
    known, new, expected, cursor
):
    assert forgotten(known, new, cursor) == expected
    assert forgotten(known, new, cursor + 1, summary) == expected


@given(known=st.tuples(*[A_MOVE] * 4), new=A_MOVE, cursor=st.integers(0, 3))
def test_no_field_move_goes_and_no_stronger_move_for_a_weaker_one(known, new, cursor):
    lost = forgotten(known, new, cursor)
    assert lost == forgotten(known, new, cursor, summary)
    free = [move for move in known if move not in FIELD_MOVES]
    if lost is None:
        kept_by_power = {moves()[move].power for move in known if move in FIELD_MOVES}
        plain = [move for move in free if moves()[move].power not in kept_by_power]
        assert all(moves()[move].power >= min(moves()[new].power, 150) for move in plain)
    else:
        assert lost in free and moves()[lost].power < moves()[new].power


def test_what_is_taught_outside_battles_is_not_decided_by_the_rule():
    taught = summary((TACKLE, GROWL, MUD_SLAP, CUT), FLASH, in_battle=False, battlers=())
    vector, menu = observe_fully(taught)[None], observe_menu(taught)[None]
    assert fifth_move_keys(vector, menu) == [-1] and not asks_for_lesson(taught)
    assert asks_for_lesson(summary((TACKLE, GROWL, MUD_SLAP, CUT), FLASH))


def test_nothing_is_chosen_where_it_is_not_seen_whose_moves_they_are():
    known = (TACKLE, GROWL, MUD_SLAP, CUT)
    of_another = box(known[:3], WATER_GUN)
    side_by_side = two_a_side(menu=Menu(MenuKind.WORDS, 0, lesson=WATER_GUN))
    on_foot = with_party(replace(box(known, None), in_battle=False, battlers=()), MON)
    without_cursor = box(known, WATER_GUN, cursor=None)
    states = [of_another, side_by_side, on_foot, without_cursor, asked(), asked(menu=None)]
    vectors = np.stack([observe_fully(state) for state in states])
    menus = np.stack([observe_menu(state) for state in states])
    assert (fifth_move_keys(vectors, menus) == -1).all()
    assert (fifth_move_keys(vectors, None) == -1).all()
    assert fifth_move_key(of_another) == "b"


def test_a_student_hears_the_key_and_a_turn_that_is_played_out_presses_it():
    known = (TACKLE, GROWL, MUD_SLAP, CUT)
    states = [box(known, WATER_GUN, cursor) for cursor in range(4)]
    seen = {
        "state": torch.from_numpy(np.stack([observe_fully(state) for state in states])),
        MENU: torch.from_numpy(np.stack([observe_menu(state) for state in states])),
    }
    names = keys_of_actions("story")[Advisor(Atlas(), "story")(seen)].tolist()
    assert [KEYS[name] for name in names] == ["right", "a", "up", "up"]
    assert [TurnKeys(Choice(0)).next_key(state) for state in states] == ["right", "a", "up", "up"]


def test_every_burst_presses_it_whether_or_not_it_chooses_moves():
    for chooses in (True, False):
        fights = Fights(None, Advice(), chooses)
        assert fights.next_mask(box((TACKLE, GROWL, MUD_SLAP, CUT), WATER_GUN)) == key_mask("right")


def test_the_new_moves_power_is_seen_and_never_more_than_one():
    powers = [observe_menu(box((TACKLE,) * 4, new)) for new in (WATER_GUN, 153, FORESIGHT)]
    assert moves()[153].power > 150
    changed = np.stack(powers) - observe_menu(box((TACKLE,) * 4, None))
    assert changed.shape == (3, SIZE)
    assert changed.sum(axis=1) == pytest.approx([40 / 150, 1, 0])
