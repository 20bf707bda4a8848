"""A ROM: what it must be before libmgba may see it, what it says of itself, and opening it."""

import logging
import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from emerald_env.files.printable import printable

LOG = logging.getLogger(__name__)
MAX_ROM_SIZE = 32 << 20
HEADER_SIZE = 0xC0


class RomError(ValueError):
    """The file is not a Game Boy Advance ROM that can run."""


class Header(NamedTuple):
    """What a ROM says of itself: its title, its code of four letters, its revision."""

    title: str
    game_code: str
    revision: int

    @classmethod
    def of(cls, rom: bytes) -> "Header":
        """Returns the header of a ROM, from at least its first HEADER_SIZE bytes."""
        title, code = rom[0xA0:0xAC].rstrip(b"\0"), rom[0xAC:0xB0]
        return cls(title.decode("ascii", "replace"), code.decode("ascii", "replace"), rom[0xBC])


def check_rom(header: bytes, size: int, name: str) -> None:
    """Checks what must hold before libmgba may see a ROM.

    Args:
        header: the first 192 bytes, or fewer where there are no more.
        size: bytes of the whole ROM.
        name: what messages call it.

    Raises:
        RomError: this is not a complete Game Boy Advance cartridge.
    """
    if len(header) < HEADER_SIZE:
        raise RomError(f"{name} has {size} bytes, fewer than a ROM's header of {HEADER_SIZE}")
    # GBATEK, "GBA Cartridge Header": the entry is a branch (0xEA), byte 0xB2 is always 0x96
    if header[3] != 0xEA or header[0xB2] != 0x96:
        raise RomError(
            f"{name} is not a Game Boy Advance ROM: bytes 3 and 0xB2 are 0x{header[3]:02X} and "
            f"0x{header[0xB2]:02X}, not 0xEA and 0x96 (is it zipped, or of another console?)"
        )
    if size > MAX_ROM_SIZE:
        raise RomError(f"{name} has {size:,} bytes; a cartridge has {MAX_ROM_SIZE:,} at most")
    if size & (size - 1):
        told = f"{printable(name)} has {size:,} bytes, no cartridge's size: homebrew, or cut off"
        LOG.warning(told)


def open_rom(rom: str | os.PathLike[str] | bytes, idle_loop: int | None) -> Any:
    """Returns the shim's handle of a new console with a ROM in it.

    Raises:
        FileNotFoundError: the file does not exist.
        RomError: it is not a ROM that can run.
    """
    if isinstance(rom, bytes):
        with tempfile.TemporaryFile() as file:
            file.write(rom)
            file.flush()
            return _open_file(file.fileno(), "the ROM", idle_loop)
    path = Path(rom)
    if not path.is_file():
        raise FileNotFoundError(f"no ROM at {path}")
    with path.open("rb") as file:
        return _open_file(file.fileno(), str(path), idle_loop)


def _open_file(descriptor: int, name: str, idle_loop: int | None) -> Any:
    from emerald_env.emulator.library import ffi, lib  # slow to load: not to name a wrong file

    check_rom(os.pread(descriptor, HEADER_SIZE, 0), os.fstat(descriptor).st_size, name)
    game = lib.game_open(descriptor, idle_loop or 0)
    if game == ffi.NULL:
        raise RomError(f"libmgba could not open {name}")
    return ffi.gc(game, lib.game_close)
