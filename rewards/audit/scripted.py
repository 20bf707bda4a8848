"""Walks written by hand: a file of JSON lines, each line a step that changes the state.

The first line is the header: ``{"walk": NAME, "about": TEXT, "start": CHANGES}``. Every further
line is either CHANGES, one step, or ``{"loop": true}``: the steps after it are the loop. The walk
starts from a new game to which the header's changes were made. CHANGES is an object with any of

====================  =============================================================================
at, xy                the map, ``"DewfordTown"`` or ``[0, 11]``; the tile ``[x, y]``
set, clear            lists of flags, by pret's names or numbers
vars                  ``{"VAR_ROUTE101_STATE": 1}``
party                 the whole party: ``[{"id": 1, "species": "TREECKO", "level": 5, "exp": 135,
                      "hp": 20, "max_hp": 20, "moves": ["POUND"], "egg": false}]``; all but id may
                      be left out
gain                  experience points to add, by id: ``{"1": 50}``
hurt, heal            lists of ids whose HP become 1, or full
seen, caught          lists of species
get, lose             lists of items put into the bag or taken out
money                 the amount
battle                whether a battle is on
unknown               true: no state can be sampled in this step
====================  =============================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from emerald_env.files.data import (
    MEBIBYTE,
    DataError,
    PlainText,
    misfit,
    parse_json,
    read_bytes,
)
from rewards.audit.audited_walk import State
from rewards.audit.changes import apply
from rewards.audit.new_game import NEW_GAME

FOLDER = Path(__file__).parent / "walks"
HEADER = {"walk", "about", "start"}
MAX_WALK_BYTES = 16 * MEBIBYTE


Word = Annotated[int, Field(ge=0, lt=1 << 16)]
Long = Annotated[int, Field(ge=0, lt=1 << 32)]
Names = list[PlainText | Word]
FACTS: Any = {"id": Long, "species": PlainText | Word, "moves": Names, "egg": bool}
FACTS |= dict.fromkeys(("level", "exp", "hp", "max_hp"), Long)
MEMBER: Any = TypedDict("MEMBER", FACTS, total=False)  # type: ignore[misc]
CHANGES: Any = {
    "at": PlainText | Annotated[list[Word], Field(min_length=2, max_length=2)],
    "xy": Annotated[list[Word], Field(min_length=2, max_length=2)],
    "vars": dict[PlainText, Word],
    "gain": dict[PlainText, Long],
    "money": Long,
    "battle": bool,
    "unknown": bool,
    "loop": bool,
    "party": Annotated[list[MEMBER], Field(max_length=6)],
    **dict.fromkeys(("set", "clear", "seen", "caught", "get", "lose"), Names),
    **dict.fromkeys(("hurt", "heal"), list[Long]),
}
LINE: Any = TypedDict("LINE", CHANGES, total=False)  # type: ignore[misc]


class ScriptedWalk:
    """A walk from a file of JSON lines; each round changes the state that the last one left.

    Raises:
        ValueError: the file is malformed; the message says the line and what was expected.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = [
            (number, _parse(path, number, text))
            for number, text in enumerate(read_bytes(path, MAX_WALK_BYTES).splitlines(), 1)
            if text.strip()
        ]
        header = lines[0][1] if lines else {}
        if not {"walk"} <= set(header) <= HEADER:
            raise ValueError(
                f'{path}: the first line must be {{"walk": name, "about": text, '
                f'"start": changes}}, got {header}'
            )
        self.name = str(header["walk"])
        self.about = str(header.get("about", ""))
        marks = [index for index, (_, line) in enumerate(lines) if line == {"loop": True}]
        loop = marks[0] if marks else len(lines)
        self._opening, self._loop = lines[1:loop], lines[loop + 1 :]
        self._start = self._change(NEW_GAME, 1, header.get("start", {}))
        self._state = self._start

    def opening(self) -> Iterator[State]:
        """Yields the first state and those of the steps to the loop."""
        self._state = self._start
        yield self._state
        yield from self._steps(self._opening)

    def round(self) -> Iterator[State]:
        """Yields the states of the loop's steps, from where the last round ended."""
        yield from self._steps(self._loop)

    def _steps(self, lines: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[State]:
        for number, changes in lines:
            rest = {key: value for key, value in changes.items() if key != "unknown"}
            self._state = self._change(self._state, number, rest)
            yield None if changes.get("unknown") else self._state

    def _change(self, state: Any, number: int, changes: Mapping[str, Any]) -> Any:
        try:
            return apply(state, changes)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self._path}, line {number}: {error}") from error


def walk_names() -> list[str]:
    """Returns the names of the walks that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def _parse(path: Path, number: int, text: bytes) -> dict[str, Any]:
    try:
        line = parse_json(text)
    except DataError as error:
        raise ValueError(f"{path}, line {number} is {error}") from error
    if not isinstance(line, dict):
        shown = text.decode(errors="replace").strip()
        raise ValueError(f"{path}, line {number} must be an object, got {shown:.100}")
    if place := misfit(line, LINE) or misfit(line.get("start", {}), LINE):
        raise ValueError(f"{path}, line {number}: {place} has an impossible value")
    return line
