"""The guarded look at a running game: a state that is right, or the last one that was."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from emerald_env.state.decode import examine
from emerald_env.state.game_state import GameState, Mode
from emerald_env.state.mode import MODES, kind_of
from emerald_env.state.rejection import Rejection
from emerald_env.symbols import (
    BATTLE_MAIN_CB2,
    CB2_OVERWORLD,
    G_MAIN,
    MAIN_CALLBACK2,
    Read,
)


class StateReader:
    """Samples a running game, and remembers the last state that could be believed.

    ``rejections`` counts, by the values of ``Rejection``, the samples that were not believed.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._last: GameState | None = None
        self._held: GameState | None = None
        self.rejections: Counter[str] = Counter()

    def reset(self) -> None:
        """Forgets the last state and the counts: call it when another game or state was loaded."""
        self._last = None
        self._held = None
        self.rejections = Counter()

    def sample(self) -> GameState | None:
        """Returns the present state.

        Memory is believed while the overworld's or the battle's main callback runs and the picture
        does not fade. At other moments the last such state stands, with ``mode`` as it is now and
        ``controllable`` False, and the reason is counted. Before the first such state, whatever
        ``decode`` returns is returned; None while no game is running. Never raises, whatever memory
        holds.
        """
        callback2 = int.from_bytes(self._read(G_MAIN + MAIN_CALLBACK2, 4), "little")
        reason = _unsettled(callback2)
        if reason is None or self._last is None:
            found = examine(self._read)
            if isinstance(found, Rejection):
                reason = found
            elif found.mode is Mode.TRANSITION and self._last is not None:
                reason = Rejection.FADE
            else:
                self._last = found
                return found
        return self._stand(reason, callback2)

    def _stand(self, reason: Rejection, callback2: int) -> GameState | None:
        """Counts the reason and returns the last state with the present mode."""
        self.rejections[reason.value] += 1
        if reason is Rejection.NOT_STARTED:
            self._last = None
        if self._last is None:
            return None
        mode = Mode.MENU if _mode(callback2) is Mode.MENU else Mode.TRANSITION
        if self._held is None or self._held.mode is not mode or self._held.flags is not self._last.flags:
            self._held = replace(self._last, mode=mode, controllable=False, dialog_open=None)
        return self._held


def _mode(callback2: int) -> Mode | None:
    return MODES.get(kind_of(callback2) or "")


def _unsettled(callback2: int) -> Rejection | None:
    """Returns why a main callback's memory is not to be sampled, None if it is."""
    if callback2 in (CB2_OVERWORLD, BATTLE_MAIN_CB2):
        return None
    if kind_of(callback2) is None:
        return Rejection.UNKNOWN_CALLBACK
    mode = _mode(callback2)
    if mode is Mode.TITLE:
        return Rejection.NOT_STARTED
    return Rejection.LOADING if mode is None else Rejection.SCREEN
