"""Checks the paths of output files before any work is done."""

import os
from collections.abc import Sequence
from pathlib import Path

KINDS = (".png", ".svg", ".pdf", ".jpg")
VIDEOS = (".mp4",)


def check_picture(path: Path | None) -> None:
    """Checks that a picture can be written to a path.

    Raises:
        ValueError: the suffix is not a picture format, or the file is not writable.
    """
    _check(path, KINDS, "the suffix selects the format")


def check_video(path: Path | None) -> None:
    """Checks that a video can be written to a path.

    Raises:
        ValueError: the suffix is not .mp4, or the file is not writable.
    """
    _check(path, VIDEOS, "only that format is written")


def check_writable(path: Path) -> None:
    """Checks that this user may write a file in an existing folder.

    Raises:
        ValueError: the file is not writable.
    """
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise ValueError(f"{path} is not writable: choose a file in a folder that you can write to")


def _check(path: Path | None, kinds: Sequence[str], why: str) -> None:
    if path is None:
        return
    if path.suffix.lower() not in kinds:
        raise ValueError(f"{path} does not end in {', '.join(kinds)}: {why}")
    if path.is_dir() or not path.absolute().parent.is_dir():
        what = (
            "is a folder"
            if path.is_dir()
            else f"is in the folder {path.parent}, which does not exist"
        )
        raise ValueError(f"{path} {what}: choose a file in an existing folder")
    check_writable(path)
