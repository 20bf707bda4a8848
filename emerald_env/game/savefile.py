"""Files of save states and flash saves: mGBA's raw and PNG states, 128 KiB flash saves.

The files are untrusted: sizes are checked before anything is unpacked, and any flaw raises a
``SaveFileError`` whose message is one line.

Layouts: mGBA 0.10's ``GBASerializedState``, and pret's ``save.c``.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emerald_env.files.data import DataError, read_bytes
from emerald_env.game import symbols as sym

STATE_SIZE = 0x61000
FLASH_SIZE = 0x20000
MAX_FILE_SIZE = 8 << 20
MAX_FLASH_TRAILER = 64  # bytes that emulators append: mGBA's clock has 16

_STATE_MAGIC, _STATE_VERSIONS = 0x01000000, 0x20
_GB_STATE_MAGIC = 0x00400000
_STATE_HEADER = struct.Struct("<III4x12s4s")  # version, BIOS checksum, ROM CRC-32, title, game code
_REGIONS = (
    (sym.EWRAM, 0x21000, sym.EWRAM_SIZE),
    (sym.IWRAM, 0x19000, sym.IWRAM_SIZE),
    (sym.VRAM, 0x1000, sym.VRAM_SIZE),
)

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_CHUNK = struct.Struct(">I4s")
_PNG_CRC = struct.Struct(">I")
_PNG_HEADER = struct.Struct(">2I5B")  # width, height, 8 bits of RGB, zlib, adaptive, not interlaced
_PNG_STATE = b"gbAs"  # mGBA's own chunk, a raw state packed by zlib

_SECTOR, _SECTOR_DATA, _SECTORS, _SLOTS = 0x1000, 3968, 14, 2
_FOOTER = struct.Struct("<HHII")  # id, checksum, signature, counter
_FOOTER_AT, _SIGNATURE = 0xFF4, 0x08012025
_SECTION_SIZES = (
    sym.SAVE_BLOCK_2_SIZE,
    *(_SECTOR_DATA,) * 3,
    sym.SAVE_BLOCK_1_SIZE - 3 * _SECTOR_DATA,
    *(_SECTOR_DATA,) * 8,
    sym.POKEMON_STORAGE_SIZE - 8 * _SECTOR_DATA,
)


class SaveFileError(ValueError):
    """A file cannot be used; the message says what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class MemoryImage:
    """The memory in a save state of mGBA."""

    data: bytes  # (0x61000,) the raw state
    title: str
    code: str  # four letters of the cartridge header, e.g. "BPEE"
    rom_crc32: int

    def read(self, address: int, size: int) -> bytes:
        """Returns ``size`` bytes of GBA bus memory; what is not in a state (ROM) reads as 0."""
        for base, start, length in _REGIONS:
            if base <= address and address + size <= base + length:
                return self.data[start + address - base : start + address - base + size]
        return bytes(size)


@dataclass(frozen=True, slots=True)
class FlashSave:
    """The newest complete game in a flash save."""

    slot: int  # 0 or 1
    counter: int  # how often the game was saved, modulo 2**32
    block1: bytes  # SaveBlock1
    block2: bytes  # SaveBlock2
    storage: bytes  # PokemonStorage

    @property
    def is_emeralds(self) -> bool:
        """Whether Emerald wrote it: Jade has no trendy phrases, Emerald's new game makes five."""
        return any(self.block1[sym.SB1_TRENDS : sym.SB1_TRENDS + sym.TRENDS_SIZE])


def load(path: Path) -> MemoryImage | FlashSave:
    """Reads a file of any of the three kinds, recognised by its contents.

    Raises:
        OSError: it cannot be read.
        SaveFileError: it is of none of these kinds, cut off or broken.
    """
    try:
        return parse(read_bytes(path, MAX_FILE_SIZE))
    except DataError as error:
        raise SaveFileError(f"{error}: no save state or save") from None
    except SaveFileError as error:
        raise SaveFileError(f"{path}: {error}") from None


def read_state(path: Path) -> bytes:
    """Returns the raw state in a state file, raw or PNG.

    Raises:
        SaveFileError: it has none, or cannot be read.
    """
    try:
        image = load(path)
    except OSError as error:
        raise SaveFileError(f"{path}: {error.strerror}") from error
    if not isinstance(image, MemoryImage):
        raise SaveFileError(f"{path}: a cartridge's save, not a state")
    return image.data


def parse(data: bytes) -> MemoryImage | FlashSave:
    """Does the same as ``load`` for a file's contents.

    Raises:
        SaveFileError: see ``load``.
    """
    if not data:
        raise SaveFileError("the file is empty")
    if data.startswith(_PNG_SIGNATURE):
        return parse_state(unpack_png(data))
    if FLASH_SIZE <= len(data) <= FLASH_SIZE + MAX_FLASH_TRAILER:
        return parse_flash(data)
    return parse_state(data)


def parse_state(data: bytes) -> MemoryImage:
    """Returns the memory in a raw state.

    Raises:
        SaveFileError: it is not a state of a GBA game, or cut off.
    """
    magic = int.from_bytes(data[:4], "little")
    if magic & ~0xFF == _GB_STATE_MAGIC:
        raise SaveFileError("a state of a Game Boy game, not of a Game Boy Advance one")
    if not 0 < magic - _STATE_MAGIC < _STATE_VERSIONS:
        raise SaveFileError(
            f"neither a save state of mGBA (raw or PNG) nor a 128 KiB flash save ({len(data):,} "
            f"bytes, beginning with {data[:4].hex(' ')})"
        )
    if len(data) < STATE_SIZE:
        raise SaveFileError(
            f"a save state that was cut off: {len(data):,} bytes instead of {STATE_SIZE:,}"
        )
    _, _, crc32, title, code = _STATE_HEADER.unpack_from(data)
    return MemoryImage(data[:STATE_SIZE], _ascii(title), _ascii(code), crc32)


def unpack_png(data: bytes) -> bytes:
    """Returns the raw state in a PNG state.

    Raises:
        SaveFileError: the PNG is cut off or broken, or has no GBA state in it.
    """
    for kind, content in _chunks(data):
        if kind == _PNG_STATE:
            return _inflate(content)
    raise SaveFileError("a PNG picture without a save state in it")


def pack_png(state: bytes, picture: NDArray[np.uint8]) -> bytes:
    """Returns a PNG state as mGBA writes and reads it: a picture with the state in it.

    Args:
        state: a raw state.
        picture: what it shows, (height, width, 3) uint8 RGB.
    """
    return pack_png_around(zlib.compress(state, 1), picture)


def pack_png_around(packed: bytes, picture: NDArray[np.uint8]) -> bytes:
    """Does the same as `pack_png` for a raw state already compressed by zlib."""
    height, width, _ = picture.shape
    rows = np.insert(picture.reshape(height, -1), 0, 0, axis=1)  # each begins with "no filter"
    parts = {
        b"IHDR": _PNG_HEADER.pack(width, height, 8, 2, 0, 0, 0),
        _PNG_STATE: packed,
        b"IDAT": zlib.compress(rows.tobytes(), 1),
        b"IEND": b"",
    }
    return _PNG_SIGNATURE + b"".join(_chunk(kind, content) for kind, content in parts.items())


def parse_flash(data: bytes) -> FlashSave:
    """Returns the newest of the complete games in a flash save.

    Raises:
        SaveFileError: there is none.
    """
    slots = [_slot(data, index) for index in range(_SLOTS)]
    saves = [save for save in slots if save is not None]
    if not saves:
        raise SaveFileError(
            "a flash save with no complete game in it: sectors are missing or their checksums fail"
        )
    if {save.counter for save in saves} == {0, 0xFFFFFFFF}:
        return min(saves, key=lambda save: save.counter)
    return max(saves, key=lambda save: save.counter)


def _ascii(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("ascii", "replace")


def _chunk(kind: bytes, content: bytes) -> bytes:
    crc = _PNG_CRC.pack(zlib.crc32(kind + content))
    return _PNG_CHUNK.pack(len(content), kind) + content + crc


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(_PNG_SIGNATURE)
    while position < len(data):
        header = data[position : position + _PNG_CHUNK.size]
        if len(header) < _PNG_CHUNK.size:
            raise SaveFileError("a PNG that was cut off")
        length, kind = _PNG_CHUNK.unpack(header)
        start = position + _PNG_CHUNK.size
        position = start + length + _PNG_CRC.size
        if position > len(data):
            raise SaveFileError("a PNG that was cut off")
        (crc,) = _PNG_CRC.unpack_from(data, start + length)
        if zlib.crc32(data[start - 4 : start + length]) != crc:
            raise SaveFileError(f"a broken PNG: the checksum of its part {_ascii(kind)!r} fails")
        yield kind, data[start : start + length]
        if kind == b"IEND":
            return


def _inflate(packed: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        state = unpacker.decompress(packed, STATE_SIZE + 1)
    except zlib.error:
        raise SaveFileError("a PNG whose save state cannot be unpacked") from None
    if len(state) != STATE_SIZE:
        raise SaveFileError(f"a PNG whose save state does not unpack to {STATE_SIZE:,} bytes")
    return state


def _slot(data: bytes, slot: int) -> FlashSave | None:
    """Returns a slot's game, None unless all its fourteen sectors are present and valid."""
    sections: dict[int, bytes] = {}
    counter = 0
    for index in range(slot * _SECTORS, (slot + 1) * _SECTORS):
        sector = data[index * _SECTOR : (index + 1) * _SECTOR]
        number, checksum, signature, count = _FOOTER.unpack_from(sector, _FOOTER_AT)
        if signature != _SIGNATURE or number >= _SECTORS:
            continue
        section = sector[: _SECTION_SIZES[number]]
        if _checksum(section) == checksum:
            sections[number] = section
            counter = count
    if len(sections) < _SECTORS:
        return None
    ordered = [sections[number] for number in range(_SECTORS)]
    return FlashSave(slot, counter, b"".join(ordered[1:5]), ordered[0], b"".join(ordered[5:]))


def _checksum(section: bytes) -> int:
    total = sum(struct.unpack(f"<{len(section) // 4}I", section)) & 0xFFFFFFFF
    return int((total >> 16) + total & 0xFFFF)
