"""An archive as a folder: the states, an index with the paths to them, an atlas."""

import io
import json
import shutil
from pathlib import Path

import numpy as np

from baselines.exploration.atlas.atlas import DTYPES, MAX_LINKS, NEWER, Atlas
from baselines.exploration.state_archive import Archive
from emerald_env.files.arrays import read_arrays
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import read_json

INDEX = "index.json"
ATLAS = "atlas.npz"
MAX_INDEX_BYTES = 64 << 20  # bytes; about 300 per state are usual


def save_index(archive: Archive) -> None:
    """Writes the index of an archive whose states are in its folder.

    Raises:
        OSError: it cannot be written.
    """
    write_atomically(archive.folder / INDEX, json.dumps(archive.get_state()).encode())


def open_archive(folder: Path, largest: int = MAX_INDEX_BYTES) -> Archive:
    """Returns the archive in a folder; its content is treated as untrusted.

    Args:
        folder: the archive's.
        largest: bytes of its index, at most.

    Raises:
        FileNotFoundError: there is no archive, or one of its states is missing.
        ValueError: its index is damaged; the message names it.
    """
    index = folder / INDEX
    if not index.is_file():
        raise FileNotFoundError(f"no archive in {folder}: it would have an {INDEX}")
    archive = Archive(folder)
    try:
        archive.set_state(read_json(index, largest))
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{index} is damaged ({type(error).__name__}: {error})") from error
    if not archive.cells:
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


def save_atlas(atlas: Atlas, folder: Path) -> None:
    """Writes an atlas beside the states that it was built from.

    Raises:
        OSError: it cannot be written.
    """
    content = io.BytesIO()
    np.savez(content, **atlas.get_state())
    write_atomically(folder / ATLAS, content.getvalue())


def load_atlas(folder: Path, atlas: Atlas) -> None:
    """Fills an atlas with the one in a folder, if there is one; it is treated as untrusted.

    Raises:
        ValueError: it is damaged.
    """
    if not (folder / ATLAS).is_file():
        return
    try:
        atlas.set_state(read_arrays(folder / ATLAS, DTYPES, MAX_LINKS, optional=NEWER))
    except (OSError, ValueError) as error:
        raise ValueError(f"{folder / ATLAS} is damaged ({error})") from error
