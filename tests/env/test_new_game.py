"""A new game's intro is played once; what is kept of it is checked before it is believed."""

import hashlib
import os

import pytest

from emerald_env.files.package_version import cache_folder
from emerald_env.game.editions import JADE_ROM, open_game
from emerald_env.game.savefile import load
from emerald_env.starts.start_cache import keep, read_kept
from emerald_env.starts.starts import (
    NEW_GAME,
    keep_new_game,
    kept_new_game,
    made_starts,
    play_until_free,
    prepare_starts,
    start_key,
)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of a user's own, and a process that has prepared nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made_starts.cache_clear()
    yield cache_folder()
    made_starts.cache_clear()


def new_game():
    """Returns the start of a new game as another process would find it."""
    made_starts.cache_clear()
    (start,) = prepare_starts(None, NEW_GAME)
    return start


@pytest.fixture
def intros(monkeypatch):
    """Counts how often the intro is played."""
    played = []

    def counted(gba):
        played.append(gba)
        play_until_free(gba)

    monkeypatch.setattr("emerald_env.starts.starts.play_until_free", counted)
    return played


def test_the_intro_is_played_once_and_what_is_kept_is_the_same_to_the_byte(cache, intros):
    first, second = new_game(), new_game()
    assert len(intros) == 1 and first == second
    (path,) = cache.iterdir()
    assert hashlib.sha1(JADE_ROM.read_bytes()).hexdigest() in path.name
    assert path.read_bytes() == first.state
    assert load(path).code == "JADE", "any program for states can open it"
    assert os.stat(cache).st_mode & 0o077 == 0, "it is its user's own"


@pytest.mark.parametrize("damage", ["short", "flipped", "empty", "other game", "title screen"])
def test_a_kept_start_that_is_damaged_or_no_start_is_made_anew(cache, intros, damage):
    good = new_game()
    (path,) = cache.iterdir()
    content = bytearray(good.state)
    if damage == "flipped":
        content[200_000] ^= 1
        path.write_bytes(content)
    elif damage in ("short", "empty"):
        path.write_bytes(content[: 1000 if damage == "short" else 0])
    else:  # whole, under the right name, and yet of no use
        path.unlink()
        with open_game() as gba:
            content = bytearray(gba.get_state())
        if damage == "other game":
            content[16:32] = bytes(16)  # title and code
        keep(cache, start_key(None), bytes(content))
    assert new_game() == good
    assert len(intros) == 2


def test_without_a_place_to_keep_it_the_intro_is_played_each_time(cache, intros, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert new_game() == new_game()
    assert len(intros) == 2


def test_a_session_gets_the_start_and_begins_with_it_but_never_gives_it_to_the_cache(
    cache, intros, tmp_path
):
    session = tmp_path / "session"
    start = new_game()
    keep_new_game(None, session)
    (path,) = session.iterdir()
    assert path.read_bytes() == start.state
    assert kept_new_game(None, session) is None, "it is this machine's own"
    path.unlink()
    other = bytes(start.state[:-1]) + b"x"
    theirs = keep(session, start_key(None), other)
    before = sorted(file.read_bytes() for file in cache.iterdir())
    assert kept_new_game(None, session) == theirs
    keep_new_game(None, session)
    assert sorted(file.read_bytes() for file in cache.iterdir()) == before
    assert list(session.iterdir()) == [theirs]


def test_a_kept_start_may_be_read_by_whom_the_umask_lets(tmp_path):
    before = os.umask(0o027)
    try:
        path = keep(tmp_path / "folder", "key", b"state")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


def test_nothing_is_read_where_nothing_is_kept(tmp_path):
    assert read_kept(tmp_path / "none", "key") is None
    assert keep(tmp_path, "key", b"state") is not None
    assert read_kept(tmp_path, "key") == b"state" and read_kept(tmp_path, "other") is None


def test_a_relative_cache_is_ignored(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "pokemon-emerald-agent"
