"""The translations that this user has made: a library for each ROM, in the user's cache folder."""

import json
import os
import platform
import stat
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from platformdirs import user_cache_path
from typing_extensions import TypedDict

from emerald_env.emulator.library import ffi, lib
from emerald_env.emulator.static.translate.compiler import HEADERS, loaded
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import DataError, misfit, read_bytes, read_json
from emerald_env.files.printable import warn

HERE = Path(__file__).parent
MAX_LIBRARY_BYTES = 128 << 20
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class TranslationRecord(TypedDict):
    """What is known of a translation; its file is written last."""

    sha256: str
    compiler: str
    instructions: int
    share: float


def translations_folder() -> Path:
    """Returns the folder: ~/.cache/pokemon-emerald-agent/translations on Linux."""
    return user_cache_path("pokemon-emerald-agent", appauthor=False) / "translations"


@cache
def own_version() -> bytes:
    """Returns a hash of all that a translation depends on but its ROM and its compiler."""
    sources = (*sorted(HERE.glob("*.py")), HEADERS / "state.h", HEADERS / "translated.h")
    mgba = ffi.string(lib.mgba_version())
    return sha256(
        b"\0".join([mgba, platform.machine().encode(), *(path.read_bytes() for path in sources)])
    ).digest()


def key_of(rom: NDArray[Any] | bytes) -> str:
    """Returns the name under which a ROM's translation is kept."""
    return sha256(own_version() + sha256(bytes(rom)).digest()).hexdigest()[:32]


def keep_translation(rom: NDArray[Any] | bytes, library: bytes, record: TranslationRecord) -> Path:
    """Writes a translation, so that consoles with this ROM use it from then on.

    Raises:
        OSError: it cannot be written.
    """
    folder = translations_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{key_of(rom)}.so"
    for file, content in (
        (path, library),
        (path.with_suffix(".json"), json.dumps(record).encode()),
    ):
        write_atomically(file, content)
        file.chmod(0o600)
    _usable.cache_clear()
    return path


def find_record(rom: NDArray[Any] | bytes) -> TranslationRecord | None:
    """Returns what is known of a ROM's translation, None if there is none that can be used."""
    found = _found(rom)
    return found and found[0]


def find_translation(rom: NDArray[Any] | bytes) -> Any:
    """Returns a ROM's translation as `game_translate` takes it, None if there is none to use."""
    found = _found(rom)
    return found and found[1]


def _found(rom: NDArray[Any] | bytes) -> tuple[TranslationRecord, Any] | None:
    folder = translations_folder()
    if not folder.is_dir():
        return None
    path = folder / f"{key_of(rom)}.so"
    return _usable(path) if path.is_file() else None


@cache
def _usable(path: Path) -> tuple[TranslationRecord, Any] | None:
    """Returns the record and the translation, or None after a warning that says why not."""
    try:
        for part in (path.parent.parent, path.parent, path, path.with_suffix(".json")):
            _check_owner(part)
        record = read_json(path.with_suffix(".json"))
        if (found := misfit(record, TranslationRecord)) is not None:
            raise DataError(f"its record is damaged: {found}")
        if sha256(read_bytes(path, MAX_LIBRARY_BYTES)).hexdigest() != record["sha256"]:
            raise DataError("it is damaged")
        return record, loaded(path)
    except (OSError, ValueError) as error:
        warn(f"the translation {path} is not used: {error}. `emerald translate` makes it anew")
        return None


def _check_owner(path: Path) -> None:
    """Refuses what somebody else may have written: a library is a program.

    Raises:
        DataError: it is another user's, or others may write to it, or it is a link.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise DataError(f"{path} is a link")
    if found.st_uid != os.getuid() or found.st_mode & WRITABLE_BY_OTHERS:
        raise DataError(f"{path} is not only yours to write")
