"""The folder of a run, and that a kill never leaves half a file."""

import os
import stat
from pathlib import Path

import pytest

from baselines.checkpoints.trained import checkpoint_to_resume
from baselines.commands.check import audit as audit
from baselines.commands.learn import diagnose
from baselines.commands.play import checkpoint, replay
from baselines.commands.play import clip as clips
from baselines.runs.json_lines import cut_after
from baselines.runs.session_folder import Session, checkpoint_steps, newest_first
from emerald_env.files.atomic import write_atomically


def saved(session: Session, *steps: int) -> Session:
    session.config.write_text("{}")
    for count in steps:
        session.checkpoint(count).write_bytes(b"")
    return session


def named(sessions: Path, name: str, *steps: int) -> Session:
    (sessions / name / "checkpoints").mkdir(parents=True)
    return saved(Session(sessions / name), *steps)


def test_a_session_is_named_after_its_date_and_game_and_never_twice_alike(tmp_path):
    first, second = (Session.create(tmp_path, "Pokémon Emerald (US)") for _ in range(2))
    date, time, game, number = first.folder.name.split("_")
    assert (len(date), len(time), game, len(number)) == (10, 8, "pokemon-emerald-us", 4)
    assert first.folder != second.folder
    assert first.checkpoints.is_dir() and first.frames.is_dir()


def test_the_latest_checkpoint_is_the_one_with_most_steps_not_the_last_by_name(tmp_path):
    session = named(tmp_path, "a", 900, 10_000, 2_000)
    (session.checkpoints / "best.zip").write_bytes(b"")
    assert session.latest_checkpoint() == session.checkpoint(10_000)
    assert session.saved_checkpoints()[0] == session.checkpoint(900)
    assert checkpoint_steps(session.checkpoint(900)) == 900
    assert checkpoint_steps(session.best) == -1


def test_last_is_the_newest_session_that_saved_something(tmp_path):
    named(tmp_path, "2025-01-01_00-00-00_jade_aaaa", 5)
    newer = named(tmp_path, "2025-01-02_00-00-00_jade_aaaa", 5)
    named(tmp_path, "2025-01-03_00-00-00_jade_aaaa")
    assert Session.find(tmp_path, "last").folder == newer.folder
    assert len(newest_first(tmp_path)) == 3


def test_a_session_is_found_by_name_and_by_path(tmp_path):
    session = named(tmp_path, "run")
    assert Session.find(tmp_path, "run").folder.samefile(session.folder)
    assert Session.find(Path("/nowhere"), str(session.folder)).folder.samefile(session.folder)


def test_last_and_a_sessions_name_are_understood_by_every_command_that_reads_one(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    older, newer = "2025-01-01_00-00-00_jade_aaaa", "2025-01-02_00-00-00_jade_aaaa"
    for name in (older, newer):
        named(tmp_path / "sessions", name, 5)
    for name, meant in (("last", newer), (older, older), (f"sessions/{older}", older)):
        assert checkpoint.main(["inspect", name]) == 1  # its checkpoint is empty
        assert "ppo_5_steps.zip" in capsys.readouterr().out
        assert diagnose.main([name]) == diagnose.NO_LOG
        assert f"no log in sessions/{meant}" in capsys.readouterr().err
        for command in (replay, clips, audit):  # there are none yet
            assert command.main([name]) > 0
            assert f"no recordings at {name!r}" in capsys.readouterr().err


def test_a_missing_session_is_named_in_the_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="train one first"):
        Session.find(tmp_path, "last")
    with pytest.raises(FileNotFoundError, match="'nope'"):
        Session.find(tmp_path, "nope")


def test_sessions_below_a_file_say_which_setting_to_change(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="--sessions"):
        Session.create(tmp_path / "file", "jade")


def test_episodes_read_back_as_they_were_written_also_after_a_kill_cut_a_line(tmp_path):
    session = Session.create(tmp_path, "jade")
    assert list(session.read_episodes()) == []
    session.append_episodes([{"num_timesteps": n, "reward": float(n)} for n in (1, 2)])
    with session.episodes.open("a") as file:
        file.write('{"reward": 3')
    session.append_episodes([{"num_timesteps": 4, "reward": 4.0}])
    assert [episode["reward"] for episode in session.read_episodes()] == [1.0, 2.0, 4.0]


def test_lines_are_added_to_no_file_that_a_link_leads_to(tmp_path):
    session = Session.create(tmp_path / "sessions", "jade")
    precious = tmp_path / "precious.txt"
    precious.write_text('{"num_timesteps": 9}\n')
    session.episodes.symlink_to(precious)
    with pytest.raises(OSError):
        session.append_episodes([{"num_timesteps": 1}])
    with pytest.raises(OSError):
        cut_after(session.episodes, 0)
    assert precious.read_text() == '{"num_timesteps": 9}\n'


@pytest.mark.parametrize("name", ["episodes.jsonl", "recordings", "checkpoints/best.zip"])
def test_a_session_with_a_link_in_it_is_not_resumed(tmp_path, name):
    session = saved(Session.create(tmp_path / "sessions", "jade"), 16)
    (tmp_path / "elsewhere").mkdir()
    session.check_own_files()
    (session.folder / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match=f"{name} is a link"):
        session.check_own_files()
    with pytest.raises(ValueError, match=f"{name} is a link"):
        checkpoint_to_resume(session, 1000)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint.zip"
    write_atomically(path, b"old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_replaces_the_file_and_others_may_read_it(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o444 == 0o444


def test_a_write_replaces_a_link_and_no_folder_or_pipe(tmp_path):
    precious, link = tmp_path / "precious", tmp_path / "link"
    precious.write_bytes(b"old")
    link.symlink_to(precious)
    write_atomically(link, b"new")
    assert link.read_bytes() == b"new" and not link.is_symlink()
    assert precious.read_bytes() == b"old"
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    for name, kind in (("folder", "a folder"), ("pipe", "a pipe")):
        with pytest.raises(OSError, match=f"it is {kind}"):
            write_atomically(tmp_path / name, b"new")
    assert sorted(tmp_path.iterdir()) == before and (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_write_leaves_a_device_as_it_is(tmp_path):
    node = tmp_path / "null"
    try:
        os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("no devices can be made here")
    with pytest.raises(OSError, match="it is a device"):
        write_atomically(node, b"new")
    assert node.is_char_device()
