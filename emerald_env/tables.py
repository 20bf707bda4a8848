"""Names and numbers of the game, from ``data/*.csv``; each table is read when first asked for.

Numbers that no table knows have no name: the lookups by number return ``None`` (records) or a
placeholder such as ``"flag 2400"`` (labels), never an exception, for memory can hold anything.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import NamedTuple

NATIONAL_DEX_COUNT = 386


class FlagInfo(NamedTuple):
    """One event flag."""

    id: int
    name: str  # pret's name, e.g. "FLAG_BADGE01_GET"
    category: (
        str  # temp script hidden_item hide_object item_ball trainer system badge visited daily ...
    )
    toggles: str  # how it is cleared again, e.g. "farmable_loop"; "" if nothing clears it
    initial: bool  # set already in a new game


class MapInfo(NamedTuple):
    """One map of the original game."""

    group: int
    num: int
    name: str  # e.g. "PetalburgCity"
    const: str  # e.g. "MAP_PETALBURG_CITY"
    region: str  # what the map's banner says, e.g. "PETALBURG CITY"
    width: int  # tiles
    height: int  # tiles
    layout_id: int
    map_type: str  # city town route indoor underground ...


class GlobalOffset(NamedTuple):
    """Where an outdoor map's top-left corner lies in its component's common coordinates."""

    component: str
    x: int  # tiles
    y: int  # tiles


class Species(NamedTuple):
    """One species, by the game's internal number."""

    id: int
    name: str
    national: int  # number in the national Pokédex; above 386 for unused species, 0 for none
    growth_rate: str
    types: tuple[str, str]
    base_stats: tuple[
        int, int, int, int, int, int
    ]  # HP, attack, defense, speed, sp. attack, sp. defense


class Move(NamedTuple):
    """One move."""

    id: int
    name: str
    pp: int  # without PP Ups
    power: int
    type: str
    accuracy: int  # percent, 0 for moves that cannot miss


class Item(NamedTuple):
    """One item."""

    id: int
    name: str
    pocket: str  # items key_items poke_balls tm_hm berries
    price: int


class Trainer(NamedTuple):
    """One trainer; the flag that says he was beaten is ``TRAINER_FLAGS.start + id``."""

    id: int
    const: str
    name: str
    trainer_class: str
    double: bool


class Milestone(NamedTuple):
    """One step of the story, with the flag or variable that shows it."""

    order: int
    slug: str
    description: str
    kind: str  # "flag" or "var"
    name: str  # pret's name of that flag or variable
    id: int
    at_least: int  # the variable's value from which on it is done; 1 for flags
    track: str  # main optional postgame
    stability: str  # latched toggles, or "var"
    location: tuple[int, int]  # where it happens


class HealLocation(NamedTuple):
    """A place where the player wakes up after a white-out."""

    id: int
    name: str
    location: tuple[int, int]
    position: tuple[int, int]


class Callback(NamedTuple):
    """A main callback of the game, by its pointer's value in memory."""

    name: str
    kind: str  # overworld battle map_load party_menu shop title ...


def _rows(name: str) -> Iterator[dict[str, str]]:
    path = resources.files("emerald_env") / "data" / f"{name}.csv"
    yield from csv.DictReader(path.read_text(encoding="utf-8").splitlines())


@cache
def flags() -> Mapping[int, FlagInfo]:
    """Returns the event flags by number; those from 0x4000 on are not saved."""
    return MappingProxyType(
        {
            int(row["id"]): FlagInfo(
                int(row["id"]), row["name"], row["category"], row["toggles"], row["initial"] == "1"
            )
            for row in _rows("flags")
        }
    )


@cache
def flag_ids() -> Mapping[str, int]:
    """Returns the flags' numbers by pret's name, e.g. ``flag_ids()["FLAG_BADGE01_GET"]``."""
    return MappingProxyType({info.name: info.id for info in flags().values()})


@cache
def variables() -> Mapping[int, str]:
    """Returns the saved variables' names (``VAR_...``) by number."""
    return MappingProxyType({int(row["id"]): row["name"] for row in _rows("vars")})


@cache
def variable_ids() -> Mapping[str, int]:
    """Returns the saved variables' numbers by pret's name."""
    return MappingProxyType({name: number for number, name in variables().items()})


@cache
def maps() -> Mapping[tuple[int, int], MapInfo]:
    """Returns the maps by (group, number)."""
    return MappingProxyType(
        {
            (int(row["group"]), int(row["num"])): MapInfo(
                int(row["group"]),
                int(row["num"]),
                row["name"],
                row["const"],
                row["region"],
                int(row["width"]),
                int(row["height"]),
                int(row["layout_id"]),
                row["map_type"],
            )
            for row in _rows("maps")
        }
    )


@cache
def global_offsets() -> Mapping[tuple[int, int], GlobalOffset]:
    """Returns the outdoor maps' places in common coordinates by (group, number)."""
    return MappingProxyType(
        {
            (int(row["group"]), int(row["num"])): GlobalOffset(
                row["component"], int(row["x"]), int(row["y"])
            )
            for row in _rows("global_offsets")
        }
    )


@cache
def species() -> tuple[Species, ...]:
    """Returns the species; the index is the game's internal number (0 is none)."""
    return tuple(
        Species(
            int(row["id"]),
            row["name"],
            int(row["national"]),
            row["growth_rate"],
            (row["type1"], row["type2"]),
            (
                int(row["hp"]),
                int(row["attack"]),
                int(row["defense"]),
                int(row["speed"]),
                int(row["sp_attack"]),
                int(row["sp_defense"]),
            ),
        )
        for row in _rows("species")
    )


@cache
def species_by_national() -> Mapping[int, Species]:
    """Returns the species by their number in the national Pokédex, 1 to 386."""
    return MappingProxyType(
        {entry.national: entry for entry in species() if 0 < entry.national <= NATIONAL_DEX_COUNT}
    )


@cache
def moves() -> tuple[Move, ...]:
    """Returns the moves; the index is the move's number (0 is none)."""
    return tuple(
        Move(
            int(row["id"]),
            row["name"],
            int(row["pp"]),
            int(row["power"]),
            row["type"],
            int(row["accuracy"]),
        )
        for row in _rows("moves")
    )


@cache
def items() -> tuple[Item, ...]:
    """Returns the items; the index is the item's number (0 is none)."""
    return tuple(
        Item(int(row["id"]), row["name"], row["pocket"], int(row["price"]))
        for row in _rows("items")
    )


@cache
def trainers() -> tuple[Trainer, ...]:
    """Returns the trainers; the index is the trainer's number (0 is none)."""
    return tuple(
        Trainer(int(row["id"]), row["const"], row["name"], row["class"], row["double"] == "1")
        for row in _rows("trainers")
    )


@cache
def milestones() -> tuple[Milestone, ...]:
    """Returns the story's milestones in their usual order."""
    return tuple(
        Milestone(
            int(row["order"]),
            row["slug"],
            row["description"],
            row["kind"],
            row["name"],
            int(row["id"]),
            int(row["at_least"]),
            row["track"],
            row["stability"],
            (int(row["group"]), int(row["num"])),
        )
        for row in _rows("milestones")
    )


@cache
def characters() -> Mapping[int, str]:
    """Returns the Latin character set: byte to text, without the terminator."""
    table = {int(row["byte"]): row["char"] for row in _rows("charmap")}
    del table[0xFF]
    return MappingProxyType(table)


@cache
def experience() -> Mapping[str, tuple[int, ...]]:
    """Returns, by growth rate, the experience at which each level 0 to 100 begins."""
    columns: dict[str, list[int]] = {}
    for row in _rows("experience"):
        for name, value in row.items():
            columns.setdefault(name, []).append(int(value))
    del columns["level"]
    return MappingProxyType({name: tuple(values) for name, values in columns.items()})


@cache
def game_stats() -> tuple[str, ...]:
    """Returns the names (``GAME_STAT_...``) of the counters in use, by number."""
    return tuple(row["name"] for row in _rows("game_stats"))


@cache
def heal_locations() -> tuple[HealLocation, ...]:
    """Returns the places where the player wakes up after a white-out."""
    return tuple(
        HealLocation(
            int(row["id"]),
            row["name"],
            (int(row["group"]), int(row["num"])),
            (int(row["x"]), int(row["y"])),
        )
        for row in _rows("heal_locations")
    )


@cache
def callbacks() -> Mapping[int, Callback]:
    """Returns the main callbacks by their pointer's value (names repeat, values do not)."""
    return MappingProxyType(
        {int(row["pointer"], 16): Callback(row["name"], row["kind"]) for row in _rows("callbacks")}
    )


def flag_name(flag: int) -> str:
    """Returns pret's name of a flag, or ``"flag N"`` for a number without one."""
    info = flags().get(flag)
    return info.name if info else f"flag {flag}"


def map_name(location: tuple[int, int]) -> str:
    """Returns a map's name, or ``"map G.N"`` for one that the original game does not have."""
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
