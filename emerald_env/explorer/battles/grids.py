"""The keys that lead to an entry of a list: in two columns, as battles have them, or in one."""

from typing import Final

import numpy as np

from emerald_env.explorer.random_keys import KEYS

COLUMNS: Final = 2
ENTRIES: Final = 4


def in_grid(cursor: int | None, wanted: int) -> str:
    """Returns the key that leads to an entry of a list in two columns, and chooses it.

    Left and up come first: with three moves there is no fourth below the second, and the cursor
    stays where it is.
    """
    if cursor is None or cursor == wanted:
        return "a"
    (row, column), (wanted_row, wanted_column) = divmod(cursor, COLUMNS), divmod(wanted, COLUMNS)
    if wanted_column < column:
        return "left"
    if wanted_row < row:
        return "up"
    return "right" if wanted_column > column else "down"


GRID_KEYS: Final = np.array(
    [[KEYS.index(in_grid(here, wanted)) for wanted in range(ENTRIES)] for here in range(ENTRIES)],
    np.int8,
)
"""`in_grid` as indexes in `KEYS`, by cursor and wanted entry."""


def in_column(cursor: int | None, wanted: int) -> str:
    """Returns the key that leads to an entry of a list in one column, and chooses it."""
    if cursor is None or cursor == wanted:
        return "a"
    return "down" if wanted > cursor else "up"


COLUMN_KEYS: Final = np.array(
    [
        [KEYS.index(in_column(here, wanted)) for wanted in range(ENTRIES)]
        for here in range(ENTRIES + 1)
    ],
    np.int8,
)
"""`in_column` in the same way; from one entry more, that of the new move."""
