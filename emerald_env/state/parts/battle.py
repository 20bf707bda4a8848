"""A battle's part of a state; the game never clears it, so it is valid only during a battle."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from emerald_env.game import symbols as sym
from emerald_env.game.tables import items, moves, species, trainers
from emerald_env.state.game_state import Battler
from emerald_env.state.parts.opponents import (
    BATTLE_TYPE_INGAME_PARTNER,
    BATTLE_TYPE_MULTI,
    BATTLE_TYPE_TWO_OPPONENTS,
    OpponentKind,
    opponent_kind,
)
from emerald_env.state.parts.pokemon import (
    MAX_LEVEL,
    Pokemon,
    decode_party,
    decode_pokemon,
    leading_party,
)
from emerald_env.state.parts.text import decode_text
from emerald_env.state.rejection import Rejection
from emerald_env.state.state_memory import (
    BATTLE_TYPE,
    BATTLERS,
    ENEMIES,
    FIGHTERS,
    INDEXES,
    OPPONENT,
    OUTCOME,
)

# of a party's six places; a partner such as Steven, or the second of two trainers, has the others
_OWN_IN_MULTI = 3
_MON = struct.Struct("<H10x4HI8bB2Bx4BHBBHH11sB8sIIIII")
_INDEXES = struct.Struct("<4H")
_MAX_STAGE = 6
Party = tuple[Pokemon, ...]
_WITH_PARTNER = BATTLE_TYPE_MULTI | BATTLE_TYPE_INGAME_PARTNER


class Battle(NamedTuple):
    """The battle's memory; fields and order as in ``GameState``."""

    enemy_party: tuple[Pokemon, ...] = ()
    battlers: tuple[Battler, ...] = ()
    battle_type: int = 0
    battle_outcome: int = 0
    opponent: int = 0


NO_BATTLE = Battle()


def player_party(
    count: int, members: bytes, battle_type: int, japanese: bool = False
) -> Party | Rejection:
    """Returns the live party without a partner's Pokémon, or why it cannot be trusted.

    Args:
        count: how many the game counts.
        members: (600,) the six places.
        battle_type: of the running battle; 0 outside.
        japanese: whether the game's own names are in kana.
    """
    if count > sym.PARTY_SIZE:
        return Rejection.PARTY_COUNT
    if battle_type & _WITH_PARTNER:
        count = min(count, _OWN_IN_MULTI)
    party = decode_party(members[: count * sym.POKEMON_SIZE], japanese)
    return Rejection.PARTY if party is None else party


def players_side(members: bytes, party: Party) -> Sequence[Pokemon | None]:
    """Returns the party, with a partner's Pokémon in their places if there is a partner.

    Args:
        members: (600,) the six places.
        party: the player's own.
    """
    size = sym.POKEMON_SIZE
    if len(party) > _OWN_IN_MULTI or not any(members[_OWN_IN_MULTI * size :]):
        return party
    return tuple(decode_pokemon(members[at : at + size]) for at in range(0, len(members), size))


def enemies_side(members: bytes, battle_type: int) -> Sequence[Pokemon | None] | None:
    """Returns the opponents by their places, None where a place before the last is empty.

    Args:
        members: (600,) the six places; the second of two trainers has the last three.
        battle_type: of the running battle.

    Returns:
        None if one of them cannot be trusted.
    """
    if not battle_type & BATTLE_TYPE_TWO_OPPONENTS:
        return decode_party(leading_party(members))
    half = _OWN_IN_MULTI * sym.POKEMON_SIZE
    first, second = (decode_party(leading_party(team)) for team in (members[:half], members[half:]))
    if first is None or second is None:
        return None
    return (*first, *[None] * (_OWN_IN_MULTI - len(first)), *second)


def decode_battle(
    copy: Any, side: Sequence[Pokemon | None], japanese: bool = False
) -> Battle | Rejection:
    """Returns the running battle, or why it cannot be trusted.

    Args:
        copy: of the memory, see `snapshot`.
        side: the player's party, with a partner's where there is one.
        japanese: whether the names are in kana.
    """
    battle_type = int.from_bytes(copy[BATTLE_TYPE.cut], "little")
    foes = enemies_side(copy[ENEMIES.cut], battle_type)
    if foes is None:
        return Rejection.ENEMY_PARTY
    opponent = int.from_bytes(copy[OPPONENT.cut], "little")
    if opponent_kind(battle_type) is not OpponentKind.TRAINER or opponent >= len(trainers()):
        opponent = 0
    fighters = _battlers(copy, side, foes, japanese)
    enemies = tuple(foe for foe in foes if foe is not None)
    return Battle(enemies, fighters, battle_type, copy[OUTCOME.cut][0], opponent)


def _battlers(
    copy: Any, side: Sequence[Pokemon | None], foes: Sequence[Pokemon | None], japanese: bool
) -> tuple[Battler, ...]:
    """Returns those on the field; none while memory still has the last battle's.

    A battler is this battle's if the party slot that it came from holds the same Pokémon.
    """
    count, fighters = copy[BATTLERS.cut][0], copy[FIGHTERS.cut]
    if count > sym.MAX_BATTLERS:
        return ()
    found = []
    for index, slot in enumerate(_INDEXES.unpack_from(copy, INDEXES.start)[:count]):
        party = foes if index & 1 else side
        place = slot - foes[:slot].count(None) if index & 1 else slot
        start = index * sym.BATTLE_MON_SIZE
        battler = _battler(fighters[start : start + sym.BATTLE_MON_SIZE], index, place, japanese)
        member = party[slot] if slot < len(party) else None
        if battler and member and member.personality == battler.personality:
            found.append(battler)
    sides = {battler.is_opponent for battler in found}
    return tuple(found) if len(sides) == 2 else ()


@lru_cache(maxsize=1024)
def _battler(raw: bytes, index: int, place: int, japanese: bool) -> Battler | None:
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
        party_index=place,
        species=number,
        nickname=decode_text(name, japanese),
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
