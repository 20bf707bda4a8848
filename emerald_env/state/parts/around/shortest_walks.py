"""Shortest walks over the loaded map, by the compiled extension `_walks`."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

try:
    from emerald_env.state.parts.around._walks import ffi, lib
except ImportError as error:
    raise ImportError(
        f"a part in C is missing ({error}): build it with   make setup   or   pip install -e ."
    ) from error

NEVER = 0xFFFF


class WalkCell(IntEnum):
    """What a walk can do with a cell; the same numbers are in walks.c."""

    WALL = 0
    GROUND = 1
    END = 2  # a walk may end there, and not go on: a door, a person
    HOP_DOWN = 3  # ledges, jumped in one direction only
    HOP_UP = 4
    HOP_LEFT = 5
    HOP_RIGHT = 6


class Walks:
    """All shortest walks from one cell.

    Args:
        cells: a `WalkCell` for each cell of the map, (height, width) uint8.
        x: where the walks begin, inside.
        y: the same.

    Attributes:
        steps: to each cell, (height, width) uint16; `NEVER` where no walk leads.
        first: the keys with which a shortest walk begins, (height, width) uint8: 1 down, 2 up,
            4 left, 8 right, or several.
    """

    __slots__ = ("first", "steps")

    def __init__(self, cells: NDArray[np.uint8], x: int, y: int) -> None:
        cells = np.ascontiguousarray(cells)
        height, width = cells.shape
        self.steps: NDArray[np.uint16] = np.empty(cells.shape, np.uint16)
        self.first: NDArray[np.uint8] = np.empty(cells.shape, np.uint8)
        queue = np.empty(cells.size, np.int32)
        lib.walks_fill(
            ffi.from_buffer("uint8_t *", cells),
            width,
            height,
            y * width + x,
            ffi.from_buffer("uint16_t *", self.steps),
            ffi.from_buffer("uint8_t *", self.first),
            ffi.from_buffer("int32_t *", queue),
        )
