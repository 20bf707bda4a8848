"""Chapters of a video: named moments."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import imageio_ffmpeg


class Chapter(NamedTuple):
    """A chapter of a video, which lasts until the next one."""

    start: int  # in milliseconds
    title: str


def write_chapters(video: Path, chapters: Sequence[Chapter], length: int) -> None:
    """Adds chapters to a video in place, without encoding it again.

    Args:
        video: an mp4 without chapters.
        chapters: in the order of their starts.
        length: of the video, in milliseconds.

    Raises:
        OSError: ffmpeg cannot read or write the video.
    """
    ends = [chapter.start for chapter in chapters[1:]] + [length]
    lines = [";FFMETADATA1"]
    for chapter, end in zip(chapters, ends, strict=True):
        lines += ["[CHAPTER]", "TIMEBASE=1/1000", f"START={chapter.start}", f"END={end}"]
        lines.append("title=" + "".join(c if c.isalnum() else f"\\{c}" for c in chapter.title))
    whole = video.with_name(f"{video.stem}.chapters.mp4")
    inputs = ["-i", str(video.absolute()), "-f", "ffmetadata", "-i", "-"]
    copied = ["-map", "0", "-map_chapters", "1", "-codec", "copy", "-movflags", "+faststart"]
    try:
        _run_ffmpeg([*inputs, *copied, str(whole.absolute())], "\n".join(lines))
        whole.replace(video)
    finally:
        whole.unlink(missing_ok=True)


def failure(stderr: str, status: int) -> OSError:
    """Returns an error with the first line of what ffmpeg said, its cause, or its exit status."""
    why, *_ = *stderr.strip().splitlines(), f"it ended with status {status}"
    return OSError(f"ffmpeg failed: {why}")


def _run_ffmpeg(arguments: Sequence[str], text: str) -> None:
    """Runs ffmpeg with a text as its input.

    Raises:
        OSError: it failed, see `failure`.
    """
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise failure(done.stderr, done.returncode)
