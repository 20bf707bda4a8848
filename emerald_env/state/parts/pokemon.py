"""One Pokémon from its 100 bytes (in a party) or 80 bytes (in a box)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

from emerald_env.game.symbols import BOX_POKEMON_SIZE, PARTY_SIZE, POKEMON_SIZE
from emerald_env.game.tables import experience, items, moves, species, species_name
from emerald_env.state.parts.text import LANGUAGE_JAPANESE, decode_text

SPECIES_EGG = 412
MAX_LEVEL = 100
MAX_EXPERIENCE = 1_640_000  # of the slowest growth, at level 100
MAX_PP = 64  # 40, and three PP Ups
MAX_STAT = 999

_HEADER = struct.Struct("<II10sBB7sBHH48s")  # personality ... checksum, unused, encrypted block
_WORDS = struct.Struct("<24H")
_GROWTH = struct.Struct("<HHIBBH")
_ATTACKS = struct.Struct("<4H4B")
_CONDITION = struct.Struct("<12B")
_MISC = struct.Struct("<BBHII")
_BATTLE_STATS = struct.Struct("<IBBHH5H")
_SUBSTRUCT = 12
_NOTHING = (0,) * 6
_BAD_EGG, _HAS_SPECIES = 0x1, 0x2
_BAD_EGG_BITS, _NOT_HAS_SPECIES = 0x5, 0xFD  # the game marks a bad egg as an egg, too


def _substruct_offsets() -> tuple[tuple[int, int, int, int], ...]:
    """Returns the places of growth, attacks, EVs and misc, by ``personality % 24``.

    The game stores the four blocks in the permutations of (growth, attacks, EVs, misc) in
    lexicographic order.
    """
    return tuple(
        (
            order.index(0) * _SUBSTRUCT,
            order.index(1) * _SUBSTRUCT,
            order.index(2) * _SUBSTRUCT,
            order.index(3) * _SUBSTRUCT,
        )
        for order in permutations(range(4))
    )


_OFFSETS = _substruct_offsets()


@dataclass(frozen=True, slots=True)
class Pokemon:
    """One Pokémon, decrypted and checked.

    Stats come in the game's order: HP, attack, defense, speed, special attack, special defense.
    The game turns a Pokémon whose checksum fails into a *bad egg*: nothing in it can be trusted, so
    every number but ``personality`` and ``ot_id`` is 0, and ``species`` is ``SPECIES_EGG``.
    """

    species: int  # internal number, 1..411; look up with tables.species()
    nickname: str
    level: int  # 1..100
    hp: int  # 0..max_hp; 0 has fainted
    max_hp: int
    exp: int
    moves: tuple[int, ...]  # (0..4,) numbers, no gaps
    pp: tuple[int, ...]  # same length as moves
    pp_bonuses: int  # 2 bits a move slot: PP Ups used
    status: int  # sleep turns 0-2, poison 3, burn 4, freeze 5, paralysis 6, toxic 7
    personality: int
    ot_id: int  # trainer id in the low, secret id in the high half
    ot_name: str
    is_egg: bool
    is_bad_egg: bool
    held_item: int  # 0 for none
    friendship: int  # in an egg: cycles left
    evs: tuple[int, ...]  # (6,)
    ivs: tuple[int, ...]  # (6,)
    stats: tuple[int, ...]  # (6,) with max_hp first; zeros in a box
    ability_num: int
    met_location: int  # region map section
    met_level: int  # 0 for hatched
    pokeball: int
    pokerus: int
    language: int
    ribbons: int

    @property
    def name(self) -> str:
        """The species' name."""
        return "BAD EGG" if self.is_bad_egg else species_name(self.species)

    @property
    def level_from_exp(self) -> int:
        """The level for its experience; 0 for a bad egg."""
        return 0 if self.is_bad_egg else level_at(self.species, self.exp)

    @property
    def exp_gained(self) -> int:
        """Experience gained since the Pokémon was met, never negative; 0 for eggs."""
        if self.is_egg or self.is_bad_egg:
            return 0
        rate = species()[self.species].growth_rate
        return max(0, self.exp - experience()[rate][max(self.met_level, 1)])

    @property
    def can_fight(self) -> bool:
        """Whether it can be sent into battle: an egg, though it has HP, cannot."""
        return self.hp > 0 and not self.is_egg

    @property
    def is_shiny(self) -> bool:
        """Whether it is shiny."""
        both = self.ot_id ^ self.personality
        return (both >> 16 ^ both & 0xFFFF) < 8


NOBODY = Pokemon(
    species=0,
    nickname="",
    level=0,
    hp=0,
    max_hp=0,
    exp=0,
    moves=(),
    pp=(),
    pp_bonuses=0,
    status=0,
    personality=0,
    ot_id=0,
    ot_name="",
    is_egg=False,
    is_bad_egg=False,
    held_item=0,
    friendship=0,
    evs=_NOTHING,
    ivs=_NOTHING,
    stats=_NOTHING,
    ability_num=0,
    met_location=0,
    met_level=0,
    pokeball=0,
    pokerus=0,
    language=0,
    ribbons=0,
)
"""Of no game: every number is 0."""


def level_at(number: int, exp: int) -> int:
    """Returns the level of species ``number`` with ``exp`` points, 1..100."""
    table = experience()[species()[number].growth_rate]
    return max(1, bisect_right(table, exp, lo=1) - 1)


def is_empty(raw: bytes) -> bool:
    """Returns whether a party or box slot is empty."""
    return not (any(raw[:8]) or raw[0x13] & (_HAS_SPECIES | _BAD_EGG))


@lru_cache(maxsize=2048)
def decode_box_pokemon(raw: bytes, japanese: bool = False) -> Pokemon | None:
    """Decodes one of the 80-byte Pokémon of a box: its level comes from its experience, HP is 0.

    Args:
        raw: (80,) the Pokémon.
        japanese: whether the game's own names are in kana, as those of who finds an egg.

    Returns:
        None if the slot is empty, its checksum fails or a number is impossible.
    """
    return _decode(raw[:BOX_POKEMON_SIZE], b"", japanese)


@lru_cache(maxsize=1024)
def decode_pokemon(raw: bytes, japanese: bool = False) -> Pokemon | None:
    """Decodes one of the 100-byte Pokémon of a party.

    Args:
        raw: (100,) the Pokémon.
        japanese: whether the game's own names are in kana, as those of who finds an egg.

    Returns:
        None if the slot is empty, its checksum fails or a number is impossible.
    """
    return _decode(raw[:BOX_POKEMON_SIZE], raw[BOX_POKEMON_SIZE:POKEMON_SIZE], japanese)


@lru_cache(maxsize=256)
def decode_party(raw: bytes, japanese: bool = False) -> tuple[Pokemon, ...] | None:
    """Decodes a party of ``len(raw) // 100`` members; None if one of them cannot be trusted.

    Args:
        raw: the members.
        japanese: as `decode_pokemon` takes it.
    """
    party = []
    for start in range(0, len(raw), POKEMON_SIZE):
        pokemon = decode_pokemon(raw[start : start + POKEMON_SIZE], japanese)
        if pokemon is None:
            return None
        party.append(pokemon)
    return tuple(party)


def leading_party(raw: bytes) -> bytes:
    """Returns the bytes of the members before the first empty slot, for parties without a count."""
    for index in range(PARTY_SIZE):
        slot = raw[index * POKEMON_SIZE : (index + 1) * POKEMON_SIZE]
        if len(slot) < POKEMON_SIZE or is_empty(slot):
            return raw[: index * POKEMON_SIZE]
    return raw[: PARTY_SIZE * POKEMON_SIZE]


def _decode(box: bytes, tail: bytes, japanese_game: bool) -> Pokemon | None:
    personality, ot_id, nickname, language, bits, ot_name, _, checksum, _, secret = _HEADER.unpack(
        box
    )
    if bits & _NOT_HAS_SPECIES == _BAD_EGG_BITS:
        return _bad_egg(personality, ot_id, language)
    plain = _decrypt(secret, personality ^ ot_id)
    if sum(_WORDS.unpack(plain)) & 0xFFFF != checksum:
        return None
    growth, attacks, condition, misc = _OFFSETS[personality % 24]
    number, item, exp, bonuses, friendship, _ = _GROWTH.unpack_from(plain, growth)
    learned = _ATTACKS.unpack_from(plain, attacks)
    pokerus, met_location, origins, iv_bits, ribbons = _MISC.unpack_from(plain, misc)
    known = [(move, pp) for move, pp in zip(learned[:4], learned[4:], strict=True) if move]
    if not _possible(number, item, known, origins & 0x7F) or exp > MAX_EXPERIENCE:
        return None
    status, level, _, hp, *stats = (
        _BATTLE_STATS.unpack(tail) if tail else (0, level_at(number, exp), 0, 0, *_NOTHING)
    )
    if level != level_at(number, exp) or hp > stats[0] or max(stats) > MAX_STAT:
        return None
    is_egg, japanese = bool(iv_bits >> 30 & 1), language == LANGUAGE_JAPANESE
    return Pokemon(
        species=number,
        nickname=decode_text(nickname, japanese),
        level=level,
        hp=hp,
        max_hp=stats[0],
        exp=exp,
        moves=tuple(move for move, _ in known),
        pp=tuple(pp for _, pp in known),
        pp_bonuses=bonuses,
        status=status,
        personality=personality,
        ot_id=ot_id,
        # every egg is called タマゴ, in Japanese; who found it is written in the game's own letters
        ot_name=decode_text(ot_name, japanese_game if is_egg else japanese),
        is_egg=is_egg,
        is_bad_egg=False,
        held_item=item,
        friendship=friendship,
        evs=_CONDITION.unpack_from(plain, condition)[:6],
        ivs=tuple(iv_bits >> 5 * index & 31 for index in range(6)),
        stats=tuple(stats),
        ability_num=iv_bits >> 31,
        met_location=met_location,
        met_level=origins & 0x7F,
        pokeball=origins >> 11 & 0xF,
        pokerus=pokerus,
        language=language,
        ribbons=ribbons,
    )


def _decrypt(secret: bytes, key: int) -> bytes:
    words = int.from_bytes(key.to_bytes(4, "little") * 12, "little")
    return (int.from_bytes(secret, "little") ^ words).to_bytes(len(secret), "little")


def _possible(number: int, item: int, known: list[tuple[int, int]], met_level: int) -> bool:
    return (
        0 < number < len(species())
        and item < len(items())
        and all(move < len(moves()) and pp <= MAX_PP for move, pp in known)
        and met_level <= MAX_LEVEL
    )


def _bad_egg(personality: int, ot_id: int, language: int) -> Pokemon:
    return replace(
        NOBODY,
        species=SPECIES_EGG,
        nickname="BAD EGG",
        personality=personality,
        ot_id=ot_id,
        is_egg=True,
        is_bad_egg=True,
        language=language,
    )
