"""Jade's ROM files: the one that comes with the program, and those of its other worlds."""

import hashlib
import re
from pathlib import Path
from typing import Final, NamedTuple

from platformdirs import user_cache_path

from emerald_env.files.atomic import write_atomically
from emerald_env.jade.worlds.make_world import SIZES, make_world

JADE_ROM: Final = Path(__file__).parent / "jade.gba"
JADE_IDLE_LOOP: Final = 0x080000E0
MAX_SEED: Final = 10**9


class WorldName(NamedTuple):
    """What a world's name stands for: 7 is 7:small, 7:large:demanding is large and demanding."""

    seed: int
    size: str
    demanding: bool

    def __str__(self) -> str:
        return f"{self.seed}:{self.size}" + ":demanding" * self.demanding


def world_of(name: str) -> WorldName:
    """Returns what a world's name stands for.

    Raises:
        ValueError: it is no such name.
    """
    found = re.fullmatch(rf"([0-9]{{1,10}})(?::({'|'.join(SIZES)}))?(:demanding)?", name)
    if found is None or int(found[1]) > MAX_SEED:
        sizes = " or ".join(f":{size}" for size in SIZES)
        raise ValueError(
            f"world must be a number from 0 to {MAX_SEED:,}, perhaps with {sizes}, and with "
            f":demanding, got {name!r}"
        )
    return WorldName(int(found[1]), found[2] or SIZES[0], bool(found[3]))


def worlds_of(names: str) -> list[str]:
    """Returns the names of several worlds: 1..3:large is 1:large, 2:large and 3:large.

    Raises:
        ValueError: it is no such text.
    """
    first, dots, last = names.partition("..")
    begin = world_of(first).seed
    end = world_of(last) if dots else None
    if end is None or ":" in first or end.seed < begin:
        raise ValueError(f"worlds must be two numbers, such as 1..60 or 1..60:large, got {names!r}")
    return [str(end._replace(seed=seed)) for seed in range(begin, end.seed + 1)]


def world_rom(name: str) -> bytes:
    """Returns the ROM of a world by its name; "0" is Jade as it comes, and has one size.

    Raises:
        ValueError: there is no world of this name.
    """
    return make_world(JADE_ROM.read_bytes(), *world_of(name))


def world_file(name: str | None) -> Path:
    """Returns the file of a world's ROM, which is made where it is not in the user's cache.

    Raises:
        ValueError: there is no world of this name.
        OSError: the file cannot be written.
    """
    world = world_of(name or "0")
    if world.seed == 0 and not world.demanding:
        return JADE_ROM
    folder = user_cache_path("pokemon-emerald-agent", appauthor=False) / "worlds"
    program = b"".join(path.read_bytes() for path in sorted(_makers()))
    path = folder / f"{str(world).replace(':', '_')}_{hashlib.sha256(program).hexdigest()[:16]}.gba"
    if not path.is_file() or path.stat().st_size != JADE_ROM.stat().st_size:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, make_world(JADE_ROM.read_bytes(), *world))
    return path


def _makers() -> list[Path]:
    """Returns the files that decide what a world is like."""
    return [JADE_ROM, *(Path(__file__).parent / "worlds").glob("*.[pj]*")]
