"""A game's frames as a video file."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.playing.display.chapters import Chapter, write_chapters
from emerald_env.files.output_files import make_folder

GAME_FPS = 60
VIDEO_FPS = 30  # every second frame of the game
GAME_SIZE = (240, 160)  # width and height in pixels
MAX_SCALE = 32  # 7,680 x 5,120


def check_scale(scale: int) -> None:
    """Raises ValueError for an impossible scale."""
    if not 1 <= scale <= MAX_SCALE:
        raise ValueError(f"scale is {scale}: it must be between 1 and {MAX_SCALE}")


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Delays Ctrl-C, which would kill ffmpeg while imageio writes a picture."""
    if current_thread() is not main_thread():  # only that one is interrupted
        yield
        return
    received: list[Any] = []
    previous = signal.signal(signal.SIGINT, lambda *arguments: received.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if received and callable(previous):
            previous(*received[0])


class VideoFile:
    """An mp4 file (H.264, 30 frames/s) of the game, each pixel a sharp square.

    Args:
        path: the file to write; it appears under this name once it is complete.
        scale: pixels of the video per pixel of a picture.
        size: width and height of the pictures.

    Raises:
        ValueError: its folder cannot be made.
    """

    def __init__(self, path: Path, scale: int, size: tuple[int, int] = GAME_SIZE) -> None:
        make_folder(path.parent)
        self._path = path
        self._part = path.with_name(f".{path.stem}.part.mp4")
        self._scale, self._size = scale, size
        self._frames = 0
        self._chapters: list[Chapter] = []
        self._writer: Any = None

    def __enter__(self) -> "VideoFile":
        return self

    def __exit__(self, *error: object) -> None:
        """Completes the file; removes it after an error or if there were no frames."""
        if self._writer is None:
            return
        with ctrl_c_waits():
            self._writer.close()
        if any(error):
            self._part.unlink(missing_ok=True)
            return
        if self._chapters:
            write_chapters(self._part, self._chapters, self._now())
        self._part.replace(self._path)

    def begin_chapter(self, title: str) -> None:
        """Begins a chapter with the next frame; drops one that has no frame yet."""
        if self._chapters and self._chapters[-1].start == self._now():
            self._chapters.pop()
        self._chapters.append(Chapter(self._now(), title))

    def _now(self) -> int:
        return self._frames * 1000 // GAME_FPS

    def __call__(self, picture: NDArray[np.uint8]) -> None:
        """Adds a frame, (height, width, 3) uint8 RGB; every second one is left out."""
        if self._frames % (GAME_FPS // VIDEO_FPS) == 0:
            # not earlier: an error before the first frame leaves no file and no output of ffmpeg
            with ctrl_c_waits():
                self._writer = self._writer or self._start()
                self._writer.send(np.ascontiguousarray(picture))
        self._frames += 1

    def _start(self) -> Any:
        width, height = (side * self._scale for side in self._size)
        import imageio_ffmpeg  # slow to load

        writer = imageio_ffmpeg.write_frames(
            str(self._part),
            self._size,
            fps=VIDEO_FPS,
            codec="libx264",
            quality=None,
            macro_block_size=2,
            # flat colours and sharp edges: high quality costs little
            output_params=[
                *("-vf", f"scale={width}:{height}:flags=neighbor"),
                *("-crf", "16", "-preset", "veryfast", "-movflags", "+faststart"),
            ],
        )
        writer.send(None)
        return writer
