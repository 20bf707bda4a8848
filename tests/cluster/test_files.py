"""What an actor's machine must have, and what is brought to it."""

import os
from pathlib import Path

import pytest

from baselines.cluster import files
from baselines.cluster.home import Home, hash_of
from emerald_env.env.config import EnvConfig
from emerald_env.explorer import Job, Round
from emerald_env.files.own_code import own_files
from emerald_env.wrappers.practice import Offer, PracticeStart


@pytest.fixture
def rom(tmp_path):
    path = tmp_path / "rom.gba"
    path.write_bytes(b"a game of the user's own")
    return path


@pytest.fixture(autouse=True)
def back():
    folder = Path.cwd()
    yield
    os.chdir(folder)


def test_a_machine_with_the_same_rom_is_entered_at_the_learners_folder(rom, tmp_path):
    Home(tmp_path / "runs", rom, hash_of(rom)).enter()
    assert Path.cwd() == tmp_path / "runs"


def test_a_machine_without_the_rom_or_with_another_is_refused(rom, tmp_path):
    home = Home(tmp_path, rom, hash_of(rom))
    rom.write_bytes(b"another game")
    with pytest.raises(ValueError, match="differs from the learner's ROM; a ROM is never sent"):
        home.enter()
    rom.unlink()
    with pytest.raises(FileNotFoundError, match="there is no .*rom.gba on .*; a ROM is never sent"):
        home.enter()


def test_a_machine_without_ones_own_python_file_or_with_another_is_refused(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("def f(before, after): ...")
    home = Home.here(None, own_files(f"{mine}:f", "default", None))
    home.enter()
    mine.write_text("another")
    with pytest.raises(ValueError, match="mine.py on .* differs from .*; Python code of your own"):
        home.enter()
    mine.unlink()
    with pytest.raises(FileNotFoundError, match="there is no .*mine.py on .* is never sent: copy"):
        home.enter()


def test_states_that_questions_name_are_found_once_each():
    offer = Offer(0.5, tuple(PracticeStart("a", k, 0, Path(f"{k % 2}.ss1"), 9) for k in range(4)))
    work = Round(1, (Job(1, Path("2.ss1"), 0, 0, 1), Job(2, Path("1.ss1"), 0, 0, 1)), {})
    assert files.named_in([offer, 7]) == [Path("0.ss1"), Path("1.ss1")]
    assert files.named_in(["explore", work]) == [Path("2.ss1"), Path("1.ss1")]


def test_only_what_a_machine_lacks_is_brought_to_it(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (here / "a.ss1").write_bytes(b"a")
    contents = {there / name: content for name, content in (("a.ss1", b"a"), ("b.ss1", b"b"))}
    files.keep({there / "a.ss1": b"mine"})
    assert files.missing(list(contents)) == [there / "b.ss1"]
    files.keep(contents)
    assert (there / "a.ss1").read_bytes() == b"mine"
    assert (there / "b.ss1").read_bytes() == b"b"
    assert files.read([here / "a.ss1", here / "gone.ss1"]) == {here / "a.ss1": b"a"}


def test_a_start_of_the_users_own_is_brought_and_a_new_game_is_not(tmp_path):
    (tmp_path / "one.ss1").write_bytes(b"1")
    assert files.of_start(EnvConfig()) == {}
    assert files.of_start(EnvConfig(start=str(tmp_path))) == {tmp_path / "one.ss1": b"1"}
