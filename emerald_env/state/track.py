"""What rewards see of an episode, step by step, in a few kilobytes.

A track is JSON: a list in which an object is what changed in a step, a number n > 0 is n steps
without a change, and -n is n steps without a state. Rewards may only read what is in it:
``FIELDS`` of a ``GameState`` and ``MEMBER`` of each ``Pokemon``, and what a recording's header
says of all its states: the game and the world. Older tracks lack ``player_gender`` and
``last_heal``, which are then zero.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from operator import attrgetter
from typing import Any

from emerald_env.files.data import parse_json
from emerald_env.game.symbols import PARTY_SIZE
from emerald_env.game.tables import species
from emerald_env.state.game_state import NOWHERE, GameState
from emerald_env.state.parts.pokemon import MAX_LEVEL, NOBODY, SPECIES_EGG, Pokemon

FIELDS = (
    "location",
    "position",
    "in_battle",
    "party",
    "money",
    "bag_data",
    "flags",
    "vars",
    "pokedex_seen",
    "pokedex_caught",
    "player_gender",
    "last_heal",
)
PARTY = FIELDS.index("party")
MEMBER = (
    "personality",
    "ot_id",
    "species",
    "level",
    "exp",
    "hp",
    "max_hp",
    "moves",
    "is_egg",
    "is_bad_egg",
    "met_level",
)
MOVES = 4
WORD = 1 << 32  # no number of a Pokémon is larger
MAX_POKEDEX = 1 << 400  # nor a Pokédex
_values = attrgetter(*FIELDS)
_member = attrgetter(*MEMBER)
Changes = dict[str, Any]


class TrackError(ValueError):
    """A track cannot be read; the message says what was found."""


class TrackWriter:
    """Keeps the track of an episode that is being played; a step costs about 2 µs."""

    def __init__(self) -> None:
        self._steps: list[Changes | int] = []
        self._state: GameState | None = None
        self._seen: tuple[Any, ...] = _values(NOWHERE)

    def add(self, state: GameState | None) -> None:
        """Adds a step, the episode's first state included."""
        if state is None:
            self._count(-1)
            return
        if state is self._state or (seen := _values(state)) == self._seen:
            self._count(1)
            return
        changes = {
            name: new for name, old, new in zip(FIELDS, self._seen, seen, strict=True) if new != old
        }
        # perhaps nothing that rewards can see has changed
        if "party" in changes and _plain((), seen[PARTY]) == _plain((), self._seen[PARTY]):
            del changes["party"]
        self._state, self._seen = state, seen
        if changes:
            self._steps.append(changes)
        else:
            self._count(1)

    def _count(self, sign: int) -> None:
        last = self._steps[-1] if self._steps else None
        if isinstance(last, int) and last * sign > 0:
            self._steps[-1] = last + sign
        else:
            self._steps.append(sign)

    def to_bytes(self) -> bytes:
        """Returns the track so far."""
        seen = dict(zip(FIELDS, _values(NOWHERE), strict=True))
        steps: list[Any] = []
        for step in self._steps:
            if isinstance(step, dict):
                steps.append({name: _plain(seen[name], new) for name, new in step.items()})
                seen |= step
            else:
                steps.append(step)
        return json.dumps(steps, separators=(",", ":")).encode()

    @classmethod
    def resume(cls, content: bytes, count: int) -> TrackWriter:
        """Returns a writer that continues a track from `to_bytes`, see `read_track`."""
        writer = cls()
        for state in read_track(content, count):
            writer.add(state)
        return writer


def read_track(
    content: bytes, count: int, empty: GameState = NOWHERE
) -> Iterator[GameState | None]:
    """Yields the states of a track; what rewards cannot see is empty in them.

    Args:
        content: from `TrackWriter.to_bytes`, or untrusted bytes.
        count: how many states there must be.
        empty: `NOWHERE`, perhaps with the game and world of all states.

    Raises:
        TrackError: it is not a track, or has another number of states.
    """
    left = count
    try:
        steps = parse_json(content)
        if not isinstance(steps, list):
            raise TrackError(f"a track is a list, not a {type(steps).__name__}")
        for state, times in _states(steps, empty):
            left -= times
            if left < 0:
                break
            yield from repeat(state, times)
        if left:
            raise TrackError(f"a track of {'more' if left < 0 else 'fewer'} than {count:,} states")
    except TrackError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise TrackError(f"not a track ({error})") from error


def _states(steps: list[Any], state: GameState) -> Iterator[tuple[GameState | None, int]]:
    """Yields each state after an empty one, with the number of steps that it lasts."""
    for step in steps:
        if type(step) is int and step:
            yield (state if step > 0 else None), abs(step)
        elif type(step) is dict:
            new = {name: READERS[name](getattr(state, name), value) for name, value in step.items()}
            state = replace(state, **new)
            yield state, 1
        else:
            raise TrackError(f"not a step of a track: {step!r:.60}")


def _plain(old: Any, new: Any) -> Any:
    """Returns a value as JSON has it; bytes as their changes, [offset, byte, offset, byte ...]."""
    if isinstance(new, bytes):
        pairs = enumerate(zip(old, new, strict=True))
        return [part for offset, (was, now) in pairs if was != now for part in (offset, now)]
    if new and isinstance(new, tuple) and isinstance(new[0], Pokemon):
        return [list(_member(pokemon)) for pokemon in new]
    return new


def _number(value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value < high:
        raise TrackError(f"{value!r:.60} is not a number from {low} to {high - 1}")
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise TrackError(f"{value!r:.60} is neither true nor false")
    return value


def _pair(size: int) -> Callable[[Any, Any], tuple[int, int]]:
    def read(_: Any, value: Any) -> tuple[int, int]:
        first, second = value
        return _number(first, -size, size), _number(second, -size, size)

    return read


def _spot(_: Any, value: Any) -> tuple[int, int, int, int]:
    group, number, x, y = value
    return *_pair(1 << 7)(_, (group, number)), *_pair(1 << 15)(_, (x, y))


def _edited(old: bytes, value: Any) -> bytes:
    data = bytearray(old)
    for offset, byte in zip(value[::2], value[1::2], strict=True):
        data[_number(offset, 0, len(data))] = _number(byte, 0, 256)
    return bytes(data)


def _party(_: Any, value: Any) -> tuple[Pokemon, ...]:
    if not isinstance(value, list) or len(value) > PARTY_SIZE:
        raise TrackError(f"{value!r:.60} is not a party")
    return tuple(_pokemon(dict(zip(MEMBER, member, strict=True))) for member in value)


def _pokemon(values: dict[str, Any]) -> Pokemon:
    moves = values.pop("moves")
    if not isinstance(moves, list) or len(moves) > MOVES:
        raise TrackError(f"{moves!r:.60} are not moves")
    read: dict[str, Any] = {"moves": tuple(_number(move, 0, WORD) for move in moves)}
    read |= {name: _flag(values.pop(name)) for name in ("is_egg", "is_bad_egg")}
    # rewards look these up in tables
    kinds = SPECIES_EGG + 1 if read["is_bad_egg"] else len(species())
    read["species"] = _number(values.pop("species"), 0, kinds)
    read["met_level"] = _number(values.pop("met_level"), 0, MAX_LEVEL + 1)
    read |= {name: _number(value, 0, WORD) for name, value in values.items()}
    return replace(NOBODY, **read)


def _up_to(size: int) -> Callable[[Any, Any], int]:
    return lambda _, value: _number(value, 0, size)


READERS: dict[str, Callable[[Any, Any], Any]] = {
    "location": _pair(1 << 7),
    "position": _pair(1 << 15),
    "in_battle": lambda _, value: _flag(value),
    "party": _party,
    "money": _up_to(WORD),
    "bag_data": _edited,
    "flags": _edited,
    "vars": _edited,
    "pokedex_seen": _up_to(MAX_POKEDEX),
    "pokedex_caught": _up_to(MAX_POKEDEX),
    "player_gender": _up_to(2),
    "last_heal": _spot,
}
