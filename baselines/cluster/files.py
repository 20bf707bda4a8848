"""States on the learner's machine that an actor's may lack: archive, start. Never a ROM."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from emerald_env.env.config import EnvConfig
from emerald_env.explorer import Round
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import read_bytes
from emerald_env.game.savefile import MAX_FILE_SIZE
from emerald_env.starts.starts import NEW_GAME, start_files
from emerald_env.wrappers.practice import Offer

Contents = dict[Path, bytes]


def named_in(arguments: Iterable[Any]) -> list[Path]:
    """Returns the states named in calls to games: to explore from, or to practise."""
    found: dict[Path, None] = {}
    for argument in arguments:
        if isinstance(argument, Round):
            found |= dict.fromkeys(job.file for job in argument.jobs)
        elif isinstance(argument, Offer):
            found |= dict.fromkeys(beginning.file for beginning in argument.beginnings)
    return list(found)


def of_start(config: EnvConfig) -> Contents:
    """Returns the states in which episodes begin, if the user has named them.

    Raises:
        OSError: one cannot be read.
    """
    if config.start == NEW_GAME:
        return {}
    return read(start_files(Path(config.start)))


def missing(paths: Sequence[Path]) -> list[Path]:
    """Returns those missing on this machine."""
    return [path for path in paths if not path.is_file()]


def read(paths: Iterable[Path]) -> Contents:
    """Returns the contents of those that exist."""
    return {path: read_bytes(path, MAX_FILE_SIZE) for path in paths if path.is_file()}


def keep(contents: Mapping[Path, bytes]) -> None:
    """Writes those missing on this machine.

    Raises:
        OSError: one cannot be written.
    """
    for path in missing(list(contents)):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, contents[path])
