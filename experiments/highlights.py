"""Cuts a long video down to the beginnings of its chapters.

python -m experiments.highlights long.mp4 short.mp4 --seconds 60
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from baselines.commands.command import reports_user_errors
from baselines.playing.display.chapters import Chapter, read_chapters, run_ffmpeg

BEFORE = 0.6  # share of a piece before its milestone


@dataclass(frozen=True)
class CutConfig:
    """Settings of a cut."""

    video: tyro.conf.Positional[Path]
    """A video with chapters, from `play.py --video`."""
    cut: tyro.conf.Positional[Path]
    """The mp4 to write."""
    seconds: float = 60.0
    """Length of the cut."""


def pieces(chapters: Sequence[Chapter], seconds: float) -> list[tuple[float, float]]:
    """Returns the parts to keep, (start, end) in seconds, that do not overlap.

    Each chapter's beginning gets the same time; overlaps are shown once, and the time saved goes to
    the last piece.
    """
    each = seconds / len(chapters)
    cut: list[tuple[float, float]] = []
    for chapter in chapters:
        start = max(chapter.start / 1000 - BEFORE * each, cut[-1][1] if cut else 0.0)
        cut.append((start, max(start, chapter.start / 1000 + (1 - BEFORE) * each)))
    used = sum(end - start for start, end in cut)
    cut[-1] = (cut[-1][0], cut[-1][1] + seconds - used)
    return cut


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the cut; returns the exit status."""
    config = tyro.cli(CutConfig, args=arguments)
    chapters = read_chapters(config.video)
    if not chapters:
        raise ValueError(f"{config.video} has no chapters: film it with play.py --video")
    kept = "+".join(f"between(t,{a:.3f},{b:.3f})" for a, b in pieces(chapters, config.seconds))
    filters = f"select='{kept}',setpts=N/FRAME_RATE/TB"
    coding = ["-vf", filters, "-an", "-map_chapters", "-1", "-crf", "24", "-preset", "slow"]
    run_ffmpeg(["-i", str(config.video), *coding, "-movflags", "+faststart", str(config.cut)])
    print(f"wrote {config.cut}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
