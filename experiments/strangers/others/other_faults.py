"""Further ways to break a world."""

from collections import deque
from typing import Any

import numpy as np

from experiments.strangers.worlds import Broken, Step

LATE = 4  # steps by which a late picture is old
STICKS = 0.9  # chance that the key before is pressed again
FADES = 8.0  # noise in a picture after as many steps again as it was clear
SOON = 3  # steps after which an episode that ends at once is over
CHANCES = {"keys of chance now and then": 0.5, "keys of chance": 1.0}  # of a key nobody pressed
DROWNED = 30.0  # standard deviation of what is paid by chance


class Tampered(Broken):
    """Breaks a world in other ways than `Broken`."""

    def __init__(self, env: Any, fault: str | None, start: int, score: Any) -> None:
        super().__init__(env, fault, start, score)
        self._shows: deque[Any] = deque(maxlen=500)
        self._owed = 0.0  # the episode before paid so much
        self._played: Any = None  # the latest action
        self._payments: deque[float] = deque(maxlen=500)

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the world and the true return."""
        self._length = 0
        return super().reset(**kwargs)

    def _pressed(self, action: Any, on: bool) -> Any:
        if on and self._fault == "buttons swapped":
            return self.action_space.n - 1 - action  # type: ignore[attr-defined]
        if on and self._fault == "a dead key" and action == self.action_space.n - 1:  # type: ignore[attr-defined]
            return action * 0
        if on and self._fault in CHANCES and self._dice.random() < CHANCES[self._fault]:
            return self.action_space.sample()
        before, self._played = self._played, action
        if on and self._fault == "keys late" and before is not None:
            return before
        if on and self._fault == "keys stick" and self._dice.random() < STICKS:
            self._played = before if before is not None else action
        return self._played

    def _turned(self, step: Step, on: bool) -> Step:
        seen, reward, terminated, truncated, info = step
        self._length += 1
        if on and self._fault == "game stuck":
            reward, terminated = 0.0, False
        if on and self._fault == "ends at once" and self._length == SOON:
            truncated = True
        return seen, reward, terminated, truncated, info

    def _paid(self, reward: float, over: bool, on: bool) -> float:
        self._payments.append(reward)
        if on and self._fault == "reward of another step":
            return self._payments[int(self._dice.integers(len(self._payments)))]
        if on and self._fault == "payments drowned in noise":
            return reward + DROWNED * float(self._dice.normal())
        if not on or self._fault != "rewards late":
            return reward
        paid = self._owed if over else 0.0
        self._owed = self._true if over else self._owed
        return paid

    def _shown(self, seen: Any) -> Any:
        self._shows.append(seen)
        fault = self._fault if self._steps >= self._start else None
        if fault == "picture dark":
            return np.zeros_like(seen)
        if fault == "half of the picture dark":
            return np.where(np.arange(len(seen)) % 2, 0, seen).astype(np.float32)
        if fault == "picture scrambled":
            return seen[np.random.default_rng(1).permutation(len(seen))]
        if fault == "picture late":
            return self._shows[max(0, len(self._shows) - 1 - LATE)]
        if fault == "picture of another time":
            return self._shows[int(self._dice.integers(len(self._shows)))]
        if fault == "game stuck":
            return self._shows[0]
        if fault == "picture mirrored":
            return seen[::-1].copy()
        if fault == "picture fades":
            noise = FADES * (self._steps - self._start) / max(self._start, 1)
            return (seen + noise * self._dice.normal(size=seen.shape)).astype(np.float32)
        return seen
