"""Untrusted JSON, JSON lines and TOML: one kind of error, bounded time and memory."""

import json
import os
import stat
import sys
from collections.abc import Iterator
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from annotated_types import Predicate
from pydantic import Field, TypeAdapter, ValidationError

from emerald_env.files.printable import MAX_CHARACTERS, is_printable, printable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MEBIBYTE = 1 << 20
MAX_DEPTH = 64  # levels of nested lists and tables
MAX_VALUES = 4_000_000  # values, of up to 64 bytes of memory each
# A set of beaten trainers, a bit for each of 864, has up to 261 digits; a float has up to 308.
MAX_DIGITS = 300
WHOLE_LIMIT = 10**MAX_DIGITS  # whole numbers in files are below
MAX_PLACE = 200  # characters of the path to a value
MAX_LINE_BYTES = MEBIBYTE  # bytes of a line of JSON
MAX_LOG_BYTES = 512 * MEBIBYTE  # two million episodes
MAX_TOML_BYTES = 128 << 10  # bytes; the tables of a large world take half
MAX_TOML_LINE_BYTES = 2000  # bytes; tomllib's memory grows with the square of a key's parts
Count = Annotated[int, Field(ge=0, le=10**15)]
Number = Annotated[float, Field(ge=-1e18, le=1e18)]  # NaN is within no bounds
PlainText = Annotated[str, Field(max_length=MAX_CHARACTERS), Predicate(is_printable)]
# Everything that Python's readers raise.
UNREADABLE = (ValueError, TypeError, LookupError, RecursionError, OverflowError, MemoryError)


class DataError(ValueError):
    """A file's data cannot be used; the message is one line and says what was found."""


def parse_json(text: bytes | str, finite: bool = True) -> Any:
    """Returns the values in a JSON text.

    Args:
        text: the text.
        finite: whether NaN and infinity are refused.

    Raises:
        DataError: it is not JSON, is nested too deeply, or has an impossible number.
    """
    content = text if isinstance(text, bytes) else text.encode(errors="replace")
    if sum(map(content.count, (b"[", b"{", b","))) > MAX_VALUES:
        raise DataError("too many values")
    try:
        values = json.loads(text, parse_int=_whole_number)
    except UNREADABLE as error:
        raise DataError(f"not JSON ({_why(error)})") from error
    _check_depth(values, finite)
    return values


def read_json(path: Path, largest: int = MEBIBYTE) -> Any:
    """Returns the values in a JSON file.

    Raises:
        OSError: it cannot be opened.
        DataError: see `parse_json`; or it is larger than `largest` bytes.
    """
    return parse_json(read_bytes(path, largest))


def read_toml(path: Path) -> dict[str, Any]:
    """Returns the values in a TOML file.

    Raises:
        OSError: it cannot be opened.
        DataError: it is not TOML, too large, nested too deeply, or has a very long line or number.
    """
    content = read_bytes(path, MAX_TOML_BYTES)
    if max(map(len, content.splitlines()), default=0) > MAX_TOML_LINE_BYTES:
        raise DataError(f"a line has over {MAX_TOML_LINE_BYTES:,} bytes")
    try:
        values: dict[str, Any] = tomllib.loads(content.decode())
    except UNREADABLE as error:
        raise DataError(f"not a TOML file: {_why(error)}") from error
    _check_depth(values)
    return values


def check_no_links(folder: Path, path: Path) -> None:
    """Checks that no component of a path below a folder is a link, which may lead anywhere.

    Raises:
        DataError: one is.
        OSError: the path cannot be followed.
    """
    try:
        followed, expected = path.resolve(), folder.resolve() / path.relative_to(folder)
    except RuntimeError as error:  # before Python 3.13, for links that lead in a circle
        raise DataError(f"{path} is a link to itself, or in one: remove it") from error
    if followed != expected:
        raise DataError(f"{path} is a link, or in one: links are not followed")


def read_bytes(path: Path, largest: int) -> bytes:
    """Returns a file's contents.

    Raises:
        OSError: it cannot be opened.
        DataError: it is not a regular file, or larger than `largest` bytes.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(largest + 1) if size <= largest else b""  # it may be growing
    if max(size, len(content)) > largest:
        raise DataError(f"{path} has over {largest:,} bytes")
    return content


def open_regular(path: Path, flags: int = os.O_RDONLY) -> BinaryIO:
    """Opens a file for reading, or with other flags of `os.open`.

    Raises:
        OSError: it cannot be opened.
        DataError: it is a device, a folder or a pipe, which might never end.
    """
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DataError(f"{path} is not a regular file")
    return os.fdopen(descriptor, "rb" if flags == os.O_RDONLY else "r+b", buffering=-1)


class JsonLines:
    """The objects in a file with one JSON object per line; other lines are skipped and counted.

    Args:
        path: the file; a missing one has no lines.
        kind: what each object must be, for `fits`.
        folder: where no part of the path may be a link; None: anywhere.

    Attributes:
        bad: how many lines were skipped so far.
    """

    def __init__(self, path: Path, kind: Any = Any, folder: Path | None = None) -> None:
        self.path, self.bad = path, 0
        self._kind, self._folder = kind, folder

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields the objects.

        Raises:
            OSError, DataError: the file cannot be opened, or is far too large.
        """
        for _, values in self.with_ends():
            if values is not None:
                yield values

    def with_ends(self) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """Yields for each line the end of the last complete one, and its object or None.

        Raises:
            OSError, DataError: see above.
        """
        if not self.path.exists():
            return
        if self._folder is not None:
            check_no_links(self._folder, self.path)
        with open_regular(self.path) as file:
            if os.fstat(file.fileno()).st_size > MAX_LOG_BYTES:
                raise DataError(f"{self.path} has over {MAX_LOG_BYTES // MEBIBYTE} MiB")
            end = position = 0
            while line := file.readline(MAX_LINE_BYTES):
                position += len(line)
                end = position if line.endswith(b"\n") else end
                values = self._parse(line)
                self.bad += values is None and bool(line.strip())
                yield end, values

    def _parse(self, line: bytes) -> dict[str, Any] | None:
        return parse_line(line, self._kind) if line.endswith(b"\n") else None


def parse_line(line: bytes, kind: Any) -> dict[str, Any] | None:
    """Returns the object in a line of JSON, None unless it is of a kind; it may hold NaN."""
    try:
        values = parse_json(line, finite=False)
    except UNREADABLE:
        return None
    return values if isinstance(values, dict) and fits(values, kind) else None


def fits(value: Any, kind: Any) -> bool:
    """Returns whether a value from a file is of a type, see `misfit`."""
    return misfit(value, kind) is None


def misfit(value: Any, kind: Any) -> str | None:
    """Returns where a value from a file is not of a type, as a path of names; None if it is.

    The type is one of pydantic's, in strict mode: but a float may be written as 1. Types with
    bounds are above; a `TypedDict` describes an object, which may have more than its fields.
    """
    try:
        _adapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        place = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return printable(".".join(map(str, place["loc"])) or "it", MAX_PLACE)
    return None


_adapter = cache(TypeAdapter)


def is_number(value: Any, low: float = -1e18, high: float = 1e18) -> bool:
    """Returns whether a value from a file is a finite number within bounds, and not a bool."""
    return type(value) in (int, float) and low <= value <= high


def is_count(value: Any, most: int = 10**15) -> bool:
    """Returns whether a value from a file is an integer from 0 to `most`."""
    return type(value) is int and 0 <= value <= most


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _check_depth(values: Any, finite: bool = False) -> None:
    level = [values]
    for _ in range(MAX_DEPTH):
        level = [inner for value in level for inner in _parts(value, finite)]
        if not level:
            return
    raise DataError("lists or tables nested too deeply")


def _parts(value: Any, finite: bool) -> Any:
    if isinstance(value, int) and abs(value) >= WHOLE_LIMIT:
        raise DataError("a number with too many digits")
    if finite and isinstance(value, float) and not isfinite(value):
        raise DataError("NaN or an infinite number")
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _why(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error).partition("\n")[0][:200] or type(error).__name__
