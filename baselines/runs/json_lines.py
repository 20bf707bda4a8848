"""Appending to and truncating files of JSON lines, safe against interrupted writes."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from emerald_env.files.data import JsonLines, is_count, open_regular

# a link in a session may point anywhere
OWN = os.O_RDWR | os.O_NOFOLLOW


def append_lines(path: Path, lines: Sequence[str]) -> None:
    """Adds lines to a file, all or none.

    Raises:
        OSError: they cannot be written, or the file is a link; the file is unchanged.
        DataError: it is not a regular file.
    """
    if not lines:
        return
    content = "".join(line + "\n" for line in lines).encode()
    with open_regular(path, OWN | os.O_CREAT) as file:
        size = file.seek(0, os.SEEK_END)
        # a kill may have cut the last line short; new lines must not be appended to it
        if size and not _ends_with_newline(file):
            content = b"\n" + content
        # unbuffered, to see at once whether the disk took it all
        if (written := os.pwrite(file.fileno(), content, size)) != len(content):
            file.truncate(size)
            raise OSError(f"{path}: the disk took {written} of {len(content)} bytes: it is full")


def cut_after(path: Path, num_timesteps: int) -> None:
    """Removes lines of later env steps, or cut short, from the end of a file.

    Raises:
        OSError, DataError: see `append_lines`.
    """
    if not path.exists():
        return
    end = 0
    with open_regular(path, OWN) as file:
        for line_end, values in JsonLines(path).with_ends():
            steps = (values or {}).get("num_timesteps", 0)
            if is_count(steps) and steps > num_timesteps:
                break
            end = line_end
        file.truncate(end)


def _ends_with_newline(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"
