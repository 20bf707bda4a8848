"""Ways over ground that was crossed with another history.

A place tells histories apart, its ground does not (see `exact_places`). Who comes with a history
from which no milestone is known to be reachable presses what led on here with another one.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emerald_env.explorer.exact_places import LESSON, NOWHERE, UNKNOWN, passed_over
from emerald_env.explorer.random_keys import KEYS

N_KEYS = len(KEYS)
START = KEYS.index("start")
GAMMA: Final = 0.997  # discount: a milestone 230 steps away is worth half
STEP: Final = -np.log(GAMMA)  # what a step costs, as a logarithm
CLEAR = 0.75  # share of a ground's places whose keys must agree
BEHIND = 0.25  # a way that is known counts as none if others had one 460 steps shorter
TRIES = 3  # presses after which a key's effect in a place is known: a wild Pokémon may come between
OPPOSITES = {"up": "down", "down": "up", "left": "right", "right": "left"}
# whether one key does not contradict another: it is the same, or both walk and not back
AGREE = np.array(
    [[a == b or {a, b} <= OPPOSITES.keys() and OPPOSITES[a] != b for b in KEYS] for a in KEYS]
)


class Solved(NamedTuple):
    """An atlas's places and links once its exact ways are known."""

    values: NDArray[np.float64]  # (places,) milestones ahead
    known: NDArray[np.bool_]  # (places,) whether one is known to be reachable
    keys: NDArray[np.int8]  # (places,) the best
    walks: NDArray[np.bool_]  # (places,) whether keys are told apart there
    grounds: NDArray[np.int64]  # (places,) 0: not known
    chapters: NDArray[np.int64]  # (places,) see `exact_places.chapter_numbers`
    battles: NDArray[np.bool_]  # (places,) whether each is in a battle
    progress: NDArray[np.int16]  # (places,) milestones reached
    pairs: NDArray[np.int64]  # (links,) place * N_KEYS + key, ascending
    nexts: NDArray[np.int64]  # (links,) where it led
    counts: NDArray[np.int64]  # (links,) how often


class Hints(NamedTuple):
    """What led on from which ground, in ascending order of the grounds, then of the values."""

    grounds: NDArray[np.int64]
    values: NDArray[np.float64]
    keys: NDArray[np.int8]


def hints_of(solved: Solved) -> Hints:
    """Returns the best keys of all places with a known way, and of tiles that these run over.

    Those that open the menu are on grounds of their own, by `LESSON`, for whoever has a move to
    teach. Others they would call back to the menu for ever.
    """
    places = np.flatnonzero(solved.known & (solved.grounds != 0))
    over, before, pressed = _run_over(solved)
    grounds = np.append(solved.grounds[places], over)
    values = np.append(solved.values[places], solved.values[before])
    keys = np.append(solved.keys[places], pressed)
    grounds = np.where(keys == START, grounds + LESSON, grounds)
    order = np.lexsort((values, grounds))
    return Hints(grounds[order], values[order], keys[order])


def _run_over(
    solved: Solved,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
    """Returns the grounds that best keys run over, the places before, and these keys."""
    places, pressed = np.divmod(solved.pairs, N_KEYS)
    is_best = solved.known[places] & (pressed == solved.keys[places])
    before, behind = (solved.grounds[at[is_best]] for at in (places, solved.nexts))
    over = np.where((before != 0) & (behind != 0), passed_over(before, behind), 0)
    is_run = over != 0
    from_there = places[is_best][is_run]
    return over[is_run], from_there, solved.keys[from_there]


def clear_keys(hints: Hints) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Returns the grounds on which a key is clear, ascending, and that key, for unknown places.

    It is that of the place nearest to a milestone: it leads to a place that is nearer still,
    and so does that of the next ground. Where the keys of a ground's places contradict it, the
    history matters, as before and after a lever: such grounds are left out.
    """
    grounds, _, keys = hints
    if not len(grounds):
        return grounds, keys
    begins = np.flatnonzero(np.diff(grounds, prepend=~grounds[0]) != 0)
    sizes = np.diff(begins, append=len(grounds))
    best = begins + sizes - 1
    agree = AGREE[keys, np.repeat(keys[best], sizes)]
    is_clear = np.add.reduceat(agree.astype(float), begins) >= CLEAR * sizes
    return grounds[best[is_clear]], keys[best[is_clear]]


def ways_over_ground(solved: Solved, hints: Hints) -> NDArray[np.int8]:
    """Returns a key for each place from which no way on is known, or only a long one, (places,).

    A way is long if others were much nearer to a milestone on that ground: who was beaten once
    knows ways on through the next defeat. It competes with what others knew, as if its end were
    460 steps nearer.

    The key leads, by steps that were seen there, to the nearest place where a hint was not tried
    yet, the nearer to a milestone the hint's own place the better. So a way that a lever or a wall
    bars in this history is tried a few times and then given up, and who follows such keys cannot
    walk in circles for long. A battle that others won is never given up: luck decides it, and the
    level rises. `NOWHERE` where no way is known, all hints were tried in vain and no such battle
    can be reached; `UNKNOWN` for all other places.
    """
    keys = np.full(len(solved.known), UNKNOWN, np.int8)
    best = _best_hints(solved, hints)
    lost = (solved.grounds != 0) & (~solved.known | (solved.values < BEHIND * best))
    hinted = lost & (best > 0)
    keys[hinted & solved.walks & ~solved.known] = NOWHERE
    untried, pressed, values = _untried(solved, hints, hinted & solved.walks)
    own, battles = np.flatnonzero(lost & solved.known), np.flatnonzero(hinted & solved.battles)
    ends = np.concatenate([untried, own, battles])
    if not len(ends):
        return keys
    values = np.concatenate([values, solved.values[own] / BEHIND, best[battles]])
    pairs, nexts = _usual(solved, lost)
    ahead = np.log(values.max() / values) + STEP
    far = distances(len(keys), ends, ahead, *each_step(pairs // N_KEYS, nexts))
    places = np.concatenate([untried, own, pairs // N_KEYS])
    pressed = np.concatenate([pressed, solved.keys[own], pairs % N_KEYS])
    keyed = ahead[: len(untried) + len(own)]
    first = nearest(places, np.append(keyed, far[nexts] + STEP))
    told = first[solved.walks[places[first]] & np.isfinite(far[places[first]])]
    keys[places[told]] = pressed[told]
    return keys


def _best_hints(solved: Solved, hints: Hints) -> NDArray[np.float64]:
    """Returns the worth of the best hint on each place's ground, 0 without any, (places,)."""
    last = np.searchsorted(hints.grounds, solved.grounds, "right") - 1
    is_hinted = (last >= 0) & (np.append(hints.grounds, 0)[last] == solved.grounds)
    found: NDArray[np.float64] = np.where(is_hinted, np.append(hints.values, 0.0)[last], 0.0)
    return found


def _untried(
    solved: Solved, hints: Hints, lost: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float64]]:
    """Returns lost places, keys that led on from their ground, hardly tried there, their worth."""
    at = np.flatnonzero(lost)
    begins = np.searchsorted(hints.grounds, solved.grounds[at])
    sizes = np.searchsorted(hints.grounds, solved.grounds[at], "right") - begins
    places = np.repeat(at, sizes)
    rows = np.arange(len(places)) + np.repeat(begins - np.cumsum(sizes) + sizes, sizes)
    size = N_KEYS * len(solved.known)
    presses: Any = np.bincount(solved.pairs, solved.counts, size)
    is_new = presses[places * N_KEYS + hints.keys[rows]] < TRIES
    return places[is_new], hints.keys[rows[is_new]], hints.values[rows[is_new]]


def _usual(solved: Solved, lost: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the pairs of place and key pressed in lost places, and where each mostly led."""
    own = np.flatnonzero(lost[solved.pairs // N_KEYS] & lost[solved.nexts])
    pairs, nexts = solved.pairs[own], solved.nexts[own]
    usual = most_frequent(pairs, solved.counts[own])
    moved = usual[nexts[usual] != pairs[usual] // N_KEYS]
    return pairs[moved], nexts[moved]


def most_frequent(pairs: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns which link of each pair of place and key was seen most often, as indices."""
    order = np.lexsort((counts, pairs))
    links: NDArray[np.int64] = order[np.diff(pairs[order], append=-1) != 0]
    return links


def each_step(
    places: NDArray[np.int64], nexts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns steps, whichever key takes them, each once."""
    count = max(places.max(initial=0), nexts.max(initial=0)) + 1
    starts, ends = np.divmod(np.unique(places * count + nexts), count)
    return starts, ends


def distances(
    count: int,
    ends: NDArray[np.int64],
    ahead: NDArray[np.float64],
    places: NDArray[np.int64],
    nexts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Returns how far each place is from the end of the best way, as a logarithm; inf: no way.

    Args:
        count: of the places.
        ends: where ways end.
        ahead: how far the end is from there.
        places: where steps begin; each step comes once.
        nexts: where they lead.
    """
    from scipy import sparse  # slow to load, and an archive can be listed without it
    from scipy.sparse.csgraph import dijkstra

    best = nearest(ends, ahead)
    rows = np.append(np.full(len(best), count), nexts)
    columns = np.append(ends[best], places)
    weights = np.append(ahead[best], np.full(len(places), STEP))
    graph = sparse.csr_matrix((weights, (rows, columns)), shape=(count + 1, count + 1))
    far: NDArray[np.float64] = dijkstra(graph, indices=count)[:count]
    return far


def nearest(places: NDArray[np.int64], far: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns where each place comes with its smallest distance, as indices."""
    order = np.lexsort((far, places))
    first: NDArray[np.int64] = order[np.diff(places[order], prepend=-1) != 0]
    return first
