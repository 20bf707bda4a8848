"""Translated code does what mGBA's own interpreter does, and only a user's own libraries run."""

import shutil

import numpy as np
import pytest

from emerald_env.emulator import GBA
from emerald_env.emulator.library import lib
from emerald_env.emulator.static.translate import compiler, translation, translation_cache
from emerald_env.emulator.static.translate.translation import translated_play
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from experiments.benchmarks.busy_rom import busy_rom
from experiments.benchmarks.mix import mix_rom
from experiments.lockstep.lockstep import FRAMES, Difference, Pair, compare
from experiments.lockstep.random_programs import COPIED, IN_EWRAM, IN_IWRAM, random_cartridge

pytestmark = [
    pytest.mark.skipif(
        not lib.mgba_static(), reason="the shim was linked with the library: make fast"
    ),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]
QUICK = "-O0"  # for tests of a few frames


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """An empty cache of the user's."""
    folder = tmp_path / "cache" / "translations"
    monkeypatch.setattr(translation_cache, "translations_folder", lambda: folder)
    translation_cache._usable.cache_clear()
    yield folder
    translation_cache._usable.cache_clear()


@pytest.mark.parametrize("seed", [1, 3])
def test_translated_random_instructions_are_equal(seed):
    assert compare(random_cartridge(seed), seed, FRAMES, translated=True) > 0


@pytest.mark.slow
@pytest.mark.parametrize("rom", [busy_rom(), mix_rom()], ids=["busy", "mix"])
def test_a_translated_game_is_equal_with_states_saved_and_loaded_between(rom):
    assert compare(rom, 0, 300, translated=True) > 1_000_000


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("put_word(at + 4,", "put_word(at + 8,"), ("left -= 3;", "left -= 2;")],
)
def test_the_comparison_finds_a_wrong_translation(monkeypatch, right, wrong):
    correct = translation.c_source
    monkeypatch.setattr(translation, "c_source", lambda some: correct(some).replace(right, wrong))
    with pytest.raises(Difference, match="the states differ"):
        for seed in (1, 3, 4, 6):
            compare(random_cartridge(seed), seed, FRAMES, translated=True)


def test_code_in_memory_that_has_changed_since_is_not_run():
    rng, pair = np.random.default_rng(0), Pair(random_cartridge(3))
    pair.translate(lambda: [pair.step(0, 1, render=False) for _ in range(3)])
    for place in (IN_EWRAM, IN_IWRAM):
        for at in rng.integers(COPIED // 2, size=40):
            for gba in pair.both:
                gba.memory[place + 2 * int(at)] = 0x42
    for _ in range(3):
        pair.step(0, 1, render=True)
    pair.close()


def test_other_waits_than_those_it_was_made_for_run_untranslated():
    pair = Pair(busy_rom(), JADE_IDLE_LOOP)
    pair.translate(lambda: [pair.step(0, 2, render=False) for _ in range(8)])
    pair.close()
    other = Pair(busy_rom())  # without the wait loop's address
    translated = translated_play(other.both[0], lambda: other.step(0, 2, render=False))
    assert all(group.code.place.idle_loop != JADE_IDLE_LOOP for group in translated.groups)
    other.close()


def made(gba: GBA, frames: int = 40) -> tuple[bytes, translation_cache.TranslationRecord]:
    """A quick translation of what a console executes."""
    return translated_play(gba, lambda: gba.tick(frames)).compile(QUICK)


def test_a_console_uses_the_translation_of_its_rom_and_no_other(cache_folder, tmp_path):
    with GBA(busy_rom(), core="auto") as gba:
        assert gba.core == "cached"
        rom = gba.memory.rom.copy()
        translation_cache.keep_translation(rom, *made(gba))
    with GBA(busy_rom()) as gba, GBA(busy_rom(), core="cached") as other, GBA(JADE_ROM) as jade:
        assert (gba.core, other.core, jade.core) == ("translated", "cached", "cached")
        gba.tick(60), other.tick(60)
        assert gba.get_state() == other.get_state()
    assert {path.stat().st_mode & 0o777 for path in cache_folder.iterdir()} == {0o600}


@pytest.mark.parametrize("harm", ["damaged", "writable", "folder", "record", "link"])
def test_a_library_that_is_damaged_or_may_be_a_strangers_is_refused(cache_folder, harm, capsys):
    with GBA(busy_rom()) as gba:
        rom = gba.memory.rom.copy()
        path = translation_cache.keep_translation(rom, *made(gba))
    if harm == "damaged":
        path.write_bytes(path.read_bytes()[:-1])
    elif harm == "writable":
        path.chmod(0o666)
    elif harm == "folder":
        cache_folder.chmod(0o777)
    elif harm == "record":
        path.with_suffix(".json").write_text('{"sha256": 3}')
    else:
        path.rename(cache_folder / "other")
        path.symlink_to(cache_folder / "other")
    with GBA(busy_rom()) as gba:
        assert gba.core == "cached"
    assert "is not used" in capsys.readouterr().err
    with pytest.raises(ValueError, match="emerald translate"):
        GBA(busy_rom(), core="translated")


def test_without_a_compiler_a_message_says_what_to_install(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(compiler.CompilerError, match="install one"):
        compiler.compiled("")


def test_what_cannot_be_compiled_is_said_in_a_line():
    with pytest.raises(compiler.CompilerError, match="could not be compiled: .*error"):
        compiler.compiled("no C")


def test_counting_changes_nothing_and_ends(jade):
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as other:
        found = translated_play(jade, lambda: jade.tick(30))
        other.tick(30)
        assert jade.get_state() == other.get_state()
        assert found.instructions > 100 and 0.5 < found.share <= 1


def test_calls_between_arm_and_thumb_code_stay_and_are_equal():
    """Thumb calls ARM by `bx pc`, which returns by `bx lr`: over and over, timers running."""
    pair = Pair(mix_rom())
    translated = pair.translate(lambda: [pair.step(0, 2, render=False) for _ in range(10)])
    assert translated > 100
    for _ in range(10):
        pair.step(0, 2, render=True)
    pair.close()
