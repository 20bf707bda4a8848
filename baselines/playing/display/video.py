"""A game's frames as a video file."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import current_thread, main_thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.playing.display.chapters import Chapter, failure, write_chapters
from emerald_env.files.output_files import make_folder
from emerald_env.files.printable import warn

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
    """Delays Ctrl-C, which would end a picture in its middle."""
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
        self._ffmpeg: subprocess.Popen[bytes] | None = None
        self._said = TemporaryFile()

    @property
    def is_empty(self) -> bool:
        """Whether it has no frame so far: there will be no file."""
        return self._ffmpeg is None

    def __enter__(self) -> "VideoFile":
        return self

    def __exit__(self, *error: object) -> None:
        """Completes the file; removes it after an error or if there were no frames.

        Raises:
            OSError: it cannot be written, because the disk is full for instance.
        """
        try:
            if self._ffmpeg is not None:
                self._end(self._ffmpeg)
                if not any(error):
                    self._complete()
        finally:
            self._part.unlink(missing_ok=True)
            self._said.close()

    def _end(self, ffmpeg: "subprocess.Popen[bytes]") -> None:
        assert ffmpeg.stdin is not None
        with ctrl_c_waits():
            with suppress(BrokenPipeError):  # it has ended, and its status says why
                ffmpeg.stdin.close()
            ffmpeg.wait()

    def _complete(self) -> None:
        """Gives the file its chapters and its name."""
        self._check_status()
        if self._chapters:
            try:
                write_chapters(self._part, self._chapters, self._now())
            except OSError as error:
                warn(f"warning: {self._path} has no chapters: {error}")
        self._part.replace(self._path)

    def _check_status(self) -> None:
        """Raises OSError if ffmpeg has failed."""
        if self._ffmpeg is not None and (status := self._ffmpeg.wait()):
            self._said.seek(0)
            reason = failure(self._said.read().decode(errors="replace"), status)
            raise OSError(f"{self._path} cannot be written: {reason}")

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
                self._ffmpeg = self._ffmpeg or self._start()
                self._write(self._ffmpeg, picture.tobytes())
        self._frames += 1

    def _write(self, ffmpeg: "subprocess.Popen[bytes]", pixels: bytes) -> None:
        assert ffmpeg.stdin is not None
        try:
            ffmpeg.stdin.write(pixels)
        except BrokenPipeError:
            self._check_status()
            raise

    def _start(self) -> "subprocess.Popen[bytes]":
        import imageio_ffmpeg  # slow to load

        width, height = self._size
        read = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
        # flat colours and sharp edges: high quality costs little
        encoded = ["-codec:v", "libx264", "-crf", "16", "-preset", "veryfast"]
        played = ["-pix_fmt", "yuv420p", "-movflags", "+faststart"]
        scaled = f"scale={width * self._scale}:{height * self._scale}:flags=neighbor"
        return subprocess.Popen(
            [
                *(imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y"),
                *(*read, "-r", str(VIDEO_FPS), "-i", "-", "-an", "-vf", scaled),
                *(*encoded, *played, str(self._part.absolute())),  # "7:a.mp4" would be an address
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            start_new_session=True,  # Ctrl-C is not for it
        )
