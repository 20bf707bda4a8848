"""The supported games, and what to say about any other ROM."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from emerald_env.emulator import GBA, RomError
from emerald_env.emulator.cartridge.rom import MAX_ROM_SIZE
from emerald_env.emulator.static.translate import Core
from emerald_env.files.data import read_bytes
from emerald_env.files.printable import printable
from emerald_env.game import tables
from emerald_env.game.addresses import Addresses
from emerald_env.game.choice import Rom, choice_of
from emerald_env.game.code_patterns import IDLE_LOOP, code_differences, wait_loop
from emerald_env.game.rom_file import CARTRIDGE, HACKS, check_size, game_code
from emerald_env.game.symbol_file import read_symbols
from emerald_env.game.tables import Callback, EditionSymbol
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, JADE_ROM, world_file, world_of

WORLD: Final = "Jade, world "  # before its name, in the name of another world of Jade


@dataclass(frozen=True, eq=False)
class Edition:
    """A game whose memory we can read, with its addresses."""

    name: str
    code: str  # four letters of the cartridge header
    size: int  # bytes of the whole ROM
    sha1: str | None  # of the only revision with these addresses; None: built here
    addresses: Addresses
    screens: Mapping[int, Callback]  # the main callbacks by their pointer's value
    idle_loop: int | None = None  # address of the wait loop; None: mGBA knows it
    is_proved: bool = False  # verified on states of the game itself
    is_changed: bool = False  # a hack: checked on this machine before it is played
    is_read: bool = True  # False: any other game, of which only the screen is known
    world: str | None = None  # of Jade, where its maps are not those of Jade as it comes

    @property
    def is_japanese(self) -> bool:
        """Whether its text starts in kana."""
        return self.code == "BPEJ"


class Game(GBA):
    """A Game Boy Advance with one of our games in it.

    Attributes:
        edition: of the game.

    Args:
        rom: path of the `.gba` file.
        edition: of the game in it.
        core: as `GBA` takes it.
    """

    def __init__(self, rom: Path, edition: Edition, core: Core = "auto") -> None:
        super().__init__(rom, idle_loop=edition.idle_loop, core=core)
        self.edition: Final = edition

    def __enter__(self) -> "Game":
        return self


EMERALD_SHA1 = {
    "BPEE": "f3ae088181bf583e55daf962a92bb46f4f1d07b7",
    "BPED": "61c2eb2b380b1a75f0c94b767a2d4c26cd7ce4e3",
    "BPEF": "ca666651374d89ca439007bed54d839eb7bd14d0",
    "BPEI": "1692db322400c3141c5de2db38469913ceb1f4d4",
    "BPES": "fe1558a3dcb0360ab558969e09b690888b846dd9",
    "BPEJ": "d7cf8f156ba9c455d164e1ea780a6bf1945465c2",
}
"""Revision 0 of each edition: No-Intro; the rom.sha1 of pret's disassemblies, pokebot-gen3."""
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
"""Header codes of related games with other memory layouts."""


@cache
def edition(code: str) -> Edition:
    """Returns the edition with a cartridge's code.

    Raises:
        KeyError: there is none.
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
    """Returns an edition's known main callbacks by their pointer's value."""
    ours = tables.callbacks()
    found = [(entry.address, ours[entry.us]) for entry in known if entry.us in ours]
    return MappingProxyType({at: entry._replace(pointer=at) for at, entry in found if at})


def can_read(code: str) -> bool:
    """Returns whether there is an edition with this code, whose memory we can read."""
    return code == "JADE" or code in EMERALD_SHA1


def identify(rom: Rom) -> Edition:
    """Returns the game in a ROM file.

    Args:
        rom: the file, perhaps with what its user knows about it; None: Jade.

    Raises:
        FileNotFoundError: the file does not exist.
        RomError: it is not a complete ROM, or a game whose memory we cannot read, or a world is
        chosen beside it; the message says what was found and what to do.
    """
    choice = choice_of(rom)
    if choice.rom is not None and choice.world is not None:
        raise RomError(
            f"world is {choice.world} and rom is {choice.rom}: worlds are Jade's, so leave --world "
            "or --rom out"
        )
    path = rom_file(choice)
    code = game_code(path)
    if choice.data is not None:
        return _unread(path, code)
    if choice.symbols is not None:
        return _with_symbols(path, code, choice.symbols)
    if code == "JADE":
        check_size(path, JADE_ROM.stat().st_size)
        jade = edition(code)
        if choice.world is None:
            return jade
        own = choice.world if world_of(choice.world).seed else None
        return replace(jade, name=f"{WORLD}{choice.world}", world=own)
    if code not in EMERALD_SHA1:
        found = RELATIVES.get(code, f"the game {code!r}")
        raise RomError(
            f"{path} is {found}. Its memory is laid out differently; only Pokémon Emerald and the "
            "built-in Jade can be read, and hacks of Emerald that bring their .sym file "
            "(--symbols). To play it by its screen alone, name values of its memory with --data"
        )
    check_size(path, CARTRIDGE, choice.allow_unknown_rom)
    known, sha1 = edition(code), sha1_of(path)
    if sha1 == known.sha1:
        return known
    if choice.allow_unknown_rom:
        return _unknown(path, known, sha1)
    raise RomError(
        f"{path} calls itself {known.name} but its SHA-1 is {sha1}, not {known.sha1}: "
        f"a hack, another revision or a bad dump. Use an unchanged dump of your cartridge. {HACKS}"
    )


def rom_file(rom: Rom) -> Path:
    """Returns the file that is played: the user's, or Jade's, or that of a world of Jade."""
    choice = choice_of(rom)
    return choice.rom or world_file(choice.world)


def sha1_of(rom: Path) -> str:
    """Returns the SHA-1 of a file, in hexadecimal digits."""
    return hashlib.sha1(read_bytes(rom, MAX_ROM_SIZE)).hexdigest()


def _unknown(rom: Path, known: Edition, sha1: str) -> Edition:
    """Returns the edition of an unknown ROM, if its code is that of a known one."""
    if found := code_differences(read_bytes(rom, MAX_ROM_SIZE), known.addresses):
        raise RomError(
            f"{rom} is not {known.name} with unchanged code: {'; '.join(found)}. Without its .sym "
            "file (--symbols) it would be misread"
        )
    name = f"{known.name}, changed"
    return replace(
        known, name=name, sha1=sha1, idle_loop=IDLE_LOOP, is_proved=False, is_changed=True
    )


def _unread(rom: Path, code: str) -> Edition:
    """Returns the edition of any other game; its addresses mean nothing."""
    return replace(
        edition("BPEE"),
        name=printable(rom.stem),
        code=printable(code),
        size=rom.stat().st_size,
        sha1=sha1_of(rom),
        is_proved=False,
        is_read=False,
    )


def _with_symbols(rom: Path, code: str, file: Path) -> Edition:
    """Returns the edition that a decompilation's symbols describe."""
    if code in RELATIVES:
        raise RomError(f"{rom} is {RELATIVES[code]}: only hacks of Emerald can be read")
    content = read_bytes(rom, MAX_ROM_SIZE)
    symbols = read_symbols(file, len(content))
    return Edition(
        name=f"{printable(rom.stem)} (hack of Pokémon Emerald)",
        code=code,
        size=len(content),
        sha1=hashlib.sha1(content).hexdigest(),
        addresses=symbols.addresses,
        screens=symbols.screens,
        idle_loop=wait_loop(content, symbols.wait_for_vblank),
        is_changed=True,
    )


def open_game(rom: Rom = None) -> Game:
    """Opens a known game: the ROM at this path, or Jade if none is given.

    Raises:
        FileNotFoundError, RomError: see `identify`.
        ValueError: the chosen core is not there.
    """
    choice = choice_of(rom)
    return Game(rom_file(choice), identify(choice), choice.core)


def describe_game(rom: Rom) -> dict[str, str]:
    """Returns name, code and SHA-1 of the game in a ROM, None for Jade.

    Raises:
        FileNotFoundError, RomError: see `identify`.
    """
    choice = choice_of(rom)
    game = identify(choice)
    sha1 = game.sha1 or sha1_of(rom_file(choice))
    return {"name": game.name, "code": game.code, "sha1": sha1}
