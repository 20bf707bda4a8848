"""Numbers for exact places of the story, and the advised key in each of them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.explorer.cells import LEVELS

UNKNOWN = -1
# The entries of a state vector that distinguish places, and the factors that make them integers.
COLUMNS = np.flatnonzero(LAYOUT.scales)
SCALES = LAYOUT.scales[COLUMNS]
# Fixed random odd factors, so that different places have different sums.
FACTORS = np.random.Generator(np.random.PCG64(2026)).integers(
    -(2**62), 2**62, len(COLUMNS) + 1, np.int64
) * np.int64(2) + np.int64(1)


def place_numbers(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns a number for the place of the story that each state vector is at.

    A place is the milestones, `switches`, which trainers are beaten, map, tile, facing,
    the kind of screen, the opponents' remaining HP, and roughly the strongest Pokémon's level.

    Args:
        vectors: of `observe_fully`, (n, FULL_SIZE).
    """
    whole = np.rint(vectors[:, COLUMNS] * SCALES).astype(np.int64)
    levels = np.rint(vectors[:, LAYOUT.levels].max(axis=1) * 100).astype(np.int64)
    numbers: NDArray[np.int64] = (whole * FACTORS[:-1]).sum(axis=1) + levels // LEVELS * FACTORS[-1]
    return numbers


@dataclass(frozen=True)
class Advice:
    """What to press in the places that are known."""

    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # ascending
    keys: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))  # index in KEYS

    def look_up(self, places: NDArray[np.int64]) -> NDArray[np.int8]:
        """Returns the key for each place as its index in `keys.KEYS`, `UNKNOWN` for no advice."""
        if not len(self.places):
            return np.full(len(places), UNKNOWN, np.int8)
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.keys[at], np.int8(UNKNOWN))
