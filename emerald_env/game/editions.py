"""The games that the project knows, and what to say about any other ROM."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from emerald_env.emulator import GBA, RomError
from emerald_env.emulator.gba import HEADER_SIZE, check_rom
from emerald_env.game import tables
from emerald_env.game.addresses import Addresses, UnknownAddressError
from emerald_env.game.tables import Callback, EditionSymbol


@dataclass(frozen=True, eq=False)
class Edition:
    """A game whose memory we can read, and where it keeps it."""

    name: str
    code: str  # four letters of the cartridge header
    size: int  # bytes of the whole ROM
    sha1: str | None  # of the only revision that the addresses hold for; None: built here
    addresses: Addresses
    screens: Mapping[int, Callback]  # the main callbacks by their pointer's value
    idle_loop: int | None = None  # address of the wait loop; None: mGBA knows it
    is_proved: bool = False  # read right in states of the game itself


class Game(GBA):
    """A Game Boy Advance with one of our games in it.

    Attributes:
        edition: which.

    Args:
        rom: path of the `.gba` file.
        edition: of the game in it.
    """

    def __init__(self, rom: Path, edition: Edition) -> None:
        super().__init__(rom, idle_loop=edition.idle_loop)
        self.edition: Final = edition

    def __enter__(self) -> "Game":
        return self


JADE_ROM = Path(__file__).parents[1] / "jade" / "jade.gba"
JADE_IDLE_LOOP = 0x080000E0
CARTRIDGE = 16 << 20  # bytes of every Emerald
EMERALD_SHA1 = {
    "BPEE": "f3ae088181bf583e55daf962a92bb46f4f1d07b7",
    "BPED": "61c2eb2b380b1a75f0c94b767a2d4c26cd7ce4e3",
    "BPEF": "ca666651374d89ca439007bed54d839eb7bd14d0",
    "BPEI": "1692db322400c3141c5de2db38469913ceb1f4d4",
    "BPES": "fe1558a3dcb0360ab558969e09b690888b846dd9",
    "BPEJ": "d7cf8f156ba9c455d164e1ea780a6bf1945465c2",
}
"""Revision 0 of each edition: No-Intro; pret/pokeemerald's rom.sha1, pokebot-gen3's roms.py."""
LANGUAGES = {
    "BPEE": "US",
    "BPED": "German",
    "BPEF": "French",
    "BPEI": "Italian",
    "BPES": "Spanish",
    "BPEJ": "Japanese",
}
RELATIVES = {
    "AXVE": "Pokémon Ruby (US)",
    "AXPE": "Pokémon Sapphire (US)",
    "BPRE": "Pokémon FireRed (US)",
    "BPGE": "Pokémon LeafGreen (US)",
}
"""Header codes of other games, which keep their memory in other ways."""


@cache
def edition(code: str) -> Edition:
    """Returns the edition with a cartridge's code.

    Raises:
        KeyError: there is none.
        UnknownAddressError: not all addresses that are needed are known.
    """
    if code == "JADE":
        size = JADE_ROM.stat().st_size if JADE_ROM.is_file() else 0
        emerald = edition("BPEE")
        return replace(
            emerald, name="Jade", code=code, size=size, sha1=None, idle_loop=JADE_IDLE_LOOP
        )
    sha1, name = EMERALD_SHA1[code], f"Pokémon Emerald ({LANGUAGES[code]})"
    known = tables.edition_symbols(code)
    addresses = Addresses.named({entry.name: entry.address for entry in known if entry.address})
    return Edition(name, code, CARTRIDGE, sha1, addresses, screens(known), None, code == "BPEE")


def screens(known: Iterable[EditionSymbol]) -> Mapping[int, Callback]:
    """Returns an edition's main callbacks by their pointer's value, as far as it knows them."""
    ours = tables.callbacks()
    found = [(entry.address, ours[entry.us]) for entry in known if entry.us in ours]
    return MappingProxyType({at: entry._replace(pointer=at) for at, entry in found if at})


def can_read(code: str) -> bool:
    """Returns whether there is an edition with this code whose memory we can read."""
    try:
        edition(code)
    except (KeyError, UnknownAddressError):
        return False
    return True


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
"""What is taken for a ROM, by its first bytes."""


def identify(rom: Path) -> Edition:
    """Returns which of our games a ROM file holds.

    Raises:
        FileNotFoundError: there is no such file.
        RomError: it is no ROM, cut off, or a game whose memory we cannot read; the message says
            what was found and what can be done.
    """
    if rom.is_dir():
        raise RomError(f"{rom} is a folder: give the file of the ROM in it")
    if not rom.is_file():
        raise FileNotFoundError(
            f"no ROM at {rom}: give the path of your own Emerald ROM with --rom, "
            "or leave --rom out for the built-in game"
        )
    with rom.open("rb") as file:
        header, size = file.read(HEADER_SIZE), rom.stat().st_size
    if kind := next((kind for magic, kind in NO_ROMS.items() if header.startswith(magic)), None):
        raise RomError(f"{rom} is {kind}")
    code = header[0xAC:0xB0].decode("ascii", "replace")
    if code == "JADE" or code in EMERALD_SHA1:
        _check_size(rom, size, JADE_ROM.stat().st_size if code == "JADE" else CARTRIDGE)
    check_rom(header, size, str(rom))
    found = _readable(rom, code)
    sha1 = hashlib.sha1(rom.read_bytes()).hexdigest()
    if found.sha1 not in (None, sha1):
        raise RomError(
            f"{rom} calls itself {found.name} but its SHA-1 is {sha1}, not {found.sha1}: "
            "a hack, another revision or a bad dump. Use an unchanged dump of your cartridge"
        )
    return found


def _check_size(rom: Path, size: int, whole: int) -> None:
    if size > whole:
        raise RomError(
            f"{rom} has {size:,} bytes, the cartridge has {whole:,}: an expanded hack, which "
            "lays its memory out anew. Use an unchanged dump of your cartridge"
        )
    if size < whole:
        raise RomError(f"{rom} has {size:,} bytes, the cartridge has {whole:,}: it was cut off")


def _readable(rom: Path, code: str) -> Edition:
    try:
        return edition(code)
    except UnknownAddressError as error:
        language = LANGUAGES[code]
        raise RomError(
            f"{rom} is the {language} Pokémon Emerald, which cannot be read yet: {error}"
        ) from None
    except KeyError:
        found = RELATIVES.get(code, f"the game {code!r}")
        raise RomError(
            f"{rom} is {found}. Its memory is laid out differently; only Pokémon Emerald in "
            "English, German, French, Italian and Spanish and the built-in Jade can be read"
        ) from None


def open_game(rom: Path | None = None) -> Game:
    """Opens a known game: the ROM at this path, or Jade where none is given.

    Raises:
        FileNotFoundError, RomError: see `identify`.
    """
    path = rom or JADE_ROM
    return Game(path, identify(path))
