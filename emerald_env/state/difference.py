"""What changed between two states, for people."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from emerald_env import tables
from emerald_env.state.bitset import bits
from emerald_env.state.describe import status
from emerald_env.state.game_state import Battler, GameState, item_counts
from emerald_env.state.pokemon import Pokemon
from emerald_env.symbols import GAME_STATS_SIZE, VARS_SIZE, VARS_START

_VARS = struct.Struct(f"<{VARS_SIZE // 2}H")
_STATS = struct.Struct(f"<{GAME_STATS_SIZE // 4}I")


def difference(before: GameState, after: GameState) -> list[str]:
    """Returns what changed, one readable line each; empty if nothing but the clock did."""
    return [
        *_player(before, after),
        *_place(before, after),
        *_battle(before, after),
        *_party(before.party, after.party, ""),
        *(_party(before.enemy_party, after.enemy_party, "opponent's ") if after.in_battle else ()),
        *_purse(before, after),
        *_story(before, after),
        *_counters(before, after),
    ]


def _change(name: str, old: object, new: object) -> Iterator[str]:
    if old != new:
        yield f"{name}: {old} -> {new}"


def _player(before: GameState, after: GameState) -> Iterator[str]:
    yield from _change("player", before.player_name, after.player_name)
    yield from _change("gender", before.player_gender, after.player_gender)
    yield from _change("trainer id", before.trainer_id, after.trainer_id)
    yield from _change("secret id", before.secret_id, after.secret_id)


def _place(before: GameState, after: GameState) -> Iterator[str]:
    yield from _change("screen", before.mode.value, after.mode.value)
    yield from _change("free to walk", before.controllable, after.controllable)
    yield from _change("message box", before.dialog_open, after.dialog_open)
    yield from _change("map", tables.map_name(before.location), tables.map_name(after.location))
    yield from _change("position", before.position, after.position)
    yield from _change("facing", _facing(before), _facing(after))
    yield from _change("avatar", before.avatar_flags, after.avatar_flags)
    yield from _change("wakes up at", before.last_heal, after.last_heal)


def _facing(state: GameState) -> str | None:
    return None if state.facing is None else state.facing.name.lower()


def _battle(before: GameState, after: GameState) -> Iterator[str]:
    yield from _change("in battle", before.in_battle, after.in_battle)
    yield from _change("battle type", f"{before.battle_type:#x}", f"{after.battle_type:#x}")
    yield from _change("battle outcome", before.battle_outcome, after.battle_outcome)
    yield from _change("opponent", _opponent(before), _opponent(after))
    old = {battler.index: battler for battler in before.battlers}
    new = {battler.index: battler for battler in after.battlers}
    for index in sorted(old.keys() | new.keys()):
        yield from _change(f"battler {index}", _battler(old.get(index)), _battler(new.get(index)))


def _opponent(state: GameState) -> str | None:
    return tables.trainers()[state.opponent].const if state.opponent else None


def _battler(battler: Battler | None) -> str | None:
    if battler is None:
        return None
    known = zip(battler.moves, battler.pp, strict=True)
    return (
        f"{battler.nickname} ({tables.species_name(battler.species)}) Lv {battler.level}, "
        f"HP {battler.hp}/{battler.max_hp}, {status(battler.status) or 'well'}, "
        f"stages {battler.stat_stages}, "
        f"{', '.join(f'{tables.move_name(move)} {pp}' for move, pp in known)}"
    )


def _party(before: tuple[Pokemon, ...], after: tuple[Pokemon, ...], whose: str) -> Iterator[str]:
    """Compares by personality, as members may change places, names and species."""
    old = {member.personality: member for member in before}
    new = {member.personality: member for member in after}
    for key in old.keys() - new.keys():
        yield f"{whose}{old[key].nickname} left"
    for key in new.keys() - old.keys():
        yield f"{whose}{new[key].nickname} (Lv {new[key].level}) joined"
    for key in [key for key in old if key in new]:
        yield from _member(old[key], new[key], whose)
    order = [member.personality for member in before], [member.personality for member in after]
    if order[0] != order[1] and sorted(order[0]) == sorted(order[1]):
        yield f"{whose}order: {', '.join(member.nickname for member in after)}"


def _member(old: Pokemon, new: Pokemon, whose: str) -> Iterator[str]:
    name = f"{whose}{old.nickname}"
    yield from _change(f"{name} name", old.nickname, new.nickname)
    yield from _change(f"{name} species", old.name, new.name)
    yield from _change(f"{name} level", old.level, new.level)
    yield from _change(f"{name} exp", old.exp, new.exp)
    yield from _change(f"{name} HP", f"{old.hp}/{old.max_hp}", f"{new.hp}/{new.max_hp}")
    yield from _change(f"{name} status", status(old.status) or "well", status(new.status) or "well")
    yield from _change(f"{name} moves", _moves(old), _moves(new))
    yield from _change(
        f"{name} holds", tables.item_name(old.held_item), tables.item_name(new.held_item)
    )
    yield from _change(f"{name} friendship", old.friendship, new.friendship)


def _moves(member: Pokemon) -> str:
    known = zip(member.moves, member.pp, strict=True)
    return ", ".join(f"{tables.move_name(move)} {pp}" for move, pp in known)


def _purse(before: GameState, after: GameState) -> Iterator[str]:
    yield from _change("money", before.money, after.money)
    yield from _change("coins", before.coins, after.coins)
    for where, old, new in (
        ("bag", before.bag_data, after.bag_data),
        ("PC", before.pc_data, after.pc_data),
    ):
        had, has = item_counts(old), item_counts(new)
        for item in sorted(had.keys() | has.keys()):
            yield from _change(
                f"{where}: {tables.item_name(item)}", had.get(item, 0), has.get(item, 0)
            )


def _story(before: GameState, after: GameState) -> Iterator[str]:
    old, new = before.flag_bits, after.flag_bits
    for flag in bits(new & ~old):
        yield f"set {tables.flag_name(flag)}"
    for flag in bits(old & ~new):
        yield f"cleared {tables.flag_name(flag)}"
    for word, was, now in (
        ("saw", before.pokedex_seen, after.pokedex_seen),
        ("caught", before.pokedex_caught, after.pokedex_caught),
    ):
        for bit in bits(now & ~was):
            yield f"{word} {tables.species_by_national()[bit + 1].name}"


def _counters(before: GameState, after: GameState) -> Iterator[str]:
    if before.vars != after.vars:
        pairs = zip(_VARS.unpack(before.vars), _VARS.unpack(after.vars), strict=True)
        for index, (old, new) in enumerate(pairs):
            number = VARS_START + index
            yield from _change(tables.variables().get(number, f"var {number:#x}"), old, new)
    if before.stats != after.stats:
        names = tables.game_stats()
        pairs = zip(_STATS.unpack(before.stats), _STATS.unpack(after.stats), strict=True)
        for index, (old, new) in enumerate(pairs):
            name = names[index] if index < len(names) else f"game stat {index}"
            yield from _change(name, old, new)
