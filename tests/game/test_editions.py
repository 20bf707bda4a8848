"""Each file that is no ROM of ours is called what it is."""

import pytest

from emerald_env.emulator import RomError
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import identify, open_game
from emerald_env.jade.cartridge import JADE_ROM


def rom(code, size):
    header = bytearray(0xC0)
    header[3], header[0xB2] = 0xEA, 0x96
    header[0xAC:0xB0] = code
    return bytes(header).ljust(size, b"\0")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PATCH" + bytes(1000), "a patch, not a ROM"),
        (b"UPS1" + bytes(1000), "a patch, not a ROM"),
        (b"BPS1" + bytes(1000), "a patch, not a ROM"),
        (b"PK\3\4" + bytes(1000), "unpack it"),
        (rom(b"BPEE", 32 << 20), "an expanded hack"),
        (rom(b"BPEE", 8 << 20), "it was cut off"),
        (rom(b"BPEE", 16 << 20), "SHA-1"),
        (rom(b"BPRE", 16 << 20), "FireRed"),
        (rom(b"XXXX", 1 << 20), "'XXXX'"),
        (b"", "0 bytes"),
    ],
)
def test_a_file_that_is_not_a_rom_of_ours_is_called_what_it_is(content, told, tmp_path):
    path = tmp_path / "game.gba"
    path.write_bytes(content)
    with pytest.raises(RomError, match=told):
        identify(path)


def test_a_folder_is_called_a_folder(tmp_path):
    with pytest.raises(RomError, match="is a folder"):
        identify(tmp_path)


@pytest.mark.parametrize("world", ["0", "7:demanding"])
def test_a_world_beside_a_rom_is_refused(world):
    with pytest.raises(
        RomError, match=f"world is {world} and rom is .*jade.gba: worlds are Jade's"
    ):
        identify(GameChoice(rom=JADE_ROM, world=world))
    with pytest.raises(RomError, match="leave --world or --rom out"):
        open_game(GameChoice(rom=JADE_ROM, world=world))
