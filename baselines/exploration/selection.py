"""Which known cells the search returns to: the furthest, and those where it has seldom begun."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BEHIND = 0.5  # probability of a group relative to the one ahead of it


class Spot(NamedTuple):
    """Where a cell lies, for the search; several cells may share it."""

    rank: tuple[int, ...]  # milestones reached, then strength
    room: tuple[int, ...]  # a map, or a trainer's battle there
    square: tuple[int, ...]  # of the room


def weights(
    spots: Sequence[Spot], drawn: Sequence[int], first: Mapping[tuple[int, ...], int]
) -> NDArray[np.float64]:
    """Returns the probability of drawing each cell, up to a common factor.

    The cells of the highest rank form the first group; each further group is half as likely. Within
    a group a room's weight is the mean freshness of its squares, 1/(bursts that began there + 1),
    divided by its age + 1: the milestones reached since anybody first came to this room. So a house
    with somebody to talk to, or a trainer to be beaten, counts as much as a route of a thousand
    squares, well-known rooms count less, and so do rooms first seen many milestones ago. Within a
    room a square's weight is its freshness; the cells of a square are equally likely.

    Args:
        spots: where each cell lies.
        drawn: bursts that began in each so far.
        first: room -> the fewest milestones with which it was reached.

    Returns:
        (cells,) float64.
    """
    numbers: dict[Spot, int] = {}
    spot_of = np.array([numbers.setdefault(spot, len(numbers)) for spot in spots])
    group_of = _numbered([spot.rank for spot in numbers])
    room_of = _numbered([(spot.rank, spot.room) for spot in numbers])
    age = np.array([spot.rank[0] - first[spot.room] for spot in numbers])
    weight = 1 / (np.bincount(spot_of, drawn) + 1) / (np.bincount(room_of)[room_of] * (age + 1))
    weight /= np.bincount(group_of, weight)[group_of]
    behind = {rank: i for i, rank in enumerate(sorted({spot.rank for spot in numbers})[::-1])}
    weight *= np.array([BEHIND ** behind[spot.rank] for spot in numbers])
    found: NDArray[np.float64] = (weight / np.bincount(spot_of))[spot_of]
    return found


def _numbered(keys: Sequence[object]) -> NDArray[np.int64]:
    """Returns a number for each key, the same for equal ones, from 0."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys])
