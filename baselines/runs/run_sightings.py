"""Where a run's games have been and what those places look like: two files of JSON lines."""

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from baselines.runs.json_lines import append_lines
from baselines.runs.session_folder import Session
from emerald_env.files.data import JsonLines, fits, is_count, is_number
from emerald_env.files.printable import is_printable
from emerald_env.watching.game_sightings import CELL, Door, Photograph, Sighted, Tile

SIDE = 1 << 10  # tiles; every map is smaller
MAX_MAP_TILES = 10_240  # tiles in the game's own buffer
MAX_PHOTOGRAPHS = 3  # of a cell, by all games: people who walk through one are not in the others
MAX_PICTURE_CHARACTERS = 400_000  # characters
DIGITS = 4  # of a reward


class SightingLog:
    """Writes what a run's games have seen to its session.

    Args:
        session: whose `sightings.jsonl` and `photographs.jsonl` are written; what they already hold
            is not photographed again.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._photographed: Counter[tuple[int, ...]] = Counter(
            _cell(tuple(line["tile"])) for line in JsonLines(session.photographs, is_photograph)
        )

    def write(self, num_timesteps: int, all_sighted: Iterable[Sighted]) -> None:
        """Adds what the games have seen up to `num_timesteps`.

        Raises:
            OSError: it cannot be written.
        """
        layers: dict[str, Counter[Tile]] = defaultdict(Counter)
        doors: Counter[Door] = Counter()
        lines = []
        for sighted in all_sighted:
            doors.update(sighted.doors)
            for name, amounts in sighted.layers.items():
                layers[name].update(amounts)
            for photograph in sighted.photographs:
                cell = _cell(photograph.tile)
                self._photographed[cell] += 1
                if self._photographed[cell] <= MAX_PHOTOGRAPHS:
                    lines.append(_photograph_line(num_timesteps, photograph))
        append_lines(self._session.photographs, lines)
        if layers:
            append_lines(self._session.sightings, [_line(num_timesteps, layers, doors)])


def _cell(tile: tuple[int, ...]) -> tuple[int, ...]:
    return (*tile[:2], tile[2] // CELL[0], tile[3] // CELL[1])


def _line(num_timesteps: int, layers: dict[str, Counter[Tile]], doors: Counter[Door]) -> str:
    rows = {
        name: [[*tile, round(amount, DIGITS)] for tile, amount in amounts.items()]
        for name, amounts in layers.items()
    }
    ways = [[*door, count] for door, count in doors.items()]
    line = {"num_timesteps": num_timesteps, "layers": rows, "doors": ways}
    return json.dumps(line, separators=(",", ":"))


def _photograph_line(num_timesteps: int, photograph: Photograph) -> str:
    picture = base64.b64encode(photograph.picture).decode()
    return json.dumps(
        {
            "num_timesteps": num_timesteps,
            "tile": photograph.tile,
            "size": photograph.size,
            "picture": picture,
        },
        separators=(",", ":"),
    )


def is_sighting(line: dict[str, Any]) -> bool:
    """Returns whether a line is one of `sightings.jsonl`, whoever wrote it."""
    layers, doors = line.get("layers"), line.get("doors")
    return (
        is_count(line.get("num_timesteps"))
        and isinstance(layers, dict)
        and is_printable(layers)
        and isinstance(doors, list)
        and all(isinstance(rows, list) for rows in layers.values())
        and all(_is_row(row, 4) for rows in layers.values() for row in rows)
        and all(_is_row(row, 8) for row in doors)
    )


def is_photograph(line: dict[str, Any]) -> bool:
    """Returns whether a line is one of `photographs.jsonl`, whoever wrote it."""
    tile, size, picture = line.get("tile"), line.get("size"), line.get("picture")
    return (
        is_count(line.get("num_timesteps"))
        and isinstance(tile, list)
        and _is_row([*tile, 0], 4)
        and fits(size, list[int])
        and len(size) == 2  # type: ignore[arg-type]
        and all(0 < side <= SIDE for side in size)  # type: ignore[union-attr]
        and size[0] * size[1] <= MAX_MAP_TILES  # type: ignore[index]
        and isinstance(picture, str)
        and len(picture) <= MAX_PICTURE_CHARACTERS
        and picture.isascii()
    )


def _is_row(row: Any, numbers: int) -> bool:
    """Returns whether a row has the numbers and tiles of maps, and an amount."""
    if not isinstance(row, list) or len(row) != numbers + 1 or not is_number(row[-1]):
        return False
    places = row[:-1]
    return all(type(number) is int and -128 <= number < SIDE for number in places)
