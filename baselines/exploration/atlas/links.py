"""What each key did in each place, as numbers that can be sorted and counted."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.exploration.atlas.grounds import N_KEYS
from emerald_env.explorer.exact_places import TURNS
from emerald_env.explorer.random_keys import DIRECTIONS

LINKS_BITS: Final = 31  # of a link's number, for where it leads
RARE: Final = 100  # presses in which a key should have an effect more than once


class Links(NamedTuple):
    """Distinct transitions, in ascending order of their numbers."""

    numbers: NDArray[np.int64]  # (place * N_KEYS + key) << LINKS_BITS | next place, as indices
    counts: NDArray[np.int64]


def links_of(keys: Sequence[int], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the numbers of a trail's transitions, given its places as indices."""
    return packed(places[:-1], np.array(keys, np.int64), places[1:])


def packed(
    places: NDArray[np.int64], keys: NDArray[np.int64], nexts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns the numbers of links, given as indices of places and keys."""
    numbers: NDArray[np.int64] = ((places * N_KEYS + keys) << LINKS_BITS) | nexts
    return numbers


def unpacked(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns place * N_KEYS + key, and the next place, of each link."""
    return numbers >> LINKS_BITS, numbers & ((1 << LINKS_BITS) - 1)


def renumbered(links: Links, now: NDArray[np.int64]) -> Links:
    """Returns links with the new indices of their places."""
    pairs, nexts = unpacked(links.numbers)
    at, keys = np.divmod(pairs, N_KEYS)
    return Links(packed(now[at], keys, now[nexts]), links.counts)


def with_keys(numbers: NDArray[np.int64], n_keys: int) -> NDArray[np.int64]:
    """Returns the numbers of transitions that were counted with other keys, in the same order."""
    pairs, nexts = unpacked(numbers)
    places, keys = np.divmod(pairs, n_keys)
    return packed(places, keys, nexts)


def summed(*several: Links) -> Links:
    """Returns all links, each once."""
    both = np.concatenate([links.numbers for links in several])
    counts = np.concatenate([links.counts for links in several])
    numbers, inverse = np.unique(both, return_inverse=True)
    return Links(numbers, np.bincount(inverse, counts, len(numbers)).astype(np.int64))


def whichever_way_one_faces(
    links: Links, places: NDArray[np.int64], on_foot: NDArray[np.bool_]
) -> Links:
    """Returns links in which a direction leads from a tile to where it was seen to lead from there.

    A place tells which way one faces, since that decides what A does. Where a direction leads does
    not depend on it, and few tiles are left in all directions from each of four. Which question is
    asked does: another person may ask it.

    Args:
        links: as they were seen.
        places: their numbers, ascending.
        on_foot: (places,) whether the player can walk there.
    """
    pairs, nexts = unpacked(links.numbers)
    at, keys = np.divmod(pairs, N_KEYS)
    moves = np.flatnonzero(on_foot[at] & (keys < len(DIRECTIONS)))
    found = [links]
    for turn in TURNS:
        turned = places + np.int64(turn)
        there = np.minimum(np.searchsorted(places, turned), len(places) - 1)
        is_there = (places[there] == turned) & on_foot[there]
        own = moves[is_there[at[moves]]]
        found.append(Links(packed(there[at[own]], keys[own], nexts[own]), links.counts[own]))
    return summed(*found)


def without_flukes(links: Links, walks: NDArray[np.bool_], progress: NDArray[np.int16]) -> Links:
    """Returns links without what a key did in less than one of `RARE` presses.

    Where keys are told apart they do what they do: a wild Pokémon comes more often than that, and
    the rest are moments in which the game's memory was read while it changed. Who tries such a key
    until it works again tries for ever. What led to a milestone stays.

    Args:
        links: all.
        walks: (places,) whether keys are told apart there.
        progress: (places,) milestones reached.
    """
    pairs, nexts = unpacked(links.numbers)
    at = pairs // N_KEYS
    presses = np.bincount(pairs, links.counts, N_KEYS * len(walks))
    gains = progress[nexts] > progress[at]
    stays = ~walks[at] | gains | (links.counts * RARE >= presses[pairs])
    return Links(links.numbers[stays], links.counts[stays])
