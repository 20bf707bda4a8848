"""Identifies a file given as a ROM, by its first bytes and its size."""

from __future__ import annotations

from pathlib import Path

from emerald_env.emulator import RomError
from emerald_env.emulator.cartridge.rom import HEADER_SIZE, check_rom
from emerald_env.files.data import open_regular

CARTRIDGE = 16 << 20  # bytes of every Emerald
_PATCH = "a patch, not a ROM: apply it to your ROM first, and see docs/EMERALD.md about hacks"
NO_ROMS = {
    b"PATCH": f"{_PATCH} (IPS)",
    b"UPS1": f"{_PATCH} (UPS)",
    b"BPS1": f"{_PATCH} (BPS)",
    b"\xd6\xc3\xc4": f"{_PATCH} (xdelta)",
    b"PK\3\4": "a zip archive: unpack it, and give the .gba file in it",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive: unpack it, and give the .gba file in it",
    b"Rar!": "a RAR archive: unpack it, and give the .gba file in it",
}
"""Files mistaken for ROMs, by their first bytes."""
HACKS = (
    "For a hack with Emerald's code (new texts, pictures, numbers) use --allow-unknown-rom; for "
    "one built from the decompilation, --symbols with its .sym file"
)


def game_code(rom: Path) -> str:
    """Returns the four letters of a ROM's header that identify the game.

    Raises:
        FileNotFoundError: the file does not exist.
        RomError: it is not a complete ROM; the message says what it is.
    """
    if rom.is_dir():
        raise RomError(f"{rom} is a folder: give the ROM file in it")
    if not rom.is_file():
        raise FileNotFoundError(
            f"no ROM at {rom}: give the path of your own Emerald ROM with --rom, "
            "or leave --rom out for the built-in game"
        )
    with open_regular(rom) as file:
        header, size = file.read(HEADER_SIZE), rom.stat().st_size
    if kind := next((kind for magic, kind in NO_ROMS.items() if header.startswith(magic)), None):
        raise RomError(f"{rom} is {kind}")
    check_rom(header, size, str(rom))
    return header[0xAC:0xB0].decode("ascii", "replace")


def check_size(rom: Path, whole: int, expanded: bool = False) -> None:
    """Checks the size of a ROM.

    Args:
        rom: the file.
        whole: bytes of the cartridge.
        expanded: whether more are allowed.

    Raises:
        RomError: it is another.
    """
    size = rom.stat().st_size
    if size > whole and not expanded:
        raise RomError(
            f"{rom} has {size:,} bytes, the cartridge has {whole:,}: an expanded hack, which may "
            f"keep its memory elsewhere. Use an unchanged dump of your cartridge. {HACKS}"
        )
    if size < whole:
        raise RomError(f"{rom} has {size:,} bytes, the cartridge has {whole:,}: it was cut off")
