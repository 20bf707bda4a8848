"""What is in the bag, as a vector."""

from functools import lru_cache
from math import log

import numpy as np
from numpy.typing import NDArray

from emerald_env.game.tables import items
from emerald_env.state.game_state import item_counts

BAG_SIZE = len(items())
MAX_COUNT = 99  # of an item that a slot holds


@lru_cache(maxsize=64)
def observe_bag(bag_data: bytes) -> NDArray[np.float32]:
    """Returns log(1 + n) / log(100) of the number n of each item, (BAG_SIZE,), at most 1."""
    vector = np.zeros(BAG_SIZE, np.float32)
    for item, count in item_counts(bag_data).items():
        if item < BAG_SIZE:
            vector[item] = log(1 + min(count, MAX_COUNT)) / log(1 + MAX_COUNT)
    return vector
