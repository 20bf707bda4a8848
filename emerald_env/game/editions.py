"""The games that the project knows, and what to say about any other ROM."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from emerald_env.emulator import GBA, RomError
from emerald_env.emulator.gba import HEADER_SIZE, check_rom


@dataclass(frozen=True)
class Game:
    """A game whose memory we can read."""

    name: str
    code: str  # four letters of the cartridge header
    size: int  # bytes of the whole ROM
    sha1: str | None  # of the only revision that the addresses hold for; None: built here
    idle_loop: int | None = None  # address of the wait loop; None: mGBA knows it


JADE_ROM = Path(__file__).parents[1] / "jade" / "jade.gba"
JADE = Game("Jade", "JADE", JADE_ROM.stat().st_size if JADE_ROM.is_file() else 0, None, 0x080000E0)
# No-Intro; pret/pokeemerald rom.sha1
EMERALD = Game("Pokémon Emerald (US)", "BPEE", 16 << 20, "f3ae088181bf583e55daf962a92bb46f4f1d07b7")
GAMES = {game.code: game for game in (JADE, EMERALD)}

# Header codes of relatives: the addresses in symbols.py do not hold for any of them.
RELATIVES = {
    "BPEJ": "the Japanese Pokémon Emerald",
    "BPED": "the German Pokémon Emerald",
    "BPEF": "the French Pokémon Emerald",
    "BPEI": "the Italian Pokémon Emerald",
    "BPES": "the Spanish Pokémon Emerald",
    "AXVE": "Pokémon Ruby (US)",
    "AXPE": "Pokémon Sapphire (US)",
    "BPRE": "Pokémon FireRed (US)",
    "BPGE": "Pokémon LeafGreen (US)",
}

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


def identify(rom: Path) -> Game:
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
    game = GAMES.get(code)
    if game is not None and size > game.size:
        raise RomError(
            f"{rom} has {size:,} bytes, {game.name} has {game.size:,}: an expanded hack, which "
            "lays its memory out anew. Use an unchanged dump of your cartridge"
        )
    if game is not None and size < game.size:
        raise RomError(f"{rom} has {size:,} bytes, {game.name} has {game.size:,}: it was cut off")
    check_rom(header, size, str(rom))
    if game is None:
        found = RELATIVES.get(code, f"the game {code!r}")
        raise RomError(
            f"{rom} is {found}. Its memory is laid out differently; "
            f"only {EMERALD.name} (code BPEE, revision 0) and the built-in Jade can be read"
        )
    sha1 = hashlib.sha1(rom.read_bytes()).hexdigest()
    if game.sha1 not in (None, sha1):
        raise RomError(
            f"{rom} calls itself {game.name} but its SHA-1 is {sha1}, not {game.sha1}: "
            "a hack, another revision or a bad dump. Use an unchanged dump of your cartridge"
        )
    return game


def open_game(rom: Path | None = None) -> GBA:
    """Opens a known game: the ROM at this path, or Jade where none is given.

    Raises:
        FileNotFoundError, RomError: see `identify`.
    """
    path = rom or JADE_ROM
    return GBA(path, idle_loop=identify(path).idle_loop)
