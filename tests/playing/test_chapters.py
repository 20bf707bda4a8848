"""Chapters of videos: what is written is what a player reads."""

import re
import resource
import subprocess
from contextlib import contextmanager
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest

from baselines.playing.display.chapters import Chapter, failure, write_chapters
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


def test_a_name_that_ffmpeg_would_take_for_an_address_or_an_option_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("7:large.mp4", "-y.mp4"):
        assert read_chapters(str(film(Path(name), ("a",)).absolute())) == [Chapter(0, "a")]


@contextmanager
def full_disk(size):
    """Files of this process and of its children cannot be larger than `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_video_that_cannot_be_completed_is_an_error_and_leaves_the_one_before(tmp_path):
    good = film(tmp_path / "a.mp4", ())
    content = good.read_bytes()
    with (
        full_disk(1000),
        pytest.raises(OSError, match=r"a\.mp4 cannot be written: ffmpeg failed: "),
    ):
        film(good, (), (), ())
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]


def test_without_room_for_chapters_the_video_has_none_and_that_is_said(tmp_path, capsys):
    plain = film(tmp_path / "a.mp4", ()).stat().st_size  # less than with a chapter's name
    chaptered = film(tmp_path / "b.mp4", ("a" * 1000,)).stat().st_size
    with full_disk((plain + chaptered) // 2):
        video = film(tmp_path / "c.mp4", ("a" * 1000,))
    assert (
        read_chapters(video) == []
        and "c.mp4 has no chapters: ffmpeg failed" in capsys.readouterr().err
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mp4", "b.mp4", "c.mp4"]


def test_ffmpegs_error_is_its_first_line_which_names_the_cause():
    text = "[out#0/mp4] Could not write header: No space left on device\nNothing was written\n"
    told = "ffmpeg failed: [out#0/mp4] Could not write header: No space left on device"
    assert str(failure(text, 228)) == told
    assert str(failure("", -9)) == "ffmpeg failed: it ended with status -9"


def test_what_is_no_video_is_an_error_of_ffmpegs_and_stays_as_it_is(tmp_path):
    (tmp_path / "b.mp4").write_bytes(b"no video")
    with pytest.raises(OSError, match="^ffmpeg failed: "):
        write_chapters(tmp_path / "b.mp4", [Chapter(0, "start")], 1000)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"no video"]
