"""The player's side of a live file: its heartbeat and the policy's output."""

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emerald_env.files.data import DataError
from emerald_env.watching.live_file import LiveFile

ASK_SECONDS = 0.25  # between two checks for viewers
DETAILS_SECONDS = 0.5  # between two of what changes rarely
FRAME_SECONDS = 1 / 12  # between two pictures while there are viewers
UNWATCHED_SECONDS = 2.0  # between two pictures while there are none


class Host:
    """Owns a live file while games are played.

    Args:
        path: of the file.
        facts: what viewers are told, see `LiveFile.create`.
        n_games: how many games.
        actions: their names.

    Raises:
        OSError, ValueError: it cannot be written.
    """

    def __init__(
        self, path: Path, facts: dict[str, Any], n_games: int, actions: Sequence[str]
    ) -> None:
        LiveFile.create(path, facts, n_games, actions)
        self._file = LiveFile(path, own=True)
        self._next = self._ask_next = 0.0  # monotonic seconds

    def tell(self, num_timesteps: int, think: Callable[[], NDArray[np.float32] | None]) -> None:
        """Writes the heartbeat; calls `think` only if there are viewers.

        Args:
            num_timesteps: env steps so far.
            think: returns the arguments of `LiveFile.show_policy`; None: unknown.
        """
        now = monotonic()
        if now < self._next:
            return
        try:
            if now >= self._ask_next:
                self._ask_next = now + ASK_SECONDS
                self._file.beat(num_timesteps)
                if not self._file.is_watched:
                    self._next = self._ask_next
                    return
            self._next = now + FRAME_SECONDS
            if (thoughts := think()) is not None:
                self._file.show_policy(thoughts)
        except (OSError, DataError):  # it was truncated, or the disk is full
            self._next = inf

    def close(self) -> None:
        """Removes the file."""
        self._file.close()
