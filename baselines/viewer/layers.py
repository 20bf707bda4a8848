"""What happened where and when: the rows of a session's sightings."""

from collections import Counter
from typing import Any

from baselines.exploration.archive_folder import INDEX, open_archive
from baselines.exploration.state_archive import Archive
from baselines.runs.run_sightings import is_sighting
from baselines.runs.session_folder import Session
from baselines.viewer.folder import Tail
from baselines.viewer.remembered import Remembered
from emerald_env.explorer.cells import TILES
from emerald_env.files.data import UNREADABLE, parse_json
from emerald_env.watching.game_sightings import Door, Location, Tile

ARCHIVE = "archive"
PLAIN = ("visits", "still", "ends", "losses", "practice")
Lines = list[tuple[int, dict[str, list[list[float]]]]]


class Layers:
    """The layers of a session.

    Args:
        session: whose sightings are read.

    Attributes:
        doors: ways from map to map, and how often each was used.
        locations: the maps that games have been on.
        bad: lines that could not be used.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._tail = Tail(session.sightings)
        self._lines: Lines = []
        self.doors: Counter[Door] = Counter()
        self.locations: set[Location] = set()
        self._totals: dict[str, Counter[Tile]] = {}  # of each layer, over all lines
        self.bad = 0
        self._archive = Remembered(session.archive / INDEX, self._read_archive)

    def update(self) -> None:
        """Reads what was seen since the last call."""
        anew, lines = self._tail.lines()
        if anew:
            for kept in (self._lines, self.doors, self.locations, self._totals):
                kept.clear()
        for line in lines:
            values = _parse(line)
            if values is None:
                self.bad += 1
            else:
                self._add(values["num_timesteps"], values["layers"])
                for *way, count in values["doors"]:
                    self.doors[tuple(way)] += count

    def _add(self, num_timesteps: int, layers: dict[str, list[list[float]]]) -> None:
        self._lines.append((num_timesteps, layers))
        for name, rows in layers.items():
            total = self._totals.setdefault(name, Counter())
            _sum_up(total, rows)
            self.locations.update((int(row[0]), int(row[1])) for row in rows)

    @property
    def names(self) -> list[str]:
        """The layers, those of rewards last."""
        found = self._totals.keys()
        more = [ARCHIVE] if self._session.archive.is_dir() else []
        paid = sorted(name for name in found if name.startswith("pay/"))
        return [name for name in PLAIN if name in found] + more + paid

    @property
    def times(self) -> list[int]:
        """Env steps at which rows were written."""
        return [steps for steps, _ in self._lines]

    def rows(self, name: str, first: int = 0, last: int = 10**15) -> Counter[Tile]:
        """Returns the sums of a layer's amounts by tile, from one env step to another."""
        if name == ARCHIVE:
            return self._archive.get().copy()
        if not self._lines or (first < self._lines[0][0] and last >= self._lines[-1][0]):
            return self._totals.get(name, Counter()).copy()
        sums: Counter[Tile] = Counter()
        for steps, layers in self._lines:
            if first < steps <= last:
                _sum_up(sums, layers.get(name, []))
        return sums

    def _read_archive(self) -> Counter[Tile]:
        try:
            archive = open_archive(self._session.archive)
        except (OSError, ValueError):
            return Counter()
        return states_on(archive)


def states_on(archive: Archive) -> Counter[Tile]:
    """Returns an archive's number of states on each tile; battles count where they began."""
    amounts: Counter[Tile] = Counter()
    for number in archive.cells.values():
        node = archive.nodes[number]
        while node.cell.battle and node.parent is not None:
            node = archive.nodes[node.parent]
        group, map_number, x, y = node.cell[3:7]
        amounts.update(
            (group, map_number, x * TILES + column, y * TILES + row)
            for column in range(TILES)
            for row in range(TILES)
        )
    return amounts


def _sum_up(sums: Counter[Tile], rows: list[list[float]]) -> None:
    for group, number, x, y, amount in rows:
        sums[int(group), int(number), int(x), int(y)] += amount  # type: ignore[assignment]


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        values = parse_json(line)
        return values if isinstance(values, dict) and is_sighting(values) else None
    except UNREADABLE:
        return None
