"""What a ROM, a save and a state must be before libmgba may see them."""

import logging
import os
import struct
import tempfile
from pathlib import Path
from typing import Any

from emerald_env.files.printable import printable

LOG = logging.getLogger(__name__)
MAX_ROM_SIZE = 32 << 20
HEADER_SIZE = 0xC0
SAVE_SIZE = 128 << 10
STATE_MAGIC = 0x01000000  # mGBA's serialize.h: GBASavestateMagic; the low 24 bits are the version
# versionMagic, biosChecksum, romCrc32, masterCycles, title, id: struct GBASerializedState
STATE_HEADER = struct.Struct("<4I12s4s")
# the register VCOUNT in its part `io`: the line being drawn
STATE_LINE = struct.Struct("<1030xH")
# what the game last read from the clock (7 binary-coded decimals: years since 2000, month, day, day
# of the week, hour, minute, second) and the cartridge's devices; then bit 0: the processor sleeps
STATE_CLOCK, STATE_MISC = struct.Struct("<688x7sB"), struct.Struct("<796xI")
LINES = 228  # of a frame, including invisible ones; beyond them libmgba counts lines forever


class RomError(ValueError):
    """The file is not a Game Boy Advance ROM that can run."""


class StateError(ValueError):
    """The bytes are not a save state of this game."""


class SaveError(ValueError):
    """The bytes are not a cartridge's save memory."""


def libmgba_version() -> str:
    """Returns the version of the library that the shim was linked with, such as "0.10.1"."""
    from emerald_env.emulator.library import ffi, lib  # slow to load: not to name a wrong file

    return str(ffi.string(lib.mgba_version()).decode())


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


def check_state(state: bytes, size: int, own: bytes) -> None:
    """Checks that a state can be loaded.

    Args:
        state: the bytes to check.
        size: bytes of a state of the running game.
        own: a state of the running game, or its beginning.

    Raises:
        StateError: wrong size, not a state, a newer mGBA's, or another game's.
    """
    if len(state) != size:
        raise StateError(f"a state of mGBA has {size:,} bytes, this has {len(state):,}")
    magic, _, crc32, _, title, code = STATE_HEADER.unpack_from(state)
    own_magic, _, own_crc32, _, own_title, own_code = STATE_HEADER.unpack_from(own)
    if magic >> 24 != STATE_MAGIC >> 24:
        raise StateError(f"not a state of mGBA's Game Boy Advance: it begins with 0x{magic:08X}")
    if magic > own_magic:
        raise StateError(
            f"the state was made by a newer mGBA (state version 0x{magic & 0xFFFFFF:02X}, "
            f"this reads up to 0x{own_magic & 0xFFFFFF:02X}, version "
            f"{libmgba_version()}): use the game's own save (.sav) instead"
        )
    (line,) = STATE_LINE.unpack_from(state)
    if line >= LINES:
        raise StateError(
            f"the state is in line {line} of a frame of {LINES}, which no game reaches: it was "
            "damaged or made by hand, and libmgba would hang in it"
        )
    if (title, code, crc32) != (own_title, own_code, own_crc32):
        raise StateError(
            f"the state belongs to {_name(title + code)} with ROM CRC32 {crc32:08X}, the running "
            f"game is {_name(own_title + own_code)} with {own_crc32:08X}: give the state's game "
            "with --rom"
        )


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
    from emerald_env.emulator.library import ffi, lib

    check_rom(os.pread(descriptor, HEADER_SIZE, 0), os.fstat(descriptor).st_size, name)
    game = lib.game_open(descriptor, idle_loop or 0)
    if game == ffi.NULL:
        raise RomError(f"libmgba could not open {name}")
    return ffi.gc(game, lib.game_close)


def _name(title_and_code: bytes) -> str:
    return title_and_code.replace(b"\0", b" ").decode("ascii", "replace")
