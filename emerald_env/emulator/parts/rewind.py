"""The last states of a game, to go back to."""

import zlib
from collections import deque

INTERVAL = 60  # frames


class Rewind:
    """A ring of states, one a second of the game.

    Args:
        capacity: states that it holds at most; the oldest goes first.
    """

    def __init__(self, capacity: int) -> None:
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=capacity)

    def due_in(self, frame: int) -> int:
        """Returns in how many frames a state is due; forgets a future that a loaded state undid."""
        while self._kept and self._kept[-1][0] > frame:
            self._kept.pop()
        return max(0, self._kept[-1][0] + INTERVAL - frame) if self._kept else 0

    def loaded(self, frame: int) -> None:
        """Forgets all states where one was loaded that does not follow them: a later one."""
        if self._kept and frame - self._kept[-1][0] > INTERVAL:
            self._kept.clear()

    def keep(self, frame: int, state: bytes) -> None:
        """Keeps the state of a frame."""
        self._kept.append((frame, zlib.compress(state, 1)))

    def back(self, until: int) -> tuple[int, bytes]:
        """Returns the last kept frame up to one, with its state, and forgets later ones.

        Raises:
            ValueError: there is none so old.
        """
        if not self._kept or self._kept[0][0] > until:
            raise ValueError(
                "no state so old is kept since the game began or a later state was loaded: open "
                "the GBA with a larger rewind=STATES, or run it for longer before"
            )
        while self._kept[-1][0] > until:
            self._kept.pop()
        frame, packed = self._kept[-1]
        return frame, zlib.decompress(packed)
