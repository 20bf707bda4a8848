"""Files of states and saves: read, or refused in one line."""

import os
import random
import struct
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
from helpers.examples import TIMES, examples
from helpers.handmade import Game, Mon, flash, state_file
from hypothesis import given, settings
from hypothesis import strategies as st

from emerald_env.game import symbols as sym
from emerald_env.game.savefile import (
    MAX_FILE_SIZE,
    STATE_SIZE,
    FlashSave,
    MemoryImage,
    SaveFileError,
    load,
    parse,
)
from emerald_env.state import decode, decode_save

GAME = Game(party=(Mon(), Mon(personality=7)), money=1234)
STATE = state_file(GAME.memory())
FLASH = flash({0: (6, Game(money=1)), 1: (7, Game(money=2))})


def chunk(kind, content):
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))


def png(*chunks):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 240, 160, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")


PNG = png(chunk(b"gbAx", struct.pack("<II", 2, 4) + zlib.compress(b"\xff" * 4)),
          chunk(b"gbAs", zlib.compress(STATE)))  # fmt: skip


def money(save: FlashSave):
    return decode_save(save.block1, save.block2).money


@pytest.mark.parametrize("data", [STATE, PNG, STATE + b"what mGBA appends"])
def test_a_state_is_read_raw_and_from_a_picture(data):
    image = parse(data)
    assert isinstance(image, MemoryImage)
    assert (image.title, image.code, image.rom_crc32) == ("POKEMON EMER", "BPEE", 0x1F1C08FB)
    assert len(image.data) == STATE_SIZE
    assert decode(image.read) == decode(GAME.memory().read)


def test_memory_that_a_state_does_not_hold_reads_as_zero():
    image = parse(STATE)
    assert image.read(0x08000000, 4) == bytes(4)
    assert image.read(sym.EWRAM + sym.EWRAM_SIZE - 2, 4) == bytes(4)
    assert image.read(sym.IWRAM - 1, 4) == bytes(4)


@pytest.mark.parametrize("appended", [b"", b"mGBA's clock: 16"])
def test_a_flash_save_is_read(appended):
    game = Game(party=(Mon(), Mon(personality=7)), money=1234, flags=(0x860,), facing=2)
    save = parse(flash({1: (1, game)}) + appended)
    assert (save.slot, save.counter) == (1, 1)
    state = decode_save(save.block1, save.block2)
    assert (state.money, state.location, len(state.party)) == (1234, game.location, 2)
    assert (state.facing, state.has(0x860)) == (2, True)
    assert state.dialog_open is None and not state.controllable and not state.in_battle


@pytest.mark.parametrize(
    ("counters", "newest"),
    [((6, 7), 1), ((8, 7), 0), ((0xFFFFFFFF, 0), 1), ((0, 0xFFFFFFFF), 0), ((2, 1), 0)],
)
def test_the_newer_of_two_saves_counts(counters, newest):
    save = parse(flash({slot: (counters[slot], Game(money=slot)) for slot in (0, 1)}))
    assert (save.slot, money(save)) == (newest, newest)


def test_a_save_whose_newer_slot_is_broken_falls_back_to_the_older():
    data = bytearray(FLASH)
    data[14 * 0x1000 + 5] ^= 1
    assert money(parse(bytes(data))) == 1


@pytest.mark.parametrize("place", [0, 0xFF4, 0xFF6, 0xFF8])
def test_a_sector_with_a_wrong_byte_breaks_its_slot(place):
    data = bytearray(flash({0: (2, Game())}))
    data[3 * 0x1000 + place] ^= 0xFF
    with pytest.raises(SaveFileError, match="no complete game"):
        parse(bytes(data))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\0", "neither a save state"),
        (b"PK\3\4" + bytes(500_000), "neither a save state"),
        (STATE[:1000], "cut off"),
        (STATE[:-1], "cut off"),
        (b"\7\0\x40\0" + bytes(100_000), "Game Boy game"),
        (b"\xff" * 0x20000, "no complete game"),
        (bytes(0x20000), "no complete game"),
        (FLASH[:0x10000], "neither a save state"),
        (png(), "without a save state"),
        (PNG[:-200_000] if len(PNG) > 200_000 else PNG[: len(PNG) // 2], "cut off"),
        (PNG[:10], "cut off"),
        (png(chunk(b"gbAs", b"not zlib")), "cannot be unpacked"),
        (png(chunk(b"gbAs", zlib.compress(b"short"))), "does not unpack"),
        (png(chunk(b"gbAs", zlib.compress(STATE + b"x"))), "does not unpack"),
        (png(chunk(b"gbAs", zlib.compress(STATE)[:-99])), "does not unpack"),
        (png(chunk(b"gbAs", zlib.compress(b"x" * STATE_SIZE))), "neither a save state"),
        (PNG.replace(b"gbAs", b"gbAz"), "broken PNG"),
        (state_file(GAME.memory(), version=0x02000007), "neither a save state"),
    ],
)
def test_what_is_neither_a_state_nor_a_save_is_refused_in_one_line(data, words):
    with pytest.raises(SaveFileError, match=words) as caught:
        parse(data)
    assert "\n" not in str(caught.value)


def test_a_picture_that_unpacks_to_gigabytes_costs_no_memory():
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(512)) + packer.flush()
    tracemalloc.start()
    with pytest.raises(SaveFileError, match="does not unpack"):
        parse(png(chunk(b"gbAs", bomb)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_a_file_that_is_too_large_is_not_even_read(tmp_path):
    path = tmp_path / "huge.state"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_SIZE + 1)
    tracemalloc.start()
    with pytest.raises(SaveFileError, match="over 8,388,608 bytes"):
        load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_refusal_names_the_file(tmp_path):
    path = tmp_path / "empty.sav"
    path.touch()
    with pytest.raises(SaveFileError, match="empty.sav: the file is empty"):
        load(path)


@st.composite
def damaged(draw):
    """One of the three kinds of file, cut off, lengthened or with some bytes changed."""
    data = bytearray(draw(st.sampled_from([STATE, FLASH, PNG])))
    for place, content in draw(
        st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), max_size=5)
    ):
        start = int(place * (len(data) - len(content)))
        data[start : start + len(content)] = content
    length = draw(st.one_of(st.none(), st.floats(0, 1)))
    if length is not None:
        data = data[: int(length * len(data))]
    return bytes(data) + draw(st.binary(max_size=70))


def use(data):
    """Reads a file's content and whatever is in it; only a `SaveFileError` may come out."""
    try:
        content = parse(data)
    except SaveFileError as error:
        assert "\n" not in str(error)
        return
    if isinstance(content, FlashSave):
        decode_save(content.block1, content.block2)
    else:
        decode(content.read)


@given(damaged())
@settings(max_examples=examples(300))
def test_damaged_files_are_read_or_refused(data):
    use(data)


@pytest.mark.slow
@given(damaged(), st.randoms(use_true_random=False))
@settings(max_examples=examples(1000))
def test_many_damaged_files_are_read_or_refused(data, generator: random.Random):
    data = bytearray(data)
    for _ in range(generator.randrange(20) if data else 0):
        data[generator.randrange(len(data))] = generator.randrange(256)
    use(bytes(data))


@pytest.mark.slow
def test_a_coverage_guided_fuzzer_finds_nothing(tmp_path):
    pytest.importorskip("atheris")
    for name, data in {"state": STATE, "flash": FLASH, "png": PNG}.items():
        (tmp_path / name).write_bytes(data)
    script = Path(__file__).with_name("fuzz_savefile.py")
    limits = [f"-max_total_time={round(5 * TIMES)}", "-max_len=500000"]
    done = subprocess.run(
        [sys.executable, script, *limits, str(tmp_path)],
        env=os.environ, cwd=script.parents[2], capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
