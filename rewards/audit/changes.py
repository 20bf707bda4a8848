"""Changes to a state by name, for scripted walks: pure functions from a state to a state."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from emerald_env.game import tables
from emerald_env.game.flags import FLAG_COUNT
from emerald_env.state import POCKETS, GameState, Mode, Pokemon
from emerald_env.state.bits import mask
from rewards.audit.new_game import STARTER

VARS_START = 0x4000


def apply(state: GameState, changes: Mapping[str, Any]) -> GameState:
    """Returns the state with all changes made, in the order of `CHANGES`.

    Raises:
        ValueError: an unknown change, or a name that the game does not know; the message lists
            what exists, or the names most like it.
    """
    for name in changes:
        if name not in CHANGES:
            raise ValueError(f"unknown change {name!r}; there are: {', '.join(CHANGES)}")
    for name, change in CHANGES.items():
        if name in changes:
            state = change(state, changes[name])
    return state


def number(kind: str, name: str | int, names: Mapping[str, int], numbers: range) -> int:
    """Returns the number of a named thing, or the number itself.

    Args:
        kind: of the thing.
        name: or number.
        names: the game's, with their numbers.
        numbers: those that a state can have.

    Raises:
        ValueError: there is no such name, or no state has such a number.
    """
    if isinstance(name, str) and name not in names:
        close = difflib.get_close_matches(name, names, 3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"no {kind} is called {name!r}{hint}")
    found = names[name] if isinstance(name, str) else name
    if found not in numbers:
        shown = f"{name} ({found})" if isinstance(name, str) else found
        raise ValueError(
            f"a state has no {kind} {shown}: it has numbers {numbers[0]} to {numbers[-1]}"
        )
    return found


@cache
def _maps() -> Mapping[str, tuple[int, int]]:
    return {info.name: location for location, info in tables.maps().items()}


@cache
def _known() -> Mapping[str, tuple[Mapping[str, int], range]]:
    """Returns by kind the game's names, and the numbers that a state can have."""
    species, moves, items = tables.species(), tables.moves(), tables.items()
    national = {each.name: each.id for each in species if each.national}
    return {
        "flag": (tables.flag_ids(), range(FLAG_COUNT)),
        "species": (national, range(1, len(species))),
        "move": ({each.name: each.id for each in moves}, range(len(moves))),
        "item": ({each.name: each.id for each in items}, range(1, len(items))),
    }


def _numbers(kind: str, names: Iterable[str | int]) -> list[int]:
    return [number(kind, name, *_known()[kind]) for name in names]


def _at(state: GameState, place: str | list[int]) -> GameState:
    if isinstance(place, str):
        number("map", place, dict.fromkeys(_maps(), 0), range(1))
        group, num = _maps()[place]
    else:
        group, num = place
    return replace(state, location=(group, num), component=None, global_position=None)


def _xy(state: GameState, place: list[int]) -> GameState:
    x, y = place
    return replace(state, position=(x, y))


def _flags(names: Iterable[str | int]) -> int:
    return mask(_numbers("flag", names))


def _with_flags(state: GameState, flags: int) -> GameState:
    return replace(state, flags=flags.to_bytes(FLAG_COUNT // 8, "little"))


def _set(state: GameState, names: list[str | int]) -> GameState:
    return _with_flags(state, state.flag_bits | _flags(names))


def _clear(state: GameState, names: list[str | int]) -> GameState:
    return _with_flags(state, state.flag_bits & ~_flags(names))


def _vars(state: GameState, values: Mapping[str, int]) -> GameState:
    data = bytearray(state.vars)
    kept = range(VARS_START, VARS_START + len(data) // 2)
    for name, value in values.items():
        start = 2 * (number("variable", name, tables.variable_ids(), kept) - VARS_START)
        data[start : start + 2] = value.to_bytes(2, "little")
    return replace(state, vars=bytes(data))


def _pokemon(values: Mapping[str, Any]) -> Pokemon:
    known = {"id", "species", "level", "exp", "hp", "max_hp", "moves", "egg"}
    if not {"id"} <= set(values) <= known:
        raise ValueError(
            f"a Pokémon has an id and may have {', '.join(sorted(known - {'id'}))}; "
            f"got {dict(values)}"
        )
    changed = {name: values[name] for name in ("level", "exp", "hp", "max_hp") if name in values}
    if "species" in values:
        (changed["species"],) = _numbers("species", [values["species"]])
    if "moves" in values:
        changed["moves"] = tuple(_numbers("move", values["moves"]))
    return replace(STARTER, personality=values["id"], is_egg=values.get("egg", False), **changed)


def _party(state: GameState, party: list[Mapping[str, Any]]) -> GameState:
    return replace(state, party=tuple(_pokemon(values) for values in party))


def _gain(state: GameState, points: Mapping[str, int]) -> GameState:
    return _each(state, lambda p: replace(p, exp=p.exp + points.get(str(p.personality), 0)))


def _hurt(state: GameState, ids: list[int]) -> GameState:
    return _each(state, lambda p: replace(p, hp=1) if p.personality in ids else p)


def _heal(state: GameState, ids: list[int]) -> GameState:
    return _each(state, lambda p: replace(p, hp=p.max_hp) if p.personality in ids else p)


def _each(state: GameState, change: Callable[[Pokemon], Pokemon]) -> GameState:
    return replace(state, party=tuple(change(pokemon) for pokemon in state.party))


def _dex(names: list[str | int]) -> int:
    return mask(tables.species()[entry].national - 1 for entry in _numbers("species", names))


def _seen(state: GameState, names: list[str | int]) -> GameState:
    return replace(state, pokedex_seen=state.pokedex_seen | _dex(names))


def _caught(state: GameState, names: list[str | int]) -> GameState:
    return replace(state, pokedex_caught=state.pokedex_caught | _dex(names))


def _get(state: GameState, names: list[str | int]) -> GameState:
    for item in _numbers("item", names):
        pocket = tables.items()[item].pocket
        held = [slot.item for slot in state.pocket(pocket)]
        state = state if item in held else _with_pocket(state, pocket, [*held, item])
    return state


def _lose(state: GameState, names: list[str | int]) -> GameState:
    for item in _numbers("item", names):
        pocket = tables.items()[item].pocket
        held = [slot.item for slot in state.pocket(pocket) if slot.item != item]
        state = _with_pocket(state, pocket, held)
    return state


def _with_pocket(state: GameState, pocket: str, items: list[int]) -> GameState:
    """Returns the state with one of each of some items in a pocket.

    Raises:
        ValueError: the pocket has fewer places.
    """
    start, capacity = POCKETS[pocket]
    if len(items) > capacity:
        raise ValueError(
            f"{len(items)} kinds do not fit into {pocket}, which has {capacity} places"
        )
    slots = b"".join(item.to_bytes(2, "little") + b"\1\0" for item in items)
    data = bytearray(state.bag_data)
    data[start : start + 4 * capacity] = slots.ljust(4 * capacity, b"\0")
    return replace(state, bag_data=bytes(data))


def _money(state: GameState, amount: int) -> GameState:
    return replace(state, money=amount)


def _battle(state: GameState, begun: bool) -> GameState:
    return replace(state, in_battle=begun, mode=Mode.BATTLE if begun else Mode.OVERWORLD)


CHANGES: dict[str, Callable[[GameState, Any], GameState]] = {
    "at": _at, "xy": _xy, "set": _set, "clear": _clear, "vars": _vars, "party": _party,
    "gain": _gain, "hurt": _hurt, "heal": _heal, "seen": _seen, "caught": _caught, "get": _get,
    "lose": _lose, "money": _money, "battle": _battle,
}  # fmt: skip
