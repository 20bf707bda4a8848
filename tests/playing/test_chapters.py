"""Chapters of videos: what is written is what a player reads."""

import re
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest

from baselines.playing.display.chapters import Chapter, write_chapters
from baselines.playing.display.panel import PanelStatus
from baselines.playing.display.screens import VideoScreen

GREY = np.full((160, 240, 3), 90, np.uint8)


def film(path, *told):
    """A video of one second for each list of milestones that the screen is told."""
    with VideoScreen(path, 1) as screen:
        for milestones in told:
            screen.tell(PanelStatus(milestones=milestones))
            for _ in range(60):
                screen(GREY)
    return path


def read_chapters(video):
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", video, "-f", "ffmetadata", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"TIMEBASE=1/(\d+)\nSTART=(\d+)\nEND=\d+\ntitle=(.*)", text)
    return [
        Chapter(round(1000 * int(start) / int(scale)), title.replace("\\", ""))
        for scale, start, title in found
    ]


def test_each_new_milestone_and_each_episode_begins_a_chapter(tmp_path):
    video = film(tmp_path / "a.mp4", (), ("starter",), ("starter",), ("starter", "pokedex"), ())
    assert read_chapters(video) == [
        Chapter(0, "start"),
        Chapter(1000, "starter"),
        Chapter(3000, "pokedex"),
        Chapter(4000, "start"),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_milestones_of_the_first_frame_need_no_chapter_before_them(tmp_path):
    assert read_chapters(film(tmp_path / "a.mp4", ("a=b;c",))) == [Chapter(0, "a=b;c")]


def test_what_is_no_video_is_an_error_of_ffmpegs_and_stays_as_it_is(tmp_path):
    (tmp_path / "b.mp4").write_bytes(b"no video")
    with pytest.raises(OSError, match="^ffmpeg failed: "):
        write_chapters(tmp_path / "b.mp4", [Chapter(0, "start")], 1000)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"no video"]
