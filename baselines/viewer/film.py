"""The map as a picture, and as a film of its growth."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import imageio_ffmpeg
import numpy as np
from numpy.typing import NDArray

from baselines.viewer.board import Board, bounds
from baselines.viewer.layers import Layers
from baselines.viewer.world import TILE, World
from emerald_env.watching.game_sightings import Tile

FOG = (24, 28, 38)
TEXT = (230, 234, 240)
HEAT = (255, 176, 0)  # of the page's palette for colour-blind eyes
MAX_SIDE_PIXELS = 8192  # pixels of a picture
FILM_SIDE = 1280  # pixels of a film
FRAMES, FPS, HOLD = 150, 15, 30
BORDER = 2  # tiles around the world


class Canvas:
    """The board in pixels.

    Args:
        world: the maps.
        board: their layout.
        longest: the longer side in pixels, at most.
    """

    def __init__(self, world: World, board: Board, longest: int) -> None:
        sizes = {at: ground.size for at, ground in world.maps.items()}
        left, top, right, bottom = bounds(board, sizes)
        self._corner = (left - BORDER, top - BORDER)
        width, height = right - left + 2 * BORDER, bottom - top + 2 * BORDER
        self.scale = max(1, min(TILE, longest // max(width, height, 1)))
        self._shape = (height * self.scale, width * self.scale)
        self._board = board
        self._image = np.full((*self._shape, 3), FOG, np.uint8)
        self._since = np.full((height, width), np.iinfo(np.int64).max)
        for at, ground in world.maps.items():
            self._draw(at, ground.paint(), ground.since, ground.size)

    def _draw(
        self,
        at: tuple[int, int],
        picture: NDArray[np.uint8],
        since: dict[tuple[int, int], int],
        size: tuple[int, int],
    ) -> None:
        x, y = self._spot(self._board.corners[at])
        width, height = size[0] * self.scale, size[1] * self.scale
        small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
        seen = small[:, :, 3] > 0
        place = self._image[y * self.scale :, x * self.scale :][:height, :width]
        place[seen] = small[seen][:, :3]
        for (column, row), steps in since.items():
            self._since[y + row, x + column] = steps

    def _spot(self, corner: tuple[int, int]) -> tuple[int, int]:
        return corner[0] - self._corner[0], corner[1] - self._corner[1]

    def _enlarged(self, tiles: NDArray[Any]) -> NDArray[Any]:
        """Returns the values of pixels from those of tiles."""
        height, width = self._shape
        return cv2.resize(tiles, (width, height), interpolation=cv2.INTER_NEAREST)

    def paint(self, heat: Counter[Tile], until: int = 10**15) -> NDArray[np.uint8]:
        """Returns the picture, (height, width, 3) uint8 RGB.

        Args:
            heat: a layer's amounts by tile; small ones are not coloured.
            until: what was first seen after this env step is fog.
        """
        image = self._image.copy()
        image[self._enlarged(np.asarray(self._since > until, np.uint8)) > 0] = FOG
        alpha = np.zeros(self._since.shape, np.float32)
        largest = max((abs(amount) for amount in heat.values()), default=0)
        for (group, number, x, y), amount in heat.items():
            corner = self._board.corners.get((group, number))
            if corner is not None and largest > 0:
                column, row = self._spot((corner[0] + x, corner[1] + y))
                if 0 <= row < alpha.shape[0] and 0 <= column < alpha.shape[1]:
                    alpha[row, column] = 0.15 + 0.75 * np.log1p(abs(amount)) / np.log1p(largest)
        shown = self._enlarged(alpha)[:, :, None]
        mixed = image * (1 - shown) + np.array(HEAT, np.float32) * shown
        return np.asarray(mixed, np.uint8)


def encode_png(picture: NDArray[np.uint8]) -> bytes:
    """Returns an RGB picture as PNG."""
    return cv2.imencode(".png", picture[..., ::-1])[1].tobytes()


def frames(canvas: Canvas, layers: Layers, name: str) -> Iterator[NDArray[np.uint8]]:
    """Yields the frames of a film: the world grows, and the layer fills."""
    times = layers.times or [0]
    first = times[0] - (times[1] - times[0] if len(times) > 1 else 0)
    stops = np.linspace(first, times[-1], FRAMES).astype(int).tolist()
    heat: Counter[Tile] = Counter()
    for before, now in zip([-1, *stops], stops, strict=False):
        heat.update(layers.rows(name, before, now))
        yield captioned(canvas.paint(heat, now), now)
    last = captioned(canvas.paint(heat), times[-1])
    for _ in range(HOLD):
        yield last


def captioned(picture: NDArray[np.uint8], num_timesteps: int) -> NDArray[np.uint8]:
    """Returns a picture with the env steps in its upper left corner."""
    text = f"{max(0, num_timesteps):,} steps"
    cv2.putText(picture, text, (12, 28), cv2.FONT_HERSHEY_SIMPLEX, 0.6, TEXT, 1, cv2.LINE_AA)
    return picture


def write_film(path: Path, canvas: Canvas, layers: Layers, name: str) -> None:
    """Writes a film (H.264, mp4)."""
    writer = None
    for frame in frames(canvas, layers, name):
        height, width = (side // 2 * 2 for side in frame.shape[:2])
        if writer is None:
            options = ["-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]
            writer = imageio_ffmpeg.write_frames(
                str(path),
                (width, height),
                fps=FPS,
                codec="libx264",
                quality=None,
                macro_block_size=2,
                output_params=options,
            )
            writer.send(None)
        writer.send(np.ascontiguousarray(frame[:height, :width]))
    if writer is not None:
        writer.close()
