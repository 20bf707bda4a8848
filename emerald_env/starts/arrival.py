"""Whether a new game arrived where new games begin."""

from __future__ import annotations

from collections.abc import Iterator

from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.game.editions import Game
from emerald_env.game.flags import Flag
from emerald_env.state import GameState, last_main_milestone

# in the moving truck; checked against a real game's state there
LOCATION, LAST_HEAL, MONEY = (25, 40), (0, 0, 0, 0), 3000
CHECKED = ("JADE", "BPEE", "BPED", "BPEF", "BPEI", "BPES", "BPEJ")  # codes of cartridges


def differences(code: str, state: GameState | None) -> list[str]:
    """Returns how a game differs from a new game that has just begun, in words.

    Args:
        code: of the cartridge; only those of Jade and Emerald are checked.
        state: of the game; None if it cannot be read.
    """
    if state is None:
        return ["no game is running"]
    return list(_differences(state)) if code in CHECKED else []


def _differences(state: GameState) -> Iterator[str]:
    if state.location != LOCATION:
        there = tables.map_name(LOCATION)
        yield f"the player is in {tables.map_name(state.location)}, not in {there}"
    if state.money != MONEY:
        yield f"{state.money:,} money, not {MONEY:,}"
    if state.party:
        yield f"{len(state.party)} Pokémon in the party, not 0"
    if state.last_heal != LAST_HEAL:
        yield f"the last place of healing is {state.last_heal}, not {LAST_HEAL}"
    initial = {number for number, info in tables.flags().items() if info.initial}
    if wrong := set(state.flags_set) ^ (initial | {Flag.SYS_TV_WATCH}):
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
