"""Files that grow by a JSON object a line, and stay readable whatever interrupts a write."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO


def append_lines(path: Path, lines: Sequence[str]) -> None:
    """Adds lines to a file, all or none.

    Raises:
        OSError: they cannot be written; the file is what it was.
    """
    if not lines:
        return
    content = "".join(line + "\n" for line in lines).encode()
    with path.open("ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        # a kill may have cut the last line short; what follows must not be glued to it
        if size and not _ends_with_newline(file):
            content = b"\n" + content
        if (written := file.write(content)) != len(content):
            file.truncate(size)
            raise OSError(f"{path}: the disk took {written} of {len(content)} bytes: it is full")


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the objects in a file, none where there is no file; a line cut short is left out."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue


def cut_after(path: Path, num_timesteps: int) -> None:
    """Removes the lines at a file's end that are of later env steps, or cut short."""
    if not path.exists():
        return
    end = 0
    with path.open("rb") as file:
        for line in file:
            try:
                later = json.loads(line)["num_timesteps"] > num_timesteps
            except (ValueError, LookupError, TypeError):
                later = not line.endswith(b"\n")
            if later:
                break
            end += len(line)
    os.truncate(path, end)


def _ends_with_newline(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"
