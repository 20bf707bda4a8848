"""Sound, cheats, the memory scanner and going back."""

from datetime import datetime

import numpy as np
import pytest
from helpers.gba_programs import IO, branch, cartridge, halfword, load
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emerald_env import GBA
from emerald_env.emulator import DynamicComparisonType, ScanMode, StandardComparisonType
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from experiments.benchmarks.busy_rom import busy_rom

RATE, PITCH = 48_000, 1750


def beeping() -> bytes:
    """Channel 1 plays a square wave forever (GBATEK, "GBA Sound Channel 1")."""
    writes = {0x84: 0x80, 0x80: 0x1177, 0x82: 2, 0x60: 0, 0x62: 0xF080, 0x64: 0x8000 | PITCH}
    code = []
    for register, value in writes.items():
        code += [*load(0, IO + register), *load(1, value), halfword(True, 1, 0)]
    return cartridge([*code, branch(0)])


@pytest.mark.parametrize("rate", [RATE, 22_050])
def test_a_square_wave_is_heard_at_its_own_pitch(rate):
    with GBA(beeping(), sound_sample_rate=rate) as gba:
        gba.tick(20)
        gba.tick(60)
        sound = gba.sound.ndarray
        assert sound.dtype == np.int16 and gba.sound.sample_rate == rate
        assert len(sound) == pytest.approx(rate * 60 * 280_896 / (1 << 24), abs=0.003 * rate)
        assert np.array_equal(sound[:, 0], sound[:, 1])
        spectrum = np.abs(np.fft.rfft(sound[:, 0] - sound[:, 0].mean()))
        heard = spectrum.argmax() * rate / len(sound)
        assert heard == pytest.approx(131_072 / (2048 - PITCH), abs=2)
        assert bytes(gba.sound.raw_buffer) == sound.tobytes()
        gba.tick(5, sound=False)
        assert not gba.sound.raw_buffer_head


def test_a_state_that_is_loaded_is_not_heard():
    """A frame is drawn for its picture: nothing of that is sound of the game."""
    with GBA(beeping()) as gba, GBA(beeping()) as twin:
        heard = []
        for game, states in ((gba, 3), (twin, 0)):
            sound = game.mix_sound(RATE)
            game.step(0, 0, 1)
            sound.take()
            game.step(0, 0, 2)
            for _ in range(states):
                game.set_state(game.get_state())
            heard.append(sound.take())
        assert len(heard[0]) == pytest.approx(2 * RATE * 280_896 / (1 << 24), abs=16)
        assert np.array_equal(*heard)
        gba.set_state(gba.get_state())
        assert len(sound.take()) == 0


@pytest.mark.parametrize("before", [None, 22_050, RATE])
def test_sound_is_mixed_at_the_rate_that_was_asked_for_last(before):
    with GBA(beeping(), sound_sample_rate=before) as gba:
        gba.tick(20)
        sound = gba.mix_sound(32_000)
        gba.step(0, 0, 1)
        sound.take()
        heard = 0
        for _ in range(60):
            gba.step(0, 0, 1)
            heard += len(sound.take())
        assert sound.sample_rate == 32_000
        assert heard == pytest.approx(32_000 * 60 * 280_896 / (1 << 24), abs=100)


def test_a_game_with_sound_is_the_same_game():
    rom = busy_rom()
    with (
        GBA(rom, idle_loop=JADE_IDLE_LOOP) as silent,
        GBA(rom, idle_loop=JADE_IDLE_LOOP, sound_sample_rate=RATE) as loud,
    ):
        for frames, sound in ((100, True), (50, False), (50, True)):
            silent.tick(frames)
            loud.tick(frames, sound=sound)
            for part in ("ewram", "iwram", "vram", "palette", "oam"):
                ours, theirs = (getattr(gba.memory, part) for gba in (silent, loud))
                assert np.array_equal(ours, theirs), part
            assert np.array_equal(silent.screen.rgb, loud.screen.rgb)
            registers = [[gba.register_file.pc, gba.register_file.sp] for gba in (silent, loud)]
            assert registers[0] == registers[1]


def test_sound_must_be_asked_for_at_a_rate_that_exists(jade):
    with pytest.raises(ValueError, match="sound_sample_rate=48000"):
        jade.sound  # noqa: B018
    for rate in (7_999, 0):
        with pytest.raises(ValueError, match=f"8,000 to 192,000, got {rate}"):
            GBA(JADE_ROM, sound_sample_rate=rate)


FREE = 0x02030000  # nothing of Jade's is there


def test_a_cheat_is_applied_each_frame_until_it_is_removed(jade):
    jade.gameshark.add("02030000:12345678")
    jade.gameshark.add("82030010 0005")
    jade.memory[FREE : FREE + 32] = 0
    jade.tick(2)
    assert jade.memory[FREE : FREE + 4] == (0x12345678).to_bytes(4, "little")
    assert jade.memory[FREE + 16] == 5
    jade.gameshark.remove("82030010 0005")
    jade.memory[FREE : FREE + 32] = 0
    jade.tick(2)
    assert jade.memory[FREE] == 0x78 and jade.memory[FREE + 16] == 0
    jade.gameshark.clear_all()
    jade.memory[FREE] = 0
    jade.tick(2)
    assert jade.memory[FREE] == 0


def test_codes_that_cannot_be_applied_are_refused(jade):
    for code in ("", "hello", "02030000:", "02030000:12345678\nhello", "é", "0" * 5000):
        with pytest.raises(ValueError, match=r"not a cheat of|at most 4,000 ASCII"):
            jade.gameshark.add(code)
    with pytest.raises(ValueError, match="patches the ROM"):
        jade.gameshark.add("08000200:12")
    jade.gameshark.add("02030000:12")
    with pytest.raises(ValueError, match="added before"):
        jade.gameshark.add("02030000:12")
    with pytest.raises(ValueError, match="no such cheat"):
        jade.gameshark.remove("02030000:13")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text("0123456789ABCDEF :\n", min_size=8, max_size=60))
def test_arbitrary_codes_end_no_program(jade, code):
    try:
        jade.gameshark.add(code)
    except ValueError:
        return
    jade.gameshark.clear_all()


@given(st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_scanner_finds_what_a_plain_loop_finds(jade, data):
    content = data.draw(st.binary(min_size=8, max_size=40))
    width = data.draw(st.integers(1, 4))
    order = data.draw(st.sampled_from(["little", "big"]))
    mode = data.draw(st.sampled_from(ScanMode))
    how = data.draw(st.sampled_from(StandardComparisonType))
    jade.memory[FREE : FREE + len(content)] = content
    starts = range(len(content) - width + 1)

    def value(start):
        part = content[start : start + width]
        if mode is ScanMode.INT:
            return int.from_bytes(part, order)
        digits = (part if order == "big" else part[::-1]).hex()
        return int(digits) if digits.isdecimal() else None

    known = [value(start) for start in starts if value(start) is not None]
    target = data.draw(st.sampled_from(known or [0]))
    compare = {
        StandardComparisonType.EXACT: lambda v: v == target,
        StandardComparisonType.LESS_THAN: lambda v: v < target,
        StandardComparisonType.GREATER_THAN: lambda v: v > target,
        StandardComparisonType.LESS_THAN_OR_EQUAL: lambda v: v <= target,
        StandardComparisonType.GREATER_THAN_OR_EQUAL: lambda v: v >= target,
    }[how]
    expected = [FREE + s for s in starts if value(s) is not None and compare(value(s))]
    end = FREE + len(content) - 1
    scan = jade.memory_scanner.scan_memory
    assert scan(target, FREE, end, how, mode, width, order) == expected


def test_scanning_again_narrows_what_was_found(jade):
    scanner, kinds = jade.memory_scanner, DynamicComparisonType
    jade.memory[FREE : FREE + 4] = bytes((7, 7, 7, 9))
    assert scanner.scan_memory(7, FREE, FREE + 3) == [FREE, FREE + 1, FREE + 2]
    jade.memory[FREE : FREE + 4] = bytes((7, 8, 6, 9))
    assert scanner.rescan_memory(dynamic_comparison_type=kinds.CHANGED) == [FREE + 1, FREE + 2]
    jade.memory[FREE : FREE + 4] = bytes((7, 9, 5, 9))
    assert scanner.rescan_memory(dynamic_comparison_type=kinds.INCREASED) == [FREE + 1]
    assert scanner.rescan_memory(9, kinds.MATCH) == [FREE + 1]
    assert scanner.rescan_memory() == [FREE + 1]
    assert scanner.rescan_memory(dynamic_comparison_type=kinds.DECREASED) == []


@pytest.mark.parametrize(
    ("kind", "found"),
    [("UNCHANGED", [0]), ("CHANGED", [1, 2]), ("INCREASED", [1]), ("DECREASED", [2])],
)
def test_what_is_no_decimal_number_does_not_compare_with_one(jade, kind, found):
    scanner = jade.memory_scanner
    jade.memory[FREE : FREE + 6] = bytes((0x25, 0x25, 0x25, 0x25, 0xAB, 0xAB))
    assert len(scanner.scan_memory(None, FREE, FREE + 5, value_type=ScanMode.BCD)) == 6
    jade.memory[FREE : FREE + 6] = bytes((0x25, 0x26, 0x19, 0xAB, 0x25, 0xAC))
    again = scanner.rescan_memory(None, DynamicComparisonType[kind])
    assert again == [FREE + place for place in found]


def test_scans_that_cannot_be_are_refused(jade):
    scanner = jade.memory_scanner
    with pytest.raises(ValueError, match="scan_memory first"):
        scanner.rescan_memory()
    with pytest.raises(ValueError, match="byte_width must be 1 to 7, got 8"):
        scanner.scan_memory(0, byte_width=8)
    with pytest.raises(ValueError, match="readable bytes at 0x00000000: ewram is at"):
        scanner.scan_memory(0, 0, 10)
    with pytest.raises(ValueError, match="no 4 bytes from"):
        scanner.scan_memory(0, FREE, FREE + 2, byte_width=4)
    scanner.scan_memory(0, FREE, FREE)
    with pytest.raises(ValueError, match="MATCH needs new_value"):
        scanner.rescan_memory(None, DynamicComparisonType.MATCH)


def test_going_back_is_having_been_there():
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP, rewind=4) as gba:
        states = {}
        for _ in range(30):
            gba.tick(20)
            states[gba.frame_count] = gba.get_state()
        now = gba.frame_count
        gone = gba.rewind(90)
        assert 90 <= gone <= 90 + 60 and gba.frame_count == now - gone
        assert gba.get_state() == states[now - gone]
        gba.tick(20)
        assert gba.get_state() == states[now - gone + 20]
        with pytest.raises(ValueError, match="a larger rewind=STATES"):
            gba.rewind(400)  # four states are three seconds


@pytest.mark.parametrize("at_once", [1, 50, 59, 600])
@pytest.mark.parametrize("back", [0, 1, 60, 299])
def test_going_back_is_by_a_second_more_at_most_however_long_the_ticks(at_once, back):
    with GBA(JADE_ROM, rewind=60) as gba:
        for _ in range(600 // at_once):
            gba.tick(at_once)
        now = gba.frame_count
        gone = gba.rewind(back)
        assert back <= gone <= back + 60 and gba.frame_count == now - gone


def test_going_back_does_not_lead_to_before_a_later_state_that_was_loaded():
    with GBA(JADE_ROM) as other:
        other.tick(1000)
        later = other.get_state()
    with GBA(JADE_ROM, rewind=60) as gba:
        gba.tick(150)
        own = gba.get_state()
        gba.set_state(later)
        with pytest.raises(ValueError, match="a state of another play was loaded"):
            gba.rewind(60)
        gba.tick(100)
        assert gba.rewind(60) == 100 and gba.frame_count == 1000
        gba.set_state(own)
        with pytest.raises(ValueError, match="a larger rewind=STATES"):
            gba.rewind(60)


def test_going_back_does_not_lead_from_another_play_into_this_one():
    with GBA(JADE_ROM) as other:
        other.tick(330)
        other.memory[FREE] = 77
        theirs = other.get_state()
    with GBA(JADE_ROM, rewind=60) as gba:
        gba.tick(900)
        gba.set_state(theirs)
        with pytest.raises(ValueError, match="a state of another play was loaded"):
            gba.rewind(20)
        gba.tick(100)
        assert gba.rewind(50) == 100 and (gba.frame_count, gba.memory[FREE]) == (330, 77)


def test_going_back_does_not_lead_from_one_way_of_a_play_into_another():
    with GBA(JADE_ROM, rewind=60) as gba:
        gba.tick(200)
        gba.memory[FREE] = 77
        gba.tick(130)
        first = gba.get_state()
        assert gba.rewind(100) == 150 and (gba.frame_count, gba.memory[FREE]) == (180, 0)
        gba.tick(420)
        gba.set_state(first)
        assert gba.rewind(20) == 150, "the second way was at frame 300, without the mark"
        assert gba.rewind(0) == gba.rewind(0) == 0 and gba.frame_count == 180
        gba.set_state(first)
        gba.tick(60)
        assert gba.rewind(50) == 60 and (gba.frame_count, gba.memory[FREE]) == (330, 77)


def test_going_back_leads_over_a_state_that_was_loaded_on_the_way():
    with GBA(JADE_ROM, rewind=60) as gba:
        gba.tick(300)
        earlier = gba.get_state()
        gba.tick(300)
        later = gba.get_state()
        gba.set_state(earlier)
        gba.set_state(later)
        assert gba.rewind(400) == 420 and gba.frame_count == 180
        gba.tick(130)
        gba.set_state(earlier)
        assert gba.rewind(100) == 120 and gba.frame_count == 180


def test_a_console_that_keeps_nothing_cannot_go_back(jade):
    with pytest.raises(ValueError, match="open it with rewind=STATES"):
        jade.rewind()
    with pytest.raises(ValueError, match="at least 0, got -1"):
        jade.rewind(-1)


def test_a_stopped_console_has_no_parts():
    gba = GBA(JADE_ROM, sound_sample_rate=RATE, rewind=2)
    gba.stop()
    for name in ("register_file", "gameshark", "memory_scanner", "sound"):
        with pytest.raises(ValueError, match="was stopped"):
            getattr(gba, name)
    for use in (gba.tick, gba.rewind, lambda: gba.hook_register(0x08000000, print)):
        with pytest.raises(ValueError, match="was stopped"):
            use()


def test_going_back_does_not_lead_to_before_the_console_was_switched_off_and_on():
    with GBA(JADE_ROM, rewind=60) as gba:
        gba.clock = datetime(2031, 3, 4, 12)
        gba.tick(60)
        gba.memory[FREE] = 77
        gba.tick(600)
        gba.reset()
        gba.tick(30)
        assert gba.rewind(30) == 30 and (gba.frame_count, gba.memory[FREE]) == (0, 0)
        assert gba.clock == datetime(2031, 3, 4, 12, 0, 11)
        with pytest.raises(ValueError, match="a larger rewind=STATES"):
            gba.rewind(1)
