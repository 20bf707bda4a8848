"""Reading a stranger's zip: named members only, within limits, nothing unpacked onto the disk."""

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

MEBIBYTE = 1 << 20
LARGEST_FILE = 4096 * MEBIBYTE
LARGEST_DIRECTORY = 1000  # members; SB3 writes six
LARGEST_RATIO = 200  # of a large member's sizes unpacked and packed; weights hardly shrink at all
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
PART_OF_NAME = re.compile(r"[A-Za-z0-9_.+ -]{1,100}")
LOCAL_HEADER = struct.Struct("<26xHH")  # at its end the lengths of name and extra field
# What zipfile raises for one that is cut short, damaged, encrypted or packed in a way it lacks.
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
)


class CheckpointError(Exception):
    """A checkpoint cannot be used; the message says what was found and what can be done."""


def read_members(path: Path, limits: Mapping[str, int]) -> dict[str, bytes]:
    """Returns the members of a zip that are named in `limits` and present.

    Nothing else in it is looked at: a pickle beside them does nothing.

    Args:
        path: the zip.
        limits: the most bytes that a member may unpack to, by its name.

    Raises:
        CheckpointError: there is no such file, it is no zip or a broken one, has a flaw (see
            `flaws`), or a member unpacks to more than its limit.
    """
    check_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            if flaw := next(flaws(archive), None):
                raise CheckpointError(f"{path} {flaw}: refused, no checkpoint is like that")
            names = archive.namelist()
            present = [name for name in limits if name in names]
            return {name: _read(archive, name, limits[name], path) for name in present}
    except BROKEN_ZIP as error:
        raise CheckpointError(
            f"{path} is not a whole zip file ({error}): it may be cut short, get it once more"
        ) from error


def check_file(path: Path) -> None:
    """Raises CheckpointError unless there is a file of a size that a checkpoint may have."""
    if not path.is_file():
        raise CheckpointError(f"no checkpoint at {path}: give a .zip file or a session's folder")
    if not os.access(path, os.R_OK):
        raise CheckpointError(f"{path} may not be read by this user: change its rights, or ask")
    if path.stat().st_size > LARGEST_FILE:
        raise CheckpointError(f"{path} has over {LARGEST_FILE // MEBIBYTE} MiB: not a checkpoint")


def flaws(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yields what no checkpoint has, but a zip made to harm its reader may.

    Raises:
        struct.error, OSError: a member's header is not where the directory says.
    """
    entries = archive.infolist()
    if len(entries) > LARGEST_DIRECTORY:
        yield f"has {len(entries):,} members"
        return
    names = [entry.filename.casefold() for entry in entries]
    if len(set(names)) != len(names):
        yield "has a member twice"
    if sum(entry.file_size for entry in entries) > LARGEST_FILE:
        yield f"unpacks to over {LARGEST_FILE // MEBIBYTE} MiB"
    for entry in entries:
        yield from _flaws_of(entry)
    spans = sorted(_span(archive, entry) for entry in entries)
    if any(end > start for (_, end), (start, _) in pairwise(spans)):
        yield "has members that overlap"


def _flaws_of(entry: zipfile.ZipInfo) -> Iterator[str]:
    # a name ends at a NUL for zipfile, but not for every other program
    name, shown = entry.orig_filename, repr(entry.orig_filename[:60])
    parts = name.removesuffix("/").split("/")
    if any(not PART_OF_NAME.fullmatch(part) or part.strip(". ") == "" for part in parts):
        yield f"has a member named {shown}"
    if stat.S_ISLNK(entry.external_attr >> 16):
        yield f"has a link, {shown}"
    if entry.compress_type not in PACKINGS:
        yield f"has {shown} packed by an unusual method"
    if entry.file_size > max(MEBIBYTE, LARGEST_RATIO * entry.compress_size):
        times = entry.file_size // max(entry.compress_size, 1)
        yield f"has {shown}, which unpacks to {times:,} times its size"


def _span(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> tuple[int, int]:
    """Returns where a member begins in the file and where it ends."""
    file = archive.fp
    assert file is not None
    file.seek(entry.header_offset)
    name, extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
    begin = entry.header_offset
    return begin, begin + LOCAL_HEADER.size + name + extra + entry.compress_size


def _read(archive: zipfile.ZipFile, name: str, limit: int, path: Path) -> bytes:
    # the size in the directory is a claim; only what really comes out counts
    with archive.open(name) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise CheckpointError(f"{path}: {name} unpacks to more than {limit:,} bytes: refused")
    return content
