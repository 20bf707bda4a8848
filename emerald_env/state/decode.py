"""From memory to a state: bytes in, value out; no emulator, no log."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from typing import Any

from emerald_env.game import symbols as sym
from emerald_env.game.editions import Edition, edition
from emerald_env.state.game_state import NOWHERE, GameState, Mode, make_state
from emerald_env.state.mode import screen_modes
from emerald_env.state.parts import battle as battles
from emerald_env.state.parts import blocks, open_menu
from emerald_env.state.parts import field as overworld
from emerald_env.state.parts.pokemon import Pokemon
from emerald_env.state.rejection import Rejection
from emerald_env.state.state_memory import (
    ALL,
    AVATAR,
    BATTLE_TYPE,
    BATTLERS,
    CALLBACK,
    COORDS,
    CORNER,
    CURSOR_BITS,
    CURSORS,
    ENEMIES,
    FACING,
    FADE,
    FIGHTERS,
    HEAD,
    HEAD_BITS,
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
    SUMMARY,
    TASKS,
    WHERE,
    moving,
    save_blocks_at,
    stretches,
    summary_at,
)
from emerald_env.state.watched_memory import ReadWatch, Watching

_PERSON_BITS = AVATAR.bit | PERSON.bit | KINDS.bit | COORDS.bit | FACING.bit
_WHERE_BITS = PLACE.bit | LAYOUT.bit | LOCK.bit | _PERSON_BITS
_PARTY_BITS = IN_BATTLE.bit | PARTY_COUNT.bit | PARTY.bit | BATTLE_TYPE.bit
_MONS_BITS = BATTLERS.bit | INDEXES.bit | FIGHTERS.bit | OUTCOME.bit | ENEMIES.bit
_BATTLE_BITS = _PARTY_BITS | _MONS_BITS | OPPONENT.bit
_NOW_BITS = CALLBACK.bit | CORNER.bit | FADE.bit | SCRIPT.bit | LOCK.bit
_MENU_BITS = TASKS.bit | CURSOR_BITS
_SCREEN_BITS = _NOW_BITS | _MENU_BITS
_LEADING = POINTERS | HEAD_BITS
_SAVED_BITS = ALL & ~PLACE.bit  # whereabouts have the place, and check it
_CHANGING = ("bag_menu", "party_menu")  # where moves are taught and things used
_CALLBACK_BIT, _HEAD_AT, _WHERE = CALLBACK.bit, CALLBACK.start, WHERE

# the places of a state's parts among its fields
_fields = {field.name: index for index, field in enumerate(fields(GameState))}
_NOW_AT, _MENU_AT = slice(_fields["mode"], _fields["dialog_open"] + 1), _fields["menu"]
_IN_BATTLE_AT, _PARTY_AT = _fields["in_battle"], _fields["party"]
_WHERE_AT = slice(_fields["location"], _fields["avatar_flags"] + 1)
_BATTLE_AT = slice(_fields["enemy_party"], _fields["opponent"] + 1)
_SAVED_AT = slice(_fields["money"], _fields["last_heal"] + 1)


def decode(read: sym.Read, game: Edition | None = None) -> GameState | None:
    """Returns the state in the memory behind ``read``.

    Args:
        read: the memory.
        game: the edition being read; None: the US edition, or Jade.

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
        game: the edition being read; None: the US edition, or Jade.
    """

    def __init__(self, watch: Watching, game: Edition | None = None) -> None:
        game = game or edition("BPEE")
        self._at = game.addresses
        self._screens = screen_modes(game)
        self._watch = watch(stretches(self._at))
        self._stale = ALL
        self._found: GameState | Rejection = Rejection.NOT_STARTED
        self._has_blocks = False
        self._japanese = game.is_japanese
        self._blocks = blocks.SaveBlockDecoder(game.is_japanese)
        self._places = overworld.known_places(self._at)
        self._head: tuple[int, ...] = HEAD.unpack(bytes(HEAD.size))
        self._kinds = {pointer: callback.kind for pointer, callback in game.screens.items()}
        self._values: list[Any] = [None] * len(_fields)  # of the next state
        self._values[_fields["game"]] = game.code
        self._values[_fields["world"]] = game.world
        self._values[_BATTLE_AT] = battles.NO_BATTLE
        self._now: overworld.Now
        self._members = b""  # of the party when a menu was last asked for it
        self._in_menu: battles.Party | None = None

    def look(self) -> int:
        """Updates the copy of memory; returns the main callback's pointer."""
        changed = self._watch.refresh()
        self._stale |= changed
        if changed & _LEADING:
            self._head = HEAD.unpack_from(self._watch.copy, _HEAD_AT)
            if changed & POINTERS:
                self._follow_pointers()
                self._stale |= self._watch.refresh(MOVING)
        return self._head[0]

    def _follow_pointers(self) -> None:
        copy, at = self._watch.copy, self._at
        found = save_blocks_at(copy, at)
        self._has_blocks = found is not None
        blocks_at = found or (at.g_save_block_1, at.g_save_block_2)
        slot = min(copy[PERSON.cut][0], sym.OBJECT_EVENT_COUNT - 1)
        person = at.g_object_events + slot * sym.OBJECT_EVENT_SIZE
        for index, (address, _) in enumerate(moving(at, *blocks_at, person, summary_at(copy))):
            self._watch.aim(index, address)

    def decode(self) -> GameState | Rejection:
        """Returns the state at the last update, or why it is rejected."""
        if self._stale:
            self._found = self._decode(self._watch.copy, self._stale)
            if isinstance(self._found, GameState):
                self._stale = 0
        return self._found

    def _decode(self, copy: Any, stale: int) -> GameState | Rejection:
        callback2, _, playing, _, lock = self._head
        if stale & _CALLBACK_BIT and isinstance(mode := self.screen(callback2), Rejection):
            return mode
        if playing not in sym.PLAY_TIME_STATES:
            return Rejection.NOT_STARTED
        if not self._has_blocks:
            return Rejection.SAVE_BLOCK_POINTER
        saved = self._blocks
        if (reason := saved.update(copy, stale & _SAVED_BITS)) is not None:
            return reason
        if not saved.has_player:
            return Rejection.PLAYER
        values = self._values
        values[_SAVED_AT] = saved.contents
        if stale & _BATTLE_BITS and (reason := self._take_pokemon(copy, stale)) is not None:
            return reason
        if stale & _WHERE_BITS:
            where = self._places[lock != 0][copy[_WHERE]]
            if isinstance(where, Rejection):
                return where
            values[_WHERE_AT] = where
        if stale & _SCREEN_BITS:
            *values[_NOW_AT], values[_MENU_AT] = self.glance()
        return make_state(values)

    def screen(self, callback2: int) -> Mode | Rejection:
        """Returns a main callback's mode, or why memory cannot be trusted meanwhile."""
        return self._screens.get(callback2, Rejection.UNKNOWN_CALLBACK)

    def decode_title(self) -> tuple[blocks.Saved, tuple[Pokemon, ...]] | Rejection:
        """Returns the save blocks and the party at the last update, whether or not a game runs."""
        if not self._has_blocks:
            return Rejection.SAVE_BLOCK_POINTER
        copy = self._watch.copy
        if (reason := self._blocks.update(copy, self._stale | PLACE.bit)) is not None:
            return reason
        party = self._party(0)
        return self._blocks.saved(), () if isinstance(party, Rejection) else party

    def party_in_menu(self) -> battles.Party | None:
        """Returns the party where a menu changes it, outside battles: in the bag, in its own.

        None elsewhere, and while a Pokémon is half written, which its checksum tells.
        """
        if self._in_battle() or self._kinds.get(self._head[0]) not in _CHANGING:
            return None
        members = bytes(self._watch.copy[PARTY.cut])
        if members != self._members:
            self._members, found = members, self._party(0)
            self._in_menu = None if isinstance(found, Rejection) else found
        return self._in_menu

    def bag_in_menu(self) -> bytes | None:
        """Returns the bag where a menu sorts and empties it: in the bag, in the party's menu.

        None elsewhere, and while it is impossible.
        """
        if not self._has_blocks or self._kinds.get(self._head[0]) not in _CHANGING:
            return None
        return blocks.bag_in(self._watch.copy)

    def _in_battle(self) -> bool:
        return bool(self._head[1] & sym.MAIN_IN_BATTLE_MASK)

    def _party(self, battle_type: int) -> battles.Party | Rejection:
        copy = self._watch.copy
        count, members = copy[PARTY_COUNT.cut][0], copy[PARTY.cut]
        return battles.player_party(count, members, battle_type, self._japanese)

    def _take_pokemon(self, copy: Any, stale: int) -> Rejection | None:
        values, in_battle = self._values, self._in_battle()
        if stale & _PARTY_BITS:
            kind = int.from_bytes(copy[BATTLE_TYPE.cut], "little") if in_battle else 0
            party = self._party(kind)
            if isinstance(party, Rejection):
                return party
            values[_PARTY_AT] = party
        values[_IN_BATTLE_AT], values[_BATTLE_AT] = in_battle, battles.NO_BATTLE
        if in_battle:
            side = battles.players_side(copy[PARTY.cut], values[_PARTY_AT])
            battle = battles.decode_battle(copy, side, self._japanese)
            if isinstance(battle, Rejection):
                return battle
            values[_BATTLE_AT] = battle
        return None

    def glance(self) -> overworld.Now:
        """Returns the screen at the last update, without anything half-written."""
        stale = self._stale
        if stale & _NOW_BITS or (stale & _MENU_BITS and self._may_have_menu()):
            self._now = self._see()
        return self._now

    def _may_have_menu(self) -> bool:
        return bool(self._head[4]) or self._head[0] != self._at.cb2_overworld

    def _see(self) -> overworld.Now:
        copy, cursors = self._watch.copy, self._watch.copy[CURSORS]
        callback2, _, _, script, lock = self._head
        mode = self.screen(callback2)
        if mode is Mode.OVERWORLD:
            runs = script != sym.SCRIPT_CONTEXT_SHUTDOWN
            tasks = copy[TASKS.cut] if lock else None
            return overworld.overworld_now(
                self._at, copy[CORNER.cut], copy[FADE.cut], runs, tasks, cursors
            )
        if mode not in (Mode.BATTLE, Mode.MENU):
            known = Mode.TRANSITION if isinstance(mode, Rejection) else mode
            return overworld.Now(known, False, None)
        at, active = self._at.menus, overworld.active_tasks(copy[TASKS.cut])
        if mode is Mode.BATTLE:
            menu = open_menu.battle_menu(at, cursors, active.keys())
        elif at.task_handle_replace_move_input in active:
            menu = open_menu.summary_menu(at, copy[SUMMARY.cut])
        else:
            menu = open_menu.screen_menu(at, cursors, self._kinds[callback2], active)
        return overworld.Now(mode, False, None, menu)


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
    return replace(NOWHERE, mode=Mode.TITLE, party=party, **saved._asdict())
