"""Chapters of videos: what is written is what a player reads."""

import numpy as np
import pytest

from baselines.playing.display.chapters import Chapter, read_chapters
from baselines.playing.display.panel import PanelStatus
from baselines.playing.display.screens import VideoScreen
from experiments.highlights import main, pieces

GREY = np.full((160, 240, 3), 90, np.uint8)


def film(path, *told):
    """A video of one second for each list of milestones that the screen is told."""
    with VideoScreen(path, 1) as screen:
        for milestones in told:
            screen.tell(PanelStatus(milestones=milestones))
            for _ in range(60):
                screen(GREY)
    return path


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


def test_a_cut_shows_each_chapters_beginning_and_is_as_long_as_was_asked():
    chapters = [Chapter(start, str(start)) for start in (0, 500, 60_000, 300_000)]
    cut = pieces(chapters, 20.0)
    assert sum(end - start for start, end in cut) == pytest.approx(20.0)
    for chapter in chapters:
        assert any(start <= chapter.start / 1000 <= end for start, end in cut)
    assert all(before[1] <= after[0] for before, after in zip(cut, cut[1:], strict=False))


def test_a_cut_is_a_video_and_what_is_none_is_said_in_one_line(tmp_path, capsys):
    video = film(tmp_path / "a.mp4", (), ("starter",))
    assert main([str(video), str(tmp_path / "cut.mp4"), "--seconds", "1"]) == 0
    assert read_chapters(tmp_path / "cut.mp4") == []  # ffmpeg can read it
    (tmp_path / "b.mp4").write_bytes(b"no video")
    assert main([str(tmp_path / "b.mp4"), str(tmp_path / "c.mp4")]) == 1
    assert capsys.readouterr().err.startswith("error: ffmpeg failed: ")
