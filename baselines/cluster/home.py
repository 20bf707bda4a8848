"""What must be the same on every machine: the working folder and the ROM."""

import hashlib
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from emerald_env.emulator.cartridge.rom import MAX_ROM_SIZE
from emerald_env.files.data import read_bytes


@dataclass(frozen=True)
class Home:
    """The folder that paths are relative to, and the files that are never sent, by their hash."""

    folder: Path
    rom: Path | None  # None: the built-in game
    sha1: str
    code: tuple[tuple[Path, str], ...] = ()  # the user's own Python files

    @classmethod
    def here(cls, rom: Path | None, code: Iterable[Path] = ()) -> "Home":
        """Returns this process's home.

        Raises:
            OSError: the ROM, or a Python file, cannot be read.
        """
        own = tuple((path, hash_of(path)) for path in code)
        return cls(Path.cwd(), rom, "" if rom is None else hash_of(rom), own)

    def enter(self) -> None:
        """Changes to the folder, and checks that the files are the same.

        Raises:
            OSError: the folder does not exist and cannot be made.
            FileNotFoundError, ValueError: this machine does not have a file, or has another.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        os.chdir(self.folder)
        if self.rom is not None:
            _check_same(self.rom, self.sha1, "ROM", "a ROM is never sent")
        for path, sha1 in self.code:
            _check_same(path, sha1, "file", "Python code of your own is never sent")


def _check_same(path: Path, sha1: str, what: str, rule: str) -> None:
    advice = f"{rule}: copy your own to the same path on every machine"
    here = f"{path.absolute()} on {socket.gethostname()}"
    if not path.is_file():
        raise FileNotFoundError(f"there is no {here}; {advice}")
    if hash_of(path) != sha1:
        raise ValueError(f"{here} differs from the learner's {what}; {advice}")


def hash_of(path: Path) -> str:
    """Returns a file's SHA-1."""
    return hashlib.sha1(read_bytes(path, MAX_ROM_SIZE)).hexdigest()
