"""`emerald inspect`: what files and games hold, for people and programs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.handmade import US, Game, Mon, flash, state_file

from baselines.commands.check.inspect_state import main
from baselines.commands.check.state_report import report, unknown_report
from emerald_env.game import tables
from emerald_env.game.editions import JADE_ROM
from emerald_env.state import decode

ROOT = Path(__file__).resolve().parents[2]
KEYS = (
    "map x y facing in_battle dialog_open controllable_now party money coins badges flags_set "
    "pokedex player_name play_time bag last_main_milestone milestones_done"
).split()


@pytest.fixture
def state(tmp_path):
    def write(memory, **header):
        path = tmp_path / "game.state"
        path.write_bytes(state_file(memory, **header))
        return str(path)

    return write


def as_json(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_state_comes_out_as_json(state, capsys):
    found = as_json(capsys, state(Game(money=1234, location=(0, 9)).memory()))
    assert found.keys() >= set(KEYS)
    assert found["map"]["name"] == "LittlerootTown"
    assert (found["money"], found["in_battle"], found["game_started"]) == (1234, False, True)
    assert found["party"][0]["moves"] == [
        {"id": 1, "name": "POUND", "pp": 35},
        {"id": 43, "name": "LEER", "pp": 30},
    ]
    assert (found["callback1"], found["callback2"]) == ("CB1_Overworld", "CB2_Overworld")


def test_a_save_says_nothing_of_what_only_a_running_game_knows(tmp_path, capsys):
    path = tmp_path / "game.sav"
    path.write_bytes(flash({0: (4, Game(money=77))}))
    found = as_json(capsys, str(path))
    assert (found["kind"], found["money"], found["facing"]) == ("flash_save", 77, "down")
    for unknown in ("mode", "dialog_open", "controllable_now", "callback2", "game_started"):
        assert found[unknown] is None


def test_at_the_title_screen_the_player_is_nowhere(state, capsys):
    pointers = {entry.name: entry.pointer for entry in tables.callbacks().values()}
    memory = Game(callback1=0, callback2=pointers["CB2_MainMenu"], party=()).memory()
    memory.put(US.s_play_time_counter_state, "B", 0)
    found = as_json(capsys, state(memory))
    assert (found["game_started"], found["callback1"]) == (False, None)
    assert found["map"]["name"] is found["facing"] is found["global_xy"] is None
    assert (found["dialog_open"], found["controllable_now"]) == (None, False)


def test_what_cannot_be_believed_is_null_with_the_reason(state, capsys):
    memory = Game().memory()
    memory.put(US.g_player_party_count, "B", 9)
    found = as_json(capsys, state(memory))
    assert found["unreadable"] == "party_count"
    assert all(found[key] is None for key in KEYS)


def test_the_keys_are_the_same_whether_values_are_known_or_not():
    assert unknown_report().keys() == report(decode(Game().memory().read)).keys()


def test_json_cannot_steer_a_terminal_by_the_name_of_the_file(tmp_path, capsys):
    path = tmp_path / "a\x9b31m.state"
    path.write_bytes(state_file(Game().memory()))
    assert main([str(path), "--json"]) == 0
    assert r'"file": "a\u009b31m.state"' in capsys.readouterr().out


def test_people_get_a_table(state, capsys):
    assert main([state(Game(enemies=(Mon(personality=9),)).memory())]) == 0
    page = capsys.readouterr().out
    for words in ("LittlerootTown", "TREECKO", "on the field", "battle"):
        assert words in page


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.state", b"", "empty"),
        ("random.sav", b"\x5a" * 1000, "neither a save state"),
        ("cut.state", state_file(Game().memory())[:5000], "cut off"),
        ("ruby.state", state_file(Game().memory(), b"AXVE", b"POKEMON RUBY"), "POKEMON RUBY"),
    ],
)
def test_a_bad_file_gets_one_line_and_status_2(tmp_path, capsys, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    assert main([str(path), "--json"]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1 and name in error and words in error


def test_a_missing_file_and_a_folder_get_one_line_too(tmp_path, capsys):
    for path in (tmp_path / "none.state", tmp_path):
        assert main([str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_nothing_to_inspect_is_said(capsys):
    assert main([]) == 2
    assert "give a FILE" in capsys.readouterr().err


def test_another_game_cannot_be_inspected(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--rom", str(JADE_ROM), "--data", "data.json"])
    assert end.value.code == 2 and "--data" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--data" not in capsys.readouterr().out


def test_the_command_itself_works_and_shows_no_traceback(tmp_path):
    path = tmp_path / "cut.sav"
    path.write_bytes(bytes(100))
    done = subprocess.run(
        [sys.executable, "-m", "baselines", "inspect", path],
        cwd=ROOT, env=os.environ, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and done.stderr.startswith("error: ")


@pytest.mark.skipif(not JADE_ROM.is_file(), reason="the built-in game is not built")
def test_a_running_game_is_read(capsys):
    found = as_json(capsys, "--rom", str(JADE_ROM))
    assert (found["kind"], found["game_started"]) == ("running_game", True)
    assert found["controllable_now"] is True
    assert found["map"]["name"] is not None and "unreadable" not in found


@pytest.mark.slow
@pytest.mark.parametrize("world", ["0", "7"])
def test_a_new_game_in_a_world_of_jade_is_read(world, capsys):
    found = as_json(capsys, "--world", world)
    assert (found["kind"], found["game_started"]) == ("running_game", True)
