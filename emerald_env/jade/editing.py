"""A world's tables as a text that a person can edit: who lives, fights, stands and speaks where."""

import json
import struct
from collections.abc import Iterator
from typing import Annotated, Any, Final, TypeAlias

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from emerald_env.files.data import DataError, misfit
from emerald_env.jade.maps import COLLISION
from emerald_env.jade.worlds import creatures
from emerald_env.jade.worlds.demanding.demands import DEMANDS, DEMANDS_AT
from emerald_env.jade.worlds.demanding.longer_scenes import LONGEST
from emerald_env.jade.worlds.letters import table
from emerald_env.jade.worlds.rom_tables import COMMAND, GIVE_ITEM, LAYOUT_ID, RomTables, Thing
from emerald_env.jade.worlds.solvable import find_trap

SPEECH: Final = frozenset({1, 19, 20})  # commands with words: SAY, ASK, NOTE
FIRST_SPECIES: Final = (struct.pack("<2H", 283, 258), struct.pack("<2H", 284, 259))  # neighbours
PRIZE = 12  # in a trainer
HEADING: Final = """\
# The tables of a world of Jade. Change what you like, then:
#     emerald jade {world} --with FILE --out GAME.gba --walk
#     emerald play --human --rom GAME.gba
# What is left out stays as it is. Species:
{species}
# wild: chance of 256 for each step; kinds, equally likely: species, lowest and highest level
# trainers: the prize in money; team: species and level, one to three
# things: where people, signs and scenes are, what they say, which items they give (number, count)
"""

Byte = Annotated[int, Field(ge=0, le=255)]
Level = Annotated[int, Field(ge=1, le=100)]
Prize = Annotated[int, Field(ge=0, le=9999)]
Item = Annotated[int, Field(ge=1, le=376)]  # of Emerald's; those that Jade lacks do nothing
Kind: TypeAlias = tuple[int, Level, Level]
Member: TypeAlias = tuple[int, Level]
Tile: TypeAlias = tuple[Byte, Byte]
Gift: TypeAlias = tuple[Item, Byte]
# What the font has; {P}, {1}, {2} and {3} stand for names
GLYPHS: Final = r"[A-Za-z0-9 \n!\"%&'()+,./:;<=>?~-]"
Words = Annotated[str, Field(max_length=LONGEST, pattern=rf"^({GLYPHS}|\{{[P123]\}})*$")]
SET_BY_SCRIPTS: Final = ("{1}", "{2}", "{3}")  # names that are there only after a script's command


class Table(TypedDict, total=False):
    """A part of the text; whoever mistypes a key is told."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]


class Wild(Table, total=False):
    """Who lives in a map's grass."""

    chance: Byte
    kinds: Annotated[list[Kind], Field(min_length=4, max_length=4)]


class Fighters(Table, total=False):
    """Whom a trainer sends out."""

    prize: Prize
    team: Annotated[list[Member], Field(min_length=1, max_length=creatures.TEAM_SIZE)]


class Standing(Table, total=False):
    """Somebody or something with a place and words."""

    at: Tile
    says: list[Words]
    gives: list[Gift]


class Edited(Table, total=False):
    """The whole text."""

    demands: dict[str, bool]
    wild: dict[str, Wild]
    trainers: dict[str, Fighters]
    things: dict[str, Standing]


def written(rom: bytes, world: str) -> str:
    """Returns a world's tables as TOML.

    Args:
        rom: of the world.
        world: its name, for the heading.
    """
    tables = RomTables(rom)
    known = [f"#   {number} {name}" for number, name in species(tables).items()]
    maps = map_names(tables)
    lines = [HEADING.format(world=world, species="\n".join(known)), "[demands]"]
    for name, each in DEMANDS.items():
        on = tables.unpack("<B", DEMANDS_AT + each.byte)[0]
        lines.append(f"{name} = {str(bool(on)).lower()}  # {each.about}")
    for name, at in habitats(tables).items():
        _, _, chance, *kinds = creatures.HABITAT.unpack(tables.read(at, creatures.HABITAT.size))
        rows = [kinds[i : i + 3] for i in range(0, len(kinds), 3)]
        lines += _section("wild", name, maps, chance=chance, kinds=rows)
    for name, at in trainers(tables).items():
        prize = tables.unpack("<H", at + PRIZE)[0]
        lines += _section("trainers", name, {}, prize=prize, team=_team(tables, at))
    for name, thing in things(tables).items():
        lines += _section("things", name, maps, **_standing(tables, thing))
    return "\n".join(lines) + "\n"


def edited(rom: bytes, values: Any) -> bytes:
    """Returns a world with some of its tables changed.

    Args:
        rom: of the world.
        values: what `written` has written, or a part of it, as read from TOML.

    Raises:
        DataError: a value is of a wrong kind, there is no such row, a place cannot be stood on, or
            the story could not be played to its end; the message says which and why.
    """
    tables = RomTables(rom)
    change(tables, values)
    result = bytes(tables.data)
    if trap := find_trap(result):
        raise DataError(f"the story could not be played to its end: {trap}")
    return result


def change(tables: RomTables, values: Any) -> None:
    """Changes some of a world's tables, and does not ask whether its story can still be played.

    Args:
        tables: of the world.
        values: as in `edited`.

    Raises:
        DataError: a value is of a wrong kind, there is no such row, or a place cannot be stood on.
    """
    values = _with_rows(values)
    if found := misfit(values, Edited):
        raise DataError(f"{found}: not what a world's tables have; --tables FILE writes good ones")
    for name, on in values.get("demands", {}).items():
        _edit_demand(tables, name, on)
    grass, fights, places = habitats(tables), trainers(tables), things(tables)
    for name, wild in values.get("wild", {}).items():
        _edit_habitat(tables, _row(grass, name, "grass"), wild)
    for name, fighters in values.get("trainers", {}).items():
        _edit_trainer(tables, _row(fights, name, "trainer"), fighters)
    for name, standing in values.get("things", {}).items():
        _edit_thing(tables, _row(places, name, "thing"), standing)


# ---- rows by name ----


def species(tables: RomTables) -> dict[int, str]:
    """Returns the names of all species by number."""
    at, after = map(tables.find, FIRST_SPECIES)
    size, found = after - at, {}
    while number := tables.unpack("<H", at)[0]:
        found[number] = tables.text(tables.word(at + 4))
        at += size
    return found


def map_names(tables: RomTables) -> dict[str, str]:
    """Returns the names of the maps' layouts by the maps' numbers, as 0.16."""
    layouts = table()["layouts"]
    return {
        f"{at[0]}.{at[1]}": layouts[str(tables.unpack("<H", header + LAYOUT_ID)[0])]["name"]
        for at, header in tables.headers.items()
    }


def habitats(tables: RomTables) -> dict[str, int]:
    """Returns where each habitat is in the ROM, by its map."""
    return {"{}.{}".format(*tables.unpack("<2b", at)): at for at in creatures.habitats(tables)}


def trainers(tables: RomTables) -> dict[str, int]:
    """Returns where each trainer is in the ROM, by number and name."""
    found = sorted(
        creatures.trainers(tables, tables.headers), key=lambda at: tables.unpack("<H", at)
    )
    return {f"{tables.unpack('<H', at)[0]} {tables.text(tables.word(at + 4))}": at for at in found}


def things(tables: RomTables) -> dict[str, Thing]:
    """Returns everything on all maps that may be moved or speaks, by map, kind and number."""
    return {
        f"{thing.map[0]}.{thing.map[1]} {thing.kind} {thing.number}": thing
        for at in sorted(tables.headers)
        for thing, _ in tables.things(at)
        if thing.kind != "warp"
    }


def _with_rows(value: Any) -> Any:
    """Returns values in which lists of numbers are tuples, whose places mean something."""
    if isinstance(value, dict):
        return {key: _with_rows(one) for key, one in value.items()}
    if isinstance(value, list):
        numbers = value and all(type(one) is int for one in value)
        return tuple(value) if numbers else [_with_rows(one) for one in value]
    return value


def _row(rows: Any, name: str, kind: str) -> Any:
    if name not in rows:
        raise DataError(f"no {kind} {name!r:.60}: there are {', '.join(sorted(rows)):.300}")
    return rows[name]


# ---- from the ROM ----


def _section(table: str, name: str, maps: dict[str, str], **values: Any) -> Iterator[str]:
    yield f'\n[{table}."{name}"]  # {maps.get(name.split()[0], "")}'.rstrip(" #")
    for key, value in values.items():
        if key == "says" and len(value) > 1:  # no line is longer than `read_toml` allows
            texts = "".join(f"    {json.dumps(text)},\n" for text in value)
            yield f"{key} = [\n{texts}]"
        else:
            yield f"{key} = {json.dumps(value)}"


def _team(tables: RomTables, trainer: int) -> list[tuple[int, ...]]:
    first = trainer + creatures.TEAM
    rows = [tables.unpack("<HB", first + 4 * i) for i in range(creatures.TEAM_SIZE)]
    return [row for row in rows if row[0]]


def _standing(tables: RomTables, thing: Thing) -> dict[str, Any]:
    speech, gifts = _commands(tables, thing)
    found: dict[str, Any] = {"at": tables.place(thing)}
    if speech:
        found["says"] = [tables.text(tables.word(at + 8)) for at in speech]
    if gifts:
        found["gives"] = [tables.unpack("<2H", at + 2) for at in gifts]
    return found


def _commands(tables: RomTables, thing: Thing) -> tuple[list[int], list[int]]:
    """Returns the addresses of a thing's commands that speak, and of those that give items."""
    script = tables.script(thing)
    commands = sorted(set(tables.commands(script))) if script else []
    kinds = {at: COMMAND.unpack(tables.read(at, COMMAND.size))[0] for at in commands}
    speech = [at for at, kind in kinds.items() if kind in SPEECH]
    return speech, [at for at, kind in kinds.items() if kind == GIVE_ITEM]


# ---- into the ROM ----


def _edit_demand(tables: RomTables, name: str, on: bool) -> None:
    demand = _row(DEMANDS, name, "demand")
    if on and demand.full and not tables.is_full:
        raise DataError(f"only worlds called :emerald or :paced can demand {name}: take one")
    tables.pack("<B", DEMANDS_AT + demand.byte, on)


def _edit_habitat(tables: RomTables, at: int, wild: Wild) -> None:
    values = list(creatures.HABITAT.unpack(tables.read(at, creatures.HABITAT.size)))
    values[2] = wild.get("chance", values[2])
    for place, (number, least, most) in enumerate(wild.get("kinds", ())):
        if least > most:
            raise DataError(f"species {number}: its lowest level, {least}, is above {most}")
        values[3 + 3 * place : 6 + 3 * place] = _known(tables, number), least, most
    tables.pack(creatures.HABITAT.format, at, *values)


def _edit_trainer(tables: RomTables, at: int, fighters: Fighters) -> None:
    if "prize" in fighters:
        tables.pack("<H", at + PRIZE, fighters["prize"])
    if "team" in fighters:
        rows = [(_known(tables, number), level) for number, level in fighters["team"]]
        for place in range(creatures.TEAM_SIZE):
            row = rows[place] if place < len(rows) else (0, 0)
            tables.pack("<HB", at + creatures.TEAM + 4 * place, *row)


def _edit_thing(tables: RomTables, thing: Thing, standing: Standing) -> None:
    if "at" in standing and tuple(standing["at"]) != tables.place(thing):
        x, y = standing["at"]
        width, height = tables.size(thing.map)
        if x >= width or y >= height:
            raise DataError(f"{thing} cannot be at {x}, {y}: the map has {width} x {height} tiles")
        if thing.kind == "person" and tables.grid(thing.map)[y * width + x] & COLLISION:
            raise DataError(f"{thing} cannot stand at {x}, {y}: there is a wall")
        tables.move(thing, x, y)
    speech, gifts = _commands(tables, thing)
    for key, commands in (("says", speech), ("gives", gifts)):
        if key in standing and len(standing[key]) != len(commands):  # type: ignore[literal-required]
            raise DataError(f"{thing} {key} {len(commands)} things: give as many")
    for at, text in zip(speech, standing.get("says", ()), strict=False):
        if text != (before := tables.text(tables.word(at + 8))):
            _check_names(thing, before, text)
            tables.pack("<I", at + 8, tables.add_text(text))
    for at, (item, count) in zip(gifts, standing.get("gives", ()), strict=False):
        tables.pack("<2H", at + 2, item, count)


def _check_names(thing: Thing, before: str, text: str) -> None:
    """Raises DataError where a text has a name that the game has not set when it is said."""
    for name in SET_BY_SCRIPTS:
        if name in text and name not in before:
            raise DataError(f"{thing} says {name}, a name that is not set there: write it out")


def _known(tables: RomTables, number: int) -> int:
    if number not in species(tables):
        raise DataError(f"there is no species {number}: {', '.join(map(str, species(tables)))}")
    return number
