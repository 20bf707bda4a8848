"""The Pokémon in the PC's boxes: large, so read only on request."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from emerald_env.game import symbols as sym
from emerald_env.game.editions import Edition, edition
from emerald_env.state.parts.pokemon import Pokemon, decode_box_pokemon, is_empty
from emerald_env.state.parts.text import decode_text

_POINTER = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Storage:
    """The PC's boxes."""

    current_box: int  # 0..13
    box_names: tuple[str, ...]  # (14,)
    pokemon: tuple[Pokemon, ...]  # (0..420,) in the boxes' order, without empty places
    broken: int  # places whose checksum fails or whose numbers are impossible


def decode_storage(data: bytes, japanese: bool = False) -> Storage:
    """Decodes a PokemonStorage structure of 0x83D0 bytes.

    Args:
        data: the structure.
        japanese: whether the game's own names are in kana: the boxes', and of who found an egg.
    """
    places = [
        data[start : start + sym.BOX_POKEMON_SIZE]
        for start in range(sym.STORAGE_BOXES, sym.STORAGE_BOX_NAMES, sym.BOX_POKEMON_SIZE)
    ]
    filled = [decode_box_pokemon(place, japanese) for place in places if not is_empty(place)]
    found = tuple(pokemon for pokemon in filled if pokemon is not None)
    names = sym.STORAGE_BOX_NAMES
    return Storage(
        current_box=data[sym.STORAGE_CURRENT_BOX] % sym.BOX_COUNT,
        box_names=tuple(
            decode_text(
                data[names + index * sym.BOX_NAME_SIZE : names + (index + 1) * sym.BOX_NAME_SIZE],
                japanese,
            )
            for index in range(sym.BOX_COUNT)
        ),
        pokemon=found,
        broken=len(filled) - len(found),
    )


def read_storage(read: sym.Read, game: Edition | None = None) -> Storage | None:
    """Returns a game's boxes, None if their pointer cannot be the game's.

    Trust it only where ``decode`` returns a state.
    """
    game = game or edition("BPEE")
    at = game.addresses
    (pointer,) = _POINTER.unpack(read(at.g_pokemon_storage_ptr, 4))
    if (pointer - at.g_pokemon_storage) & ~sym.SAVE_BLOCK_SLIDE_MASK:
        return None
    return decode_storage(read(pointer, sym.POKEMON_STORAGE_SIZE), game.is_japanese)
