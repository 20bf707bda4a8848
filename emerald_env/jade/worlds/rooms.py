"""Rooms: seen in a mirror or not, and stretched where only floor, walls or rugs are.

What stands in them, and what their scripts do, follows their shape.
"""

import random
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.rom_tables import (
    FACE,
    FACING,
    IF_FACING,
    LAYOUT_ID,
    PLACE,
    TRAVEL,
    WALK,
    RomTables,
    Thing,
)

Tile = tuple[int, int]
STRETCHED = frozenset("-#wrxtRIk")  # letters that may be repeated
# A wall's foot and tables, of whose inside there is no picture. They are drawn by lot like the
# others and then left alone: another lot would grow another world outdoors.
WHOLE = frozenset("wt")
MAX_STRETCH = 3
LEFT, RIGHT = 3, 4
MIRROR: Final = str.maketrans("LR", "RL")
FLOORS: Final = {"hall", "room"}


def reshape_rooms(
    tables: RomTables,
    maps: Iterable[MapId],
    chance: random.Random,
    drawn: Mapping[MapId, Drawing] | None = None,
) -> None:
    """Mirrors and stretches those of some maps that are rooms.

    Args:
        tables: of the world.
        maps: which.
        chance: decides.
        drawn: their letters where they are not those of world 0.
    """
    travels = [
        command
        for at in tables.headers
        for command in tables.map_commands(at)
        if tables.byte(command) == TRAVEL
    ]
    for at in maps:
        layout = tables.unpack("<H", tables.headers[at] + LAYOUT_ID)[0]
        drawing = (drawn or {}).get(at) or Drawing.of(layout)
        if drawing.palette in FLOORS:
            _reshape_room(tables, at, drawing, chance, travels)
            tables.set_grid(at, drawing.width, drawing.height, drawing.cells())


def _reshape_room(
    tables: RomTables, at: MapId, drawing: Drawing, chance: random.Random, travels: Iterable[int]
) -> None:
    things = list(tables.things(at))
    if at == (11, 3):
        _move_gaps(tables, drawing, chance)
        things = list(tables.things(at))
    moved, mirrored = reshape(drawing, chance, [tile for _, tile in things])
    for thing, tile in things:
        tables.move(thing, *moved(tile))
        if mirrored and thing.kind == "person":
            _turn(tables, tables.address(thing) + FACING)
    _rewrite_scripts(tables, at, moved, mirrored)
    for command in travels:
        group, number, x, y = tables.unpack("<B3H", command + 1)
        if (group, number) == at:
            tables.pack("<2H", command + 4, *moved((x, y)))


def _rewrite_scripts(
    tables: RomTables, at: MapId, moved: Callable[[Tile], Tile], mirrored: bool
) -> None:
    """Steps, directions and places in a room's scripts follow the room."""
    for command in tables.map_commands(at):
        operation = tables.byte(command)
        if operation == PLACE:
            tables.pack("<2H", command + 2, *moved(_numbers(tables, command + 2)))
        elif mirrored and operation == WALK:
            _mirror_steps(tables, command + 8)
        elif mirrored and operation in (FACE, IF_FACING):
            _turn(tables, command + 2)


def _numbers(tables: RomTables, address: int) -> Tile:
    x, y = tables.unpack("<2H", address)
    return x, y


def _turn(tables: RomTables, address: int) -> None:
    facing = tables.unpack("<H", address)[0]
    tables.pack("<H", address, {LEFT: RIGHT, RIGHT: LEFT}.get(facing, facing))


def _mirror_steps(tables: RomTables, address: int) -> None:
    steps = tables.text(tables.word(address)).translate(MIRROR)
    tables.pack("<I", address, tables.add_text(steps))


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
    floor = drawing.rows[2:]  # every column has a wall's foot
    across = _repeated(chance, drawing.width, columns, lambda x: {row[x] for row in drawing.rows})
    across = [x for x in across if not WHOLE & {row[x] for row in floor}]
    down = _repeated(chance, drawing.height, rows, lambda y: set(drawing.rows[y]))
    down = [y for y in down if not WHOLE & {*drawing.rows[y]}]
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


def _move_gaps(tables: RomTables, drawing: Drawing, chance: random.Random) -> None:
    """Rustboro's hall: its walls are open elsewhere."""
    guard, _ = tables.place(Thing((11, 3), "person", 1))
    columns = [column for column in range(1, drawing.width - 1) if column != guard]
    for row in (5, 9, 12):
        drawing.fill("R", 0, row, drawing.width)
        drawing.fill("-", gap := chance.choice(columns), row)
        if row == 5:
            tables.move(Thing((11, 3), "person", 2), gap, row)
