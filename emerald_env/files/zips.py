"""Reading untrusted zips: one layout only, within limits, nothing unpacked to disk.

Programs disagree about odd zips: which of two directories counts, or what may precede the first
member. Only zips that all of them read alike are accepted: they begin with a member, the
directory is exactly where the end record says, and nothing follows that record.
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
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from emerald_env.files.data import open_regular

MEBIBYTE = 1 << 20
MAX_FILE_BYTES = 4095 * MEBIBYTE
MAX_MEMBERS = 1000  # SB3's zips have six, torch's one for each tensor
MAX_DIRECTORY_BYTES = MEBIBYTE  # bytes
MAX_COMPRESSION_RATIO = 200  # of a large member's unpacked to packed size; weights hardly shrink
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
PART_OF_NAME = re.compile(r"[A-Za-z0-9_.+ -]{1,100}")
FIRST = b"PK\x03\x04"
LOCAL_HEADER = struct.Struct("<4s22xHH")  # ends with the lengths of name and extra field
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
            if flaw := next(flaws(archive), None):
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
    _check_layout(file)
    return zipfile.ZipFile(file)


def _check_layout(file: BinaryIO) -> None:
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
        if record[0] != b"PK\x06\x06" or LOCATOR_64.unpack(locator)[2] != at:
            raise LayoutError("has a second end record elsewhere")
    if here != members or members > MAX_MEMBERS or length > MAX_DIRECTORY_BYTES:
        raise LayoutError(f"has {members:,} members")
    if offset + length != at:
        raise LayoutError("has its directory elsewhere than its end record says")
    file.seek(0)


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def flaws(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yields what our files never have, but a zip made to harm its reader may.

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
        yield from _flaws_of(entry)
    spans = sorted(_span(archive, entry) for entry in entries)
    if any(end > start for (_, end), (start, _) in pairwise(spans)):
        yield "has members that overlap"
    if spans and spans[-1][1] > archive.start_dir:
        yield "has a member that reaches into the directory"


def _flaws_of(entry: zipfile.ZipInfo) -> Iterator[str]:
    # a name ends at a NUL for zipfile, but not for every other program
    name, shown = entry.orig_filename, repr(entry.orig_filename[:60])
    parts = name.removesuffix("/").split("/")
    if any(not PART_OF_NAME.fullmatch(part) or part.strip(". ") == "" for part in parts):
        yield f"has a member named {shown}"
    if stat.S_ISLNK(entry.external_attr >> 16):
        yield f"has a link, {shown}"
    if entry.compress_type not in PACKINGS:
        yield f"has {shown} compressed by an unusual method"
    if entry.file_size > max(MEBIBYTE, MAX_COMPRESSION_RATIO * entry.compress_size):
        times = entry.file_size // max(entry.compress_size, 1)
        yield f"has {shown}, which unpacks to {times:,} times its size"


def _span(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> tuple[int, int]:
    """Returns a member's start and end in the file."""
    assert archive.fp is not None
    archive.fp.seek(entry.header_offset)
    _, name, extra = LOCAL_HEADER.unpack(archive.fp.read(LOCAL_HEADER.size))
    begin = entry.header_offset
    return begin, begin + LOCAL_HEADER.size + name + extra + entry.compress_size


def read_member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """Returns a member's content.

    Raises:
        ZipError: it unpacks to more than `limit` bytes.
        BROKEN_ZIP: it is damaged.
    """
    # the directory's size is only a claim; the actual bytes count
    with archive.open(name) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise ZipError(f"has {name}, which unpacks to more than {limit:,} bytes: refused")
    return content
