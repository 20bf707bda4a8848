"""Rooms: seen in a mirror or not, and stretched where only floor, walls or tables are."""

import random
from collections.abc import Callable, Collection

from emerald_env.jade.worlds.letters import Drawing

Tile = tuple[int, int]
STRETCHED = frozenset("-#wrxtRIk")  # letters that may be repeated
MAX_STRETCH = 3


def reshape(
    drawing: Drawing, chance: random.Random, kept: Collection[Tile]
) -> tuple[Callable[[Tile], Tile], bool]:
    """Changes a room's letters.

    Args:
        drawing: of the room.
        chance: decides.
        kept: tiles of people and things, whose rows and columns are not repeated.

    Returns:
        Where each tile of world 0 is now, and whether the room is mirrored.
    """
    columns, rows = {x for x, _ in kept}, {y for _, y in kept}
    across = _repeated(chance, drawing.width, columns, lambda x: {row[x] for row in drawing.rows})
    down = _repeated(chance, drawing.height, rows, lambda y: set(drawing.rows[y]))
    letters = [row for y, row in enumerate(drawing.rows) for _ in range(1 + down.count(y))]
    drawing.rows = [
        [letter for x, letter in enumerate(row) for _ in range(1 + across.count(x))]
        for row in letters
    ]
    mirrored = chance.random() < 0.5
    if mirrored:
        drawing.rows = [row[::-1] for row in drawing.rows]

    def moved(tile: Tile) -> Tile:
        x = tile[0] + sum(column < tile[0] for column in across)
        y = tile[1] + sum(row < tile[1] for row in down)
        return (drawing.width - 1 - x if mirrored else x), y

    return moved, mirrored


def _repeated(
    chance: random.Random, size: int, kept: set[int], letters: Callable[[int], set[str]]
) -> list[int]:
    fit = [at for at in range(1, size - 1) if at not in kept and letters(at) <= STRETCHED]
    return [chance.choice(fit) for _ in range(chance.randrange(MAX_STRETCH + 1))] if fit else []
