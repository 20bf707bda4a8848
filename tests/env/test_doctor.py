import errno
import io
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.stand_ins import patched

from baselines.commands.check import doctor
from baselines.commands.check.package_check import lacking_packages
from emerald_env.emulator import StateError
from emerald_env.files.package_version import package_version
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM, Game, edition, open_game
from emerald_env.starts.self_check import self_check
from emerald_env.starts.starts import NEW_GAME, Start, play_until_free, prepare_starts
from experiments.benchmarks.busy_rom import busy_rom


def test_a_sound_machine_passes_every_check(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["doctor", "--rom", str(JADE_ROM)])
    assert doctor.main() == 0
    report = capsys.readouterr().out
    for what in ("Python", "libmgba", "memory", "disk", "GPU", "ROM", "Jade: repeat", "env"):
        assert what in report
    assert f"steps/s of {doctor.suggested_games()} games" in report
    assert "frames/s" in report and "steps/s of Jade on one core" in report


def test_a_report_on_a_file_with_a_hostile_name_cannot_steer_a_terminal(capsys, monkeypatch):
    found = doctor.CheckLine("fail", "ROM", "--rom 'a\x1b[31m.gba'", "no ROM at a\x1b[31m.gba")
    monkeypatch.setattr(doctor, "examine", lambda choice: [found])
    assert doctor.main([]) == 1
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and shown.count(r"a\x1b[31m.gba") == 2


def test_the_first_line_is_this_programs_version():
    first = next(iter(doctor.examine(GameChoice())))
    assert (first.level, first.what, first.found) == ("ok", "emerald", package_version())


def test_a_minute_of_the_users_game_is_played_and_every_part_works():
    found = list(doctor.check_play(JADE_ROM))
    assert [finding.what for finding in found] == [
        "new game", "state", "boxes", "map", "wait loop", "flash", "play", "save states",
    ]  # fmt: skip
    assert all(finding.level == "ok" for finding in found), found


@pytest.mark.parametrize(
    ("code", "seeds"), [("BPED", 40), ("BPEF", 10), ("BPEI", 10), ("BPES", 10)]
)
def test_unknown_screens_of_an_edition_fail_only_where_play_stays_on_them(
    code, seeds, tmp_path, monkeypatch
):
    rom = tmp_path / "stand_in.gba"
    rom.write_bytes(patched(code))
    known = replace(edition(code), idle_loop=JADE_IDLE_LOOP)
    with Game(rom, known) as game:
        play_until_free(game)
        before = game.get_state()
        for seed in range(seeds):
            monkeypatch.setattr("emerald_env.starts.self_check.SEED", seed)
            game.set_state(before)
            assert {check.what: check.works for check in self_check(game)}["play"], seed
        game.set_state(before)
        game.edition = replace(known, screens={})
        assert not {check.what: check.works for check in self_check(game)}["play"]


def test_a_game_that_never_sleeps_is_a_note_about_speed_and_no_failure(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("emerald_env.starts.self_check.STEPS", 10)
    rom = tmp_path / "busy.gba"
    rom.write_bytes(busy_rom())
    (start,) = prepare_starts(None, NEW_GAME)
    with open_game(rom) as gba:
        state = bytearray(start.state)
        state[8:12] = gba.crc32.to_bytes(4, "little")  # it is the same game
        monkeypatch.setattr(doctor, "prepare_starts", lambda *_: (Start(bytes(state), start.save),))
    found = {finding.what: finding for finding in doctor.check_play(rom)}
    assert found["wait loop"].level == "note" and "0 of 60" in found["wait loop"].found
    assert re.search(
        r"; [\d,]+ steps/s, [\d.]+ times slower than skipped$", found["wait loop"].found
    )
    assert {finding.level for what, finding in found.items() if what != "wait loop"} == {"ok"}


def test_a_game_that_cannot_be_begun_is_a_failure_with_its_reason(monkeypatch):
    def astray(rom, source):
        raise StateError("the new game did not arrive")

    monkeypatch.setattr("baselines.commands.check.doctor.prepare_starts", astray)
    (finding,) = doctor.check_play(JADE_ROM)
    assert finding.level == "fail" and "did not arrive" in finding.remedy


def test_packages_that_are_missing_or_too_old_are_named_with_what_needs_them():
    lines = ["numpy", "no-such-package; extra == 'train'", "rich>=999; extra == 'play'"]
    lacking = lacking_packages([*lines, "also-missing; extra == 'dev'"])
    (old,) = lacking.pop("play")
    assert lacking == {"train": ["no-such-package"]}
    assert old.startswith("rich>=999 (found ")


def test_a_library_that_was_not_compared_is_a_note_about_speed(monkeypatch):
    monkeypatch.setattr(doctor, "batches_lines", lambda: False)
    monkeypatch.setattr(doctor, "libmgba_version", lambda: "0.10.9")
    finding = doctor.check_emulator()
    assert finding.level == "note" and "0.10.9" in finding.found and "0.10.1" in finding.remedy


@pytest.mark.parametrize("content", [None, b"", b"x" * 4096])
def test_a_rom_that_cannot_run_fails_with_a_remedy(content, tmp_path):
    rom = tmp_path / "game.gba"
    if content is not None:
        rom.write_bytes(content)
    (finding,) = doctor.check_rom(rom)
    assert finding.level == "fail"
    assert str(rom) in finding.remedy


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"world": "foo"}, "world must be a number .*, got 'foo'"),
        ({"data": Path("nothere.json")}, "nothere.json: No such file"),
        ({"core": "translated"}, 'core "translated" needs'),
        ({"rom": Path("nothere.gba"), "core": "cached"}, "no ROM at nothere.gba"),
    ],
    ids=str,
)
def test_a_game_that_cannot_be_opened_fails_once_and_is_not_played(
    given, problem, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # which has no translation
    monkeypatch.setattr(doctor, "check_self_test", lambda: iter([]))
    *_, last = found = list(doctor.examine(GameChoice(**given)))
    assert [finding.what for finding in found].count("ROM") == 1 and last.level == "fail"
    assert last.found == shlex.join(GameChoice(**given).flags()) and "issue" not in last.remedy
    assert re.match(problem, last.remedy)


def test_another_game_is_played_without_reading_its_state(tmp_path, monkeypatch):
    data = tmp_path / "data.json"
    data.write_text('{"info": {"lives": {"address": 33554432, "type": "|u1"}}}')
    monkeypatch.setattr(doctor, "check_self_test", lambda: iter([]))
    monkeypatch.setattr(doctor, "suggested_games", lambda: 1)
    found = list(doctor.examine(GameChoice(rom=JADE_ROM, data=data)))
    names = [finding.what for finding in found]
    assert names[names.index("ROM") :] == ["ROM", "translation", "env", "games"]
    assert {finding.level for finding in found[names.index("ROM") :]} <= {"ok", "note"}


def test_a_full_disk_ends_the_report_with_an_error(monkeypatch, capsys):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    assert doctor.main([]) == 1
    assert capsys.readouterr().err == "error: No space left on device\n"


def test_too_little_memory_or_disk_fails_with_numbers(monkeypatch):
    class Little:
        available = 512 << 20
        free = 100 << 20

    monkeypatch.setattr(doctor.psutil, "virtual_memory", Little)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: Little)
    assert doctor.check_memory().level == "fail"
    assert "0.5 GiB" in doctor.check_memory().found
    assert doctor.check_disk().level == "fail"
    assert "--sessions" in doctor.check_disk().remedy


def test_a_check_that_fails_itself_is_a_finding_and_the_others_go_on(monkeypatch):
    def broken():
        raise OSError("no such device")

    broken.__name__ = "check_gpu"
    monkeypatch.setattr(doctor, "check_gpu", broken)
    monkeypatch.setattr(doctor, "check_self_test", lambda: iter([]))
    monkeypatch.setattr(doctor, "check_env", lambda rom: doctor.CheckLine("ok", "env", ""))
    found = {finding.what: finding for finding in doctor.examine(GameChoice())}
    assert found["gpu"].level == "fail" and found["gpu"].found == "no such device"
    assert found["env"].level == "ok"


def test_a_package_whose_metadata_is_damaged_counts_as_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_thing-1.0.dist-info").mkdir()  # no METADATA in it
    monkeypatch.syspath_prepend(tmp_path)
    assert package_version("broken-thing") == package_version("no-such-thing") == "unknown"
    assert lacking_packages(["broken-thing>=1"]) == {"": ["broken-thing"]}


def test_an_amx_processor_is_told_of_bfloat16(monkeypatch, tmp_path):
    info = tmp_path / "cpuinfo"
    assert not doctor.cpu_has_amx(info), "no such file, as on macOS"
    info.write_text("flags : fpu amx_tile amx_bf16 avx2")
    assert doctor.cpu_has_amx(info)
    info.write_text("flags : fpu avx2")
    assert not doctor.cpu_has_amx(info)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(doctor, "cpu_has_amx", lambda: True)
    assert "--bf16" in doctor.check_gpu().remedy
    monkeypatch.setattr(doctor, "cpu_has_amx", lambda: False)
    assert doctor.check_gpu().remedy == ""
