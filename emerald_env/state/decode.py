"""From memory to a state: bytes in, value out; no emulator, no log."""

from __future__ import annotations

import struct

from emerald_env import symbols as sym
from emerald_env.state import battle as battles
from emerald_env.state import blocks, field
from emerald_env.state.game_state import GameState, Mode
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

_CALLBACKS = struct.Struct("<II")


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
    mode = screen(main)
    if isinstance(mode, Rejection):
        return mode
    script = read(SCRIPT, SCRIPT_SIZE)
    if mode is Mode.TITLE or not script[0]:
        return Rejection.NOT_STARTED
    engine = read(ENGINE, ENGINE_SIZE)
    raw = read_save_blocks(read, engine)
    if raw is None:
        return Rejection.SAVE_BLOCK_POINTER
    saved = blocks.decrypt(raw)
    reason = blocks.check(saved)
    if reason:
        return reason
    mons = read(MONS, MONS_SIZE)
    party = live_party(mons)
    if isinstance(party, Rejection):
        return party
    return _assemble(read, main, script, engine, saved, mons, party, mode)


def screen(main: bytes) -> Mode | Rejection:
    """Returns the mode that gMain's bytes tell, or why nothing is to be believed meanwhile."""
    _, callback2 = _CALLBACKS.unpack_from(main, sym.MAIN_CALLBACK1)
    kind = kind_of(callback2)
    if kind is None:
        return Rejection.UNKNOWN_CALLBACK
    return MODES.get(kind, Rejection.LOADING)


def live_party(mons: bytes) -> tuple[Pokemon, ...] | Rejection:
    """Returns the party, or why it cannot be trusted."""
    if battles.player_party_count(mons) > sym.PARTY_SIZE:
        return Rejection.PARTY_COUNT
    party = battles.player_party(mons)
    return Rejection.PARTY if party is None else party


def _assemble(
    read: sym.Read,
    main: bytes,
    script: bytes,
    engine: bytes,
    saved: blocks.Saved,
    mons: bytes,
    party: tuple[Pokemon, ...],
    mode: Mode,
) -> GameState | Rejection:
    on_map = read(FIELD, FIELD_SIZE)
    size = field.map_size(engine)
    if isinstance(size, Rejection):
        return size
    locked = field.controls_locked(script)
    player = field.player_object(on_map)
    position = field.place(saved.position, player, size, locked)
    if isinstance(position, Rejection):
        return position
    in_battle = bool(main[sym.MAIN_IN_BATTLE] & sym.MAIN_IN_BATTLE_MASK)
    battle: battles.Battle | None = battles.NO_BATTLE
    if in_battle:
        battle = battles.decode_battle(read, mons, party)
        if battle is None:
            return Rejection.PARTY
    dialog = None
    free = False
    if mode is Mode.OVERWORLD:
        dialog = field.shows_dialogue_frame(read(sym.DIALOGUE_FRAME_CELL, 2))
        fading = field.is_fading(on_map)
        mode = field.field_mode(engine, locked, fading, dialog)
        free = mode is Mode.OVERWORLD and not (locked or field.script_runs(script))
    offset = field.component_at(saved.location, size)
    return GameState(
        mode=mode,
        controllable=free,
        dialog_open=dialog,
        in_battle=in_battle,
        location=saved.location,
        position=position,
        facing=player.facing if player else None,
        map_size=size,
        component=offset[0] if offset else None,
        global_position=(offset[1] + position[0], offset[2] + position[1]) if offset else None,
        avatar_flags=field.avatar_flags(on_map),
        party=party,
        enemy_party=battle.enemy_party,
        battlers=battle.battlers,
        battle_type=battle.battle_type,
        battle_outcome=battle.battle_outcome,
        opponent=battle.opponent,
        money=saved.money,
        coins=saved.coins,
        bag_data=saved.bag_data,
        pc_data=saved.pc_data,
        flags=saved.flags,
        vars=saved.vars,
        stats=saved.stats,
        pokedex_seen=saved.pokedex_seen,
        pokedex_caught=saved.pokedex_caught,
        play_time=saved.play_time,
        player_name=saved.player_name,
        player_gender=saved.player_gender,
        trainer_id=saved.trainer_id,
        secret_id=saved.secret_id,
        last_heal=saved.last_heal,
    )
