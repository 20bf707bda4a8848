"""Further ways to break a world, and the true score that the learner never sees."""

from collections import deque
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

Step = tuple[Any, float, bool, bool, dict[str, Any]]
LATE = 4  # steps by which a late picture is old
SOON = 3  # steps after which an episode that ends at once is over


class Tampered(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Breaks a world from one of its steps on.

    Args:
        env: the world.
        fault: what happens; None: nothing.
        start: this env's step at which it begins.
        score: called with (step of this env, true return) at each episode's end.
    """

    def __init__(
        self, env: Any, fault: str | None, start: int, score: Callable[[int, float], None]
    ) -> None:
        super().__init__(env)
        self._fault, self._start, self._score, self._steps = fault, start, score, 0
        self._dice = np.random.default_rng(0)
        self._seen: deque[Any] = deque(maxlen=500)
        self._owed = 0.0  # the episode before paid so much

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the world and the true return."""
        self._true, self._length = 0.0, 0
        seen, info = self.env.reset(**kwargs)
        return self._shown(seen), info

    def step(self, action: Any) -> Step:
        """Steps the world, tampering with what goes in and comes out."""
        self._steps += 1
        self._length += 1
        fault = self._fault if self._steps > self._start else None
        if fault == "buttons swapped":
            action = self.action_space.n - 1 - action  # type: ignore[attr-defined]
        seen, reward, terminated, truncated, info = self.env.step(action)
        if fault == "game stuck":
            reward, terminated = 0.0, False
        if fault == "ends at once" and self._length == SOON:
            truncated = True
        self._true += float(reward)
        over = terminated or truncated
        paid = self._paid(float(reward), over, fault)
        if over:
            self._score(self._steps, self._true)
        return self._shown(seen), paid, terminated, truncated, info

    def _paid(self, reward: float, over: bool, fault: str | None) -> float:
        if fault != "rewards late":
            return reward
        paid = self._owed if over else 0.0
        self._owed = self._true if over else self._owed
        return paid

    def _shown(self, seen: Any) -> Any:
        self._seen.append(seen)
        fault = self._fault if self._steps >= self._start else None
        if fault == "picture dark":
            return np.zeros_like(seen)
        if fault == "picture late":
            return self._seen[max(0, len(self._seen) - 1 - LATE)]
        if fault == "picture of another time":
            return self._seen[int(self._dice.integers(len(self._seen)))]
        if fault == "game stuck":
            return self._seen[0]
        return seen
