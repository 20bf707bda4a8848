"""Coarse pictures, by which a game that nobody can read here is explored."""

import numpy as np
from numpy.typing import NDArray

SHAPE = (8, 12)  # cells of a coarse picture: squares of 20 pixels of the console's
LEVELS = 8  # of grey
DIVIDABLE = (1, 2, 4, 5, 10, 20)  # settings `shrink` whose pictures can be made coarse


def is_dividable(shape: tuple[int, ...]) -> bool:
    """Returns whether pictures of a shape (height, width, ...) can be made coarse."""
    return len(shape) >= 2 and not any(
        side % cells for side, cells in zip(shape[:2], SHAPE, strict=True)
    )


def coarse(picture: NDArray[np.uint8]) -> bytes:
    """Returns a picture (8 k, 12 l, channels) uint8 as 96 levels of grey from 0 to 7."""
    (rows, columns), height, width = SHAPE, *picture.shape[:2]
    cells = picture.reshape(rows, height // rows, columns, width // columns, -1)
    means: NDArray[np.float64] = cells.mean((1, 3, 4))
    return (means * LEVELS / 256).astype(np.uint8).tobytes()
