"""The last moments of a game, to go back to after a mistake."""

from collections import deque
from typing import Any, NamedTuple

from emerald_env.env.env import EmeraldEnv

EVERY = 6  # steps between two moments: 2.4 seconds
KEPT = 64  # moments, some 34 MB
BACK = 12  # steps that going back undoes: five seconds
NO_FURTHER = "cannot go back any further"


class Snapshot(NamedTuple):
    """A moment to go back to."""

    step: int
    game: dict[str, Any]  # of `EmeraldEnv.get_state`
    total: float  # the reward so far


class Snapshots:
    """Keeps the last moments of a game, the oldest goes first.

    Args:
        env: the game.
    """

    def __init__(self, env: EmeraldEnv) -> None:
        self._env = env
        self._kept: deque[Snapshot] = deque(maxlen=KEPT)

    def keep(self, step: int, total: float = 0.0) -> None:
        """Keeps the moment after a step, if it is time for one."""
        if step % EVERY == 0:
            self._kept.append(Snapshot(step, self._env.get_state(), total))

    def go_back(self, now: int) -> Snapshot | None:
        """Undoes the last five seconds or a little more, or less where less is kept.

        Returns:
            The moment where the game is now; None if nothing earlier is kept.
        """
        while len(self._kept) > 1 and self._kept[-1].step > now - BACK:
            self._kept.pop()
        if not self._kept or self._kept[-1].step >= now:
            return None
        self._env.set_state(self._kept[-1].game)
        return self._kept[-1]

    def went_back(self, steps: int) -> str:
        """Returns a message about the steps that were undone."""
        return f"went back {steps * self._env.config.frame_skip / 60:.0f} seconds"
