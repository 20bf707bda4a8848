"""Names and numbers of the game, from ``data/*.csv``; each table is read on first use.

The fields of a record are columns of its file, which may have more. For unknown numbers the
``*_name`` functions return a placeholder such as ``"flag 2400"`` and never raise, since memory can
hold anything.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, get_type_hints

NATIONAL_DEX_COUNT = 386


class FlagInfo(NamedTuple):
    """One event flag."""

    id: int
    name: str  # pret's name, e.g. "FLAG_BADGE01_GET"
    category: str  # temp script hidden_item hide_object item_ball trainer system badge daily ...
    toggles: str  # how it is cleared again, e.g. "farmable_loop"; "" if nothing clears it
    initial: bool  # already set in a new game
    pays: str  # what a reward makes of it: story side fight ..., see data/README.md; "": not judged
    gym: int  # 1..8: a trainer whose flag a script sets, too, where this gym's badge is won; else 0


class VariableInfo(NamedTuple):
    """One saved variable."""

    id: int
    name: str  # pret's name, e.g. "VAR_STARTER_MON"
    category: str  # temp obj_gfx script special unused


class MapInfo(NamedTuple):
    """One map of the original game."""

    group: int
    num: int
    name: str  # e.g. "PetalburgCity"
    const: str  # e.g. "MAP_PETALBURG_CITY"
    region: str  # what the map's banner says, e.g. "PETALBURG CITY"
    width: int  # tiles
    height: int  # tiles


class GlobalOffset(NamedTuple):
    """An outdoor map's top-left corner in its component's common coordinates."""

    group: int
    num: int
    component: str  # hoenn_surface hoenn_underwater other_1 other_2
    x: int  # tiles
    y: int  # tiles


class Species(NamedTuple):
    """One species."""

    id: int  # the game's internal number
    name: str
    national: int  # number in the national Pokédex; above 386 for unused species, 0 for none
    growth_rate: str
    hp: int  # this and the next five: base stats
    attack: int
    defense: int
    speed: int
    sp_attack: int
    sp_defense: int


class Move(NamedTuple):
    """One move."""

    id: int
    name: str
    pp: int  # without PP Ups
    power: int
    type: str


class Item(NamedTuple):
    """One item."""

    id: int
    name: str
    pocket: str  # items key_items poke_balls tm_hm berries


class Trainer(NamedTuple):
    """One trainer; the flag that says he was beaten is ``TRAINER_FLAGS.start + id``."""

    id: int
    const: str
    name: str
    trainer_class: str


class Milestone(NamedTuple):
    """One step of the story and its sign: a flag, a variable, or having a party."""

    order: int  # 1, 2, ... along the usual route
    slug: str
    description: str
    kind: str  # "flag", "var" or "party"
    name: str  # pret's name of that flag or variable
    id: int  # its number; 0 for the party
    at_least: int  # the lowest value at which it is done; 1 for flags
    track: str  # main optional postgame
    group: int  # the map where it happens
    num: int
    x: int  # the tile of that map; 0, 0 for milestones beside the main story
    y: int
    bit: int  # its number in `state.milestone_bits`, which never changes


class Passage(NamedTuple):
    """A way from one tile to another: across a map, or from a map to the next."""

    group: int
    num: int
    x: int
    y: int
    to_group: int
    to_num: int
    to_x: int
    to_y: int
    tiles: int  # steps that it takes
    kind: str  # walk warp border dive script
    needs: str  # slugs of the milestones without which nobody passes, with spaces between


class Callback(NamedTuple):
    """A main callback of the game, by its pointer's value in memory."""

    pointer: int
    name: str
    kind: str  # overworld battle map_load party_menu shop title ...


class EditionSymbol(NamedTuple):
    """One address of an edition."""

    name: str  # pret's
    us: int  # its address, or pointer with the Thumb bit, in the US edition
    address: int  # the same in this edition; 0 if unknown
    source: str  # pret, pokebot-gen3, "as US", "between", unknown: see data/README.md


Record = TypeVar("Record", bound=tuple[Any, ...])


def _rows(name: str) -> Iterator[dict[str, str]]:
    path = resources.files("emerald_env.game") / "data" / f"{name}.csv"
    yield from csv.DictReader(path.read_text(encoding="utf-8").splitlines())


def _records(kind: type[Record], name: str) -> tuple[Record, ...]:
    """Returns a file's rows as records; a field's type says how to parse its column."""
    readers: dict[type, Callable[[str], Any]] = {
        int: lambda text: int(text or "0", 0),
        bool: lambda text: text == "1",
        str: str,
    }
    fields = [(field, readers[hint]) for field, hint in get_type_hints(kind).items()]
    return tuple(kind(*(read(row[field]) for field, read in fields)) for row in _rows(name))


@cache
def flags() -> Mapping[int, FlagInfo]:
    """Returns the event flags by number; those from 0x4000 on are not saved."""
    return MappingProxyType({info.id: info for info in _records(FlagInfo, "flags")})


@cache
def flag_ids() -> Mapping[str, int]:
    """Returns the flags' numbers by pret's name, e.g. ``flag_ids()["FLAG_BADGE01_GET"]``."""
    return MappingProxyType({info.name: info.id for info in flags().values()})


@cache
def variables() -> Mapping[int, str]:
    """Returns the saved variables' names (``VAR_...``) by number."""
    return MappingProxyType({info.id: info.name for info in _records(VariableInfo, "vars")})


@cache
def variable_ids() -> Mapping[str, int]:
    """Returns the saved variables' numbers by pret's name."""
    return MappingProxyType({name: number for number, name in variables().items()})


@cache
def maps() -> Mapping[tuple[int, int], MapInfo]:
    """Returns the maps by (group, number)."""
    return MappingProxyType({(info.group, info.num): info for info in _records(MapInfo, "maps")})


@cache
def global_offsets() -> Mapping[tuple[int, int], GlobalOffset]:
    """Returns the outdoor maps' places in common coordinates by (group, number)."""
    offsets = _records(GlobalOffset, "global_offsets")
    return MappingProxyType({(offset.group, offset.num): offset for offset in offsets})


@cache
def species() -> tuple[Species, ...]:
    """Returns the species; the index is the game's internal number (0 is none)."""
    return _records(Species, "species")


@cache
def species_by_national() -> Mapping[int, Species]:
    """Returns the species by their number in the national Pokédex, 1 to 386."""
    return MappingProxyType(
        {entry.national: entry for entry in species() if 0 < entry.national <= NATIONAL_DEX_COUNT}
    )


@cache
def moves() -> tuple[Move, ...]:
    """Returns the moves; the index is the move's number (0 is none)."""
    return _records(Move, "moves")


@cache
def items() -> tuple[Item, ...]:
    """Returns the items; the index is the item's number (0 is none)."""
    return _records(Item, "items")


@cache
def trainers() -> tuple[Trainer, ...]:
    """Returns the trainers; the index is the trainer's number (0 is none)."""
    return _records(Trainer, "trainers")


@cache
def milestones() -> tuple[Milestone, ...]:
    """Returns the story's milestones in their usual order."""
    return _records(Milestone, "milestones")


@cache
def passages() -> tuple[Passage, ...]:
    """Returns the ways across and between the maps on which the story can be walked."""
    return _records(Passage, "passages")


@cache
def leaders(game: str) -> tuple[int, ...]:
    """Returns the level of each gym leader's strongest Pokémon, in the order of the badges.

    In Emerald the champion's comes last.

    Args:
        game: the edition's header code; those without a row have the US edition's leaders.
    """
    rows = {row["game"]: row["levels"] for row in _rows("leaders")}
    return tuple(map(int, rows.get(game, rows["BPEE"]).split()))


@cache
def characters(script: str = "latin") -> Mapping[int, str]:
    """Returns a character set: byte to text, without the terminator 0xFF.

    Args:
        script: "latin" or "japanese".
    """
    rows = [row for row in _rows("characters") if row[script]]
    return MappingProxyType({int(row["byte"]): row[script] for row in rows})


@cache
def experience() -> Mapping[str, tuple[int, ...]]:
    """Returns, by growth rate, the experience at which each level 0 to 100 begins."""
    rows = list(_rows("experience"))
    rates = [name for name in rows[0] if name != "level"]
    return MappingProxyType({rate: tuple(int(row[rate]) for row in rows) for rate in rates})


@cache
def game_stats() -> tuple[str, ...]:
    """Returns the names (``GAME_STAT_...``) of the counters in use, by number."""
    return tuple(row["name"] for row in _rows("game_stats"))


@cache
def callbacks() -> Mapping[int, Callback]:
    """Returns the main callbacks by their pointer's value (names repeat, values do not)."""
    return MappingProxyType({entry.pointer: entry for entry in _records(Callback, "callbacks")})


@cache
def edition_symbols(code: str) -> tuple[EditionSymbol, ...]:
    """Returns the addresses of an edition, by its cartridge's code."""
    return _records(EditionSymbol, f"editions/{code}")


def flag_name(flag: int) -> str:
    """Returns pret's name of a flag, or ``"flag N"`` for a number without one."""
    info = flags().get(flag)
    return info.name if info else f"flag {flag}"


def map_name(location: tuple[int, int]) -> str:
    """Returns a map's name, or ``"map G.N"`` for one that the original game lacks."""
    info = maps().get(location)
    return info.name if info else f"map {location[0]}.{location[1]}"


def species_name(number: int) -> str:
    """Returns a species' name, or ``"species N"`` for a number out of range."""
    return species()[number].name if 0 <= number < len(species()) else f"species {number}"


def move_name(number: int) -> str:
    """Returns a move's name, or ``"move N"`` for a number out of range."""
    return moves()[number].name if 0 <= number < len(moves()) else f"move {number}"


def item_name(number: int) -> str:
    """Returns an item's name, or ``"item N"`` for a number out of range."""
    return items()[number].name if 0 <= number < len(items()) else f"item {number}"
