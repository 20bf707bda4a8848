"""A game's state as bytes of a fixed size, for another process."""

import struct
from dataclasses import replace
from typing import Any

from emerald_env.files.printable import printable
from emerald_env.game.symbols import BAG_SIZE, PARTY_SIZE, VARS_SIZE
from emerald_env.game.tables import maps, species, trainers
from emerald_env.state import NOBODY, NOWHERE, Facing, GameState, Mode, Pokemon
from emerald_env.state.parts.field import global_offset

_MODES = tuple(Mode)
_FACINGS = (None, *Facing)
_DEX = 56  # bytes of a Pokédex: 386 bits and more
_HEAD = struct.Struct("<7B2b4h")
_NUMBERS = struct.Struct("<IHHH4HIBH30s")
_MEMBER = struct.Struct("<HB?HHII4H4B30s")
_DATA = struct.Struct(f"<{BAG_SIZE}s300s{VARS_SIZE}s{_DEX}s{_DEX}s")
SIZE = _HEAD.size + _NUMBERS.size + PARTY_SIZE * _MEMBER.size + _DATA.size
"""Bytes of a packed state."""
NOTHING = bytes(SIZE)
_LARGEST = (1 << 16) - 1


def pack(state: GameState | None) -> bytes:
    """Returns a state as `SIZE` bytes, all 0 for None."""
    if state is None:
        return NOTHING
    dialog = 2 if state.dialog_open is None else int(state.dialog_open)
    head = _HEAD.pack(
        1,
        _MODES.index(state.mode),
        state.controllable,
        dialog,
        state.in_battle,
        _FACINGS.index(state.facing),
        len(state.party),
        *state.location,
        *state.position,
        *(state.map_size or (0, 0)),
    )
    numbers = _NUMBERS.pack(
        state.money,
        state.coins,
        state.trainer_id,
        state.player_gender,
        *state.play_time,
        state.battle_type,
        state.battle_outcome & 0xFF,
        min(state.opponent, _LARGEST),
        state.player_name.encode()[:30],
    )
    members = b"".join(_pack_member(member) for member in state.party)
    data = _DATA.pack(
        state.bag_data,
        state.flags,
        state.vars,
        state.pokedex_seen.to_bytes(_DEX, "little"),
        state.pokedex_caught.to_bytes(_DEX, "little"),
    )
    return head + numbers + members.ljust(PARTY_SIZE * _MEMBER.size, b"\0") + data


def _pack_member(member: Pokemon) -> bytes:
    moves = (*member.moves, 0, 0, 0, 0)[:4]
    pp = (*member.pp, 0, 0, 0, 0)[:4]
    return _MEMBER.pack(
        member.species,
        member.level,
        member.is_egg,
        member.hp,
        member.max_hp,
        member.exp,
        member.status,
        *moves,
        *pp,
        member.nickname.encode()[:30],
    )


def unpack(content: bytes) -> GameState | None:
    """Returns the state in `SIZE` untrusted bytes; fields that `pack` leaves out are empty.

    Raises:
        ValueError: the number of bytes is wrong.
    """
    if len(content) != SIZE:
        raise ValueError(f"a packed state has {SIZE} bytes, this has {len(content)}")
    known, mode, controllable, dialog, battle, facing, count, *place = _HEAD.unpack_from(content)
    if not known:
        return None
    location, position, size = (tuple(place[i : i + 2]) for i in (0, 2, 4))
    at = _HEAD.size
    money, coins, trainer, gender, *rest, name = _NUMBERS.unpack_from(content, at)
    *play_time, battle_type, outcome, opponent = rest
    at += _NUMBERS.size
    members = content[at : at + min(count, PARTY_SIZE) * _MEMBER.size]
    party = tuple(_member(values) for values in _MEMBER.iter_unpack(members))
    bag, flags, variables, seen, caught = _DATA.unpack_from(content, SIZE - _DATA.size)
    offset = global_offset(location, size) if location in maps() and all(size) else None
    return replace(
        NOWHERE,
        mode=_MODES[mode % len(_MODES)],
        controllable=bool(controllable),
        dialog_open=None if dialog > 1 else bool(dialog),
        in_battle=bool(battle),
        facing=_FACINGS[facing % len(_FACINGS)],
        location=location,
        position=position,
        map_size=size if all(size) else None,
        component=offset.component if offset else None,
        global_position=(offset.x + position[0], offset.y + position[1]) if offset else None,
        party=party,
        money=money,
        coins=coins,
        trainer_id=trainer,
        player_gender=gender,
        play_time=tuple(play_time),
        battle_type=battle_type,
        battle_outcome=outcome,
        opponent=opponent if opponent < len(trainers()) else 0,
        player_name=_text(name),
        bag_data=bag,
        flags=flags,
        vars=variables,
        pokedex_seen=int.from_bytes(seen, "little"),
        pokedex_caught=int.from_bytes(caught, "little"),
    )


def _member(values: tuple[Any, ...]) -> Pokemon:
    number, level, egg, hp, max_hp, exp, status, *rest, nickname = values
    return replace(
        NOBODY,
        species=number if number < len(species()) else 0,
        level=level,
        is_egg=bool(egg),
        hp=hp,
        max_hp=max_hp,
        exp=exp,
        status=status,
        moves=tuple(move for move in rest[:4] if move),
        pp=tuple(left for move, left in zip(rest[:4], rest[4:], strict=True) if move),
        nickname=_text(nickname),
    )


def _text(content: bytes) -> str:
    return printable(content.rstrip(b"\0").decode(errors="replace"))
