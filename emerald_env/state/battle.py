"""A battle's part of a state; the game never clears it, so it counts only while a battle runs."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.tables import items, moves, species, trainers
from emerald_env.state.game_state import Battler
from emerald_env.state.opponents import (
    BATTLE_TYPE_INGAME_PARTNER,
    BATTLE_TYPE_MULTI,
    OpponentKind,
    opponent_kind,
)
from emerald_env.state.pokemon import (
    MAX_LEVEL,
    Pokemon,
    decode_party,
    decode_pokemon,
    leading_party,
)
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import MONS_AT, PARTY_AT
from emerald_env.state.text import decode_text

_OWN_IN_MULTI = 3  # of the party's six places; a partner such as Steven has the others
_MON = struct.Struct("<H10x4HI8bB2Bx4BHBBHH11sB8sIIIII")
_INDEXES = struct.Struct("<4H")
_COUNT_AT = sym.G_BATTLERS_COUNT - MONS_AT
_INDEXES_AT = sym.G_BATTLER_PARTY_INDEXES - MONS_AT
_FIGHTERS_AT = sym.G_BATTLE_MONS - MONS_AT
_OUTCOME_AT = sym.G_BATTLE_OUTCOME - MONS_AT
_MEMBERS_AT = sym.G_PLAYER_PARTY - PARTY_AT
_PARTNERS_AT = _MEMBERS_AT + _OWN_IN_MULTI * sym.POKEMON_SIZE
_ENEMY_AT = sym.G_ENEMY_PARTY - MONS_AT
_MAX_STAGE = 6
_WITH_PARTNER = BATTLE_TYPE_MULTI | BATTLE_TYPE_INGAME_PARTNER


class Battle(NamedTuple):
    """What the battle's memory says; field by field, and in the order, as in ``GameState``."""

    enemy_party: tuple[Pokemon, ...] = ()
    battlers: tuple[Battler, ...] = ()
    battle_type: int = 0
    battle_outcome: int = 0
    opponent: int = 0


NO_BATTLE = Battle()


def player_party(raw: bytes, battle_type: int = 0) -> tuple[Pokemon, ...] | Rejection:
    """Returns the live party without a partner's, or why it cannot be trusted.

    Args:
        raw: what memory holds at ``PARTY_AT``.
        battle_type: of the running battle; 0 outside.
    """
    count = raw[0]
    if count > sym.PARTY_SIZE:
        return Rejection.PARTY_COUNT
    if battle_type & _WITH_PARTNER:
        count = min(count, _OWN_IN_MULTI)
    party = decode_party(raw[_MEMBERS_AT : _MEMBERS_AT + count * sym.POKEMON_SIZE])
    return Rejection.PARTY if party is None else party


def players_side(raw: bytes, party: tuple[Pokemon, ...]) -> Sequence[Pokemon | None]:
    """Returns the party with a partner's Pokémon, in their places, where there is a partner.

    Args:
        raw: what memory holds at ``PARTY_AT``.
        party: the player's own.
    """
    if len(party) > _OWN_IN_MULTI or not any(raw[_PARTNERS_AT:]):
        return party
    starts = range(_MEMBERS_AT, _MEMBERS_AT + sym.PARTY_SIZE * sym.POKEMON_SIZE, sym.POKEMON_SIZE)
    return tuple(decode_pokemon(raw[start : start + sym.POKEMON_SIZE]) for start in starts)


def decode_battle(
    mons: bytes, flags: bytes, trainer: bytes, side: Sequence[Pokemon | None]
) -> Battle | Rejection:
    """Returns the running battle, or why it cannot be trusted.

    Args:
        mons: what memory holds at ``MONS_AT``.
        flags: (4,) the battle's type.
        trainer: (2,) the opponent in a trainer battle.
        side: the player's party, with a partner's where there is one.
    """
    enemies = decode_party(leading_party(mons[_ENEMY_AT:]))
    if enemies is None:
        return Rejection.ENEMY_PARTY
    battle_type, opponent = int.from_bytes(flags, "little"), int.from_bytes(trainer, "little")
    if opponent_kind(battle_type) is not OpponentKind.TRAINER or opponent >= len(trainers()):
        opponent = 0
    fighters = _battlers(mons, side, enemies)
    return Battle(enemies, fighters, battle_type, mons[_OUTCOME_AT], opponent)


def _battlers(
    mons: bytes, side: Sequence[Pokemon | None], enemies: tuple[Pokemon, ...]
) -> tuple[Battler, ...]:
    """Returns those on the field; none while the last battle's are still in their places.

    A battler is this battle's if the party slot that it came from holds the same Pokémon.
    """
    count = mons[_COUNT_AT]
    if count > sym.MAX_BATTLERS:
        return ()
    found = []
    for index, slot in enumerate(_INDEXES.unpack_from(mons, _INDEXES_AT)[:count]):
        party = enemies if index & 1 else side
        start = _FIGHTERS_AT + index * sym.BATTLE_MON_SIZE
        battler = _battler(mons[start : start + sym.BATTLE_MON_SIZE], index, slot)
        member = party[slot] if slot < len(party) else None
        if battler and member and member.personality == battler.personality:
            found.append(battler)
    sides = {battler.is_opponent for battler in found}
    return tuple(found) if len(sides) == 2 else ()


@lru_cache(maxsize=1024)
def _battler(raw: bytes, index: int, slot: int) -> Battler | None:
    number, *rest = _MON.unpack(raw)
    known, stages, (ability, type1, type2) = rest[:4], rest[5:13], rest[13:16]
    pp, (hp, level, _, max_hp, item) = rest[16:20], rest[20:25]
    name, _, _, _, personality, status, status2, _ = rest[25:]
    if not (
        0 < number < len(species())
        and 1 <= level <= MAX_LEVEL
        and hp <= max_hp
        and item < len(items())
        and all(move < len(moves()) for move in known)
        and all(0 <= stage <= 2 * _MAX_STAGE for stage in stages)
    ):
        return None
    filled = [(move, left) for move, left in zip(known, pp, strict=True) if move]
    return Battler(
        index=index,
        party_index=slot,
        species=number,
        nickname=decode_text(name),
        level=level,
        hp=hp,
        max_hp=max_hp,
        moves=tuple(move for move, _ in filled),
        pp=tuple(left for _, left in filled),
        status=status,
        status2=status2,
        stat_stages=tuple(stage - _MAX_STAGE for stage in stages),
        ability=ability,
        types=(type1, type2),
        held_item=item,
        personality=personality,
    )
