"""From memory to a state: bytes in, value out; no emulator, no log."""

from __future__ import annotations

from emerald_env import symbols as sym
from emerald_env.state import battle as battles
from emerald_env.state import blocks, field
from emerald_env.state.game_state import GameState, Mode, make_state
from emerald_env.state.mode import MODES, kind_of
from emerald_env.state.pokemon import Pokemon
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import (
    ENGINE,
    ENGINE_SIZE,
    FIELD,
    FIELD_SIZE,
    MONS,
    MONS_SIZE,
    SCRIPT,
    SCRIPT_SIZE,
    read_save_blocks,
)


def decode(read: sym.Read) -> GameState | None:
    """Returns what the memory behind ``read`` says.

    Returns None while no game has been started (title screen, main menu), while the game moves its
    save blocks (warps, a battle's beginning and end), and whenever something in them is impossible.
    """
    state = examine(read)
    return state if isinstance(state, GameState) else None


def examine(read: sym.Read) -> GameState | Rejection:
    """Does what ``decode`` does, and says why where that returns None."""
    main = read(sym.G_MAIN, sym.MAIN_SIZE)
    mode = _screen(main)
    if isinstance(mode, Rejection):
        return mode
    script = read(SCRIPT, SCRIPT_SIZE)
    if script[0] not in sym.PLAY_TIME_STATES:
        return Rejection.NOT_STARTED
    engine = read(ENGINE, ENGINE_SIZE)
    saved = _saved(read, engine)
    if isinstance(saved, Rejection):
        return saved
    mons = read(MONS, MONS_SIZE)
    party = battles.player_party(mons)
    if isinstance(party, Rejection):
        return party
    in_battle = bool(main[sym.MAIN_IN_BATTLE] & sym.MAIN_IN_BATTLE_MASK)
    battle = battles.decode_battle(read, mons, party) if in_battle else battles.NO_BATTLE
    if isinstance(battle, Rejection):
        return battle
    on_map = read(FIELD, FIELD_SIZE)
    now = _now(read, mode, script, engine, on_map)
    return _assemble(now, in_battle, saved, party, battle, script, engine, on_map)


def examine_title(read: sym.Read) -> GameState | Rejection:
    """Returns what the save blocks hold while no game runs: all zero, or the save to continue.

    Its mode is ``Mode.TITLE``; the player is nowhere yet, whatever ``location`` says.
    """
    saved = _saved(read, read(ENGINE, ENGINE_SIZE))
    if isinstance(saved, Rejection):
        return saved
    party = battles.player_party(read(MONS, MONS_SIZE))
    return GameState(
        mode=Mode.TITLE,
        controllable=False,
        dialog_open=None,
        in_battle=False,
        facing=None,
        map_size=None,
        component=None,
        global_position=None,
        avatar_flags=0,
        party=() if isinstance(party, Rejection) else party,
        **battles.NO_BATTLE._asdict(),
        **saved._asdict(),
    )


def glance(read: sym.Read) -> field.Now:
    """Returns what the screen is, without a look at anything that may be half-written."""
    mode = _screen(read(sym.G_MAIN, sym.MAIN_SIZE))
    if isinstance(mode, Rejection):
        return field.Now(Mode.TRANSITION, False, None)
    script, engine = read(SCRIPT, SCRIPT_SIZE), read(ENGINE, ENGINE_SIZE)
    return _now(read, mode, script, engine, read(FIELD, FIELD_SIZE))


def _screen(main: bytes) -> Mode | Rejection:
    """Returns the mode that gMain's bytes tell, or why nothing is to be believed meanwhile."""
    callback2 = int.from_bytes(main[sym.MAIN_CALLBACK2 : sym.MAIN_CALLBACK2 + 4], "little")
    kind = kind_of(callback2)
    if kind is None:
        return Rejection.UNKNOWN_CALLBACK
    mode = MODES.get(kind, Rejection.LOADING)
    return Rejection.NOT_STARTED if mode is Mode.TITLE else mode


def _saved(read: sym.Read, engine: bytes) -> blocks.Saved | Rejection:
    raw = read_save_blocks(read, engine)
    if raw is None:
        return Rejection.SAVE_BLOCK_POINTER
    saved = blocks.decrypt(raw)
    return blocks.check(saved) or saved


def _now(read: sym.Read, mode: Mode, script: bytes, engine: bytes, on_map: bytes) -> field.Now:
    if mode is Mode.OVERWORLD:
        return field.overworld_now(read, script, engine, on_map)
    return field.Now(mode, False, None)


def _assemble(
    now: field.Now,
    in_battle: bool,
    saved: blocks.Saved,
    party: tuple[Pokemon, ...],
    battle: battles.Battle,
    script: bytes,
    engine: bytes,
    on_map: bytes,
) -> GameState | Rejection:
    size = field.map_size(engine)
    if isinstance(size, Rejection):
        return size
    player = field.player_on(on_map)
    position = field.place(saved.position, player, size, field.controls_locked(script))
    if isinstance(position, Rejection):
        return position
    offset = field.global_offset(saved.location, size)
    return make_state(  # in the order of GameState's fields
        *now,
        in_battle,
        saved.location,
        position,
        player.facing if player else None,
        size,
        offset.component if offset else None,
        (offset.x + position[0], offset.y + position[1]) if offset else None,
        field.avatar_flags(on_map),
        party,
        *battle,
        *saved[2:],  # without location and position
    )
