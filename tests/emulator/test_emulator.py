import gc
import hashlib
import multiprocessing
import os
import subprocess
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from helpers.gba_programs import cartridge
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emerald_env.emulator import (
    GBA,
    KEYS,
    GreyPlace,
    RomError,
    SaveError,
    StateError,
    key_mask,
    library,
)
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM, identify
from emerald_env.jade.walk import Walker, walk_through

KEY_SEQUENCE = [key_mask(KEYS[i * 7 % 10]) for i in range(40)]


def fingerprint(gba: GBA) -> str:
    """A hash of everything the game can see, and of the picture."""
    parts = (
        gba.memory.ewram,
        gba.memory.iwram,
        gba.memory.vram,
        gba.memory.palette,
        gba.screen.rgb,
    )
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def play(gba: GBA, render: bool = True) -> str:
    for keys in KEY_SEQUENCE:
        gba.step(keys, hold=8, frames=24, render=render)
    gba.tick()
    return fingerprint(gba)


def play_in_a_process(state: bytes, results) -> None:
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        gba.set_state(state)
        results.put(play(gba))


def test_the_same_keys_from_the_same_state_give_the_same_memory_and_picture(jade):
    jade.tick(100)
    state = jade.get_state()
    first = play(jade)
    jade.set_state(state)
    assert play(jade) == first


def test_another_process_gives_the_same_memory_and_picture(jade):
    jade.tick(100)
    state = jade.get_state()
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=play_in_a_process, args=(state, results))
    process.start()
    assert results.get() == play(jade)
    process.join()


def test_going_on_and_reloading_are_the_same(jade):
    jade.tick(123)
    state = jade.get_state()
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as other:
        other.set_state(state)
        assert play(other) == play(jade)


def test_a_state_survives_the_round_trip(jade):
    jade.tick(77)
    state = jade.get_state()
    jade.set_state(state)
    assert jade.get_state() == state


def test_drawing_does_not_change_the_game(jade):
    state = jade.get_state()
    drawn = play(jade)
    jade.set_state(state)
    assert play(jade, render=False) == drawn


def test_ticks_add_up(jade):
    state = jade.get_state()
    jade.button_press("right")
    jade.tick(30)
    at_once = fingerprint(jade)
    jade.set_state(state)
    for frames in (1, 2, 3, 4, 5, 15):
        jade.tick(frames, render=frames == 15)
    assert fingerprint(jade) == at_once


def test_a_loaded_state_shows_its_own_picture(jade):
    jade.tick(60)
    state, picture = jade.get_state(), jade.screen.rgb.copy()
    jade.reset()
    jade.tick(3)
    jade.set_state(state)
    difference = np.abs(jade.screen.rgb.astype(int) - picture.astype(int))
    assert difference.mean() < 2  # one frame later, the title hardly differs


def test_many_games_in_one_process_do_not_disturb_one_another():
    games = [GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) for _ in range(6)]
    results: dict[int, str] = {}
    threads = [
        threading.Thread(target=lambda i=i: results.__setitem__(i, play(games[i])))
        for i in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results.values())) == 1


def test_the_interpreter_runs_while_a_game_runs(jade):
    thread = threading.Thread(target=jade.tick, args=(20_000,))
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0)
    assert turns > 100


def test_views_outlive_the_console():
    gba = GBA(JADE_ROM)
    gba.tick(30)
    ewram, screen = gba.memory.ewram, gba.screen.rgb
    before = ewram.copy(), screen.copy()
    gba.stop()
    del gba
    np.testing.assert_array_equal(ewram, before[0])
    np.testing.assert_array_equal(screen, before[1])


def test_a_closed_console_says_so():
    gba = GBA(JADE_ROM)
    gba.stop()
    gba.stop()
    for use in (gba.tick, gba.get_state, gba.reset, lambda: gba.memory):
        with pytest.raises(ValueError, match="was stopped"):
            use()


def test_views_follow_the_game_and_writes_reach_it(jade):
    view = jade.memory.ewram
    jade.memory.write(0x0203F000, b"\x12\x34")
    assert bytes(view[0x3F000:0x3F002]) == b"\x12\x34"
    assert jade.memory[0x0203F000] == 0x12
    assert jade.memory[0x0203F000:0x0203F002] == b"\x12\x34"
    view[0x3F000] = 0x99
    assert jade.memory.read(0x0203F000, 1) == b"\x99"


@pytest.mark.parametrize("address", [0, 0x04000130, 0x0203FFFF, 0x03007FFD, 0x0A000000, 0xFFFFFFFF])
def test_what_cannot_be_read_is_an_error(jade, address):
    with pytest.raises(ValueError, match="readable bytes at 0x"):
        jade.memory.read(address, 4)


def test_a_watch_says_which_stretches_changed(jade):
    watch = jade.memory.watch([(0x02000000, 2), (0x03000010, 3), (0x0203F000, 1)])
    jade.memory.write(0x02000000, b"\x01\x02")
    jade.memory.write(0x03000010, bytes(3))
    jade.memory.write(0x0203F000, b"\x09")
    assert watch.copy[:] == bytes(6)  # nothing was looked at yet
    assert watch.refresh() == 0b101
    assert watch.copy[:] == b"\x01\x02\0\0\0\x09"
    assert watch.refresh() == 0
    jade.memory.write(0x03000012, b"\x07")
    jade.memory.write(0x0203F000, b"\x08")
    assert watch.refresh(2) == 0b010 and watch.copy[2:5] == b"\0\0\x07"
    assert watch.refresh() == 0b100


def test_a_stretch_aimed_elsewhere_has_changed_only_if_other_bytes_are_there(jade):
    jade.memory.write(0x02000000, b"\x01\x02\x01\x02\x03")
    watch = jade.memory.watch([(0x02000000, 2)])
    watch.refresh()
    watch.aim(0, 0x02000002)
    assert watch.refresh() == 0
    watch.aim(0, 0x02000003)
    assert watch.refresh() == 1 and watch.copy[:] == b"\x02\x03"


def test_a_watch_on_what_cannot_be_read_is_an_error(jade):
    watch = jade.memory.watch([(0x02000000, 4)])
    for address in (0, 0x04000130, 0x0203FFFD, 0x0A000000, 0xFFFFFFFF):
        with pytest.raises(ValueError, match="readable bytes at 0x"):
            jade.memory.watch([(address, 4)])
        with pytest.raises(ValueError, match="readable bytes at 0x"):
            watch.aim(0, address)
    with pytest.raises(ValueError, match="at most 64 stretches, not 65"):
        jade.memory.watch([(0x02000000, 1)] * 65)


def test_a_watch_outlives_its_console():
    gba = GBA(JADE_ROM)
    gba.memory.write(0x0203F000, b"\x12")
    watch = gba.memory.watch([(0x0203F000, 1), (0x08000000, 4)])
    rom = gba.memory.read(0x08000000, 4)
    gba.stop()
    del gba
    gc.collect()
    assert watch.refresh() == 3 and watch.copy[:] == b"\x12" + rom


def test_rom_and_screen_cannot_be_written(jade):
    with pytest.raises(ValueError):
        jade.memory.rom[0] = 0
    with pytest.raises(ValueError):
        jade.screen.rgb[0] = 0
    with pytest.raises(ValueError, match="not inside one RAM region"):
        jade.memory.write(0x08000000, b"x")


@pytest.mark.parametrize("factor", [1, 2, 4, 5, 8, 10, 16, 20, 40, 80])
def test_grey_is_the_mean_of_the_luma(jade, factor):
    rng = np.random.default_rng(0)
    jade.tick(60)
    jade.memory.write(0x05000000, rng.bytes(0x400))
    jade.tick(1)
    assert len(np.unique(jade.screen.rgb.reshape(-1, 3), axis=0)) > 8
    place = GreyPlace.new(factor)
    jade.grey(place)
    luma = (jade.screen.rgb @ np.array([77, 150, 29])).reshape(160 // factor, factor, -1, factor)
    mean = luma.mean(axis=(1, 3)) / 256
    assert np.abs(place.array[:, :, 0] - mean).max() < 1


@pytest.mark.parametrize("every", [1, 2, 5, 80])
def test_colours_are_the_consoles_own(jade, every):
    rng = np.random.default_rng(0)
    jade.tick(60)
    jade.memory.write(0x05000000, rng.bytes(0x400))
    jade.tick(1)
    five = np.stack([jade.colours(every) >> shift & 31 for shift in (0, 5, 10)], axis=-1)
    np.testing.assert_array_equal(five << 3 | five >> 2, jade.screen.rgb[::every, ::every])
    assert jade.colours(every).max() < 1 << 15
    with pytest.raises(ValueError, match="every must divide"):
        jade.colours(3 * every)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1), every=st.sampled_from([1, 2, 4]))
def test_colours_are_the_five_highest_bits_of_each_byte_in_any_picture(jade, seed, every):
    pixels = np.random.default_rng(seed).integers(0, 2**32, (160, 240), np.uint32)
    library.ffi.memmove(
        library.ffi.cast("void *", library.lib.game_pixels(jade._game)), pixels, pixels.nbytes
    )
    red, green, blue = (pixels[::every, ::every] >> shift & 31 for shift in (3, 11, 19))
    np.testing.assert_array_equal(jade.colours(every), red | green << 5 | blue << 10)


def test_a_step_with_its_picture_is_a_step_and_then_a_picture(jade):
    state = jade.get_state()
    jade.step(key_mask("start"), 12, 24)
    place = GreyPlace.new(2)
    jade.grey(place)
    after = fingerprint(jade)
    jade.set_state(state)
    at_once = GreyPlace.new(2)
    jade.step_grey(key_mask("start"), 12, 24, at_once)
    np.testing.assert_array_equal(at_once.array, place.array)
    assert fingerprint(jade) == after


def test_grey_refuses_a_wrong_place():
    with pytest.raises(ValueError, match="factor must divide"):
        GreyPlace(3, np.empty(10, np.uint8))
    with pytest.raises(ValueError, match="contiguous uint8"):
        GreyPlace(2, np.empty((80, 121), np.uint8))
    with pytest.raises(ValueError, match="contiguous uint8"):
        GreyPlace(2, np.empty((80, 240), np.uint8)[:, ::2])
    with pytest.raises(ValueError, match="contiguous uint8"):
        GreyPlace(2, np.empty((80, 120), np.float32))


def test_the_cartridges_save_can_be_put_in_and_taken_out(jade):
    save = bytes(range(256)) * 512
    jade.load_save(save)
    assert jade.save_data() == save
    with pytest.raises(SaveError, match="131,072 bytes"):
        jade.load_save(save[:-1])


@pytest.mark.parametrize(
    ("code", "size"),
    [  # by mGBA's list of games: none, EEPROM, SRAM, flash
        (b"A2YE", 0),
        (b"U3IE", 8 << 10),
        (b"RZWE", 32 << 10),
        (b"AWRE", 64 << 10),
        (b"AX4E", 128 << 10),
    ],
)
def test_a_save_is_as_large_as_the_cartridges_memory(code, size):
    rom = bytearray(JADE_ROM.read_bytes())
    rom[0xAC:0xB0] = code
    with GBA(bytes(rom)) as gba:
        assert gba.save_data() == b"\xff" * size
        save = bytes(range(256)) * (size // 256)
        gba.load_save(save + bytes(16))  # mGBA appends 16 bytes where there is a clock
        assert gba.save_data() == save
        gba.load_save(gba.save_data())
        for wrong in (save + bytes(65), save[:-1] if save else bytes(512)):
            with pytest.raises(SaveError, match=f"a save of this game has {size:,} bytes, this"):
                gba.load_save(wrong)


def test_nothing_is_written_beside_the_rom(tmp_path):
    rom = tmp_path / "game.gba"
    rom.write_bytes(JADE_ROM.read_bytes())
    with GBA(rom) as gba:
        gba.load_save(bytes(0x20000))
        play(gba)
    assert [path.name for path in tmp_path.iterdir()] == ["game.gba"]


def test_bytes_run_as_a_file_does(jade):
    with GBA(JADE_ROM.read_bytes(), idle_loop=JADE_IDLE_LOOP) as gba:
        assert play(gba) == play(jade)


def test_a_missing_rom_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="no ROM at"):
        GBA(tmp_path / "none.gba")
    with pytest.raises(FileNotFoundError, match="no ROM at"):
        identify(tmp_path / "none.gba")


@pytest.mark.parametrize("content", [JADE_ROM.read_bytes()[:0xBF], b"", bytes(64 << 20)])
def test_a_file_of_an_impossible_size_is_no_rom(content):
    with pytest.raises(RomError, match="bytes, fewer than|33,554,432 at most|bytes 3 and 0xB2"):
        GBA(content)


@pytest.mark.parametrize("size", [0xC0, 1000, 70_000])
def test_a_rom_of_no_cartridge_s_size_runs_with_a_warning(size, tmp_path, caplog):
    """Homebrew has any size; a file that was cut off cannot be told from it."""
    path = tmp_path / "\x1b[2J.gba"
    path.write_bytes(JADE_ROM.read_bytes()[:size])
    with GBA(path) as gba:
        assert gba.tick(120)
    assert f"{size:,} bytes, no cartridge's size" in caplog.text and "\x1b" not in caplog.text


@given(st.binary(max_size=2048))
@settings(max_examples=200)
def test_arbitrary_bytes_are_no_rom(data):
    with pytest.raises(RomError):
        GBA(data)


def test_a_program_for_the_cable_is_no_rom():
    with pytest.raises(RomError, match="could not open"):
        GBA(cartridge([0xE3A00000, 0x02000000]))


def test_other_games_are_named(tmp_path):
    rom = tmp_path / "other.gba"
    data = bytearray(JADE_ROM.read_bytes())
    data[0xAC:0xB0] = b"BPRE"
    rom.write_bytes(data)
    with pytest.raises(RomError, match="FireRed"):
        identify(rom)
    data[0xAC:0xB0] = b"BPEE"
    rom.write_bytes(data)
    with pytest.raises(RomError, match="the cartridge has 16,777,216"):
        identify(rom)
    rom.write_bytes(data + bytes((16 << 20) - len(data)))
    with pytest.raises(RomError, match="SHA-1"):
        identify(rom)


def test_a_large_file_that_is_no_rom_is_not_read_for_it(tmp_path):
    film = tmp_path / "film.mkv"
    film.touch()
    os.truncate(film, 200 << 20)
    tracemalloc.start()
    with pytest.raises(RomError, match="not a Game Boy Advance ROM"):
        identify(film)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_states_that_do_not_fit_are_errors_and_change_nothing(jade):
    jade.tick(50)
    state, before = jade.get_state(), fingerprint(jade)
    other_game = state[:16] + b"POKEMON EMERBPEE" + state[32:]
    other_crc = state[:8] + b"\0\0\0\0" + state[12:]
    for bad in (b"", state[:-1], state + b"\0", bytes(len(state)), other_game, other_crc):
        with pytest.raises(StateError):
            jade.set_state(bad)
    assert fingerprint(jade) == before


@given(st.binary(max_size=512))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arbitrary_bytes_are_no_state(jade, data):
    with pytest.raises(StateError):
        jade.set_state(data)


def test_a_wrong_key_is_named(jade):
    with pytest.raises(ValueError, match="'x'.*select"):
        jade.button_press("x")


def test_keys_have_the_bits_of_keyinput():
    assert [key_mask(key) for key in KEYS] == [1 << bit for bit in range(10)]
    assert key_mask("a", "up", "a") == 0b1000001
    assert key_mask() == 0


@pytest.mark.slow
def test_fifty_thousand_frames_without_sound_leave_every_bit_as_with_it(tmp_path):
    """All memory, the processor and the input-output registers, ten times a second of play."""
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        walker = Walker(gba)
        for _ in walk_through(walker):
            if len(walker.keys) >= 50_000:
                break
    played = (walker.keys * (1 + 50_000 // len(walker.keys)))[:50_000]
    (tmp_path / "keys").write_bytes(np.array(played, np.uint16).tobytes())
    program = tmp_path / "memory_digest"
    source = Path(__file__).with_name("memory_digest.c")
    subprocess.run(["cc", "-O3", "-std=gnu11", "-o", program, source, "-lmgba"], check=True)
    command = [program, JADE_ROM, tmp_path / "keys", hex(JADE_IDLE_LOOP), "6"]
    silent, loud = (subprocess.check_output([*command, sound]) for sound in ("0", "1"))
    assert len(silent.split()) == 8_333
    assert silent == loud


def test_a_shim_of_an_older_version_is_not_used():
    declared = library.DECLARATIONS.read_text()
    library.check(library.lib, declared)
    with pytest.raises(ImportError, match=r"lacks game_fly, game_swim\): build it again"):
        library.check(library.lib, declared + "void game_fly(game *g);\nint game_swim(void);\n")


def test_a_slice_of_memory_can_have_a_step_and_be_written(jade):
    start = 0x02030000
    jade.memory[start : start + 6] = b"abcdef"
    assert jade.memory[start : start + 6 : 2] == b"ace"
    jade.memory[start : start + 6 : 3] = b"XY"
    assert jade.memory[start : start + 6] == b"XbcYef"
    jade.memory[start : start + 6] = 0
    assert jade.memory[start : start + 6] == bytes(6)


@pytest.mark.parametrize("number", [np.uint8(5), np.int64(5), np.array(5)])
def test_a_number_of_numpy_is_written_as_any_other(jade, number):
    start = 0x02030000
    jade.memory[start : start + 6] = b"abcdef"
    jade.memory[start] = number
    assert jade.memory[start : start + 6] == b"\x05bcdef"
    jade.memory[start + 1] = jade.memory.ewram[0x30002]
    assert jade.memory[start : start + 6] == b"\x05ccdef"
    jade.memory[start : start + 4] = number
    assert jade.memory[start : start + 6] == b"\x05\x05\x05\x05ef"
    jade.memory[start : start + 2] = np.array([1, 2], np.uint8)
    assert jade.memory[start : start + 6] == b"\x01\x02\x05\x05ef"


@pytest.mark.parametrize("number", [2.0, np.float32(2)])
def test_a_number_that_is_no_byte_is_not_written(jade, number):
    with pytest.raises(TypeError):
        jade.memory[0x02030000] = number


@pytest.mark.parametrize("stop", [None, 0x02030000 - 1])
def test_a_slice_of_memory_needs_both_ends_in_order(jade, stop):
    with pytest.raises(ValueError, match="a start and a later stop"):
        jade.memory[0x02030000:stop]
    with pytest.raises(ValueError, match="3 bytes for a slice of 2"):
        jade.memory[0x02030000:0x02030002] = b"abc"


def test_a_negative_number_of_frames_is_refused(jade):
    with pytest.raises(ValueError, match="count must be at least 0 frames, got -1"):
        jade.tick(-1)


@pytest.mark.parametrize("pieces", [[9], [1] * 9, [2, 3, 4]])
def test_a_button_is_down_for_its_frames_and_then_up(jade, pieces):
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as by_hand:
        for game in (jade, by_hand):
            game.tick(200)
        by_hand.button_press("start")
        by_hand.button_press("a")
        by_hand.tick(2)
        by_hand.button_release("a")
        by_hand.tick(3)
        by_hand.button_release("start")
        by_hand.tick(4)
        jade.button("a", delay=2)
        jade.button("start", delay=5)
        for frames in pieces:
            jade.tick(frames)
        assert jade.get_state() == by_hand.get_state()
        assert (jade.screen.rgb == by_hand.screen.rgb).all()


def test_one_game_may_be_used_by_several_threads(jade):
    steps, threads = 40, 4

    def play():
        for _ in range(steps):
            jade.step(0, 0, 1)
            jade.set_state(jade.get_state())

    begun = jade.frame_count
    playing = [threading.Thread(target=play) for _ in range(threads)]
    for thread in playing:
        thread.start()
    for thread in playing:
        thread.join()
    assert begun < jade.frame_count <= begun + steps * threads
