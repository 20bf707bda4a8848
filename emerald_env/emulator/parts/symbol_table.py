"""The names of a program's addresses, from a .sym file, a linker's .map file or an ELF file."""

import re
import struct
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from emerald_env.files.data import DataError, read_bytes
from emerald_env.files.printable import printable

MAX_BYTES = 256 << 20  # an ELF file with its debugging data
ROM_PAGES, ROM_OFFSET = range(0x08, 0x0E), 0x01FFFFFF
# "030022c0 g 0000043c gMain", as pret's `make syms` writes it, or "030022C0 gMain"
SYM_LINE = re.compile(rb"^([0-9a-fA-F]{8})(?: [gl] [0-9a-fA-F]{8})? ([A-Za-z_]\S*)\s*$", re.M)
# "                0x0000000008000394                AgbMain"
MAP_LINE = re.compile(rb"^ +0x([0-9a-fA-F]{8,16}) +([A-Za-z_][\w.$]*)\s*$", re.M)
ELF = struct.Struct("<16sHHIIIIIHHHHHH")
SECTION, SEGMENT, ENTRY = struct.Struct("<10I"), struct.Struct("<8I"), struct.Struct("<IIIBBH")
LONGEST_NAME = 4096  # bytes
OVERLAPS = "a damaged ELF file: its parts overlap, or reach beyond its end"
ARM, SYMBOLS, LOAD, FUNCTION, NAMED = 40, 2, 1, 2, (0, 1, 2)


class SymbolError(ValueError):
    """The file has no symbols, or not those of this ROM."""


def read_symbol_table(file: Path, rom: bytes) -> dict[str, int]:
    """Returns a program's addresses by their names, without the Thumb bit.

    Args:
        file: of any of the three kinds.
        rom: the running program.

    Raises:
        OSError: the file cannot be opened.
        SymbolError: it has no symbols, is damaged, or belongs to another ROM.
    """
    try:
        content = read_bytes(file, MAX_BYTES)
        if content.startswith(b"\x7fELF"):
            table = _elf_symbols(content, rom)
        else:
            lines = SYM_LINE.findall(content) or MAP_LINE.findall(content)
            table = {name.decode("utf-8", "replace"): int(at, 16) for at, name in lines}
    except (DataError, SymbolError) as error:
        raise SymbolError(f"{file}: {error}") from None
    except (struct.error, IndexError, ValueError):  # a name without its end is a ValueError
        raise SymbolError(
            f"{file} is a damaged ELF file: it ends too early, or has a name of more than "
            f"{LONGEST_NAME:,} bytes"
        ) from None
    if not table:
        raise SymbolError(
            f"{file} names no addresses: it should be a .sym file, a linker's .map file or an ELF "
            "file with symbols"
        )
    for name, address in table.items():
        if address >> 24 in ROM_PAGES and address & ROM_OFFSET > len(rom):
            raise SymbolError(
                f"{file} belongs to another ROM: {printable(name)} is at 0x{address:08X}, and this "
                f"one has {len(rom):,} bytes"
            )
    return table


def look_up(table: dict[str, int], name: str) -> int:
    """Returns a symbol's address.

    Raises:
        ValueError: there is no such symbol; the message names those that are like it.
    """
    if not table:
        raise ValueError("this GBA has no symbols: open it with symbols=FILE")
    if name not in table:
        near = get_close_matches(name, table, 3)
        raise ValueError(
            f"no symbol {name!r}" + (f": did you mean {', '.join(near)}?" if near else "")
        )
    return table[name]


def _elf_symbols(content: bytes, rom: bytes) -> dict[str, int]:
    header = ELF.unpack_from(content)
    if header[0][4:6] != b"\1\1" or header[2] != ARM:
        raise SymbolError("an ELF file, but not of a 32-bit ARM program")
    segments = [SEGMENT.unpack_from(content, header[5] + 32 * i) for i in range(header[10])]
    sections = [SECTION.unpack_from(content, header[6] + 40 * i) for i in range(header[12])]
    programs = _distinct(
        (
            (offset, size, place)
            for kind, offset, _, place, size, *_ in segments
            if kind == LOAD and place >> 24 in ROM_PAGES
        ),
        len(content),
    )
    for offset, size, place in programs:
        _compare(content[offset : offset + size], rom, place)
    tables = _distinct(
        (
            (offset, size, *sections[link][4:6])
            for _, kind, _, _, offset, size, link, *_ in sections
            if kind == SYMBOLS
        ),
        len(content),
    )
    return _named(content, (pair for table in tables for pair in _entries(content, *table)))


def _distinct(parts: Iterable[tuple[int, ...]], limit: int) -> list[tuple[int, ...]]:
    """Returns different parts of a file, (offset, size, ...): a small one can name one often."""
    found = list(dict.fromkeys(parts))
    if sum(size for _, size, *_ in found) > limit:
        raise SymbolError(OVERLAPS)
    return found


def _entries(
    content: bytes, offset: int, size: int, names: int, names_size: int
) -> Iterator[tuple[str, int]]:
    for name, value, _, info, *_ in ENTRY.iter_unpack(content[offset : offset + size]):
        start = names + name
        end = content.index(b"\0", start, min(names + names_size, start + LONGEST_NAME + 1))
        text = content[start:end].decode("utf-8", "replace")
        if text and not text.startswith("$") and info & 15 in NAMED:
            yield text, value & ~1 if info & 15 == FUNCTION else value


def _named(content: bytes, pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Returns addresses by their names, which must not be longer than the file altogether."""
    table: dict[str, int] = {}
    letters = 0
    for name, address in pairs:
        letters += 0 if name in table else len(name)
        if letters > len(content):
            raise SymbolError(OVERLAPS)
        table[name] = address
    return table


def _compare(segment: bytes, rom: bytes, place: int) -> None:
    start = place & ROM_OFFSET
    if rom[start : start + len(segment)] != segment:
        raise SymbolError(f"its program at 0x{place:08X} is not this ROM's: it is another build")
