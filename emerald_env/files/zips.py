"""Reading untrusted zips: one layout only, within limits, nothing unpacked to disk.

Programs disagree about odd zips: which of two directories counts, or what lies between members.
Only zips that all of them read alike are accepted: members and directory fill the file, each
member's two headers agree, and there are no extra fields but sizes of 64 bits and torch's padding.
"""

import io
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, BinaryIO

from emerald_env.files.data import MEBIBYTE, open_regular

MAX_FILE_BYTES = 4095 * MEBIBYTE
MAX_MEMBERS = 1000  # SB3's zips have six, torch's one for each tensor
MAX_DIRECTORY_BYTES = MEBIBYTE  # bytes
MAX_COMPRESSION_RATIO = 200  # of a large member's unpacked to packed size; weights hardly shrink
SMALL_LIMIT = 16 * MEBIBYTE  # a member that may unpack to this at most may have shrunk to nothing
NO_LIMITS: Mapping[str, int] = MappingProxyType({})
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
PART_OF_NAME = re.compile(r"[A-Za-z0-9_.+ -]{1,100}")
FIRST = b"PK\x03\x04"
# signature, version, flags, method, time, date, CRC-32, packed and unpacked size, lengths of name
# and extra field
LOCAL_HEADER = struct.Struct("<4s5H3L2H")
DIRECTORY_ENTRY = 46  # bytes before name, extra field and comment
FIELD = struct.Struct("<2H")  # of an extra field: kind, length
SIZES_64, PADDING = 0x0001, int.from_bytes(b"FB", "little")  # kinds of extra fields
SIZES = struct.Struct("<2Q")
TO_64 = (1 << 32) - 1  # a size that is in the extra field
SIZES_FOLLOW, UTF_8 = 1 << 3, 1 << 11  # flags
USUAL_FLAGS = SIZES_FOLLOW | UTF_8 | 0b110  # the last: how hard deflate tried
# signature, disks, members here and in all, size and offset of the directory, length of a comment
END = struct.Struct("<4s4H2LH")
# signature, size of the record, versions, disks, members, size and offset of the directory
END_64 = struct.Struct("<4sQ2H2L4Q")
LOCATOR_64 = struct.Struct("<4sLQL")  # signature, disk, offset of END_64, disks
# What zipfile raises for a truncated, damaged, encrypted or unsupported zip.
BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    LookupError,
)


class ZipError(ValueError):
    """A zip is refused; the message says what was found, and follows the file's name."""


class LayoutError(ZipError):
    """Two programs could read a file differently."""


def read_file(path: Path, limits: Mapping[str, int]) -> dict[str, bytes]:
    """Returns the members of a zip file that are named in `limits` and present.

    Args:
        path: the zip.
        limits: the most bytes that a member may unpack to, by its name.

    Raises:
        OSError: it cannot be opened.
        ZipError: it is not a complete zip, has another layout or a flaw (see `flaws`), or a
            member unpacks to more than its limit.
        DataError: it is not a regular file.
    """
    with open_regular(path) as file:
        return read_members(file, limits)


def read_members(file: BinaryIO | bytes, limits: Mapping[str, int]) -> dict[str, bytes]:
    """Does the same as `read_file` for an open file or its contents."""
    try:
        with open_zip(io.BytesIO(file) if isinstance(file, bytes) else file) as archive:
            if flaw := next(flaws(archive, limits), None):
                raise ZipError(f"{flaw}: refused, we write no such file")
            names = archive.namelist()
            present = [name for name in limits if name in names]
            return {name: read_member(archive, name, limits[name]) for name in present}
    except ZipError:
        raise
    except BROKEN_ZIP as error:
        raise ZipError(
            f"is not a complete zip file ({error}): it may be truncated, download it again"
        ) from error


def open_zip(file: BinaryIO) -> zipfile.ZipFile:
    """Opens a zip of the one layout that every program reads alike.

    Raises:
        LayoutError: it has another layout, or too many members.
        BROKEN_ZIP: it is damaged.
    """
    members, length = _check_layout(file)
    archive = zipfile.ZipFile(file)
    entries = archive.infolist()
    if len(entries) != members or sum(map(_size_in_directory, entries)) != length:
        raise LayoutError("has a directory with more in it than its members")
    return archive


def _size_in_directory(entry: zipfile.ZipInfo) -> int:
    name = entry.orig_filename.encode("utf-8" if entry.flag_bits & UTF_8 else "cp437", "replace")
    return DIRECTORY_ENTRY + len(name) + len(entry.extra) + len(entry.comment)


def _check_layout(file: BinaryIO) -> tuple[int, int]:
    """Returns the number of members and the directory's bytes."""
    size = file.seek(0, os.SEEK_END)
    if size < END.size or _at(file, 0, len(FIRST)) != FIRST:
        raise LayoutError("does not begin as a zip does")
    at = size - END.size
    signature, *_, here, members, length, offset, comment = END.unpack(_at(file, at, END.size))
    if signature != b"PK\x05\x06" or comment:
        raise LayoutError("does not end with the end record of a zip")
    locator = _at(file, max(at - LOCATOR_64.size, 0), LOCATOR_64.size)
    if locator.startswith(b"PK\x06\x07"):
        at -= LOCATOR_64.size + END_64.size
        record = END_64.unpack(_at(file, max(at, 0), END_64.size))
        here, members, length, offset = record[-4:]
        if record[:2] != (b"PK\x06\x06", END_64.size - 12) or LOCATOR_64.unpack(locator)[2] != at:
            raise LayoutError("has a second end record elsewhere")
    if here != members or members > MAX_MEMBERS or length > MAX_DIRECTORY_BYTES:
        raise LayoutError(f"has {members:,} members")
    if offset + length != at:
        raise LayoutError("has its directory elsewhere than its end record says")
    file.seek(0)
    return members, length


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def flaws(archive: zipfile.ZipFile, limits: Mapping[str, int] = NO_LIMITS) -> Iterator[str]:
    """Yields what our files never have, but a zip made to harm its reader may.

    Args:
        archive: the zip.
        limits: the most bytes that a member may unpack to, by its name.

    Raises:
        struct.error, OSError: a member's header is not where the directory says.
    """
    entries = archive.infolist()
    names = [entry.filename.casefold() for entry in entries]
    if len(set(names)) != len(names):
        yield "has a member twice"
    if sum(entry.file_size for entry in entries) > MAX_FILE_BYTES:
        yield f"unpacks to over {MAX_FILE_BYTES // MEBIBYTE} MiB"
    for entry in entries:
        yield from _flaws_of(entry, limits.get(entry.filename, 0))
    yield from _gaps(archive)


def _gaps(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yields why members and directory do not fill a zip, or where a member's headers differ."""
    assert archive.fp is not None
    position = 0
    for entry in sorted(archive.infolist(), key=lambda entry: entry.header_offset):
        if entry.header_offset != position:
            yield "has bytes between its members, or members that overlap"
            return
        end = _end_of(archive.fp, entry)
        if end is None:
            yield f"describes {entry.orig_filename[:60]!r} differently in its two headers"
            return
        position = end
    if position != archive.start_dir:
        yield "has bytes between its members and its directory"


def _end_of(file: IO[bytes], entry: zipfile.ZipInfo) -> int | None:
    """Returns where a member ends; None if its header is not as the directory says."""
    file.seek(entry.header_offset)
    signature, _, flags, method, _, _, crc, packed, size, name_length, extra_length = (
        LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
    )
    name, extra = file.read(name_length), file.read(extra_length)
    wanted = (entry.CRC, entry.compress_size, entry.file_size)
    end = file.tell() + entry.compress_size
    sizes = _sizes_in(extra)
    if sizes is not None and len(sizes) == SIZES.size:
        large = SIZES.unpack(sizes)
        if (size, packed) not in ((TO_64, TO_64), large):  # Python before 3.11.4 writes both
            return None
        size, packed = large
    elif sizes != b"":
        return None
    if flags & SIZES_FOLLOW and (crc, packed, size) == (0, 0, 0):
        file.seek(end)
        after = file.read(4 + 4 + SIZES.size)
        forms = [b"PK\7\x08" + struct.pack(form, *wanted) for form in ("<3L", "<L2Q")]
        found = next((len(form) for form in forms if after.startswith(form)), None)
        crc, packed, size = wanted if found else (None, None, None)
        end += found or 0
    same = (signature, flags, method) == (FIRST, entry.flag_bits, entry.compress_type)
    same = same and name.decode("utf-8", "replace") == entry.orig_filename
    return end if same and (crc, packed, size) == wanted else None


def _sizes_in(extra: bytes) -> bytes | None:
    """Returns an extra field's sizes of 64 bits, b"" if it has none; None if more is in it."""
    sizes = b""
    while extra:
        kind, length = FIELD.unpack_from(extra)
        content, extra = extra[FIELD.size :][:length], extra[FIELD.size + length :]
        if len(content) != length or sizes:
            return None
        if kind == SIZES_64:
            sizes = content
        elif kind != PADDING or content.strip(b"Z"):
            return None
    return sizes


def _flaws_of(entry: zipfile.ZipInfo, limit: int) -> Iterator[str]:
    # a name ends at a NUL for zipfile, but not for every other program
    name, shown = entry.orig_filename, repr(entry.orig_filename[:60])
    parts = name.removesuffix("/").split("/")
    if any(not PART_OF_NAME.fullmatch(part) or part.strip(". ") == "" for part in parts):
        yield f"has a member named {shown}"
    large = max(entry.file_size, entry.compress_size, entry.header_offset) > zipfile.ZIP64_LIMIT
    if entry.comment or entry.flag_bits & ~USUAL_FLAGS or (entry.extra and not large):
        yield f"has {shown} with a comment, an extra field or flags that we never write"
    if stat.S_ISLNK(entry.external_attr >> 16):
        yield f"has a link, {shown}"
    if entry.compress_type not in PACKINGS:
        yield f"has {shown} compressed by an unusual method"
    # hours without a key are a few bytes: a small limit alone keeps such a member harmless
    small = max(MEBIBYTE, limit if limit <= SMALL_LIMIT else 0)
    if entry.file_size > max(small, MAX_COMPRESSION_RATIO * entry.compress_size):
        times = entry.file_size // max(entry.compress_size, 1)
        yield f"has {shown}, which unpacks to {times:,} times its size"


def read_member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """Returns the content of a member of a zip without `flaws`.

    Raises:
        ZipError: it unpacks to more than `limit` bytes.
        BROKEN_ZIP: it is damaged, or does not fill its place in the file.
    """
    entry, file = archive.getinfo(name), archive.fp
    assert file is not None
    file.seek(entry.header_offset)
    header = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
    file.seek(sum(header[-2:]), os.SEEK_CUR)
    content, is_whole = file.read(entry.compress_size), True
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        # the directory's size is only a claim; the actual bytes count
        content = unpacker.decompress(content, limit + 1)
        is_whole = unpacker.eof and not unpacker.unused_data
    if len(content) > limit:
        raise ZipError(f"has {name}, which unpacks to more than {limit:,} bytes: refused")
    if not is_whole or (len(content), zlib.crc32(content)) != (entry.file_size, entry.CRC):
        raise zipfile.BadZipFile(f"{name} does not unpack to what its header says")
    return content
