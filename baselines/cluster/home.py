"""What must be the same on every machine: the working folder and the ROM."""

import hashlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from emerald_env.emulator.rom_check import MAX_ROM_SIZE
from emerald_env.files.data import read_bytes


@dataclass(frozen=True)
class Home:
    """The folder that paths are relative to, and the file of a game, which is never sent."""

    folder: Path
    rom: Path | None  # None: the built-in game
    sha1: str

    @classmethod
    def here(cls, rom: Path | None) -> "Home":
        """Returns this process's home.

        Raises:
            OSError: the ROM cannot be read.
        """
        return cls(Path.cwd(), rom, "" if rom is None else hash_of(rom))

    def enter(self) -> None:
        """Changes to the folder, and checks that the ROM is the same.

        Raises:
            OSError: the folder does not exist and cannot be made.
            FileNotFoundError, ValueError: this machine does not have the ROM, or has another.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        os.chdir(self.folder)
        if self.rom is None:
            return
        advice = "a ROM is never sent: copy your own to the same path on every machine"
        here = f"{self.rom.absolute()} on {socket.gethostname()}"
        if not self.rom.is_file():
            raise FileNotFoundError(f"there is no {here}; {advice}")
        if hash_of(self.rom) != self.sha1:
            raise ValueError(f"{here} differs from the learner's ROM; {advice}")


def hash_of(path: Path) -> str:
    """Returns a file's SHA-1."""
    return hashlib.sha1(read_bytes(path, MAX_ROM_SIZE)).hexdigest()
