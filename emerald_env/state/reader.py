"""Guarded reading of a running game: a valid state, or the last one that was."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

from emerald_env.game.editions import Edition, Game, edition
from emerald_env.game.symbols import Read
from emerald_env.state.decode import Decoder
from emerald_env.state.game_state import GameState, Mode
from emerald_env.state.parts.field import Now
from emerald_env.state.rejection import Rejection
from emerald_env.state.watched_memory import ReadWatch, Watching

# an enumeration's own look-up takes longer
_TRANSITION, _CREDITS = Mode.TRANSITION, Rejection.CREDITS.value


class StateReader:
    """Samples a running game, and remembers the last valid state.

    ``rejections`` counts, by the values of ``Rejection``, the samples that were rejected.

    Args:
        read: the game's memory.
        watch: makes a watch on that memory; None: one that reads everything with ``read``.
        game: the edition; None: the US one, and Jade.
    """

    def __init__(
        self, read: Read, watch: Watching | None = None, game: Edition | None = None
    ) -> None:
        game = game or edition("BPEE")
        self._decoder = Decoder(watch or partial(ReadWatch, read), game)
        self._settled = (game.addresses.cb2_overworld, game.addresses.battle_main_cb2)
        self._last: GameState | None = None
        self._held: tuple[GameState, Now, GameState] | None = None
        self.rejections: Counter[str] = Counter()

    @classmethod
    def of(cls, game: Game) -> StateReader:
        """Returns a reader of a running game."""
        kind = cls if game.edition.is_read else UnreadGame
        return kind(game.memory.read, game.memory.watch, game.edition)

    def reset(self) -> None:
        """Forgets the last state and the counts: call it after loading another game or state."""
        self._last = None
        self._held = None
        self.rejections = Counter()

    @property
    def finished(self) -> bool:
        """Whether the credits have been seen since the last reset."""
        return _CREDITS in self.rejections

    def get_state(self) -> dict[str, Any]:
        """Returns the reader's memory; see `EmeraldEnv.get_state`."""
        held = self._held[2] if self._held is not None and self._held[0] is self._last else None
        return {"last": self._last, "held": held, "rejections": dict(self.rejections)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned."""
        self._last, held = state["last"], state["held"]
        self._held = None
        if self._last is not None and held is not None:
            now = Now(held.mode, held.controllable, held.dialog_open, held.menu)
            self._held = (self._last, now, held)
        self.rejections = Counter(state["rejections"])

    def sample(self) -> GameState | None:
        """Returns the present state.

        Memory is trusted while the overworld's or the battle's main callback runs and the picture
        does not fade. Otherwise the last such state is returned with the current ``mode``,
        ``controllable``, ``dialog_open`` and ``menu``, and the reason is counted; in the bag and
        the party's menu also with the current party and bag, which they change. Before the first
        such state it returns ``decode``'s result; None while no game runs. Never raises.
        """
        callback2 = self._decoder.look()
        if self._last is not None and callback2 not in self._settled:
            found = self._decoder.screen(callback2)
            return self._stand(found if isinstance(found, Rejection) else Rejection.SCREEN)
        state = self._decoder.decode()
        if not isinstance(state, GameState):  # an enumeration's own check takes longer
            return self._stand(state)
        if state.mode is _TRANSITION and self._last is not None:
            return self._stand(Rejection.FADE)
        self._last = state
        return state

    def _stand(self, reason: Rejection) -> GameState | None:
        """Counts the reason and returns the last state, with the current screen."""
        self.rejections[reason.value] += 1
        if reason is Rejection.NOT_STARTED:
            self._last = None
        if self._last is None:
            return None
        now, party = self._decoder.glance(), self._decoder.party_in_menu() or self._last.party
        bag = self._decoder.bag_in_menu() or self._last.bag_data
        last, then, held = self._held or (None, None, self._last)
        known = held.party, held.bag_data
        if last is not self._last or then != now or known != (party, bag):
            held = replace(self._last, party=party, bag_data=bag, **now._asdict())
            self._held = (self._last, now, held)
        return held


class UnreadGame(StateReader):
    """The reader of a game whose memory nobody can read here: it never has a state."""

    def sample(self) -> None:
        """Returns None."""
