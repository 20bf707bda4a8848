"""A world from a number: Jade's ROM with other maps and other words for the same story."""

import random
from collections.abc import Callable
from typing import Final

from emerald_env.jade.maps import MapId, Stuck
from emerald_env.jade.worlds import creatures, towns
from emerald_env.jade.worlds.demanding.demands import demand
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.rom_tables import (
    FACE,
    IF_FACING,
    LAYOUT_ID,
    PLACE,
    TRAVEL,
    WALK,
    RomTables,
)
from emerald_env.jade.worlds.rooms import Tile, reshape
from emerald_env.jade.worlds.solvable import find_trap

ATTEMPTS = 60
SIZES: Final = ("small", "large")
FACING = 10  # offset in a template
LEFT, RIGHT = 3, 4
TRUCK: Final = (25, 40)
MIRROR: Final = str.maketrans("LR", "RL")
FLOORS: Final = {"hall", "room"}


def make_world(base: bytes, seed: int, size: str = "small", demanding: bool = False) -> bytes:
    """Returns the ROM of a world; 0 is the game as it comes.

    Args:
        base: Jade's ROM.
        seed: the world's number.
        size: one of `SIZES`: how long the ways are.
        demanding: whether it asks of the player what the real game does (`demands.py`).

    Raises:
        Stuck: no attempt gave a world whose story can be played.
    """
    if seed == 0:
        return demand(base) if demanding else base
    for attempt in range(ATTEMPTS):
        try:
            rom = _attempt(base, random.Random(f"world {seed} {size} {attempt}"), size)
        except ValueError:  # something found no room
            continue
        rom = demand(rom) if demanding else rom
        if find_trap(rom) is None:
            return rom
    raise Stuck(f"world {seed}: nothing playable in {ATTEMPTS} attempts")


def _attempt(base: bytes, chance: random.Random, size: str) -> bytes:
    tables = RomTables(base)
    for at in tables.headers:
        layout = tables.unpack("<H", tables.headers[at] + LAYOUT_ID)[0]
        drawing = Drawing.of(layout)
        if drawing.palette in FLOORS:
            _reshape_room(tables, at, drawing, chance)
            tables.set_grid(at, drawing.width, drawing.height, drawing.cells())
    towns.lay_out(tables, chance, large=size == "large")
    creatures.settle(tables, chance)
    return bytes(tables.data)


def _reshape_room(tables: RomTables, at: MapId, drawing: Drawing, chance: random.Random) -> None:
    things = list(tables.things(at))
    if at == (11, 3):
        towns.move_gaps(tables, drawing, chance)
        things = list(tables.things(at))
    moved, mirrored = reshape(drawing, chance, [tile for _, tile in things])
    for thing, tile in things:
        tables.move(thing, *moved(tile))
        if mirrored and thing.kind == "person":
            _turn(tables, tables.address(thing) + FACING)
    _rewrite_scripts(tables, at, moved, mirrored)
    for other in tables.headers:
        for command in _commands(tables, other):
            operation, group, number, x, y = tables.unpack("<2B3H", command)
            if operation == TRAVEL and (group, number) == at:
                tables.pack("<2H", command + 4, *moved((x, y)))


def _rewrite_scripts(
    tables: RomTables, at: MapId, moved: Callable[[Tile], Tile], mirrored: bool
) -> None:
    """Steps, directions and places in a room's scripts follow the room."""
    for command in _commands(tables, at):
        (operation,) = tables.unpack("<B", command)
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


def _commands(tables: RomTables, at: MapId) -> set[int]:
    """Returns the addresses of all commands of a map's scripts."""
    scripts = {tables.script(thing) for thing, _ in tables.things(at)} | {*tables.map_scripts(at)}
    return {command for script in scripts if script for command in tables.commands(script)}
