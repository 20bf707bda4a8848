"""A checkpoint's zip, and the one error that says why a checkpoint cannot be used."""

import os
from collections.abc import Mapping
from pathlib import Path

from emerald_env.files.data import MEBIBYTE, DataError
from emerald_env.files.zips import MAX_FILE_BYTES, ZipError, read_file


class CheckpointError(Exception):
    """A checkpoint cannot be used; the message says what was found and what can be done."""


def read_members(path: Path, limits: Mapping[str, int]) -> dict[str, bytes]:
    """Returns the members of a zip that are named in `limits` and present.

    Nothing else in it is read, so a pickle beside them is harmless.

    Args:
        path: the zip.
        limits: the most bytes that a member may unpack to, by its name.

    Raises:
        CheckpointError: the file does not exist, is not a zip, is damaged, has a flaw (see
            `flaws`), or a member unpacks to more than its limit.
    """
    check_file(path)
    try:
        return read_file(path, limits)
    except (ZipError, DataError) as error:
        raise CheckpointError(f"{path} {error}") from error


def check_file(path: Path) -> None:
    """Raises CheckpointError unless the file exists and is no larger than a checkpoint may be."""
    if not path.is_file():
        raise CheckpointError(f"no checkpoint at {path}: give a .zip file or a session's folder")
    if not os.access(path, os.R_OK):
        raise CheckpointError(f"{path} cannot be read by this user: change its permissions")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise CheckpointError(f"{path} is over {MAX_FILE_BYTES // MEBIBYTE} MiB: not a checkpoint")
