"""The names of addresses, from three kinds of files."""

import shutil
import struct
import subprocess
import time

import pytest
from helpers.gba_programs import CODE, branch, cartridge, load
from hypothesis import given, settings
from hypothesis import strategies as st

from emerald_env import GBA
from emerald_env.emulator import SymbolError
from emerald_env.emulator.parts.symbol_table import read_symbol_table
from emerald_env.game.editions import JADE_ROM

ROM = cartridge([*load(4, 0), 0xE2844001, branch(-1)])
LOOP = 0x08000000 + CODE + 16
PRETS = "08000000 g 00000000 Start\n080000d0 l 00000004 Loop\n030022c0 g 0000043c gMain\n"
SHORT = "080000D0 Loop\n030022C0 gMain\n"
MAP = """
 .text          0x00000000080000c0      0x190 main.o
                0x00000000080000d0                Loop
                0x00000000030022c0                gMain
                0x0000000008000000                . = ALIGN (0x4)
"""


@pytest.mark.parametrize("text", [PRETS, SHORT, MAP, PRETS.replace("\n", "\r\n")])
def test_names_are_read_from_sym_and_map_files(tmp_path, text):
    file = tmp_path / "names"
    file.write_text(text)
    with GBA(ROM, symbols=file) as gba:
        assert gba.symbol_lookup("Loop") == LOOP and gba.symbol_lookup("gMain") == 0x030022C0
        calls = []
        gba.hook_register("Loop", calls.append)
        gba.tick()
        gba.hook_deregister("Loop")
        assert calls
        with pytest.raises(ValueError, match="no symbol 'gmain': did you mean gMain"):
            gba.symbol_lookup("gmain")


def elf(symbols: dict[str, tuple[int, int]], program: bytes) -> bytes:
    """A 32-bit ARM program at 0x08000000 with (value, kind) by name."""
    names, table = b"\0", bytes(16)
    for name, (value, kind) in symbols.items():
        table += struct.pack("<IIIBBH", len(names), value, 0, 16 | kind, 0, 1)
        names += name.encode() + b"\0"
    body = 52 + 32
    at_names, at_table = body + len(program), body + len(program) + len(names)
    at_sections = at_table + len(table)
    header = struct.pack(
        "<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, 40, 1, 0, 52, at_sections, 0, 52, 32, 1, 40, 2, 0
    )
    segment = struct.pack("<8I", 1, body, 0, 0x08000000, len(program), len(program), 5, 4)
    sections = struct.pack("<10I", 0, 3, 0, 0, at_names, len(names), 0, 0, 1, 0)
    sections += struct.pack("<10I", 0, 2, 0, 0, at_table, len(table), 0, 1, 4, 16)
    return header + segment + program + names + table + sections


def test_names_are_read_from_elf_files_without_the_thumb_bit(tmp_path):
    file = tmp_path / "game.elf"
    file.write_bytes(elf({"main": (0x08000101, 2), "odd": (0x02000001, 1), "$t": (8, 0)}, ROM[:64]))
    assert read_symbol_table(file, ROM) == {"main": 0x08000100, "odd": 0x02000001}


@pytest.mark.skipif(not shutil.which("arm-none-eabi-gcc"), reason="there is no compiler for ARM")
def test_what_the_linker_writes_is_read_and_agrees_with_nm(tmp_path):
    source = (
        ".text\n.global _start, data\n_start: nop\n.thumb_func\ninner: nop\n.data\ndata: .word 7"
    )
    (tmp_path / "a.s").write_text(source)
    command = "arm-none-eabi-gcc -nostdlib -Ttext=0x080000c0 -Tdata=0x02000000 -Wl,-Map=a.map a.s"
    subprocess.run([*command.split(), "-o", "a.elf"], cwd=tmp_path, check=True)
    subprocess.run("arm-none-eabi-objcopy -O binary -j .text a.elf a.bin".split(), cwd=tmp_path)
    text = (tmp_path / "a.bin").read_bytes()
    rom = ROM[:CODE] + text + ROM[CODE + len(text) :]
    found = read_symbol_table(tmp_path / "a.elf", rom)
    listed = subprocess.check_output(["arm-none-eabi-nm", "a.elf"], cwd=tmp_path, text=True)
    for line in listed.splitlines():
        address, _, name = line.split()
        assert name.startswith("$") or found[name] & ~1 == int(address, 16) & ~1
    assert found["_start"] == 0x080000C0
    assert read_symbol_table(tmp_path / "a.map", rom)["data"] == found["data"] == 0x02000000


def test_symbols_of_another_rom_are_refused(tmp_path):
    (tmp_path / "far.sym").write_text("08ff0000 g 00000000 FarAway\n")
    (tmp_path / "other.elf").write_bytes(elf({"main": (0x08000100, 2)}, JADE_ROM.read_bytes()[:64]))
    with pytest.raises(SymbolError, match="another ROM: FarAway is at 0x08FF0000.*4,096 bytes"):
        GBA(ROM, symbols=tmp_path / "far.sym")
    with pytest.raises(SymbolError, match="is not this ROM's: it is another build"):
        GBA(ROM, symbols=tmp_path / "other.elf")


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"hello\n", bytes(100), b"\x7fELF" + b"\2" * 99]
)
def test_files_without_symbols_are_refused(tmp_path, content):
    (tmp_path / "names").write_bytes(content)
    with pytest.raises(SymbolError, match="names"):
        GBA(ROM, symbols=tmp_path / "names")
    with pytest.raises(FileNotFoundError):
        GBA(ROM, symbols=tmp_path / "none")


def test_an_elf_file_whose_last_name_does_not_end_is_damaged(tmp_path):
    content = elf({"main": (0x08000101, 2)}, ROM[:64])
    assert content.count(b"main\0") == 1
    (tmp_path / "a.elf").write_bytes(content.replace(b"main\0", b"main!"))
    with pytest.raises(SymbolError, match="a.elf is a damaged ELF file: it ends too early"):
        read_symbol_table(tmp_path / "a.elf", ROM)


def test_a_table_that_a_small_file_names_thousands_of_times_is_read_once(tmp_path):
    content = bytearray(elf({f"a{i}": (0x02000000 + i, 1) for i in range(2000)}, ROM[:64]))
    (at,) = struct.unpack_from("<I", content, 32)
    struct.pack_into("<H", content, 48, 20_000)  # sections
    content += content[at + 40 : at + 80] * 19_998
    (tmp_path / "a.elf").write_bytes(content)
    started = time.process_time()
    assert read_symbol_table(tmp_path / "a.elf", ROM)["a1999"] == 0x020007CF
    assert time.process_time() - started < 5, "2,000 symbols, not 40 million"


def test_a_program_that_a_small_file_names_thousands_of_times_is_compared_once(tmp_path):
    rom = ROM + bytes(4 << 20)
    content = bytearray(elf({"main": (0x08000101, 2)}, rom))
    segments, at = content[52:84] * 20_000, len(content)
    struct.pack_into("<I", content, 28, at)
    struct.pack_into("<H", content, 44, 20_000)
    (tmp_path / "a.elf").write_bytes(content + segments)
    started = time.process_time()
    assert read_symbol_table(tmp_path / "a.elf", rom) == {"main": 0x08000100}
    assert time.process_time() - started < 5


def overlapping_tables(content: bytearray) -> bytes:
    """A symbol more to the right in each of 99 tables."""
    (at,) = struct.unpack_from("<I", content, 32)
    struct.pack_into("<H", content, 48, 100)
    *section, entries = struct.unpack_from("<10I", content, at + 40)
    for i in range(1, 99):
        content += struct.pack("<10I", *section[:4], section[4] + 16 * i, *section[5:], entries)
    return content


def overlapping_programs(content: bytearray) -> bytes:
    """Each a byte shorter."""
    kind, body, _, place, size, *rest = struct.unpack_from("<8I", content, 52)
    struct.pack_into("<I", content, 28, len(content))
    struct.pack_into("<H", content, 44, 60)
    for i in range(60):
        content += struct.pack("<8I", kind, body, 0, place, size - i, *rest)
    return content


@pytest.mark.parametrize("overlapping", [overlapping_tables, overlapping_programs])
def test_parts_of_an_elf_file_that_overlap_are_refused(tmp_path, overlapping):
    content = bytearray(elf({f"a{i}": (0x02000000, 1) for i in range(500)}, ROM))
    (tmp_path / "a.elf").write_bytes(overlapping(content))
    with pytest.raises(SymbolError, match="a.elf: a damaged ELF file: its parts overlap"):
        read_symbol_table(tmp_path / "a.elf", ROM)


def test_names_of_an_elf_file_that_share_their_letters_are_refused(tmp_path):
    content = bytearray(elf({"a" * 4000: (0x02000000, 1)}, ROM[:64]))
    at = struct.unpack_from("<I", content, 32)[0]
    entry = content[at - 16 : at]
    table = b"".join(struct.pack("<I", 1 + i) + entry[4:] for i in range(3000))
    struct.pack_into("<2I", content, at + 56, len(content), len(table))
    (tmp_path / "a.elf").write_bytes(content + table)
    with pytest.raises(SymbolError, match="a.elf: a damaged ELF file: its parts overlap"):
        read_symbol_table(tmp_path / "a.elf", ROM)


@pytest.mark.parametrize(("length", "is_read"), [(4096, True), (4097, False)])
def test_a_name_of_an_elf_file_has_at_most_4096_bytes(tmp_path, length, is_read):
    (tmp_path / "a.elf").write_bytes(elf({"a" * length: (0x02000000, 1)}, ROM[:64]))
    if is_read:
        assert read_symbol_table(tmp_path / "a.elf", ROM) == {"a" * 4096: 0x02000000}
    else:
        with pytest.raises(SymbolError, match="a name of more than 4,096 bytes"):
            read_symbol_table(tmp_path / "a.elf", ROM)


@settings(max_examples=150)
@given(data=st.data())
def test_a_damaged_elf_file_is_an_error_or_other_names(tmp_path_factory, data):
    content = bytearray(elf({"main": (0x08000101, 2), "gMain": (0x02000000, 1)}, ROM[:64]))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(4, len(content) - 1))] = data.draw(st.integers(0, 255))
    file = tmp_path_factory.mktemp("elf") / "damaged.elf"
    file.write_bytes(content[: data.draw(st.integers(4, len(content)))])
    try:
        assert read_symbol_table(file, ROM)
    except SymbolError as error:
        assert "\n" not in str(error)
