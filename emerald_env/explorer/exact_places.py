"""Numbers for exact places of the story, and the advised key in each of them.

An exact place tells histories apart: which trainers were beaten, what scripts switched, how strong
and how well the party is. Its ground does not. Who comes to a place with another history than
anybody before finds no advice for it, but mostly the ground is known, and the way on seldom depends
on the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.observation import GLOBAL_SCALE, MENU
from emerald_env.env.state_vector.menu_numbers import (
    HELD_MACHINES,
    KNOWN_MOVES,
    MOVES,
    SCREENS,
    SIZE,
    is_known,
    menu_scales,
)
from emerald_env.env.state_vector.state_layout import FACINGS, LAYOUT, MODES
from emerald_env.state import Facing
from emerald_env.state.parts.field_moves import FIELD_MOVES

UNKNOWN = -1
NOWHERE = -2  # a place where the ground's advice was tried, and led nowhere
CLOSED = 0  # see `menu_visits`
LESSON = np.int64(0x2545F4914F6CDD1D)  # what a ground's number grows by for who has a move to teach


def factors(seed: int, count: int) -> NDArray[np.int64]:
    """Returns fixed random odd factors, so that different things have different sums, (count,)."""
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(-(2**62), 2**62, count, np.int64)
    odd: NDArray[np.int64] = drawn * np.int64(2) + np.int64(1)
    return odd


# The entries of a state vector that distinguish places, and the factors that make them integers.
COLUMNS = np.flatnonzero(LAYOUT.scales)
SCALES = LAYOUT.scales[COLUMNS]
FACTORS = factors(2026, len(COLUMNS) + 1)
LONG_FACTORS = factors(2028, 2)
WEAK = int(factors(2030, 1)[0])  # what a place's number grows by for who should rest first
STRONGER = 1.25  # a class of levels ends where one is stronger by this factor: 5, 6-7, 8-9, 10-11
HEALTHY = 0.5  # share of its HP from which on the strongest Pokémon is not weak
MENU_SCALES = menu_scales()
MENU_FACTORS = factors(2027, len(MENU_SCALES))
LESSONS = slice(KNOWN_MOVES.start, HELD_MACHINES.stop)  # moves that are known or could be taught
STORY = np.isin(COLUMNS, np.arange(LAYOUT.milestones.start, LAYOUT.milestones.stop))
HISTORY = (LAYOUT.switched.start <= COLUMNS) & (COLUMNS < LAYOUT.switched.stop)


def wrapped(number: int) -> int:
    """Returns a number of a place as 64 bits with a sign hold it."""
    return (number + 2**63) % 2**64 - 2**63


def _runs() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns by how much a ground's number changes by runs, and by the last tile of each, (16,).

    There is one for each direction and each facing before it.
    """
    factor = dict(zip(COLUMNS.tolist(), FACTORS.tolist(), strict=False))
    x, y = LAYOUT.coordinates.start, LAYOUT.coordinates.start + 1
    tiles = {Facing.DOWN: factor[y], Facing.UP: -factor[y]}
    tiles |= {Facing.LEFT: -factor[x], Facing.RIGHT: factor[x]}
    facing = {each: factor[len(MODES) + at] for at, each in enumerate(FACINGS)}
    runs = [(2 * tiles[to] + facing[to] - facing[at], tiles[to]) for to in tiles for at in tiles]
    changes, lasts = np.array([[wrapped(number) for number in run] for run in runs], np.int64).T
    return changes, lasts


def _turns() -> list[int]:
    """Returns by how much a place's number changes when one turns there, for all twelve turns."""
    facings = [int(factor) for factor in FACTORS[len(MODES) : LAYOUT.controllable]]
    return [wrapped(to - at) for to in facings for at in facings if to != at]


RUNS, ONE_TILE = _runs()
TURNS = _turns()
# what does not matter in a menu that one opens anywhere
_SOMEWHERE = np.append(np.isin(COLUMNS, LAYOUT.where), (True, True))


def places_and_grounds(
    vectors: NDArray[np.float32], menus: NDArray[np.float32] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns numbers for the place of the story and the ground of each state vector, (n,) each.

    A ground is the milestones, map, tile, facing, the kind of screen and the opponents'
    remaining HP; with menus also the open one and its cursors. The menus that one opens anywhere
    are the same ground everywhere, but tell the moves of the field: what is to be done there
    depends on them, while the way on foot seldom does.

    A place is its ground, `switches`, which trainers are beaten, roughly the strongest Pokémon's
    level, whether it has less than half of its HP, and, with menus, the moves of the field that are
    known or could be taught.

    Args:
        vectors: of `observe_fully`, (n, FULL_SIZE).
        menus: of `observe_menu`, (n, menu_numbers.SIZE); None: not told apart.
    """
    level, is_weak = _fitness(vectors)
    switched = vectors[:, LAYOUT.switched] * LAYOUT.scales[LAYOUT.switched]
    history = np.rint(switched).astype(np.int64) @ FACTORS[:-1][HISTORY] + is_weak * WEAK
    whole = np.rint(vectors[:, COLUMNS] * SCALES).astype(np.int64)
    whole[:, HISTORY] = 0
    whole = np.concatenate([whole, _beyond(vectors)], axis=1)
    if menus is not None:
        screens = in_screens(vectors, menus)
        whole[np.ix_(screens, _SOMEWHERE)] = 0
        seen = np.rint(menus * MENU_SCALES).astype(np.int64)
        lessons = seen[:, LESSONS] @ MENU_FACTORS[LESSONS]
        history = np.where(screens, 0, history + lessons)
    grounds: NDArray[np.int64] = (whole * np.append(FACTORS[:-1], LONG_FACTORS)).sum(axis=1)
    if menus is not None:
        grounds += seen @ MENU_FACTORS - np.where(screens, 0, lessons)
    places: NDArray[np.int64] = grounds + history + level_classes(level) * FACTORS[-1]
    return places, grounds


def level_classes(levels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the class of each level, (n,), 0 for none.

    What decides a battle is how many times as strong one is: two levels are much at level 7, and
    nothing at level 50.
    """
    classes: NDArray[np.float64] = np.log(np.maximum(levels, 1)) // np.log(STRONGER)
    return classes.astype(np.int64)


def _fitness(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Returns the strongest Pokémon's level, 0 without any, and whether it should rest, (n,)."""
    levels = np.rint(vectors[:, LAYOUT.levels] * 100).astype(np.int64)
    strongest, each = levels.argmax(axis=1), np.arange(len(levels))
    level = levels[each, strongest]
    is_weak: NDArray[np.bool_] = vectors[:, LAYOUT.health][each, strongest] < HEALTHY
    return level, is_weak & (level > 0)


def chapter_numbers(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns a number for the milestones that each state has reached: what they add to a ground's.

    Args:
        vectors: of `observe_fully`, (n, FULL_SIZE).
    """
    reached = np.rint(vectors[:, LAYOUT.milestones]).astype(np.int64)
    numbers: NDArray[np.int64] = reached @ FACTORS[:-1][STORY]
    return numbers


def passed_over(before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the ground between two where a step ran over two tiles, facing there; else 0, (n,).

    A run covers two tiles a step, and who walks stops between them.

    Args:
        before: grounds of `places_and_grounds`.
        after: the same, a step later.
    """
    way = (after - before)[:, None]
    found: NDArray[np.int64] = np.where(way == RUNS, after[:, None] - ONE_TILE, 0).sum(axis=1)
    return found


def _beyond(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns the vectors' global x and y where x or y in the map does not fit, else 0, (n, 2)."""
    here = vectors[:, LAYOUT.coordinates]
    is_far = (here[:, :2] >= 1).any(axis=1, keepdims=True)
    far: NDArray[np.int64] = np.rint(here[:, 2:] * GLOBAL_SCALE).astype(np.int64) * is_far
    return far


def in_screens(vectors: NDArray[np.float32], menus: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Returns whether each state is in a menu that one opens anywhere, outside battles, (n,)."""
    opened: NDArray[np.bool_] = menus[:, SCREENS].any(axis=1) & ~LAYOUT.in_battle(vectors)
    return opened


def menu_visits(vectors: NDArray[np.float32], menus: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns for each state whether it is part of a visit to a menu that opens anywhere, (n,).

    `CLOSED`: not, the player walks or fights. Less: neither, something is shown. More: such a menu
    is open; the number tells what is done in one, the moves of the field that the party knows.
    """
    moves = np.rint(menus[:, KNOWN_MOVES]).astype(np.int64) @ (1 << np.arange(len(FIELD_MOVES)))
    over = (vectors[:, LAYOUT.controllable] > 0) | LAYOUT.in_battle(vectors)
    shown = np.where(over, CLOSED, CLOSED - 1)
    visits: NDArray[np.int64] = np.where(in_screens(vectors, menus), CLOSED + 1 + moves, shown)
    return visits


def has_lesson(menus: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Returns whether a move of the field waits to be taught in each state, (n,)."""
    return np.asarray((menus[:, HELD_MACHINES] > menus[:, KNOWN_MOVES]).any(axis=1))


def is_idle(vectors: NDArray[np.float32], menus: NDArray[np.float32] | None) -> NDArray[np.bool_]:
    """Returns whether each state shows a menu that opens anywhere, with no move to teach."""
    if menus is None:
        return np.zeros(len(vectors), np.bool_)
    idle: NDArray[np.bool_] = in_screens(vectors, menus) & ~has_lesson(menus)
    return idle


def newest_menus(observations: Mapping[str, Any]) -> NDArray[np.float32] | None:
    """Returns the newest of stacked vectors of `observe_menu`, (n, SIZE); None: not observed."""
    stacked: NDArray[np.float32] | None = observations.get(MENU)
    return None if stacked is None else stacked[..., -SIZE:]


def told_apart(
    vectors: NDArray[np.float32], menus: NDArray[np.float32] | None
) -> NDArray[np.bool_]:
    """Returns whether the keys' effects show at once in each state, (n,): on foot, or in a menu."""
    walks: NDArray[np.bool_] = vectors[:, LAYOUT.controllable] > 0
    return walks | has_cursor(vectors, menus)


def has_cursor(
    vectors: NDArray[np.float32], menus: NDArray[np.float32] | None
) -> NDArray[np.bool_]:
    """Returns whether each state shows a menu whose cursor is known, outside battles, (n,).

    In a battle luck decides what a key brings.
    """
    if menus is None:
        return np.zeros(len(vectors), np.bool_)
    shown: NDArray[np.bool_] = is_known(menus) & ~LAYOUT.in_battle(vectors)
    return shown


def chooses_move(menus: NDArray[np.float32] | None, n: int) -> NDArray[np.bool_]:
    """Returns whether each of n states is known to show a battle's list of moves, (n,).

    Its first move may do no harm, so A is not always right there.
    """
    if menus is None:
        return np.zeros(n, np.bool_)
    chosen: NDArray[np.bool_] = menus[:, MOVES] > 0
    return chosen


@dataclass(frozen=True)
class Advice:
    """What to press in the places that are known, and the best moves of known matchups."""

    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # ascending
    keys: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))  # or NOWHERE
    grounds: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # ascending
    ground_keys: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    matchups: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # ascending
    moves: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))

    def look_up(
        self,
        places: NDArray[np.int64],
        grounds: NDArray[np.int64] | None = None,
        lessons: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int8]:
        """Returns the key for each place as its index in `keys.KEYS`, `UNKNOWN` for no advice.

        Args:
            places: of `places_and_grounds`.
            grounds: theirs, for places that are not known; None: not asked.
            lessons: of `has_lesson`: only who has a move to teach hears of a ground to open the
                menu; None: nobody has.
        """
        keys = _found(self.places, self.keys, places)
        if grounds is not None:
            on_ground = _found(self.grounds, self.ground_keys, grounds)
            if lessons is not None and lessons.any():
                taught = _found(self.grounds, self.ground_keys, grounds + LESSON)
                on_ground = np.where(lessons & (taught != UNKNOWN), taught, on_ground)
            keys = np.where(keys == UNKNOWN, on_ground, keys)
        keys[keys == NOWHERE] = UNKNOWN
        return keys

    def best_moves(self, matchups: NDArray[np.int64]) -> NDArray[np.int8]:
        """Returns which of one's own moves is best in each matchup, `UNKNOWN` where none is known.

        Args:
            matchups: of the function of that name.
        """
        return _found(self.matchups, self.moves, matchups)


def _found(
    known: NDArray[np.int64], keys: NDArray[np.int8], wanted: NDArray[np.int64]
) -> NDArray[np.int8]:
    if not len(known):
        return np.full(len(wanted), UNKNOWN, np.int8)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[at] == wanted, keys[at], np.int8(UNKNOWN))
