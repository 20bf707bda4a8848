"""What is compiled from mGBA's source does what the system's library does, or is not compiled."""

import importlib.util
import os
import subprocess
import sys
import tarfile
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from emerald_env.emulator import GBA
from emerald_env.emulator.library import lib
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.walk import Walker, walk_through
from experiments.benchmarks.busy_rom import busy_rom
from experiments.benchmarks.layers import plain_library
from experiments.benchmarks.scenes import scenes, with_crc32
from experiments.lockstep.system_game import SystemGame, compared
from tests.helpers.gba_programs import LOG, branch, cartridge, halfword
from tests.helpers.gba_programs import load as load_register

STATIC = Path(__file__).resolve().parents[2] / "emerald_env" / "emulator" / "static"
needs_static = pytest.mark.skipif(
    not lib.mgba_static(), reason="the shim was linked with the library: make fast"
)


def load(name: str):
    spec = importlib.util.spec_from_file_location(name, STATIC / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build_mgba, fetch_mgba = load("build_mgba"), load("fetch_mgba")


def test_the_play_that_tells_the_compiler_what_is_frequent_runs_with_this_shim():
    shim = import_module("emerald_env.emulator._shim").__file__
    subprocess.run([sys.executable, build_mgba.PROFILE_PLAY, shim, JADE_ROM], check=True)


@pytest.mark.parametrize("loops", [0, 2])
def test_a_processor_without_its_one_loop_is_refused(loops):
    text = "void ARMRunLoop(struct ARMCore* cpu) {}\n"
    assert build_mgba.without_loop(text) == text.replace("ARMRunLoop", "mgba_run_loop")
    with pytest.raises(build_mgba.UnknownSource, match="loops, not one"):
        build_mgba.without_loop(text * loops)


def wrapped(value: int) -> int:
    """A number as 32 bits keep it."""
    return (value + 2**31) % 2**32 - 2**31


def arc_tangent(i: int) -> int:
    """What the BIOS returns: Horner's rule in 14-bit fractions, on 32 bits."""
    a = wrapped(-(wrapped(i * i) >> 14))
    b = 0xA9
    for coefficient in (0x390, 0x91C, 0xFB6, 0x16AA, 0x2081, 0x3651, 0xA2F9):
        b = (wrapped(b * a) >> 14) + coefficient
    return (wrapped(i * b) >> 16) & 0xFFFF


@needs_static
def test_the_arc_tangent_of_the_bios_overflows_as_two_complement_does():
    rng = np.random.default_rng(0)
    small, large = rng.integers(-(2**14), 2**14, 20), rng.integers(-(2**31), 2**31, 60)
    values = [int(value) for value in (*small, *large)]
    code = load_register(5, LOG)
    for value in values:  # swi ArcTan; strh r0, [r5]; add r5, #2
        code += [*load_register(0, value), 0xEF090000, halfword(True, 0, 5), 0xE2855002]
    with GBA(cartridge([*code, branch(0)])) as gba:
        gba.tick(2)
        found = np.frombuffer(gba.memory.read(LOG, 2 * len(values)), "<u2")
    assert found.tolist() == [arc_tangent(value) for value in values]


@pytest.mark.parametrize(
    ("flags", "is_modern"),
    [
        ("fpu sse2 popcnt abm movbe bmi1 avx2 bmi2 fma", True),
        ("fpu sse2 popcnt abm movbe bmi1 avx2 fma", False),  # without bmi2
    ],
)
def test_a_modern_processor_gets_its_instructions_but_none_that_round_differently(flags, is_modern):
    options = build_mgba.for_this_machine(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t:\n")
    assert ("-mavx2" in options) == ("-mbmi2" in options) == is_modern
    assert "-mfma" not in options


def test_an_unknown_processor_gets_no_options():
    assert build_mgba.for_this_machine("Features : fp asimd") == []


def test_a_source_of_another_version_is_refused_and_nothing_written(tmp_path):
    for name in build_mgba.KNOWN:
        path = tmp_path / "mgba" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("other")
    with pytest.raises(build_mgba.UnknownSource, match="is not that of mGBA 0.10.5"):
        build_mgba.prepare(tmp_path, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def archive(path: Path) -> str:
    """Writes an archive with one file and returns its SHA-256."""
    with tarfile.open(path, "w:xz") as files:
        files.add(STATIC / "known.sha256", "mgba/README")
    return sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A folder for the commands of a system that has no others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def command(folder, name, script):
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_an_archive_that_is_another_or_cannot_be_had_is_refused(tmp_path, monkeypatch, system):
    other = tmp_path / "other"
    other.write_bytes(b"other")
    for url, message in ((other.as_uri(), "SHA-256"), ((tmp_path / "no").as_uri(), "fetched")):
        monkeypatch.setattr(fetch_mgba, "URL", url)
        with pytest.raises(SystemExit, match=f"{message}.*system's library"):
            fetch_mgba.fetch(tmp_path / "mgba")
    assert not (tmp_path / "mgba").exists()


@pytest.mark.parametrize("version", ["0.10.5+dfsg-1", "0.10.1+dfsg-1+deb12u1", None])
def test_the_systems_own_source_package_comes_first(tmp_path, monkeypatch, system, version):
    monkeypatch.setattr(fetch_mgba, "SHA256", archive(tmp_path / "right"))
    monkeypatch.setattr(fetch_mgba, "URL", (tmp_path / "right").as_uri())
    asked = tmp_path / "asked"
    command(system, "apt-cache", f"echo 'Version: {version}'" if version else "exit 100")
    file = fetch_mgba.ARCHIVE
    command(system, "apt-get", f"echo $* > '{asked}'; /bin/cp '{tmp_path / 'right'}' {file}")
    fetch_mgba.fetch(tmp_path / "mgba")
    assert (tmp_path / "mgba" / "mgba" / "README").is_file()
    from_system = version is not None and version.startswith("0.10.5")
    assert asked.exists() == from_system
    if from_system:
        assert asked.read_text() == f"source --download-only mgba={version}\n"


def test_a_source_package_that_is_another_is_left_and_debians_taken(tmp_path, monkeypatch, system):
    monkeypatch.setattr(fetch_mgba, "SHA256", archive(tmp_path / "right"))
    monkeypatch.setattr(fetch_mgba, "URL", (tmp_path / "right").as_uri())
    command(system, "apt-cache", "echo 'Version: 0.10.5+dfsg-9'")
    command(system, "apt-get", f"echo other > {fetch_mgba.ARCHIVE}")
    fetch_mgba.fetch(tmp_path / "mgba")
    assert (tmp_path / "mgba" / "mgba" / "README").is_file()


def play_both(rom: Path, state: bytes, keys, folder: Path) -> None:
    """Plays a mask a frame in steps of random length, drawn or not, with states loaded between."""
    rng, system = np.random.default_rng(0), SystemGame(rom, plain_library(folder))
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        for game in (gba, system):
            game.set_state(state)
        frame = 0
        while frame < len(keys):
            length = int(rng.integers(1, 25))
            hold, render = int(rng.integers(length + 1)), bool(rng.random() < 0.5)
            for game in (gba, system):
                game.step(int(keys[frame]), hold, length, render)
            frame += length
            ours, theirs = gba.get_state(), system.get_state()
            assert compared(ours) == compared(theirs)
            assert np.array_equal(gba.screen.rgb, system.screen())
            if rng.random() < 0.05:
                gba.set_state(theirs)
                system.set_state(ours)
    system.stop()


@needs_static
@pytest.mark.slow
@pytest.mark.parametrize("name", ["overworld", "battle", "title"])
def test_every_scene_is_as_with_the_systems_library(name, tmp_path):
    work = scenes(None, 700, 3)[name]
    play_both(JADE_ROM, work.state, np.repeat(work.keys, 24), tmp_path)


@needs_static
@pytest.mark.slow
def test_a_busy_processor_is_as_with_the_systems_library(tmp_path):
    rom, work = tmp_path / "busy.gba", scenes(None, 50, 3)["overworld"]
    rom.write_bytes(busy_rom())
    with GBA(rom) as gba:
        state = with_crc32(work.state, gba.crc32)
    play_both(rom, state, np.repeat(work.keys, 24), tmp_path)


@needs_static
@pytest.mark.slow
def test_the_walk_through_jade_is_as_with_the_systems_library(tmp_path):
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        state, walker = gba.get_state(), Walker(gba)
        for _ in walk_through(walker):
            if len(walker.keys) >= 20_000:
                break
    system = SystemGame(JADE_ROM, plain_library(tmp_path))
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        for game in (gba, system):
            game.set_state(state)
        for frame, keys in enumerate(walker.keys):
            for game in (gba, system):
                game.step(int(keys), 1, 1, frame % 24 == 0)
            if frame % 24 == 0:
                assert compared(gba.get_state()) == compared(system.get_state())
                assert np.array_equal(gba.screen.rgb, system.screen())
    system.stop()


def test_make_fast_ends_with_the_reason_where_mgba_cannot_be_built(tmp_path):
    """An installation with MGBA_SOURCE would use the library; who asks for speed must be told."""
    folders = [f"--build-{part}={tmp_path / part}" for part in ("temp", "lib")]
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", *folders],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"MGBA_SOURCE": str(tmp_path), "MGBA_REQUIRED": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert f"mGBA was not built from {tmp_path}: " in done.stderr
    assert "is not that of mGBA 0.10.5" in done.stderr and "Traceback" not in done.stderr
