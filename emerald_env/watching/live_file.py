"""The file through which a process that plays games shows them to viewers.

A viewer announces itself by writing the time into the file's header; each game then writes its
records and details many times a second, else every other second, into a slot of its own, with a
count before and after, so that a reader notices half-written ones. Everything is read and written
with `pread` and `pwrite`: a truncated file is an error, never a crash.
"""

import json
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emerald_env.files.data import DataError, open_regular, parse_json
from emerald_env.files.printable import is_printable
from emerald_env.watching.record import (
    COUNT,
    DETAILS_SIZE,
    MAX_TERMS,
    Details,
    Record,
    pixel_ratio,
    record_size,
)

MAGIC = b"EMERLIVE"
VERSION = 4
HEADER = 16 << 10  # bytes; the layout below, then JSON
_HEAD = struct.Struct("<8sII")  # magic, version, bytes of the JSON
# offsets: the viewers' time; the trainer's time and steps; the time of viewers who want it large
_LOOKED, _BEAT, _LOOKED_CLOSELY, _JSON = 16, 24, 40, 64
_TIME, _BEATS = struct.Struct("<d"), struct.Struct("<dQ")
SLOT = DETAILS_SIZE + record_size(1)
MAX_GAMES, MAX_ACTIONS = 1024, 256
SMALL = 2  # every how many pixels a small picture has in each direction
LOOK_SECONDS = 3.0  # for which a viewer's announcement is valid
ALIVE_SECONDS = 30.0  # an update may take that long


class LiveFile:
    """An open live file.

    Args:
        path: the file.
        own: whether this process shows games in it; else it is a viewer.

    Raises:
        OSError: it cannot be opened.
        DataError: it is not a live file, or one of another version.
    """

    def __init__(self, path: Path, own: bool = False) -> None:
        self._file = open_regular(path, os.O_RDWR | os.O_NOFOLLOW)
        self._descriptor = self._file.fileno()
        self.path, self.own = path, own
        self._every = 1  # one of how many pixels a side the latest record had
        try:
            self._read_header(path)
        except (DataError, struct.error):
            self.close()
            raise

    @staticmethod
    def create(path: Path, facts: dict[str, Any], n_games: int, actions: Sequence[str]) -> None:
        """Writes an empty live file, replacing an existing one.

        Args:
            path: of the file.
            facts: further JSON values for viewers: "terms", "command", "game".
            n_games: how many games.
            actions: their names.

        Raises:
            OSError: it cannot be written.
            ValueError: the facts are too long.
        """
        text = json.dumps(facts | {"games": n_games, "actions": list(actions)}).encode()
        if len(text) > HEADER - _JSON:
            raise ValueError(f"{len(text)} bytes of names are too many to show")
        path.unlink(missing_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o666)
        try:
            os.ftruncate(descriptor, _slot_at(n_games, len(actions), n_games))
            os.pwrite(descriptor, _HEAD.pack(MAGIC, VERSION, len(text)), 0)
            os.pwrite(descriptor, text, _JSON)
        finally:
            os.close(descriptor)

    def _read_header(self, path: Path) -> None:
        magic, version, length = _HEAD.unpack(self._read(_HEAD.size, 0))
        if magic != MAGIC or version != VERSION or length > HEADER - _JSON:
            raise DataError(f"{path} is not a live file of version {VERSION}")
        facts = parse_json(self._read(length, _JSON))
        if not isinstance(facts, dict) or not is_printable(facts):
            raise DataError(f"{path} does not say what it shows")
        self.n_games = _whole(facts.get("games"), MAX_GAMES)
        self.actions = _names(facts.get("actions"), MAX_ACTIONS)
        self.terms = _names(facts.get("terms"), MAX_TERMS)
        self.command, self.game = str(facts.get("command", "")), str(facts.get("game", ""))
        if os.fstat(self._descriptor).st_size != self._slot(self.n_games):
            raise DataError(f"{path} is not as large as its {self.n_games} games need")

    def _read(self, size: int, offset: int) -> bytes:
        content = os.pread(self._descriptor, size, offset)
        if len(content) != size:
            raise DataError(f"{self.path} is cut short")
        return content

    def _slot(self, game: int) -> int:
        return _slot_at(self.n_games, len(self.actions), game)

    # ---- showing

    @property
    def is_watched(self) -> bool:
        """Whether there are viewers; takes a microsecond."""
        return self._was_just_now(_LOOKED)

    @property
    def wanted(self) -> int:
        """Every how many pixels viewers want in each direction: 1, 2, or 0 without viewers."""
        if not self.is_watched:
            return 0
        return 1 if self._was_just_now(_LOOKED_CLOSELY) else SMALL

    def _was_just_now(self, offset: int) -> bool:
        (looked,) = _TIME.unpack(self._read(_TIME.size, offset))
        return bool(-LOOK_SECONDS < time() - looked < LOOK_SECONDS)

    def beat(self, num_timesteps: int) -> None:
        """Writes the heartbeat: the time and the env steps."""
        os.pwrite(self._descriptor, _BEATS.pack(time(), num_timesteps), _BEAT)

    def show_policy(self, numbers: NDArray[np.float32]) -> None:
        """Shows the policy's output, (n_games, 2 + n_actions): value, action, probabilities."""
        os.pwrite(self._descriptor, np.ascontiguousarray(numbers, np.float32).tobytes(), HEADER)

    def show_game(self, game: int, record: bytes, pixels: Any) -> None:
        """Shows a game, see `pack_record`."""
        offset = self._slot(game) + DETAILS_SIZE
        os.pwritev(self._descriptor, [record, pixels, record[: COUNT.size]], offset)

    def show_details(self, game: int, details: bytes) -> None:
        """Shows a game's details, see `pack_details`."""
        os.pwrite(self._descriptor, details, self._slot(game))

    # ---- looking

    @property
    def inode(self) -> int:
        """Identifies this file, even if another has taken its name."""
        return os.fstat(self._descriptor).st_ino

    def look(self, closely: bool = True) -> None:
        """Announces a viewer for `LOOK_SECONDS`; if not `closely`, small pictures suffice."""
        for offset in (_LOOKED, _LOOKED_CLOSELY) if closely else (_LOOKED,):
            os.pwrite(self._descriptor, _TIME.pack(time()), offset)

    def look_away(self) -> None:
        """Says that nobody looks any more; another viewer soon says that it does."""
        for offset in (_LOOKED, _LOOKED_CLOSELY):
            os.pwrite(self._descriptor, _TIME.pack(0.0), offset)

    @property
    def heartbeat(self) -> tuple[float, int]:
        """Seconds since the last heartbeat, and its env steps."""
        then, num_timesteps = _BEATS.unpack(self._read(_BEATS.size, _BEAT))
        age = time() - then
        return (age if age >= 0 else float("inf")), num_timesteps

    def policy(self) -> NDArray[np.float32]:
        """Returns the latest output given to `show_policy`."""
        width = 2 + len(self.actions)
        content = self._read(4 * width * self.n_games, HEADER)
        numbers = np.frombuffer(content, "<f4").reshape(self.n_games, width)
        return np.where(np.isfinite(numbers), numbers, np.float32(0))

    def count(self, game: int) -> int:
        """Returns the count of a game's record; 0 before the first."""
        return int(COUNT.unpack(self._read(COUNT.size, self._slot(game) + DETAILS_SIZE))[0])

    def record(self, game: int) -> Record | None:
        """Returns a game's record; None: there is none yet, or it is being written."""
        offset = self._slot(game) + DETAILS_SIZE
        content = self._read(record_size(self._every), offset)
        every = pixel_ratio(content) or self._every
        if every != self._every:
            self._every = every
            content = self._read(record_size(every), offset)
        return Record.from_bytes(content)

    def details(self, game: int) -> Details | None:
        """Returns a game's details; None: there are none yet, or they are being written."""
        return Details.from_bytes(self._read(DETAILS_SIZE, self._slot(game)))

    def close(self) -> None:
        """Closes the file; its creator removes it, unless another file has taken its name."""
        removes = self.own and self._has_name  # asked while open: no other file has its inode then
        self._file.close()
        if removes:
            self.path.unlink(missing_ok=True)

    @property
    def _has_name(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self.path.lstat())
        except (OSError, ValueError):  # ValueError: it is closed already
            return False


def _slot_at(n_games: int, n_actions: int, game: int) -> int:
    return HEADER + 4 * (2 + n_actions) * n_games + SLOT * game


def _whole(value: Any, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise DataError(f"a live file shows 1 to {most} games, not {value!r:.40}")
    return value


def _names(values: Any, most: int) -> tuple[str, ...]:
    if not isinstance(values, list) or len(values) > most:
        raise DataError("a live file lacks its names")
    return tuple(str(value)[:60] for value in values)
