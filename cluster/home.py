"""What every machine must have as the learner's has it: its working folder, and the ROM."""

import hashlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Home:
    """The folder that paths are relative to, and the file of a game, which is never sent."""

    folder: Path
    rom: Path | None  # None: the built-in game
    sha1: str

    @classmethod
    def here(cls, rom: Path | None) -> "Home":
        """Returns this process's.

        Raises:
            OSError: the ROM cannot be read.
        """
        return cls(Path.cwd(), rom, "" if rom is None else hash_of(rom))

    def enter(self) -> None:
        """Makes the folder this process's own, and sees that its ROM is the same.

        Raises:
            OSError: there is no such folder, and it cannot be made.
            FileNotFoundError, ValueError: this machine has no such ROM, or another.
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
            raise ValueError(f"{here} is another file than the learner's; {advice}")


def hash_of(path: Path) -> str:
    """Returns a file's SHA-1."""
    return hashlib.sha1(path.read_bytes()).hexdigest()
