"""The world as a run's games have seen it: pictures of the ground at their places."""

import base64
import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from baselines.runs.run_sightings import MAX_MAP_TILES, is_photograph
from baselines.runs.session_folder import Session
from baselines.viewer.folder import Tail
from emerald_env.emulator import SCREEN_SHAPE
from emerald_env.files.data import UNREADABLE, parse_json
from emerald_env.game.tables import maps
from emerald_env.watching.game_sightings import Location

TILE = 16  # pixels
# The player is on the screen's tile at (112, 72); complete tiles around it are shown.
LEFT, ABOVE, COLUMNS, ROWS = 7, 4, 15, 9
TOP = 8  # pixels of the screen above the first complete row
BYTES = SCREEN_SHAPE[0] * SCREEN_SHAPE[1] * 3
MAX_MAPS = 600
HIDDEN = {(LEFT, ABOVE), (LEFT, ABOVE - 1)}  # behind the player and the player's head
Spot = tuple[int, int]


@dataclass
class Ground:
    """The seen part of one map."""

    size: tuple[int, int]  # tiles
    votes: dict[Spot, Counter[bytes]] = field(default_factory=dict)
    since: dict[Spot, int] = field(default_factory=dict)  # env steps at which it was first seen
    version: int = 0

    def see(self, spot: Spot, tile: bytes, num_timesteps: int) -> None:
        """Adds one picture of a tile; what most pictures show is painted."""
        self.votes.setdefault(spot, Counter())[tile] += 1
        self.since[spot] = min(num_timesteps, self.since.get(spot, num_timesteps))

    def paint(self) -> NDArray[np.uint8]:
        """Returns the map, (height, width, 4) uint8 RGBA; what nobody saw is transparent."""
        width, height = self.size
        image = np.zeros((height * TILE, width * TILE, 4), np.uint8)
        for (x, y), votes in self.votes.items():
            (tile, _), *_ = votes.most_common(1)
            part = image[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE]
            part[:, :, :3] = np.frombuffer(tile, np.uint8).reshape(TILE, TILE, 3)
            part[:, :, 3] = 255
        return image


class World:
    """All maps that a session's games have seen.

    Args:
        session: whose photographs are read.
    """

    def __init__(self, session: Session) -> None:
        self._tail = Tail(session.photographs)
        self.maps: dict[Location, Ground] = {}
        self.bad = 0  # photographs that could not be used
        self._pngs: dict[Location, tuple[int, bytes]] = {}

    def update(self) -> None:
        """Reads what was photographed since the last call."""
        anew, lines = self._tail.lines()
        if anew:
            self.maps.clear()
        for line in lines:
            try:
                values = parse_json(line)
                if not isinstance(values, dict) or not is_photograph(values):
                    raise ValueError("not a photograph")
                self._add(values)
            except UNREADABLE:
                self.bad += 1

    def _add(self, values: dict[str, Any]) -> None:
        group, number, x, y = values["tile"]
        picture = unpack_picture(values["picture"])
        size = (values["size"][0], values["size"][1])
        location = (group, number)
        ground = self.maps.get(location)
        if ground is None or ground.size != size:
            if len(self.maps) >= MAX_MAPS:
                raise ValueError("too many maps")
            ground = self.maps[location] = Ground(size)
        ground.version += 1
        for column, row, tile in whole_tiles(picture):
            spot = (x + column - LEFT, y + row - ABOVE)
            inside = 0 <= spot[0] < size[0] and 0 <= spot[1] < size[1]
            if inside and (column, row) not in HIDDEN:
                ground.see(spot, tile, values["num_timesteps"])

    def add_unseen(self, location: Location) -> None:
        """Adds a map that games have visited without a picture, if its size is known."""
        info = maps().get(location)
        if location not in self.maps and info is not None and len(self.maps) < MAX_MAPS:
            if info.width * info.height <= MAX_MAP_TILES:
                self.maps[location] = Ground((info.width, info.height))

    def png(self, location: Location) -> bytes:
        """Returns a map as a PNG picture.

        Raises:
            KeyError: nobody has seen it.
        """
        ground = self.maps[location]
        version, content = self._pngs.get(location, (-1, b""))
        if version != ground.version:
            image = cv2.cvtColor(ground.paint(), cv2.COLOR_RGBA2BGRA)
            content = cv2.imencode(".png", image)[1].tobytes()
            self._pngs[location] = (ground.version, content)
        return content


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


def whole_tiles(picture: NDArray[np.uint8]) -> list[tuple[int, int, bytes]]:
    """Yields (column, row, pixels) of the tiles that are completely on the screen."""
    rows = picture[TOP : TOP + ROWS * TILE].reshape(ROWS, TILE, COLUMNS, TILE, 3)
    tiles = rows.transpose(0, 2, 1, 3, 4)
    return [(c, r, tiles[r, c].tobytes()) for r in range(ROWS) for c in range(COLUMNS)]
