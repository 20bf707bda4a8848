"""Where a run's games have been and what those places look like: two files of JSON lines."""

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from baselines.runs.json_lines import append_lines
from baselines.runs.log_lines import PhotographLine
from baselines.runs.session_folder import Session
from emerald_env.files.data import JsonLines
from emerald_env.watching.game_sightings import CELL, Door, Photograph, Sighted, Tile

MAX_PHOTOGRAPHS = 3  # of a cell, by all games: people who walk through one are not in the others
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
            cell_of_tile(line["tile"]) for line in JsonLines(session.photographs, PhotographLine)
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
                cell = cell_of_tile(photograph.tile)
                self._photographed[cell] += 1
                if self._photographed[cell] <= MAX_PHOTOGRAPHS:
                    lines.append(_photograph_line(num_timesteps, photograph))
        append_lines(self._session.photographs, lines)
        if layers:
            append_lines(self._session.sightings, [_line(num_timesteps, layers, doors)])


def cell_of_tile(tile: Sequence[int]) -> tuple[int, ...]:
    """Returns the cell of a tile of which `MAX_PHOTOGRAPHS` are enough."""
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
