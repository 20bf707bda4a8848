"""An archive as a folder: its states, and an index that says how games came to them."""

import json
import shutil
from pathlib import Path

from baselines.exploration.archive import Archive
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import read_json

INDEX = "index.json"
LARGEST_INDEX = 64 << 20  # bytes; some 300 a state are usual


def save_index(archive: Archive) -> None:
    """Writes the index of an archive whose states are in its folder.

    Raises:
        OSError: it cannot be written.
    """
    write_atomically(archive.folder / INDEX, json.dumps(archive.get_state()).encode())


def open_archive(folder: Path) -> Archive:
    """Returns the archive in a folder; what is in it is treated as untrusted.

    Raises:
        FileNotFoundError: there is none, or one of its states is gone.
        ValueError: its index is damaged; the message names it.
    """
    index = folder / INDEX
    if not index.is_file():
        raise FileNotFoundError(f"no archive in {folder}: it would have an {INDEX}")
    archive = Archive(folder)
    try:
        archive.set_state(read_json(index, LARGEST_INDEX))
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{index} is damaged ({type(error).__name__}: {error})") from error
    if not archive.nodes:
        raise ValueError(f"{index} has no states")
    return archive


def copy_archive(source: Archive, target: Archive) -> None:
    """Fills an empty archive with the states of another.

    Raises:
        OSError: a state cannot be copied.
    """
    target.folder.mkdir(parents=True, exist_ok=True)
    for number in source.nodes:
        shutil.copyfile(source.path(number), target.folder / source.nodes[number].file)
    target.set_state(source.get_state())
