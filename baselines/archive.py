"""Reading a stranger's zip: named members only, within limits, nothing unpacked onto the disk."""

import lzma
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

MEBIBYTE = 1 << 20
LARGEST_FILE = 4096 * MEBIBYTE
LARGEST_DIRECTORY = 1000  # members; SB3 writes six
# What zipfile raises for one that is cut short, damaged, encrypted or packed in a way it lacks.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)


class CheckpointError(Exception):
    """A checkpoint cannot be used; the message says what was found and what can be done."""


def read_members(path: Path, limits: Mapping[str, int]) -> dict[str, bytes]:
    """Returns the members of a zip that are named in `limits` and present.

    Nothing else in it is looked at: a path that leads out of a folder, or a pickle, does nothing.

    Args:
        path: the zip.
        limits: the most bytes that a member may unpack to, by its name.

    Raises:
        CheckpointError: there is no such file, it is no zip or a broken one, has a name twice, or a
            member unpacks to more than its limit.
    """
    if not path.is_file():
        raise CheckpointError(f"no checkpoint at {path}: give a .zip file or a session's folder")
    if path.stat().st_size > LARGEST_FILE:
        raise CheckpointError(f"{path} has over {LARGEST_FILE // MEBIBYTE} MiB: not a checkpoint")
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if len(names) > LARGEST_DIRECTORY or len(set(names)) != len(names):
                raise CheckpointError(f"{path} has {len(names)} members, or one twice: not ours")
            present = [name for name in limits if name in names]
            return {name: _read(archive, name, limits[name], path) for name in present}
    except BROKEN_ZIP as error:
        raise CheckpointError(
            f"{path} is not a whole zip file ({error}): it may be cut short, get it once more"
        ) from error


def _read(archive: zipfile.ZipFile, name: str, limit: int, path: Path) -> bytes:
    # the size in the directory is a claim; only what really comes out counts
    with archive.open(name) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise CheckpointError(f"{path}: {name} unpacks to more than {limit:,} bytes: refused")
    return content
