"""Ways over ground that was crossed in another chapter of the story.

A ground belongs to a chapter: the milestones that were reached. The land under it stays: who wakes
up at home after a defeat, where nobody has been since the beginning, goes back as everybody left
it. So where a chapter knows no way, the keys count that led over the same land in all chapters, to
the nearest ground from which this chapter knows one.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.exploration.atlas.grounds import (
    N_KEYS,
    START,
    STEP,
    Hints,
    Solved,
    distances,
    each_step,
    most_frequent,
    nearest,
)
from baselines.exploration.atlas.links import RARE, Links, packed, summed, unpacked
from emerald_env.explorer.random_keys import KEYS

A = KEYS.index("a")
MOST_HINTS: Final = 1 << 22  # 17 bytes each; the latest chapters come first


class Land(NamedTuple):
    """Grounds without their chapters, and where each key usually leads from them."""

    numbers: NDArray[np.int64]  # (lands,) ascending
    walks: NDArray[np.bool_]  # (lands,) whether keys are told apart there
    pairs: NDArray[np.int64]  # (ways,) index of a land * N_KEYS + key
    nexts: NDArray[np.int64]  # (ways,) index of the land it leads to, another one
    steps: tuple[NDArray[np.int64], NDArray[np.int64]]  # from which land to which, each once


def with_other_chapters(hints: Hints, solved: Solved) -> Hints:
    """Returns hints with those for grounds that have none, from what led over their land.

    Args:
        hints: what led on from which ground.
        solved: the atlas's places and links.
    """
    if not len(hints.grounds):
        return hints
    land = _land_of(solved)
    found, room = [hints], MOST_HINTS
    for chapter in _latest_first(solved):
        if len(land.numbers) > room:
            break
        found.append(_hints_in(land, chapter, hints))
        room -= len(found[-1].grounds)
    grounds, values, keys = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((values, grounds))
    return Hints(grounds[order], values[order], keys[order])


def _latest_first(solved: Solved) -> list[np.int64]:
    """Returns the chapters, those with the most milestones first."""
    chapters, first = np.unique(solved.chapters, return_index=True)
    return list(chapters[np.argsort(-solved.progress[first], kind="stable")])


def _land_of(solved: Solved) -> Land:
    """Returns the land under all places, and the ways over it.

    Where a key mostly led nowhere, as towards a door that was closed for long, and sometimes on,
    it leads on: whoever presses it in vain gives it up soon. Start opens a menu, which is the same
    everywhere: a way through it would join what lies far apart.
    """
    numbers, at = np.unique(solved.grounds - solved.chapters, return_inverse=True)
    walks = np.zeros(len(numbers), np.bool_)
    walks[at] = solved.walks
    places, keys = np.divmod(solved.pairs, N_KEYS)
    known = (solved.grounds[places] != 0) & (solved.grounds[solved.nexts] != 0)
    is_way = known & (keys != START)
    links = packed(at[places[is_way]], keys[is_way], at[solved.nexts[is_way]])
    pooled = summed(Links(links, solved.counts[is_way]))
    pairs, nexts = unpacked(pooled.numbers)
    presses = np.bincount(pairs, pooled.counts, N_KEYS * len(numbers))
    leads = (nexts != pairs // N_KEYS) & (pooled.counts * RARE >= presses[pairs])
    on = np.flatnonzero(leads)
    usual = on[most_frequent(pairs[on], pooled.counts[on])]
    pairs, nexts = pairs[usual], nexts[usual]
    return Land(numbers, walks, pairs, nexts, each_step(pairs // N_KEYS, nexts))


def _hints_in(land: Land, chapter: np.int64, hints: Hints) -> Hints:
    """Returns hints for a chapter's grounds that have none."""
    grounds = land.numbers + chapter
    last = np.searchsorted(hints.grounds, grounds, "right") - 1
    ends = np.flatnonzero(hints.grounds[last] == grounds)
    if not len(ends):
        return Hints(grounds[:0], hints.values[:0], hints.keys[:0])
    values = hints.values[last[ends]]
    far = distances(len(grounds), ends, np.log(values.max() / values), *land.steps)
    ahead = far[land.nexts] + STEP
    ways = nearest(land.pairs // N_KEYS, ahead)
    ways = ways[np.isfinite(ahead[ways]) & ~np.isin(land.pairs[ways] // N_KEYS, ends)]
    lands, keys = np.divmod(land.pairs[ways], N_KEYS)
    keys = np.where(land.walks[lands], keys, A).astype(np.int8)
    return Hints(grounds[lands], values.max() * np.exp(-ahead[ways]), keys)
