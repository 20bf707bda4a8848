"""What happened where and when: the rows of a session's sightings."""

from collections import Counter
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.exploration.archive_folder import INDEX, open_archive
from baselines.exploration.state_archive import Archive
from baselines.runs.log_lines import MAX_LAYERS, SightingLine
from baselines.runs.session_folder import Session
from baselines.viewer.tail import Tail
from emerald_env.explorer import Cell
from emerald_env.explorer.cells import MENU_ROOM, TILES
from emerald_env.files.data import check_no_links
from emerald_env.watching.game_sightings import Door, Location, Tile

ARCHIVE = "archive"
MAX_INDEX_BYTES = 16 << 20  # bytes of an archive that is shown
PATIENCE = 50  # it is kept this many times as long as reading it took: 2 % of a core
PLAIN = ("visits", "still", "ends", "losses", "practice")
MAX_ROWS = 2_000_000  # tiles with an amount, of all layers and times: 32 MB
MAX_TIMES, MAX_LOCATIONS, MAX_DOORS = 400, 2000, 20_000
MAX_SHOWN = 100_000  # tiles of an answer
OFFSET = 128  # the lowest number of a map or tile is -128
SHIFTS = np.array([36, 24, 12, 0])  # each of a tile's numbers has 12 bits
Amounts = tuple[NDArray[np.int64], NDArray[np.float64]]  # tiles as numbers, ascending; their sums
Sums = dict[str, Amounts]  # by layer
NOTHING: Amounts = (np.zeros(0, np.int64), np.zeros(0))


class Layers:
    """The layers of a session.

    Args:
        session: whose sightings are read.

    Attributes:
        doors: ways from map to map, and how often each was used.
        locations: the maps that games have been on.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.tail = Tail(session.sightings, session.folder, SightingLine)
        self._times: list[tuple[int, Sums]] = []  # of lines, or of neighbouring lines together
        self.doors: Counter[Door] = Counter()
        self.locations: set[Location] = set()
        self._names: set[str] = set()
        self._rows = self._unused = 0
        self._archive: Counter[Tile] | None = None
        self._archive_written: int | None = None  # when, in ns
        self._read_again = 0.0  # from this monotonic second on

    @property
    def bad(self) -> int:
        """Lines that could not be used."""
        return self.tail.bad + self._unused

    def update(self) -> None:
        """Reads new sightings, as many as `Tail` allows."""
        for values in self.tail.new_lines(self._forget):
            if self._rows > MAX_ROWS or len(self._names | values["layers"].keys()) > MAX_LAYERS:
                self._unused += 1
            else:
                self._add(values)

    def _forget(self) -> None:
        for kept in (self._times, self.doors, self.locations, self._names):
            kept.clear()
        self._rows = self._unused = 0

    def _add(self, values: dict[str, Any]) -> None:
        layers: Sums = {}
        for name, rows in values["layers"].items():
            numbers = np.array(rows, np.float64).reshape(-1, 5)
            layers[name] = _summed(_keys(numbers[:, :4].astype(np.int64)), numbers[:, 4])
            if len(self.locations) < MAX_LOCATIONS:
                self.locations.update((row[0], row[1]) for row in rows)
        self._names |= layers.keys()
        self._times.append((values["num_timesteps"], layers))
        self._rows += _size(layers)
        for *way, count in values["doors"]:
            if tuple(way) in self.doors or len(self.doors) < MAX_DOORS:
                self.doors[tuple(way)] += count
        while (self._rows > MAX_ROWS or len(self._times) > MAX_TIMES) and len(self._times) > 1:
            self._halve()

    def _halve(self) -> None:
        """Adds up the sums of neighbouring times, for fewer and coarser numbers."""
        pairs = [self._times[at : at + 2] for at in range(0, len(self._times), 2)]
        self._times = [(pair[-1][0], _joined([sums for _, sums in pair])) for pair in pairs]
        self._rows = sum(_size(sums) for _, sums in self._times)

    @property
    def names(self) -> list[str]:
        """The layers, those of rewards last."""
        more = [ARCHIVE] if self._session.archive.is_dir() else []
        paid = sorted(name for name in self._names if name.startswith("pay/"))
        return [name for name in PLAIN if name in self._names] + more + paid

    @property
    def times(self) -> list[int]:
        """Env steps at which rows were written."""
        return [steps for steps, _ in self._times]

    def rows(self, name: str, first: int = -1, last: int = 10**15) -> Counter[Tile]:
        """Returns the sums of a layer's amounts by tile, from one env step to another.

        At most `MAX_SHOWN`: those of the largest amounts.
        """
        if name == ARCHIVE:
            return self._states().copy()
        found = [sums for steps, sums in self._times if first < steps <= last and name in sums]
        keys, amounts = _joined([{name: sums[name]} for sums in found]).get(name, NOTHING)
        most = np.argsort(-np.abs(amounts), kind="stable")[:MAX_SHOWN]
        tiles = (keys[most, None] >> SHIFTS & 0xFFF) - OFFSET
        return Counter(dict(zip(map(tuple, tiles.tolist()), amounts[most].tolist(), strict=True)))

    def _states(self) -> Counter[Tile]:
        """Returns what the archive has, read again after its file has changed, see `PATIENCE`."""
        try:
            written = (self._session.archive / INDEX).stat().st_mtime_ns
        except OSError:
            written = None  # there is none yet
        is_new = written != self._archive_written and monotonic() >= self._read_again
        if self._archive is None or is_new:
            started = monotonic()
            self._archive, self._archive_written = self._read_archive(), written
            self._read_again = monotonic() + PATIENCE * (monotonic() - started)
        return self._archive

    def _read_archive(self) -> Counter[Tile]:
        try:
            check_no_links(self._session.folder, self._session.archive / INDEX)
            archive = open_archive(self._session.archive, MAX_INDEX_BYTES)
        except (OSError, ValueError):
            return Counter()
        return states_on(archive)


def states_on(archive: Archive) -> Counter[Tile]:
    """Returns an archive's number of states on each tile.

    Battles and menus count where they began.
    """
    amounts: Counter[Tile] = Counter()
    begun: dict[int, Cell] = {}  # where each node's battle or menu began, or the node itself
    for number, node in archive.nodes.items():
        nowhere = node.cell.battle or node.cell.group == MENU_ROOM
        begun[number] = begun[node.parent] if nowhere and node.parent is not None else node.cell
    for number in archive.cells.values():
        group, map_number, x, y = begun[number][3:7]
        amounts.update(
            (group, map_number, x * TILES + column, y * TILES + row)
            for column in range(TILES)
            for row in range(TILES)
        )
    return amounts


def _keys(tiles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns one number for the four of each tile."""
    keys: NDArray[np.int64] = ((tiles + OFFSET) << SHIFTS).sum(axis=1)
    return keys


def _summed(keys: NDArray[np.int64], amounts: NDArray[np.float64]) -> Amounts:
    numbers, inverse = np.unique(keys, return_inverse=True)
    return numbers, np.bincount(inverse, amounts, len(numbers)).astype(np.float64)


def _joined(parts: list[Sums]) -> Sums:
    """Returns the sums of several times."""
    names = {name for part in parts for name in part}
    own = {name: [part[name] for part in parts if name in part] for name in names}
    return {
        name: _summed(np.concatenate([k for k, _ in each]), np.concatenate([a for _, a in each]))
        for name, each in own.items()
    }


def _size(sums: Sums) -> int:
    return sum(len(keys) for keys, _ in sums.values())
