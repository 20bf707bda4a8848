"""From memory to a state: bytes in, value out; no emulator, no log."""

from __future__ import annotations

from functools import partial
from typing import Any

from emerald_env.game import symbols as sym
from emerald_env.game.editions import Edition, edition
from emerald_env.state import battle as battles
from emerald_env.state import blocks, field
from emerald_env.state.game_state import GameState, Mode, make_state
from emerald_env.state.memory_watch import ReadWatch, Watching
from emerald_env.state.mode import screen_modes
from emerald_env.state.pokemon import Pokemon
from emerald_env.state.rejection import Rejection
from emerald_env.state.snapshot import (
    ALL,
    AVATAR,
    BATTLE_TYPE,
    BATTLERS,
    CALLBACK,
    COORDS,
    CORNER,
    ENEMIES,
    FACING,
    FADE,
    FIGHTERS,
    HEAD,
    IN_BATTLE,
    INDEXES,
    KINDS,
    LAYOUT,
    LOCK,
    MOVING,
    OPPONENT,
    OUTCOME,
    PARTY,
    PARTY_COUNT,
    PERSON,
    PLACE,
    POINTERS,
    SCRIPT,
    TASKS,
    WHERE,
    moving,
    save_blocks_at,
    stretches,
)

_PERSON_BITS = AVATAR.bit | PERSON.bit | KINDS.bit | COORDS.bit | FACING.bit
_WHERE_BITS = PLACE.bit | LAYOUT.bit | LOCK.bit | _PERSON_BITS
_PARTY_BITS = IN_BATTLE.bit | PARTY_COUNT.bit | PARTY.bit | BATTLE_TYPE.bit
_MONS_BITS = BATTLERS.bit | INDEXES.bit | FIGHTERS.bit | OUTCOME.bit | ENEMIES.bit
_BATTLE_BITS = _PARTY_BITS | _MONS_BITS | OPPONENT.bit
_NOW_BITS = CALLBACK.bit | CORNER.bit | FADE.bit | SCRIPT.bit | LOCK.bit


def decode(read: sym.Read, game: Edition | None = None) -> GameState | None:
    """Returns the state in the memory behind ``read``.

    Args:
        read: the memory.
        game: the edition whose it is; None: the US one, and Jade.

    Returns:
        None while no game has been started (title screen, main menu), while the game moves its
    save blocks (warps, a battle's beginning and end), and whenever something in them is impossible.
    """
    state = examine(read, game)
    return state if isinstance(state, GameState) else None


def examine(read: sym.Read, game: Edition | None = None) -> GameState | Rejection:
    """Does the same as ``decode``, but returns the reason instead of None."""
    decoder = Decoder(partial(ReadWatch, read), game)
    decoder.look()
    return decoder.decode()


class Decoder:
    """Does the same as ``examine`` repeatedly, and only decodes what has changed.

    Its results equal those of ``examine``, whatever it decoded before; but equal parts of
    successive states are mostly the same objects, and an unchanged memory gives the same object.

    Every part of a state is a function of some stretches of memory, and is decoded again if one of
    them has changed since the last complete state.

    Args:
        watch: makes a watch on the memory.
        game: the edition whose it is; None: the US one, and Jade.
    """

    def __init__(self, watch: Watching, game: Edition | None = None) -> None:
        game = game or edition("BPEE")
        self._at = game.addresses
        self._game = game.code
        self._screens = screen_modes(game)
        self._watch = watch(stretches(self._at))
        self._stale = ALL
        self._found: GameState | Rejection = Rejection.NOT_STARTED
        self._has_blocks = False
        self._japanese = game.is_japanese
        self._blocks = blocks.SaveBlockDecoder(game.is_japanese)
        self._whereabouts = field.remembered_whereabouts(self._at)
        self._party: tuple[Pokemon, ...] = ()
        self._battle = battles.NO_BATTLE
        self._where: field.Whereabouts
        self._now: field.Now

    def look(self) -> int:
        """Updates the copy of memory; returns the main callback's pointer."""
        changed = self._watch.refresh()
        self._stale |= changed
        if changed & POINTERS:
            self._follow_pointers()
            self._stale |= self._watch.refresh(MOVING)
        return int(HEAD.unpack_from(self._watch.copy, CALLBACK.start)[0])

    def _follow_pointers(self) -> None:
        copy, at = self._watch.copy, self._at
        found = save_blocks_at(copy, at)
        self._has_blocks = found is not None
        blocks_at = found or (at.g_save_block_1, at.g_save_block_2)
        slot = min(copy[PERSON.cut][0], sym.OBJECT_EVENT_COUNT - 1)
        person = at.g_object_events + slot * sym.OBJECT_EVENT_SIZE
        for index, (address, _) in enumerate(moving(at, *blocks_at, person)):
            self._watch.aim(index, address)

    def decode(self) -> GameState | Rejection:
        """Returns the state at the last update, or why it is rejected."""
        if self._stale:
            self._found = self._decode(self._watch.copy, self._stale)
            if isinstance(self._found, GameState):
                self._stale = 0
        return self._found

    def _decode(self, copy: Any, stale: int) -> GameState | Rejection:
        callback2, battle_byte, playing, _, lock = HEAD.unpack_from(copy, CALLBACK.start)
        if stale & CALLBACK.bit and isinstance(mode := self.screen(callback2), Rejection):
            return mode
        if playing not in sym.PLAY_TIME_STATES:
            return Rejection.NOT_STARTED
        in_battle = bool(battle_byte & sym.MAIN_IN_BATTLE_MASK)
        reason = self._take_game() or self._take_pokemon(copy, stale, in_battle)
        if reason is None and stale & _WHERE_BITS:
            reason = self._take_where(copy, lock != 0)
        if reason is not None:
            return reason
        now = self.glance()
        battle = self._battle if in_battle else battles.NO_BATTLE
        # in the order of GameState's fields
        saved = self._blocks.values()
        return make_state(*now, in_battle, *self._where, self._party, *battle, *saved, self._game)

    def screen(self, callback2: int) -> Mode | Rejection:
        """Returns a main callback's mode, or why memory cannot be trusted meanwhile."""
        return self._screens.get(callback2, Rejection.UNKNOWN_CALLBACK)

    def decode_title(self) -> tuple[blocks.Saved, tuple[Pokemon, ...]] | Rejection:
        """Returns the save blocks and the party at the last update, whether or not a game runs."""
        if (reason := self._take_blocks()) is not None:
            return reason
        copy = self._watch.copy
        party = battles.player_party(copy[PARTY_COUNT.cut][0], copy[PARTY.cut], 0)
        return self._blocks.saved(), () if isinstance(party, Rejection) else party

    def _take_blocks(self) -> Rejection | None:
        if not self._has_blocks:
            return Rejection.SAVE_BLOCK_POINTER
        return self._blocks.update(self._watch.copy, self._stale)

    def _take_game(self) -> Rejection | None:
        reason = self._take_blocks()
        return Rejection.PLAYER if reason is None and not self._blocks.has_player else reason

    def _take_pokemon(self, copy: Any, stale: int, in_battle: bool) -> Rejection | None:
        if stale & _PARTY_BITS:
            kind = int.from_bytes(copy[BATTLE_TYPE.cut], "little") if in_battle else 0
            party = battles.player_party(copy[PARTY_COUNT.cut][0], copy[PARTY.cut], kind)
            if isinstance(party, Rejection):
                return party
            self._party = party
        if in_battle and stale & _BATTLE_BITS:
            side = battles.players_side(copy[PARTY.cut], self._party)
            battle = battles.decode_battle(copy, side, self._japanese)
            if isinstance(battle, Rejection):
                return battle
            self._battle = battle
        return None

    def _take_where(self, copy: Any, locked: bool) -> Rejection | None:
        where = self._whereabouts(copy[WHERE], locked)
        if isinstance(where, Rejection):
            return where
        self._where = where
        return None

    def glance(self) -> field.Now:
        """Returns the screen at the last update, without anything half-written."""
        copy, stale = self._watch.copy, self._stale
        locked = copy[LOCK.cut] != b"\0"
        if stale & _NOW_BITS or (locked and stale & TASKS.bit):
            callback2, _, _, script, _ = HEAD.unpack_from(copy, CALLBACK.start)
            mode = self.screen(callback2)
            if mode is Mode.OVERWORLD:
                runs = script != sym.SCRIPT_CONTEXT_SHUTDOWN
                tasks = copy[TASKS.cut] if locked else None
                corner, fade = copy[CORNER.cut], copy[FADE.cut]
                self._now = field.overworld_now(self._at, corner, fade, runs, tasks)
            else:
                known = Mode.TRANSITION if isinstance(mode, Rejection) else mode
                self._now = field.Now(known, False, None)
        return self._now


def examine_title(read: sym.Read, game: Edition | None = None) -> GameState | Rejection:
    """Returns the save blocks' contents while no game runs: all zero, or the save to continue.

    Its mode is ``Mode.TITLE``; the player is nowhere yet, whatever ``location`` says.
    """
    decoder = Decoder(partial(ReadWatch, read), game)
    decoder.look()
    found = decoder.decode_title()
    if isinstance(found, Rejection):
        return found
    saved, party = found
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
        party=party,
        **battles.NO_BATTLE._asdict(),
        **saved._asdict(),
    )


def glance(read: sym.Read, game: Edition | None = None) -> field.Now:
    """Returns the screen, without reading anything that may be half-written."""
    decoder = Decoder(partial(ReadWatch, read), game)
    decoder.look()
    return decoder.glance()
