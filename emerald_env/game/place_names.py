"""Readable place names: pret's names of maps, split into words."""

import re
from functools import lru_cache

from emerald_env.game.tables import map_name

# `MtPyre` and `SSTidal`, `House1`; but `1F` and `B1F` stay whole
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])")
_OWNERS = re.compile(
    r"(?<=[a-rt-z])(?<!Stair)(?<!Event)s "
    r"(?=(?:Rest )?(?:Cave|House|Lab|Office|Room|Shipyard|Stop|Tunnel)\b)"
)
_TOWN = re.compile(r"(\w+?(?:Town|City)|Route\d+)_(\w+)")
_SMALL = {"Of": "of", "And": "and", "Pokemon": "Pokémon", "Mt": "Mt.", "Mr": "Mr."}


@lru_cache(maxsize=1024)
def room_and_town(location: tuple[int, int]) -> tuple[str, str]:
    """Returns a place's name in its town, and the town.

    The town is "" for places outside of towns: ("Petalburg Woods", ""), but
    ("Brendan's House 1F", "Littleroot Town").
    """
    name = map_name(location).removeprefix("InsideOf")
    if inside := _TOWN.fullmatch(name):
        return _words(inside[2]), _words(inside[1])
    return _words(name), ""


def place_name(location: tuple[int, int]) -> str:
    """Returns a place's name, most specific first: "Brendan's House 1F, Littleroot Town"."""
    room, town = room_and_town(location)
    return f"{room}, {town}" if town else room


def _words(name: str) -> str:
    first, *others = _SEAM.sub(" ", name.replace("_", " ")).split(" ")
    words = [_SMALL.get(word, word) for word in others]
    return _OWNERS.sub("'s ", " ".join([_SMALL.get(first, first), *words]))
