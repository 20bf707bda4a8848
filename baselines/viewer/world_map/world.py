"""The world as a run's games have seen it: pictures of the ground at their places."""

import base64
import hashlib
import zlib
from collections import Counter
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from baselines.runs.log_lines import MAX_MAP_TILES, PhotographLine
from baselines.runs.run_sightings import MAX_PHOTOGRAPHS, cell_of_tile
from baselines.runs.session_folder import Session
from baselines.viewer.tail import Tail
from emerald_env.emulator import SCREEN_SHAPE
from emerald_env.game.tables import maps
from emerald_env.watching.game_sightings import Location

TILE = 16  # pixels
# The player is on the screen's tile at (112, 72); complete tiles around it are shown.
LEFT, ABOVE, COLUMNS, ROWS = 7, 4, 15, 9
TOP = 8  # pixels of the screen above the first complete row
BYTES = SCREEN_SHAPE[0] * SCREEN_SHAPE[1] * 3
MAX_MAPS = 600
MAX_TILES = 600_000  # of all maps together; Emerald has 315,712
MAX_PICTURES = 1 << 16  # different pictures of tiles: 50 MB
NEVER = np.iinfo(np.int64).max
HIDDEN = np.zeros((ROWS, COLUMNS), np.bool_)  # behind the player and the player's head
HIDDEN[ABOVE - 1 : ABOVE + 1, LEFT] = True


class Ground:
    """The part of a map that was seen.

    Args:
        size: its width and height in tiles.

    Attributes:
        since: (height, width) int64, env steps at which each tile was first seen, or `NEVER`.
        tiles: (height, width) int32, the number of the picture that most photographs show.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        width, height = self.size = size
        self.since = np.full((height, width), NEVER, np.int64)
        self.tiles = np.zeros((height, width), np.int32)
        self._votes = np.zeros((height, width), np.int16)
        self.version = 0

    def see(self, corner: tuple[int, int], tiles: NDArray[np.int32], num_timesteps: int) -> None:
        """Adds a photograph; the majority is found as in Boyer and Moore 1991.

        Args:
            corner: the map's tile in the upper left corner of the photograph.
            tiles: (ROWS, COLUMNS) numbers of pictures.
            num_timesteps: when it was taken.
        """
        self.version += 1
        (x, y), (width, height) = corner, self.size
        rows, columns = np.arange(y, y + ROWS), np.arange(x, x + COLUMNS)
        shown = ~HIDDEN & ((rows >= 0) & (rows < height))[:, None]
        shown &= (columns >= 0) & (columns < width)
        row, column = np.nonzero(shown)
        at = (row + y, column + x)
        new = tiles[shown]
        self.since[at] = np.minimum(self.since[at], num_timesteps)
        votes = self._votes[at] + np.where(self.tiles[at] == new, 1, -1)
        self.tiles[at] = np.where(votes < 0, new, self.tiles[at])
        self._votes[at] = np.minimum(np.abs(votes), 1 << 14)

    def rows(self) -> list[list[int]]:
        """Returns x, y and since of each tile that was seen."""
        y, x = np.nonzero(self.since != NEVER)
        rows: list[list[int]] = np.stack([x, y, self.since[y, x]], axis=1).tolist()
        return rows


class World:
    """All maps that a session's games have seen.

    Args:
        session: whose photographs are read.
    """

    def __init__(self, session: Session) -> None:
        self.tail = Tail(session.photographs, session.folder, PhotographLine)
        self.maps: dict[Location, Ground] = {}
        self._unused = 0  # photographs of maps that are too many
        self._photographed: Counter[tuple[int, ...]] = Counter()
        self._numbers: dict[bytes, int] = {}  # digest of a tile's picture -> its number
        self._pictures = np.zeros((MAX_PICTURES, TILE, TILE, 3), np.uint8)

    @property
    def bad(self) -> int:
        """Photographs that could not be used."""
        return self.tail.bad + self._unused

    def update(self) -> None:
        """Reads new photographs, as many as `Tail` allows."""
        for values in self.tail.new_lines(self._forget):
            try:
                self._add(values)
            except ValueError:
                self._unused += 1

    def _forget(self) -> None:
        self.maps.clear()
        self._photographed.clear()
        self._unused = 0

    def _add(self, values: dict[str, Any]) -> None:
        group, number, x, y = values["tile"]
        cell = cell_of_tile(values["tile"])
        if self._photographed[cell] >= MAX_PHOTOGRAPHS:
            return
        tiles = self._numbered(whole_tiles(unpack_picture(values["picture"])))
        ground = self._map((group, number), (values["size"][0], values["size"][1]))
        self._photographed[cell] += 1
        ground.see((x - LEFT, y - ABOVE), tiles, values["num_timesteps"])

    def _map(self, location: Location, size: tuple[int, int]) -> Ground:
        """Returns a map of this size, a new one in place of one of another size."""
        if location in self.maps and self.maps[location].size == size:
            return self.maps[location]
        others = [ground.since.size for at, ground in self.maps.items() if at != location]
        if len(others) >= MAX_MAPS or sum(others) + size[0] * size[1] > MAX_TILES:
            raise ValueError("too many maps")
        self.maps[location] = Ground(size)
        return self.maps[location]

    def _numbered(self, tiles: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Returns the numbers of pictures, (ROWS, COLUMNS); those that are new are kept."""
        if len(self._numbers) + ROWS * COLUMNS > MAX_PICTURES:
            self._keep_used()
        numbers = np.zeros(ROWS * COLUMNS, np.int32)
        for index, tile in enumerate(tiles.reshape(-1, TILE, TILE, 3)):
            digest = hashlib.blake2b(tile.tobytes(), digest_size=16).digest()
            numbers[index] = number = self._numbers.setdefault(digest, len(self._numbers))
            self._pictures[number] = tile
        return numbers.reshape(ROWS, COLUMNS)

    def _keep_used(self) -> None:
        """Forgets pictures that no map shows any more.

        Raises:
            ValueError: there are too many others.
        """
        used = [ground.tiles[ground.since != NEVER] for ground in self.maps.values()]
        kept = np.unique(np.concatenate(used)) if used else np.zeros(0, np.int32)
        if len(kept) > 0.9 * MAX_PICTURES:
            raise ValueError("too many different tiles")
        digests = list(self._numbers)
        self._numbers = {digests[old]: new for new, old in enumerate(kept.tolist())}
        self._pictures[: len(kept)] = self._pictures[kept]
        for ground in self.maps.values():
            ground.tiles = np.searchsorted(kept, ground.tiles).astype(np.int32)

    def add_unseen(self, location: Location) -> None:
        """Adds a map that games have visited without a picture, if its size is known."""
        info = maps().get(location)
        if location not in self.maps and info is not None and len(self.maps) < MAX_MAPS:
            if info.width * info.height <= MAX_MAP_TILES:
                self.maps[location] = Ground((info.width, info.height))

    def paint(self, location: Location) -> NDArray[np.uint8]:
        """Returns a map, (height, width, 4) uint8 RGBA; what nobody saw is transparent."""
        ground = self.maps[location]
        seen = ground.since != NEVER
        image = np.zeros((*seen.shape, TILE, TILE, 4), np.uint8)
        image[..., :3][seen] = self._pictures[ground.tiles[seen]]
        image[..., 3][seen] = 255
        width, height = ground.size
        painted: NDArray[np.uint8] = image.transpose(0, 2, 1, 3, 4)
        return painted.reshape(height * TILE, width * TILE, 4)

    def png(self, location: Location) -> bytes:
        """Returns a map as a PNG picture.

        Raises:
            KeyError: nobody has seen it.
        """
        image = cv2.cvtColor(self.paint(location), cv2.COLOR_RGBA2BGRA)
        return cv2.imencode(".png", image)[1].tobytes()


def unpack_picture(text: str) -> NDArray[np.uint8]:
    """Returns a photograph's picture, (160, 240, 3) uint8 RGB.

    Raises:
        ValueError: it is not a picture.
    """
    try:
        content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), BYTES + 1)
    except zlib.error as error:
        raise ValueError("not a picture") from error
    if len(content) != BYTES:
        raise ValueError("a picture of the wrong size")
    return np.frombuffer(content, np.uint8).reshape(SCREEN_SHAPE)


def whole_tiles(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns the tiles that are completely on the screen, (ROWS, COLUMNS, TILE, TILE, 3)."""
    rows = picture[TOP : TOP + ROWS * TILE].reshape(ROWS, TILE, COLUMNS, TILE, 3)
    tiles: NDArray[np.uint8] = rows.transpose(0, 2, 1, 3, 4)
    return tiles
