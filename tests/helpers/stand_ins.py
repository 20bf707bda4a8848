"""Stand-ins for ROMs that are nobody's to share: Jade, built where an edition keeps its memory."""

import re
import shutil
import subprocess
from pathlib import Path

from emerald_env.game import tables
from emerald_env.game.addresses import MESSAGE, PRET_NAMES
from emerald_env.game.editions import JADE_ROM

COMPILER = shutil.which("arm-none-eabi-gcc")
SOURCES = Path(__file__).parents[2] / "jade"
CARTRIDGE = 16 << 20
STACKS = 0x03007F00  # from here on the addresses are the console's
_LITERAL = re.compile(r"0x(0[238][0-9A-F]{6})\b")


def moves(code):
    """Returns a function that says where an edition has what is at an address of the US one."""
    known = {
        entry.us: entry.address
        for entry in tables.edition_symbols(code)
        # Jade's other texts, longer than the Japanese ones, lie where that edition has its message
        if entry.address and entry.name != MESSAGE
    }

    def move(address):
        if address in known or address >> 24 == 8 or address >= STACKS:
            return known.get(address, address)
        # what no table has moved as far as its neighbour before it
        before = [us for us in known if us >> 24 == address >> 24 and us <= address]
        return address + known[max(before)] - max(before) if before else address

    return move


def built(code, folder):
    """Returns Jade as built for an edition, with its header, variables and functions' numbers.

    It takes seconds.
    """
    copy, move = folder / "jade", moves(code)
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("build", "*.gba", "tools"))
    for file in ("emerald.h", "crt0.s"):
        path = copy / "src" / "system" / file
        path.write_text(_LITERAL.sub(lambda m: f"0x{move(int(m[1], 16)):08X}", path.read_text()))
    subprocess.run(["make", "-s", "-j2", "-C", str(copy), "jade.gba"], check=True)
    return relabelled((copy / "jade.gba").read_bytes(), code)


def patched(code):
    """Returns Jade with an edition's header and its functions' numbers; its variables stay."""
    rom = bytearray(JADE_ROM.read_bytes())
    numbers = {entry.us: entry.address for entry in tables.edition_symbols(code) if entry.address}
    for at in range(0x100, len(rom), 4):
        word = int.from_bytes(rom[at : at + 4], "little")
        if word >> 24 == 8 and word in numbers:
            rom[at : at + 4] = numbers[word].to_bytes(4, "little")
    return relabelled(rom, code)


def relabelled(rom, code):
    """Returns a ROM with another game's code in its header."""
    return bytes(rom[:0xAC]) + code.encode() + bytes(rom[0xB0:])


def cartridge(rom, addresses=None):
    """Returns a ROM as large as Emerald's, with its functions that give some addresses away.

    Those are put together from the instructions in pret's disassembly, not from a ROM.

    Args:
        rom: the game.
        addresses: that the functions refer to; None: there are no such functions.
    """
    whole = bytearray(rom.ljust(CARTRIDGE, b"\xff"))
    if addresses is not None:
        overworld, others = _emeralds_functions(addresses)
        at = addresses.cb2_overworld - 0x08000001
        assert at > len(rom), "behind Jade"
        whole[at : at + len(overworld)] = overworld
        whole[CARTRIDGE // 2 : CARTRIDGE // 2 + len(others)] = others
    return bytes(whole)


def _emeralds_functions(addresses):
    """Returns `CB2_Overworld`, and six other functions."""

    def thumb(*instructions):
        return b"".join(word.to_bytes(2, "little") for word in instructions)

    def words(*values):
        return b"".join(value.to_bytes(4, "little") for value in values)

    a = addresses
    lock, runs = words(a.s_lock_field_controls), words(a.s_global_script_context_status)
    call = thumb(0xF000, 0xF800)
    overworld = (
        thumb(0xB510, 0x4809, 0x79C0, 0x09C0, 0x1C04, 0x2C00, 0xD002, 0x2000)
        + call * 2
        + thumb(0x2C00, 0xD001)
        + call
        + thumb(0xBC10, 0xBC01, 0x4700, 0)
        + words(a.g_palette_fade)
    )
    script = (
        thumb(0x4901, 0x2001, 0x7008, 0x4770) + lock
        + thumb(0x4901, 0x2000, 0x7008, 0x4770) + lock
        + thumb(0x4801, 0x7800, 0x4770, 0) + lock
        + thumb(0xB500, 0x4803, 0x7800, 0x2800, 0xD004, 0x2000, 0xE003, 0) + runs
    )  # fmt: skip
    clock = (
        thumb(0xB500, 0x4906, 0x2001, 0x7008, 0x4805, 0x6800, 0x89C1, 0x4805, 0x4281, 0xD901)
        + call
        + thumb(0xBC01, 0x4700)
        + words(a.s_play_time_counter_state, a.g_save_block_2_ptr, 999)
    )
    wait = (
        thumb(0xB500, 0x4A09, 0x8B91, 0x4809, 0x4008, 0x8B91, 0x8390, 0x8B91, 0x2001, 0x4008)
        + thumb(0x2800, 0xD105, 0x2301, 0x8B91, 0x1C18, 0x4008, 0x2800, 0xD0FA, 0xBC01, 0x4700)
        + words(a.g_main, 0xFFFE)
    )
    return overworld, script + clock + wait


def symbol_file(code, folder, without=(), sizes=()):
    """Writes what `make syms` of a decompilation would say of an edition; returns the file."""
    from emerald_env.game.symbol_file import SIZES

    lines = []
    for entry in tables.edition_symbols(code):
        if entry.address and entry.name not in without:
            size = dict(sizes).get(entry.name, SIZES.get(entry.name, 4))
            at = entry.address & ~1 if entry.address >> 24 == 8 else entry.address
            lines.append(f"{at:08x} g {size:08x} {entry.name}")
    path = Path(folder) / f"{code}.sym"
    path.write_text("\n".join(lines) + "\n")
    assert all(name in str(lines) for name in PRET_NAMES.values() if name not in without)
    return path
