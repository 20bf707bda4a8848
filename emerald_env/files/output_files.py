"""Output files that a user named: checked before any work is done, and written."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from emerald_env.files.atomic import special_kind, write_atomically

KINDS = (".png", ".svg", ".pdf", ".jpg")
VIDEOS = (".mp4",)


def check_picture(path: Path | None) -> None:
    """Checks that a picture can be written to a path, and makes its folder.

    Raises:
        ValueError: the suffix is not a picture format, or the path is a folder, a pipe (which waits
            for a reader) or a device, or not writable.
    """
    _check(path, KINDS, "the suffix selects the format")


def check_video(path: Path | None) -> None:
    """Checks that a video can be written to a path, and makes its folder.

    Raises:
        ValueError: the suffix is not .mp4, or the path is a folder, a pipe or a device, or not
            writable.
    """
    _check(path, VIDEOS, "only that format is written")


def check_output(path: Path | None) -> None:
    """Checks that `write_output` can write a file, and makes its folder.

    Raises:
        ValueError: it is a folder or a device, or not writable.
    """
    if path is None:
        return
    if (kind := special_kind(target := _followed(path))) is not None:
        raise ValueError(f"{path} is {kind}: name a file")
    make_folder(path.parent)
    check_writable(path)
    check_writable(target.parent)


def write_output(path: Path, content: bytes) -> None:
    """Writes a file atomically where a user said, through links.

    Raises:
        OSError: see `write_atomically`.
    """
    write_atomically(_followed(path), content)


def make_folder(folder: Path) -> None:
    """Makes a folder that a user named, and those above it, where they are missing.

    Raises:
        ValueError: it cannot be made; the message says why.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be made: {error.strerror}") from error


def check_folder(folder: Path | None) -> None:
    """Makes a folder that a user named, and checks that files can be written into it.

    Raises:
        ValueError: it cannot be made, or is not writable.
    """
    if folder is None:
        return
    make_folder(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(f"the folder {folder} is not writable: choose one that you can write to")


def check_writable(path: Path) -> None:
    """Checks that this user may write a file in an existing folder.

    Raises:
        ValueError: the file is not writable.
    """
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise ValueError(f"{path} is not writable: choose a file in a folder that you can write to")


def _followed(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _check(path: Path | None, kinds: Sequence[str], why: str) -> None:
    if path is None:
        return
    if path.suffix.lower() not in kinds:
        raise ValueError(f"{path} does not end in {', '.join(kinds)}: {why}")
    if (kind := special_kind(_followed(path))) is not None:
        raise ValueError(f"{path} is {kind}: name a file")
    make_folder(path.parent)
    check_writable(path)


@contextmanager
def removed_on_failure(folder: Path) -> Iterator[None]:
    """Removes a folder that the caller makes if what fills it is interrupted or fails.

    Whoever makes it with `mkdir` does so before: a folder that another process made meanwhile
    must not be removed.
    """
    try:
        yield
    except BaseException:  # Ctrl-C, too
        shutil.rmtree(folder, ignore_errors=True)
        raise
