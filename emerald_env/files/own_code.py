"""Python files of the user's own, named as FILE.py:NAME: read once, hashed, run.

Only a name that the user gives (a command line, an argument) may lead here, never one that stands
in a file: whoever writes the file could then run anything.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from emerald_env.files.data import MEBIBYTE, DataError, read_bytes
from emerald_env.files.printable import printable

ADDRESS = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")
PLAIN_ADDRESS = re.compile(r"[\w.-]+\.py:[A-Za-z_]\w*")  # without a folder


class OwnCodeError(ValueError):
    """Code of the user's own raised, or made what cannot be used; the message is one line."""


@dataclass(frozen=True)
class OwnCode:
    """A Python file as it was read; a pickle has its text, so that every process runs the same."""

    file: str  # its name without folders
    source: bytes = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> OwnCode:
        """Reads a file.

        Raises:
            OSError: it cannot be read.
            DataError: it is no plain file, or has over a mebibyte.
        """
        return cls(path.name, read_bytes(path, MEBIBYTE))

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file, in hexadecimal digits."""
        return sha256(self.source).hexdigest()

    def get(self, name: str) -> Any:
        """Runs the file, once a process, and returns what it calls by a name.

        Raises:
            DataError: the file fails when it runs, or has no such name.
        """
        module = _run(self)
        if not hasattr(module, name):
            names = sorted(each for each in vars(module) if not each.startswith("_"))
            raise DataError(f"{self.file} has no {name}; it has: {', '.join(names)}")
        return getattr(module, name)


@dataclass(frozen=True)
class OwnName:
    """Something in a Python file of the user's own: FILE.py:NAME."""

    code: OwnCode
    name: str

    @classmethod
    def read(cls, address: str) -> OwnName:
        """Reads the file of an address, which must not come from a stranger.

        Raises:
            OSError: it cannot be read.
            DataError: the text is no such address, or the file is no plain one.
        """
        found = parse_address(address)
        if found is None:
            raise DataError(f"{address!r:.60} is not FILE.py:NAME")
        return cls(OwnCode.read(found[0]), found[1])

    @property
    def address(self) -> str:
        """FILE.py:NAME, without the file's folder; checkpoints name it so."""
        return f"{printable(self.code.file)}:{self.name}"

    def get(self) -> Any:
        """Runs the file, once a process, and returns what it calls by the name.

        Raises:
            DataError: the file fails when it runs, or has no such name.
        """
        return self.code.get(self.name)

    def failure(self, what: str, error: Exception) -> OwnCodeError:
        """Returns the error of what the file's code raised, in a line.

        Args:
            what: the code is, such as "wrapper".
            error: that it raised.
        """
        return OwnCodeError(f"the {what} {self.address} raised {where(error, self.code.file)}")


def parse_address(text: str) -> tuple[Path, str] | None:
    """Returns the file and the name in FILE.py:NAME; None if a text is not of that form."""
    found = ADDRESS.fullmatch(text)
    return found and (Path(found["file"]), found["name"])


def own_files(*texts: str | None) -> list[Path]:
    """Returns the Python files that texts name: as FILE.py, or FILE.py:NAME; others name none."""
    found = [text for text in texts if text is not None]
    addresses = [parse_address(text) for text in found]
    return [
        address[0] if address is not None else Path(text)
        for text, address in zip(found, addresses, strict=True)
        if address is not None or text.endswith(".py")
    ]


@cache
def _run(code: OwnCode) -> ModuleType:
    module = ModuleType(f"own_code_{code.sha256}_{Path(code.file).stem}")  # hides no other module
    module.__file__ = code.file
    sys.modules[module.__name__] = module  # where dataclasses and pickle look for it
    try:
        exec(compile(code.source, code.file, "exec"), vars(module))
    except Exception as error:
        sys.modules.pop(module.__name__, None)
        raise DataError(f"{code.file} cannot be used: {where(error, code.file)}") from error
    return module


def where(error: BaseException, file: str) -> str:
    """Returns an error in a line, with the last line of a file that it passed through."""
    lines = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    place = f" (line {lines[-1]} of {file})" if lines else ""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}{place}"
