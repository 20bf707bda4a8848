"""Readable names of a term's keys."""

from __future__ import annotations

from collections.abc import Callable

from emerald_env.game import tables
from rewards.kinds import Key

FLAGS = (
    "event",
    "badge",
    "trainer",
    "town",
    "champion",
    "pokedex",
    "pokenav",
    "found",
    "visit_city",
)
TILES = ("tile", "explore", "revisit")


def _tile(key: tuple[int, int, int, int]) -> str:
    group, number, x, y = key
    return f"{tables.map_name((group, number))} ({x}, {y})"


def _searched(key: tuple[int, int, int, int, int]) -> str:
    stage, *tile = key
    return f"{_tile(tuple(tile))} after {stage} milestones"  # type: ignore[arg-type]


def _healing(key: tuple[int, tuple[int, int]]) -> str:
    badges, location = key
    return f"{tables.map_name(location)}, {badges} badges"


def _way(key: tuple[int, int] | tuple[int, int, str]) -> str:
    bit, part, *errand = key  # in a world with maps of its own it says what it leads to
    name = errand or [step.slug for step in tables.milestones() if step.bit == bit]
    return f"to {name[0]}, part {part + 1}"


def _species(number: int) -> str:
    species = tables.species_by_national().get(number)
    return species.name if species else f"species {number}"


NAMES: dict[str, Callable[..., str]] = {
    **dict.fromkeys(FLAGS, tables.flag_name),
    **dict.fromkeys(TILES, _tile),
    **dict.fromkeys(("seen", "caught"), _species),
    "search": _searched,
    "way": _way,
    "map": tables.map_name,
    "item": tables.item_name,
    "move": tables.move_name,
    "heal": _healing,
    "level": "level {}".format,
    "experience": "with {} badges".format,
}


def key_name(term: str, key: Key) -> str:
    """Returns the readable name of a term's key: of a flag, map, species, item or move.

    Milestones are named by their slugs already; a key that is None (a term of `original_2023`
    that has no parts) gives "-".
    """
    if key is None:
        return "-"
    name = NAMES.get(term, str)
    return name(key)
