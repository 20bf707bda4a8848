"""The last states of a game, to go back to."""

import zlib
from collections import deque
from hashlib import blake2b
from typing import NamedTuple

INTERVAL = 60  # frames
MAX_SAVED = 1000  # states whose past is known; older ones are loaded like those of another play


class Kept(NamedTuple):
    """A state to go back to."""

    number: int  # counts all that were ever kept
    frame: int
    packed: bytes


class Rewind:
    """A ring of states, one a second of the game.

    Args:
        capacity: states that it holds at most; the oldest goes first.
    """

    def __init__(self, capacity: int) -> None:
        self._kept: deque[Kept] = deque(maxlen=capacity)
        self._count = 0
        self._end = 0  # kept states with lower numbers are the past of the game as it is now
        self._saved: dict[bytes, int] = {}  # digest of a state of this game -> its `_end`

    def due_in(self, frame: int) -> int:
        """Returns in how many frames a state is due; forgets a future that a loaded state undid."""
        self._forget()
        return max(0, self._kept[-1].frame + INTERVAL - frame) if self._kept else 0

    def saved(self, state: bytes) -> None:
        """Notes a state of the game as it is now, to know its past when it is loaded."""
        self._saved[_digest(state)] = self._end
        if len(self._saved) > MAX_SAVED:
            del self._saved[next(iter(self._saved))]

    def loaded(self, state: bytes) -> None:
        """Forgets all states where one of another play was loaded, which does not follow them."""
        end = self._saved.get(_digest(state))
        if end is None:
            self.forget()
        else:
            self._end = end

    def forget(self) -> None:
        """Forgets all states: what comes does not follow them."""
        self._kept.clear()
        self._end = self._count

    def keep(self, frame: int, state: bytes) -> None:
        """Keeps the state of a frame."""
        self._kept.append(Kept(self._count, frame, zlib.compress(state, 1)))
        self._count += 1
        self._end = self._count
        self.saved(state)

    def back(self, until: int) -> tuple[int, bytes]:
        """Returns the last kept frame up to one, with its state, and forgets later ones.

        Raises:
            ValueError: there is none so old.
        """
        self._forget()
        if not self._kept or self._kept[0].frame > until:
            raise ValueError(
                "no state so old is kept since the game began or a state of another play was "
                "loaded: open the GBA with a larger rewind=STATES, or run it for longer before"
            )
        while self._kept[-1].frame > until:
            self._kept.pop()
        number, frame, packed = self._kept[-1]
        state = zlib.decompress(packed)
        self._end = number + 1
        self.saved(state)
        return frame, state

    def _forget(self) -> None:
        while self._kept and self._kept[-1].number >= self._end:
            self._kept.pop()


def _digest(state: bytes) -> bytes:
    return blake2b(state, digest_size=16).digest()
