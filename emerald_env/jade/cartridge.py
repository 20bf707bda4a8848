"""Jade's ROM files: the one that comes with the program, and those of its other worlds."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import read_toml
from emerald_env.files.package_version import cache_folder
from emerald_env.jade.editing import change
from emerald_env.jade.worlds.demanding.longer_scenes import lengthen
from emerald_env.jade.worlds.demanding.wanderers import wander
from emerald_env.jade.worlds.letters import suit_signs
from emerald_env.jade.worlds.make_world import SIZES, make_world
from emerald_env.jade.worlds.rom_tables import RomTables

JADE_ROM: Final = Path(__file__).parent / "jade.gba"
JADE_FULL: Final = Path(__file__).with_name("jade_full.gba")  # the engine of worlds called :emerald
EMERALD_LEVELS: Final = Path(__file__).parent / "worlds" / "demanding" / "emerald_levels.toml"
JADE_IDLE_LOOP: Final = 0x080000E0
MAX_SEED: Final = 10**9
DEMANDING: Final = ("demanding", "emerald", "paced")


class WorldName(NamedTuple):
    """What a world's name stands for: 7 is 7:small, 7:large:demanding is large and demanding.

    Attributes:
        seed: its number.
        size: one of `SIZES`.
        demands: "demanding"; "emerald", which has Emerald's levels, too, and people who wander,
            poison that hurts on the way and a dark cave; "paced", which is that at Emerald's pace;
            or "".
    """

    seed: int
    size: str
    demands: str = ""

    @property
    def demanding(self) -> bool:
        """Whether it asks of the player what the real game does."""
        return bool(self.demands)

    @property
    def maps(self) -> tuple[int, str]:
        """What its maps follow from: worlds in which this is equal have nearly the same.

        Of worlds 7 and 1001 to 1003, 0.3 % of the tiles are others with :demanding, 1.3 to 1.8 %
        with :emerald or :paced, and 31 % in the one of four where those took another attempt. With
        :large it is 32 to 34 %, as much as between two numbers (30 %).
        """
        return self.seed, self.size if self.seed else ""  # world 0 has one size

    def __str__(self) -> str:
        return ":".join(filter(None, (str(self.seed), self.size, self.demands)))


def world_of(name: str) -> WorldName:
    """Returns what a world's name stands for.

    Raises:
        ValueError: it is no such name.
    """
    found = re.fullmatch(
        rf"([0-9]{{1,10}})(?::({'|'.join(SIZES)}))?(?::({'|'.join(DEMANDING)}))?", name
    )
    if found is None or int(found[1]) > MAX_SEED:
        ways = " or ".join(f":{size}" for size in SIZES)
        raise ValueError(
            f"world must be a number from 0 to {MAX_SEED:,}, perhaps with {ways}, and with "
            f":demanding, :emerald or :paced, got {name!r}"
        )
    return WorldName(int(found[1]), found[2] or SIZES[0], found[3] or "")


class Worlds(NamedTuple):
    """Several worlds of one kind, a billion perhaps; each is named when it is asked for.

    Attributes:
        seeds: their numbers.
        kind: size and demands.
    """

    seeds: range
    kind: WorldName

    def names(self) -> Iterator[str]:
        """Yields the name of each."""
        return map(self.name, range(len(self.seeds)))

    def name(self, index: int) -> str:
        """Returns the name of one, by its place among them."""
        return str(self.kind._replace(seed=self.seeds[index]))

    def shared_with(self, other: "Worlds") -> str | None:
        """Returns the name of the first world whose maps one of others has, if there is one."""
        first = max(self.seeds.start, other.seeds.start)
        if first not in self.seeds or first not in other.seeds:
            return None
        world = self.kind._replace(seed=first)
        both = world.maps == other.kind._replace(seed=first).maps
        return str(world) if both else None


def worlds_of(names: str) -> Worlds:
    """Returns several worlds by their names: 1..3:large is 1:large, 2:large and 3:large.

    Raises:
        ValueError: it is no such text.
    """
    first, dots, last = names.partition("..")
    begin = world_of(first).seed
    end = world_of(last) if dots else None
    if end is None or ":" in first or end.seed < begin:
        raise ValueError(f"worlds must be two numbers, such as 1..60 or 1..60:large, got {names!r}")
    return Worlds(range(begin, end.seed + 1), end._replace(seed=0))


def world_rom(name: str) -> bytes:
    """Returns the ROM of a world by its name; "0" is Jade as it comes, and has one size.

    Raises:
        ValueError: there is no world of this name.
    """
    return _made(world_of(name))


def _made(world: WorldName) -> bytes:
    is_full = world.demands in ("emerald", "paced")
    base = (JADE_FULL if is_full else JADE_ROM).read_bytes()
    rom = make_world(base, world.seed, world.size, world.demanding)
    if not is_full:
        return rom
    tables = RomTables(rom)
    wander(tables)
    suit_signs(tables)
    if world.demands == "paced":
        lengthen(tables)
    changes = read_toml(EMERALD_LEVELS)
    changes["demands"]["pace"] = world.demands == "paced"
    change(tables, changes)  # nothing that the proofs of `make_world` ask for
    return bytes(tables.data)


def world_file(name: str | None) -> Path:
    """Returns the file of a world's ROM, which is made where it is not in the user's cache.

    Raises:
        ValueError: there is no world of this name.
        OSError: the file cannot be written.
    """
    world = world_of(name or "0")
    if world.seed == 0 and not world.demanding:
        return JADE_ROM
    folder = cache_folder() / "worlds"
    path = folder / f"{str(world).replace(':', '_')}_{_program()}.gba"
    if not path.is_file() or path.stat().st_size != JADE_ROM.stat().st_size:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, _made(world))
    return path


@cache
def _program() -> str:
    """Returns a hash of what decides what a world is like, as it was when the process began."""
    read = b"".join(path.read_bytes() for path in sorted(_makers()))
    return hashlib.sha256(read).hexdigest()[:16]


def _makers() -> list[Path]:
    """Returns the files that decide what a world is like."""
    here = Path(__file__).parent
    found = (here / "worlds").rglob("*.[pjt]*")
    made = [path for path in found if path.parent.name != "__pycache__"]
    return [JADE_ROM, JADE_FULL, Path(__file__), here / "editing.py", here / "maps.py", *made]
