"""States as a recording keeps them: what it leaves out raises instead of being empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, NoReturn

from emerald_env.state import NOWHERE, GameState, TrackError
from emerald_env.state.parts.pokemon import Pokemon
from emerald_env.state.track import FIELDS, MEMBER

_member = attrgetter(*MEMBER)


def as_recorded(states: Iterable[GameState | None]) -> Iterator[GameState | None]:
    """Yields states whose fields raise TrackError where a recording does not keep them.

    An object that is repeated remains one object, so that rewards see that nothing has changed.

    Args:
        states: of an episode, with at least what a recording keeps.
    """
    last = NOWHERE
    recorded: GameState = _made(RecordedState, replace(last))
    for state in states:
        if state is not None and state is not last:
            party = recorded.party if state.party is last.party else _recorded(state.party)
            last, recorded = state, _made(RecordedState, replace(state, party=party))
        yield None if state is None else recorded


class RecordedPokemon(Pokemon):
    """A Pokémon of the party; two are equal if all is that a recording keeps of them."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same values."""
        return isinstance(other, RecordedPokemon) and bool(_member(self) == _member(other))

    def __hash__(self) -> int:
        """Returns the hash of the values that are compared."""
        return hash(_member(self))


class RecordedState(GameState):
    """A state of an episode."""

    __slots__ = ()


def _recorded(party: Iterable[Pokemon]) -> tuple[Pokemon, ...]:
    return tuple(_made(RecordedPokemon, replace(pokemon)) for pokemon in party)


def _made(kind: type, copy: Any) -> Any:
    object.__setattr__(copy, "__class__", kind)  # a frozen object refuses the usual way
    return copy


def _refuse_others(kind: type, what: str, kept: tuple[str, ...]) -> None:
    for field in fields(kind):
        if field.name not in kept:
            setattr(kind, field.name, _lacking(field.name, what, kept))


def _lacking(name: str, what: str, kept: tuple[str, ...]) -> property:
    def refuse(_: object) -> NoReturn:
        raise TrackError(
            f"recordings do not keep {name} of {what}, so a reward that reads it cannot be "
            f"rescored; they keep {', '.join(kept)}"
        )

    return property(refuse)


_refuse_others(RecordedPokemon, "a Pokémon", MEMBER)
_refuse_others(RecordedState, "a state", (*FIELDS, "game", "world"))
