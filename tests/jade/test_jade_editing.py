"""A world's tables are written, edited by a person, and played."""

import json
import os
import struct
from types import SimpleNamespace

import pytest

from baselines.commands.play import jade_world
from emerald_env.emulator import GBA
from emerald_env.files.data import DataError, read_toml
from emerald_env.game.editions import identify
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, world_rom
from emerald_env.jade.editing import edited, written
from emerald_env.jade.journey import journey
from emerald_env.jade.maps import COLLISION, Stuck
from emerald_env.jade.menus import meet
from emerald_env.jade.walker import Walker
from emerald_env.jade.worlds.guidance.guide import Guide
from emerald_env.jade.worlds.guidance.menu_keys import BAG, BAG_SCREEN, MACHINES, teach
from emerald_env.jade.worlds.guidance.taught_moves import CUT, FIELD_MOVES
from emerald_env.jade.worlds.rom_tables import SAY, RomTables, Thing

JELLOW, LOADSTAR = 72, 320
FOE_SPECIES, FOE_LEVEL = 0x020240DC, 0x020240DC + 0x2A  # in gBattleMons


def tables_of(path, rom, world="7"):
    path.write_text(written(rom, world))
    return read_toml(path)


@pytest.mark.parametrize("world", ["0", "7", "7:large:demanding", "7:large:paced"])
def test_what_is_written_changes_nothing(world, tmp_path):
    rom = world_rom(world)
    assert edited(rom, tables_of(tmp_path / "world.toml", rom, world)) == rom


def test_what_is_edited_is_in_the_world_and_can_be_edited_again(tmp_path):
    changes = {
        "demands": {"clock": True},
        "wild": {"0.16": {"chance": 30, "kinds": [[JELLOW, 2, 3]] * 4}},
        "trainers": {"265 Petra": {"prize": 10, "team": [[LOADSTAR, 15]]}},
        "things": {"0.10 person 2": {"says": ["{P}, look!\nNorth."]}, "0.0 sign 0": {"at": [4, 6]}},
    }
    rom = world_rom("7")
    whole = tables_of(tmp_path / "world.toml", rom)
    changes["things"]["0.10 person 2"]["says"] *= len(whole["things"]["0.10 person 2"]["says"])
    after = tables_of(tmp_path / "after.toml", edited(rom, changes))
    for table, rows in changes.items():
        for name, row in rows.items():
            assert after[table][name] == (whole[table][name] | row if table != "demands" else row)
    assert after.keys() == whole.keys()
    untouched = whole["things"].keys() - changes["things"].keys()
    assert all(after["things"][name] == whole["things"][name] for name in untouched)


def test_the_longest_speeches_that_are_written_are_read_again(tmp_path):
    """Each of their letters may take two bytes, and a line of TOML has a bound."""
    rom = world_rom("7")
    known = tables_of(tmp_path / "before.toml", rom)["things"]
    name, count = max(
        ((name, len(row.get("says", ()))) for name, row in known.items()), key=lambda pair: pair[1]
    )
    says = ['"' * 900] * count
    told = edited(rom, {"things": {name: {"says": says}}})
    assert count > 2 and tables_of(tmp_path / "after.toml", told)["things"][name]["says"] == says


def test_who_is_written_into_the_grass_comes_out_of_it():
    rom = edited(world_rom("0"), {"wild": {"0.18": {"chance": 255, "kinds": [[JELLOW, 2, 2]] * 4}}})
    guide = Guide(rom)
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        next(step for name, step in journey(gba, guide) if name == "visited_oldale")
        walker = Walker(gba)
        walker.settle()
        walker.go({place for place in guide.grass if place[:2] == (0, 18)})
        meet(walker)
        assert walker.number(FOE_SPECIES, "<H") == JELLOW
        assert walker.number(FOE_LEVEL, "<B") == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"wilds": {}}, "wilds: not what"),
        ({"wild": {"0.16": {"chanse": 3}}}, "chanse: not what"),
        ({"wild": {"0.16": {"kinds": [[JELLOW, 2, 101]] * 4}}}, r"kinds\.0\.2"),
        ({"wild": {"0.16": {"kinds": [[JELLOW, 3, 2]] * 4}}}, "its lowest level, 3, is above 2"),
        ({"wild": {"0.99": {"chance": 3}}}, "no grass '0.99': there are 0.0, 0.10"),
        ({"trainers": {"265 Petra": {"team": [[1, 5]]}}}, "there is no species 1: 283"),
        ({"trainers": {"265 Petra": {"team": []}}}, "team"),
        ({"things": {"0.10 person 2": {"says": []}}}, r"says \d+ things: give as many"),
        ({"things": {"0.10 person 2": {"says": ["caf\u00e9"]}}}, r"says\.0"),
        ({"things": {"0.10 person 2": {"says": ["a" * 901]}}}, r"says\.0"),
        ({"things": {"1.0 person 0": {"says": ["{P}", "{P}", "Hi {1}"]}}}, r"0\) says \{1\}, a"),
        (
            {"things": {"1.0 person 0": {"says": ["{3}", "", ""]}}},
            r"says \{3\}, a name that is not",
        ),
        ({"things": {"0.10 person 2": {"at": [200, 3]}}}, "the map has 20 x 20 tiles"),
        ({"things": {"0.10 person 2": {"at": [0, 0]}}}, "there is a wall"),
        (
            {"demands": {"sleep": True}},
            "no demand 'sleep': there are clock, cursor, dark, lessons, pace",
        ),
        ([], "it: not what"),
    ],
)
def test_bad_tables_are_refused_by_a_line(changes, message):
    with pytest.raises(DataError, match=message):
        edited(world_rom("0"), changes)


def test_somebody_in_the_only_gap_is_refused():
    tables = RomTables(world_rom("0"))
    width, _ = tables.size((0, 18))
    row = tables.grid((0, 18))[-width:]
    (x, other) = (i for i, cell in enumerate(row) if not cell & COLLISION)
    tables.move(Thing((0, 18), "person", 1), other, 21)
    with pytest.raises(DataError, match="could not be played to its end: no way from"):
        edited(bytes(tables.data), {"things": {"0.18 person 2": {"at": [x, 21]}}})


@pytest.mark.parametrize(
    ("world", "name", "standing", "message"),
    [
        ("7:demanding", "11.11 person 0", {"gives": [[13, 1]]}, "does not give item 339, which"),
        ("7:demanding", "11.11 person 0", {"gives": [[339, 0]]}, "does not give item 339, which"),
        ("0", "11.3 sign 0", {"at": [0, 0]}, "no way to sign 0 of .11, 3. while the walls are"),
        ("7", "3.3 person 7", {"at": [17, 5]}, "no way to person 7 of .3, 3. while the walls are"),
        ("0", "3.3 person 4", {"at": [3, 6]}, "no way to person 0 of .3, 3., whatever switches"),
        ("1:emerald", "19.0 trigger 0", {"at": [0, 0]}, "trigger 0 of map .19, 0. is not at 7, 2"),
    ],
)
def test_what_the_story_needs_besides_ways_is_asked_for(world, name, standing, message):
    with pytest.raises(DataError, match=f"could not be played to its end: .*{message}"):
        edited(world_rom(world), {"things": {name: standing}})


@pytest.mark.parametrize(
    ("world", "changes"),
    [
        ("7", {"11.11 person 0": {"gives": [[13, 1]]}}),  # nothing is taught in this world
        ("7:demanding", {"0.10 person 0": {"gives": [[14, 2]]}}),
        ("0", {"11.3 person 2": {"at": [2, 8]}, "11.3 sign 0": {"at": [0, 0]}}),  # an open way
        ("0", {"3.3 person 7": {"at": [12, 9]}, "3.3 person 8": {"at": [4, 14]}}),
    ],
)
def test_what_the_story_does_not_need_may_be_changed(world, changes):
    assert edited(world_rom(world), {"things": changes}) != world_rom(world)


def test_a_name_that_the_old_text_has_may_be_said(tmp_path):
    tables, person = RomTables(world_rom("0")), Thing((1, 0), "person", 0)
    speech = min(tables.commands(tables.script(person), SAY))
    tables.pack("<I", speech + 8, tables.add_text("Hello {2}!"))
    rom = bytes(tables.data)
    says = tables_of(tmp_path / "before.toml", rom)["things"]["1.0 person 0"]["says"]
    says[says.index("Hello {2}!")] = "Bye {2}!"
    after = edited(rom, {"things": {"1.0 person 0": {"says": says}}})
    assert tables_of(tmp_path / "after.toml", after)["things"]["1.0 person 0"]["says"] == says


def test_a_walk_that_ends_without_a_game_says_so():
    nothing = SimpleNamespace(read=lambda at, size: bytes(size))
    gba = SimpleNamespace(memory=nothing, step=lambda *_, render: None)
    guide = SimpleNamespace(demands=(), milestones=("pokedex",), labels=lambda _: frozenset())
    with pytest.raises(Stuck, match="no milestone in 3 steps: no game is running"):
        next(journey(gba, guide, patience=3))


def test_a_machine_that_is_not_in_the_bag_stops_the_guide():
    machines_open = struct.pack("<5xBxx10H", MACHINES, *[0] * 10)
    memory = SimpleNamespace(read=lambda at, size: machines_open if at == BAG else bytes(size))
    look = SimpleNamespace(callback=BAG_SCREEN, tasks=frozenset(), memory=memory, block=0)
    with pytest.raises(Stuck, match="item 339 is to be taught, and is not in the bag"):
        teach(look, None, FIELD_MOVES[CUT])


def test_the_command_writes_tables_and_makes_a_game_of_them(tmp_path, capsys):
    tables, game = tmp_path / "tables.toml", tmp_path / "game.gba"
    assert jade_world.main(["7", "--tables", str(tables)]) == 0
    text = tables.read_text().replace("[74, 6]", "[74, 12]")
    tables.write_text(text)
    assert jade_world.main(["7", "--with", str(tables), "--out", str(game)]) == 0
    assert identify(game).code == "JADE"
    assert jade_world.main(["7", "--with", str(tables), "--walk", "--json"]) == 0
    assert "badge_2" in json.loads(capsys.readouterr().out)["steps"]
    tables.write_text(text.replace("[74, 12]", "[74, 120]"))
    assert jade_world.main(["7", "--with", str(tables)]) == 1
    assert "265 Petra" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--out", "--tables"])
def test_a_file_is_written_into_a_new_folder_and_through_a_link(flag, tmp_path):
    path, target, link = tmp_path / "a" / "b" / "file", tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    for named in (path, link):
        assert jade_world.main(["7", flag, str(named)]) == 0
    assert link.is_symlink() and target.read_bytes() == path.read_bytes()
    assert len(path.read_bytes()) > 1000


@pytest.mark.parametrize("flag", ["--out", "--tables"])
def test_what_is_no_file_is_refused_before_a_world_is_made(flag, tmp_path, capsys, monkeypatch):
    monkeypatch.delattr(jade_world, "world_rom")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    (tmp_path / "file").write_text("")
    said = {
        "folder": "is a folder: name a file",
        "pipe": "is a pipe or a socket: name a file",
        "link": "is a pipe or a socket: name a file",
        "file/a": "cannot be made",
    }
    for name, message in said.items():
        try:
            assert jade_world.main(["7", flag, str(tmp_path / name)]) != 0
        except SystemExit as end:
            assert end.code != 0
        assert message in " ".join(capsys.readouterr().err.split())
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").is_symlink()
