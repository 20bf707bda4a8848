"""Walks that need no emulator: scripts and save states, by the file's ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from emerald_env.game.editions import can_read, edition
from emerald_env.game.savefile import MemoryImage, load
from emerald_env.state import decode
from rewards.audit.audited_walk import StatesWalk, Walk
from rewards.audit.scripted import FOLDER, ScriptedWalk, walk_names

Opener = Callable[[Path], Walk]


def open_state(path: Path) -> Walk:
    """Returns a walk of a single state: a save state of mGBA, raw or PNG.

    Raises:
        ValueError: no save state, or none of a running game.
    """
    image = load(path)
    state = None
    if isinstance(image, MemoryImage):
        state = decode(image.read, edition(image.code) if can_read(image.code) else None)
    if state is None:
        raise ValueError(
            f"{path} shows no running game that can be read: make a save state of "
            "mGBA while the player can walk"
        )
    return StatesWalk(path.name, [state])


OPENERS: dict[str, Opener] = {
    ".jsonl": ScriptedWalk,
    ".state": open_state,
    ".ss1": open_state,
    ".ss0": open_state,
    ".png": open_state,
}


def open_walk(name_or_path: str) -> Walk:
    """Returns a walk of the package by its name, or the one in a file.

    Raises:
        FileNotFoundError: there is no such walk or file; the message lists the names.
        ValueError: the file's kind is unknown, or the file is malformed.
    """
    path = Path(name_or_path)
    if not path.suffix and name_or_path in walk_names():
        return ScriptedWalk(FOLDER / f"{name_or_path}.jsonl")
    if not path.is_file():
        raise FileNotFoundError(
            f"no walk {name_or_path!r}: give a file or one of: {', '.join(walk_names())}"
        )
    if path.suffix not in OPENERS:
        raise ValueError(f"{path}: no walk ends in {path.suffix!r}; known: {', '.join(OPENERS)}")
    return OPENERS[path.suffix](path)
