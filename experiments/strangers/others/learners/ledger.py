"""A run's episodes and rows, as a learner with one game writes them down."""

import math
import time
from collections import deque

import numpy as np

from experiments.strangers.foreign_logs import Row

ROW_STEPS = 500  # env steps from a row of the log to the next


class Ledger:
    """A run's episodes and rows, with one game.

    Args:
        row_steps: env steps between two rows; None: `row` is called.
    """

    def __init__(self, row_steps: int | None = ROW_STEPS) -> None:
        self.rows: list[Row] = []
        self.episodes: list[tuple[int, float, float, int, int]] = []
        self.steps = 0
        self._row_steps, self._began, self._next = row_steps, time.time(), row_steps or 0
        self._latest: deque[tuple[float, int]] = deque(maxlen=100)
        self._new: list[tuple[float, int]] = []

    def ended(self, reward: float, length: int) -> None:
        """Takes an episode."""
        self.episodes.append((self.steps, time.time(), reward, length, 0))
        self._latest.append((reward, length))
        self._new.append((reward, length))

    def stepped(self, **numbers: float) -> None:
        """Takes an env step, and the learner's numbers as they are now."""
        self.steps += 1
        if self._row_steps is not None and self.steps >= self._next:
            self._next += self._row_steps
            self.row(**numbers)

    def row(self, **numbers: float) -> None:
        """Writes a row."""
        now = time.time()
        row: Row = {"steps": self.steps, "vector_steps": self.steps, "clock": now}
        row |= {"seconds": now - self._began, "updates": len(self.rows), "fps": 1000.0}
        row |= {"collecting": 0.3, "learning": 0.2, "gradient_steps": float(self.steps)}
        for name, found in (("", self._latest), ("fresh", self._new)):
            if found:
                reward, length = np.mean(list(found), axis=0)
                row[name or "reward"] = float(reward)
                row[f"{name}_length" if name else "length"] = float(length)
        self._new = []
        self.rows.append(row | {k: v for k, v in numbers.items() if math.isfinite(v)})
