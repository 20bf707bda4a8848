"""Whether a new game arrived where new games begin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.game.editions import Game
from emerald_env.game.flags import Flag
from emerald_env.state import GameState, last_main_milestone


@dataclass(frozen=True)
class Arrival:
    """The expected state at the beginning of a new game."""

    location: tuple[int, int]
    last_heal: tuple[int, int, int, int]
    flags: frozenset[int]  # beyond those that every new game sets
    money: int = 3000


# in the moving truck; checked against a real game's state there
_TRUCK = Arrival((25, 40), (0, 0, 0, 0), frozenset({Flag.SYS_TV_WATCH}))
ARRIVALS = dict.fromkeys(("JADE", "BPEE", "BPED", "BPEF", "BPEI", "BPES", "BPEJ"), _TRUCK)
"""By cartridge code; other games are not checked."""


def differences(code: str, state: GameState | None) -> list[str]:
    """Returns how a game differs from a new game that has just begun, in words.

    Args:
        code: of the cartridge.
        state: of the game; None if it cannot be read.
    """
    expected = ARRIVALS.get(code)
    if state is None:
        return ["no game is running"]
    return [] if expected is None else list(_differences(expected, state))


def _differences(expected: Arrival, state: GameState) -> Iterator[str]:
    if state.location != expected.location:
        there = tables.map_name(expected.location)
        yield f"the player is in {tables.map_name(state.location)}, not in {there}"
    if state.money != expected.money:
        yield f"{state.money:,} money, not {expected.money:,}"
    if state.party:
        yield f"{len(state.party)} Pokémon in the party, not 0"
    if state.last_heal != expected.last_heal:
        yield f"the last place of healing is {state.last_heal}, not {expected.last_heal}"
    initial = {number for number, info in tables.flags().items() if info.initial}
    if wrong := set(state.flags_set) ^ (initial | expected.flags):
        names = ", ".join(tables.flag_name(flag) for flag in sorted(wrong)[:5])
        yield f"{len(wrong)} flags differ: {names}"


def where(game: Game, state: GameState | None) -> str:
    """Returns what is known about a game's whereabouts: place, milestone, main callback."""
    at = game.edition.addresses.g_main + sym.MAIN_CALLBACK2
    pointer = int.from_bytes(game.memory.read(at, 4), "little")
    known = game.edition.screens.get(pointer)
    place = tables.map_name(state.location) if state else "nowhere"
    milestone = (last_main_milestone(state) if state else None) or "none"
    screen = known.name if known else f"0x{pointer:08X}, which is unknown"
    return f"place {place}, milestone {milestone}, screen {screen}"
