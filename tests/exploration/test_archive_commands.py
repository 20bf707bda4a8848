"""Showing, giving away and taking in states of an archive; the funnel as table and picture."""

import json
import shlex
import shutil
from io import StringIO

import cv2
import numpy as np
import pytest
from helpers.jade_story import story
from rich.console import Console
from test_exploration import CONFIG, HOME, found

from baselines.commands.learn.archive import main
from baselines.commands.learn.funnel import COLUMNS, read_funnel, show, table
from baselines.commands.learn.funnel import main as funnel_main
from baselines.exploration.archive_folder import copy_archive, open_archive, save_index
from baselines.exploration.milestone_funnel import Funnel
from baselines.exploration.share_states import check_archive, import_states
from baselines.exploration.state_archive import Archive
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.training.command_line import train_from_flags
from baselines.training.teachers.explored_worlds import check_explored, folder_of, found_in
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.explorer import Cell, Explorer
from emerald_env.game.tables import milestones
from emerald_env.jade.cartridge import world_rom
from emerald_env.state import milestones_done


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """States of a player's own, as mGBA writes them."""
    folder = tmp_path_factory.mktemp("walked")
    for slug in ("clock_set", "entered_home", "met_rival"):
        (folder / f"{slug}.state").write_bytes(story().states[slug])
    return folder


@pytest.fixture(scope="module")
def imported(walked, tmp_path_factory):
    folder = tmp_path_factory.mktemp("imported") / "archive"
    assert main(["import", str(walked), str(folder)]) == 0
    return folder


def test_states_of_a_player_become_ways_in_the_order_of_the_story(imported):
    archive = open_archive(imported)
    way = archive.chain(archive.furthest())
    assert len(way) == 4 and archive.nodes[way[0]].length == 0
    reached = [archive.nodes[node].cell.progress for node in way]
    lengths = [archive.nodes[node].length for node in way]
    assert reached == sorted(reached) and lengths == sorted(lengths) and lengths[-1] > 50


def test_what_is_exported_begins_games_and_can_be_taken_in_again(imported, tmp_path, capsys):
    folder = tmp_path / "way"
    assert main(["export", str(imported), str(folder)]) == 0
    files = sorted(folder.iterdir())
    assert len(files) == 4
    assert [path.stem.split("-")[1] for path in files[2:]] == ["clock_set", "met_rival"]
    picture = cv2.imread(str(files[-1]))
    assert picture.shape == (160, 240, 3) and picture.std() > 5
    env = EmeraldEnv(EnvConfig(start=str(files[-1])))
    env.reset()
    assert "met_rival" in milestones_done(env.state)
    env.close()
    again = Archive(tmp_path / "again")
    assert import_states(files, CONFIG, again) == 3
    assert again.costs().keys() >= {
        cell for cell in open_archive(imported).cells if cell.progress > 1
    }
    assert main(["list", str(imported), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out.partition("[")[2].join(["[", ""]))
    assert [row["milestone"] for row in rows][-1] == "met_rival"


def test_a_state_of_another_kind_is_refused_before_anything_is_kept(tmp_path, capsys):
    (tmp_path / "odd.ss1").write_bytes(b"no state of any game")
    assert main(["import", str(tmp_path / "odd.ss1"), str(tmp_path / "archive")]) == 1
    assert "odd.ss1" in capsys.readouterr().err
    assert not (tmp_path / "archive").exists()


def test_a_state_from_before_the_archives_start_is_refused_by_its_name(walked, tmp_path, capsys):
    late, folder = walked / "met_rival.state", tmp_path / "archive"
    archive = Archive(folder)
    for home in Explorer(EnvConfig(start=str(late))).home():
        archive.add(home, None)
    save_index(archive)
    before = content(folder)
    assert main(["import", str(walked), str(folder)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(walked / "clock_set.state") in said
    assert "lacks tv_report, which episodes of the archive begin with" in said
    assert content(folder) == before
    assert main(["import", str(late), str(folder)]) == 0


def ring(node):
    """Returns nodes 0, 1 and 0 again, each the parent of the next."""
    return [node, [1, *node[1:2], 0, *node[3:]], [0, *node[1:2], 1, *node[3:]]]


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.clear(),
        lambda state: state.update(nodes=[[0]]),
        lambda state: state["nodes"][0].__setitem__(2, 5),  # a parent that comes later
        lambda state: state["nodes"][0].__setitem__(3, 1e300),
        lambda state: state["nodes"][0].__setitem__(0, -(1 << 3000)),
        lambda state: state["nodes"][0].__setitem__(1, ["x"] * 8),
        lambda state: state["nodes"][0].__setitem__(4, ["inf", None]),
        lambda state: state["nodes"][0].__setitem__(4, ["inf", 5]),
        lambda state: state["nodes"][0].__setitem__(4, [-0.5, 5]),
        lambda state: state["nodes"][0].__setitem__(4, [1.0, -5]),
        lambda state: state["nodes"][0].__setitem__(1, [-5, *HOME[1:]]),  # its bits never end
        lambda state: state["nodes"][0].__setitem__(1, [1, 0, 0, -2, *HOME[4:]]),
        lambda state: state["nodes"][0].__setitem__(3, -1),
        lambda state: state["nodes"][0].__setitem__(6, -1),
        lambda state: state["nodes"][0].__setitem__(7, False),  # no state of any cell
        lambda state: state.update(next=2, nodes=ring(state["nodes"][0])),
        lambda state: state["nodes"][0].__setitem__(5, "../index.ss1"),
        lambda state: state.update(nodes=[]),
    ],
)
def test_a_strangers_damaged_index_is_an_error_in_one_line(change, tmp_path, capsys):
    archive = Archive(tmp_path)
    archive.add(found(), None)
    state = archive.get_state()
    change(state)
    (tmp_path / "index.json").write_text(json.dumps(state))
    assert main(["list", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b'{"nodes": 3}', b"\xff\xfe"])
def test_an_index_that_is_none_is_an_error_in_one_line(content, tmp_path, capsys):
    (tmp_path / "index.json").write_bytes(content)
    assert main(["list", str(tmp_path)]) == 1
    assert "is damaged" in capsys.readouterr().err


def test_a_run_can_begin_with_another_ones_archive(tmp_path):
    source = Archive(tmp_path / "source")
    source.add(found(), None)
    source.add(found(Cell(3, *[0] * 7), 40), 0)
    save_index(source)
    target = Archive(tmp_path / "target")
    copy_archive(open_archive(tmp_path / "source"), target)
    shutil.rmtree(tmp_path / "source")
    assert target.get_state() == source.get_state()
    assert all(target.path(node).is_file() for node in target.nodes)


def test_an_archive_of_another_world_or_of_none_is_refused_before_there_is_a_session(
    imported, tmp_path, capsys
):
    cut, nothing = tmp_path / "cut", tmp_path / "nothing"
    shutil.copytree(imported, cut)
    lost = max(cut.glob("*.ss1"))
    lost.unlink()
    flags = ["--observation", "state", "--sessions", str(tmp_path / "sessions")]
    for wrong, message in (
        (["--archive", str(imported), "--world", "7"], f"{imported} is an archive of another game"),
        (["--archive", str(nothing)], f"no archive in {nothing}"),
        (["--archive", str(cut)], f"{lost} is missing, a state of the archive {cut}"),
    ):
        assert train_from_flags([*flags, *wrong]) == 1
        said = capsys.readouterr().err
        assert message in said and said.count("\n") == 1
    assert not (tmp_path / "sessions").exists()
    check_archive(imported, None)


def test_an_archive_whose_last_trainer_is_beaten_is_read_again(tmp_path):
    """Emerald numbers its trainers up to 863, and a cell has a bit for each."""
    beaten = Cell(1, 1 << 863, *HOME[2:])
    archive = Archive(tmp_path)
    archive.add(found(beaten), None)
    save_index(archive)
    assert set(open_archive(tmp_path).cells) == {beaten}


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_a_funnel_of_millions_of_steps_fits_80_columns_and_is_never_cut(width):
    longest = max((milestone.slug for milestone in milestones()), key=len)
    counts = {"home_latest": 1.0, "home": 234_567, "practice": 234_567, "states": 12_345}
    numbers = dict.fromkeys(COLUMNS, 98_765_432) | {"milestone": longest} | counts
    told = {"episodes": {"home": 123_456, "practice": 123_456}, "explored": 98_765_432}
    console = Console(width=width, record=True, file=StringIO())
    show(table(told | {"rows": [numbers]}), console)
    said = console.export_text()
    assert max(map(len, said.splitlines())) <= max(width, 80)
    assert longest in said and "98,765,432" in said and "…" not in said
    assert all(name in said for name in COLUMNS.values())


def test_the_funnel_of_a_session_is_shown_and_drawn(tmp_path, capsys):
    session = tmp_path / "session"
    session.mkdir()
    (session / "config.json").write_text("{}")
    assert funnel_main([str(session)]) == 1
    assert "no funnel in" in capsys.readouterr().err
    funnel = Funnel()
    funnel.count(["entered_home"], False, 1000)
    funnel.count(["clock_set"], True, 2000)
    archive = Archive(tmp_path / "archive")
    archive.add(found(), None)
    rows = funnel.rows(archive, {"visited_littleroot": 0})
    content = {"episodes": funnel.episodes, "explored": 3200, "rows": rows}
    (session / "funnel.json").write_text(json.dumps(content))
    picture = tmp_path / "funnel.png"
    assert funnel_main([str(session), "--picture", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "100%" in shown and "entered_home" in shown and "3,200 steps explored" in shown
    assert np.asarray(cv2.imread(str(picture))).std() > 5


def test_a_funnel_that_is_not_json_is_refused_by_its_name(tmp_path):
    session = Session(tmp_path)
    session.funnel.write_text("{")
    with pytest.raises(ValueError, match=r"funnel\.json is not a funnel: not JSON"):
        read_funnel(session)


@pytest.mark.parametrize("episodes", [{"a": 1}, {"home": 1}, [], None])
def test_a_funnel_without_its_counts_is_refused(episodes, tmp_path):
    session = Session(tmp_path)
    session.funnel.write_text(json.dumps({"episodes": episodes, "explored": 1, "rows": []}))
    with pytest.raises(ValueError, match="is not a funnel"):
        read_funnel(session)


def test_explorers_that_are_too_slow_are_told_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("baselines.training.teachers.explore_game.round_seconds", lambda _: 0.05)
    assert main(["explore", str(tmp_path), "--steps", "3200", "--n-workers", "1"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and "no answer for 0.05 seconds" in error.splitlines()[0]


EXPLORE = ["--steps", "100", "--n-workers", "1"]


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_beside_the_rom_keeps_what_is_in_it(tmp_path, capsys):
    own = tmp_path / "rom"
    (own / "saves").mkdir(parents=True)
    (own / "game.gba").write_bytes(world_rom("7"))
    (own / "saves" / "mine.sav").write_bytes(b"mine")
    before = content(own)
    assert main(["explore", str(tmp_path), "--rom", str(own / "typo.gba"), *EXPLORE]) == 1
    assert "no ROM at" in capsys.readouterr().err and set(tmp_path.iterdir()) == {own}
    assert main(["explore", str(tmp_path), "--rom", str(own / "game.gba"), *EXPLORE]) == 0
    assert content(own) == before


@pytest.mark.parametrize("name", ["thesis.txt", "mine.ss1", "index.json/page", "atlas.npz/page"])
def test_what_no_search_has_written_is_never_removed(name, tmp_path, capsys):
    mine = folder_of(tmp_path, GameConfig(world="4")) / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    state = tmp_path / "4-small" / f"{'0' * 20}.ss1"
    state.write_bytes(b"of a search")
    assert main(["explore", str(tmp_path), "--worlds", "3..4", *EXPLORE]) == 1
    said = capsys.readouterr().err
    assert name.partition("/")[0] in said and "another folder" in said and said.count("\n") == 1
    assert mine.read_text() == "mine" and state.exists() and not (tmp_path / "3-small").exists()


def test_the_command_that_a_missing_atlas_asks_for_works_in_a_shell(tmp_path):
    with pytest.raises(FileNotFoundError) as refused:
        check_explored(tmp_path / "my ways", GameConfig(world="7"))
    _, command, _ = str(refused.value).split("`")
    folder = str(tmp_path / "my ways")
    assert shlex.split(command) == ["emerald", "archive", "explore", folder, "--world", "7"]


def test_each_rom_has_its_own_folder_and_a_former_one_still_teaches(tmp_path, capsys):
    games = [GameConfig(rom=tmp_path / name) for name in ("y.gba", "nine.gba")]
    for game, world in zip(games, "79", strict=True):
        game.rom.write_bytes(world_rom(world))
    found = tmp_path / "found"
    assert main(["explore", str(found), "--rom", str(games[0].rom), *EXPLORE]) == 0
    with pytest.raises(FileNotFoundError, match="no atlas in"):
        check_explored(found, games[1])
    assert main(["explore", str(found), "--rom", str(games[1].rom), *EXPLORE]) == 0
    assert "already" not in capsys.readouterr().out
    assert len(set(found.glob("rom-*/atlas.npz"))) == 2
    folder_of(found, games[0]).rename(found / "rom")
    assert found_in(found, games[0]) == found / "rom"
    assert found_in(found, games[1]) == folder_of(found, games[1])
    check_explored(found, games[0])
