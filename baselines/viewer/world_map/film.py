"""The map as a picture, and as a film of its growth."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import imageio_ffmpeg
import numpy as np
from numpy.typing import NDArray

from baselines.viewer.world_map.board import Board, bounds
from baselines.viewer.world_map.layers import ARCHIVE, Layers
from baselines.viewer.world_map.world import NEVER, TILE, World
from emerald_env.watching.game_sightings import Location, Tile

FOG = (24, 28, 38)
TEXT = (230, 234, 240)
HEAT = (255, 176, 0)  # of the page's palette for colour-blind eyes
MAX_SIDE_PIXELS = 8192  # pixels of a picture
MAX_PIXELS = 16_000_000  # of a picture: 48 MB
FILM_SIDE = 1280  # pixels of a film
FRAMES, FPS, HOLD = 150, 15, 30
BORDER = 2  # tiles around the world


class Piece(NamedTuple):
    """A map on a canvas."""

    at: Location
    place: tuple[slice, slice]  # its rows and columns of pixels
    since: NDArray[np.int64]  # (height, width) of its tiles


class Canvas:
    """The board in pixels. Each map is scaled when it arrives: all of them could fill any memory.

    Args:
        world: the maps.
        board: their layout.
        longest: the longer side in pixels, at most.
    """

    def __init__(self, world: World, board: Board, longest: int) -> None:
        sizes = {at: ground.size for at, ground in world.maps.items()}
        left, top, right, bottom = bounds(board, sizes)
        width, height = right - left + 2 * BORDER, bottom - top + 2 * BORDER
        tiles = max(width * height, sum(w * h for w, h in sizes.values()))
        scale = min(TILE, longest / max(width, height), (MAX_PIXELS / tiles) ** 0.5)
        self.scale = float(int(scale)) if scale >= 1 else scale
        shape = (max(1, int(height * self.scale)), max(1, int(width * self.scale)))
        self._image = np.full((*shape, 3), FOG, np.uint8)
        self._pieces: list[Piece] = []
        for at, ground in world.maps.items():
            x, y = board.corners[at][0] - left + BORDER, board.corners[at][1] - top + BORDER
            rows, columns = self._span(y, ground.size[1]), self._span(x, ground.size[0])
            piece = Piece(at, (rows, columns), ground.since)
            self._pieces.append(piece)
            picture = self._scaled(world.paint(at), piece, cv2.INTER_AREA)
            seen = picture[..., 3] > 0
            self._image[piece.place][seen] = picture[seen][:, :3]

    def _span(self, start: int, length: int) -> slice:
        first = int(start * self.scale)
        return slice(first, first + max(1, int(length * self.scale)))

    def _scaled(self, values: NDArray[Any], piece: Piece, how: int) -> NDArray[Any]:
        """Returns a map's values in its pixels on the image."""
        height, width = self._image[piece.place].shape[:2]
        scaled: NDArray[Any] = cv2.resize(values, (width, height), interpolation=how)
        return scaled

    def paint(self, heat: Counter[Tile], until: int = 10**15) -> NDArray[np.uint8]:
        """Returns the picture, (height, width, 3) uint8 RGB.

        Args:
            heat: a layer's amounts by tile; small ones are not coloured.
            until: what was first seen after this env step is fog.
        """
        image: NDArray[np.uint8] = self._image.copy()
        largest = max((abs(amount) for amount in heat.values()), default=0)
        on_map: dict[Location, list[tuple[int, int, float]]] = {}
        for (group, number, x, y), amount in heat.items():
            alpha = 0.15 + 0.75 * np.log1p(abs(amount)) / np.log1p(largest) if largest > 0 else 0
            on_map.setdefault((group, number), []).append((x, y, float(alpha)))
        for piece in self._pieces:
            self._paint_piece(image[piece.place], piece, on_map.get(piece.at, []), until)
        return image

    def _paint_piece(
        self,
        part: NDArray[np.uint8],
        piece: Piece,
        heat: list[tuple[int, int, float]],
        until: int,
    ) -> None:
        late = (piece.since > until) & (piece.since != NEVER)
        if late.any():
            part[self._scaled(late.astype(np.uint8), piece, cv2.INTER_NEAREST) > 0] = FOG
        if heat:
            height, width = piece.since.shape
            alpha = np.zeros((height, width), np.float32)
            for x, y, share in heat:
                if 0 <= y < height and 0 <= x < width:
                    alpha[y, x] = share
            shown = self._scaled(alpha, piece, cv2.INTER_NEAREST)[:, :, None]
            part[:] = part * (1 - shown) + np.array(HEAT, np.float32) * shown


def encode_png(picture: NDArray[np.uint8]) -> bytes:
    """Returns an RGB picture as PNG."""
    fast = [cv2.IMWRITE_PNG_COMPRESSION, 1]
    return cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), fast)[1].tobytes()


def frames(canvas: Canvas, layers: Layers, name: str) -> Iterator[NDArray[np.uint8]]:
    """Yields the frames of a film: the world grows, and the layer fills.

    The archive is in all of them as it is now: it does not say when it got its states.
    """
    times = layers.times or [0]
    first = times[0] - (times[1] - times[0] if len(times) > 1 else 0)
    stops = np.linspace(first, times[-1], FRAMES).astype(int).tolist()
    heat: Counter[Tile] = layers.rows(ARCHIVE) if name == ARCHIVE else Counter()
    for before, now in zip([-1, *stops], stops, strict=False):
        if name != ARCHIVE:
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
