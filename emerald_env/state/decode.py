"""From memory to a state: bytes in, value out; no emulator, no log."""

from __future__ import annotations

from emerald_env import symbols as sym
from emerald_env.state import battle as battles
from emerald_env.state import blocks, field
from emerald_env.state.game_state import GameState, Mode, make_state
from emerald_env.state.kept import Kept
from emerald_env.state.mode import MODES, kind_of
from emerald_env.state.pokemon import Pokemon
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import (
    ENGINE,
    ENGINE_SIZE,
    FADE,
    FIELD,
    FIELD_SIZE,
    MONS,
    MONS_SIZE,
    PARTY,
    PARTY_SIZE,
    SCRIPT,
    SCRIPT_SIZE,
    TASKS_SIZE,
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
    return Decoder().examine(read, read(sym.G_MAIN, sym.MAIN_SIZE))


class Decoder:
    """Does what ``examine`` does, again and again: what did not change is not decoded again.

    It gives what ``examine`` gives, whatever it decoded before; but equal parts of successive
    states are mostly the same objects.
    """

    def __init__(self) -> None:
        self._blocks = blocks.SaveBlockDecoder()
        self._party = Kept(battles.player_party)
        self._battle = Kept(battles.decode_battle)
        self._now = Kept(field.overworld_now)
        self._whereabouts = Kept(field.whereabouts)

    def examine(self, read: sym.Read, main: bytes) -> GameState | Rejection:
        """Returns what the memory says, or why it is not believed.

        Args:
            read: the memory.
            main: what it holds at ``gMain``.
        """
        mode = _screen(main)
        if isinstance(mode, Rejection):
            return mode
        script = read(SCRIPT, SCRIPT_SIZE)
        if script[0] not in sym.PLAY_TIME_STATES:
            return Rejection.NOT_STARTED
        engine = read(ENGINE, ENGINE_SIZE)
        raw = read_save_blocks(read, engine)
        if raw is None:
            return Rejection.SAVE_BLOCK_POINTER
        saved = self._blocks.decode(raw)
        if isinstance(saved, Rejection):
            return saved
        party = self._party(read(PARTY, PARTY_SIZE))
        if isinstance(party, Rejection):
            return party
        in_battle = bool(main[sym.MAIN_IN_BATTLE] & sym.MAIN_IN_BATTLE_MASK)
        battle = self._read_battle(read, party) if in_battle else battles.NO_BATTLE
        if isinstance(battle, Rejection):
            return battle
        on_map = read(FIELD, FIELD_SIZE)
        where = self._whereabouts(
            saved.location,
            saved.position,
            field.avatar(on_map),
            field.layout_of(engine),
            field.controls_locked(script),
        )
        if isinstance(where, Rejection):
            return where
        now = self.glance(read, mode, script)
        # in the order of GameState's fields; `saved` without location and position
        return make_state(*now, in_battle, *where, party, *battle, *saved[2:])

    def _read_battle(
        self, read: sym.Read, party: tuple[Pokemon, ...]
    ) -> battles.Battle | Rejection:
        return self._battle(
            read(MONS, MONS_SIZE),
            read(sym.G_BATTLE_TYPE_FLAGS, 4),
            read(sym.G_TRAINER_BATTLE_OPPONENT_A, 2),
            party,
        )

    def glance(self, read: sym.Read, mode: Mode, script: bytes) -> field.Now:
        """Returns what the screen is; `script` is what memory holds at ``SCRIPT``."""
        if mode is not Mode.OVERWORLD:
            return field.Now(mode, False, None)
        return self._now(
            read(sym.DIALOGUE_FRAME_CELL, 2),
            read(FADE, 1),
            field.script_runs(script),
            read(sym.G_TASKS, TASKS_SIZE) if field.controls_locked(script) else None,
        )


def examine_title(read: sym.Read) -> GameState | Rejection:
    """Returns what the save blocks hold while no game runs: all zero, or the save to continue.

    Its mode is ``Mode.TITLE``; the player is nowhere yet, whatever ``location`` says.
    """
    raw = read_save_blocks(read, read(ENGINE, ENGINE_SIZE))
    if raw is None:
        return Rejection.SAVE_BLOCK_POINTER
    saved = blocks.SaveBlockDecoder().decode(raw)
    if isinstance(saved, Rejection):
        return saved
    party = battles.player_party(read(PARTY, PARTY_SIZE))
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
    return Decoder().glance(read, mode, read(SCRIPT, SCRIPT_SIZE))


def _screen(main: bytes) -> Mode | Rejection:
    """Returns the mode that gMain's bytes tell, or why nothing is to be believed meanwhile."""
    callback2 = int.from_bytes(main[sym.MAIN_CALLBACK2 : sym.MAIN_CALLBACK2 + 4], "little")
    kind = kind_of(callback2)
    if kind is None:
        return Rejection.UNKNOWN_CALLBACK
    mode = MODES.get(kind, Rejection.LOADING)
    return Rejection.NOT_STARTED if mode is Mode.TITLE else mode
