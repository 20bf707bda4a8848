"""Files that pictures, videos and results are written into."""

import os
from collections.abc import Sequence
from pathlib import Path

KINDS = (".png", ".svg", ".pdf", ".jpg")
VIDEOS = (".mp4",)


def check_picture(path: Path | None) -> None:
    """Says at once what would be wrong with a picture's file after an hour of work.

    Raises:
        ValueError: the path's ending is no kind of picture, or it cannot be written there.
    """
    _check(path, KINDS, "that says how it is drawn")


def check_video(path: Path | None) -> None:
    """Says the same of a video's file.

    Raises:
        ValueError: the path does not end in .mp4, or it cannot be written there.
    """
    _check(path, VIDEOS, "that is what is written")


def check_writable(path: Path) -> None:
    """Says at once that this user may not write a file, in a folder that exists.

    Raises:
        ValueError: so it is.
    """
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise ValueError(f"{path} may not be written: name a file in a folder of your own")


def _check(path: Path | None, kinds: Sequence[str], why: str) -> None:
    if path is None:
        return
    if path.suffix.lower() not in kinds:
        raise ValueError(f"{path} does not end in {', '.join(kinds)}: {why}")
    if path.is_dir() or not path.absolute().parent.is_dir():
        what = (
            "is a folder" if path.is_dir() else f"needs a folder {path.parent}, and there is none"
        )
        raise ValueError(f"{path} {what}: name a file in a folder that exists")
    check_writable(path)
