"""Tiny worlds of discs, a ferry, a dance, a battery, a duel, a crop, a tank and lights."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from experiments.strangers.more_worlds import Array, World
from experiments.strangers.others.late_worlds import hot
from experiments.strangers.worlds import one_hot

MOVES = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))  # of a disc, from a peg to a peg
NEIGHBOURS = ((0, 1, 3), (1, 0, 2, 4), (2, 1, 5), (3, 0, 4), (4, 1, 3, 5), (5, 2, 4))  # of lights
PRICES = (1.0, 2.0, 4.0, 6.0, 4.0, 2.0)  # of a day


class Hanoi(World):
    """Three discs from the first peg to the last; each move costs 1, one that is none, too."""

    def __init__(self) -> None:
        super().__init__(9, spaces.Discrete(6), 40)

    def begin(self) -> None:
        """All on the first peg; the first is the smallest."""
        self._pegs = [0, 0, 0]

    def move(self, action: Any) -> tuple[float, bool]:
        """Moves a peg's uppermost disc, if it may lie there."""
        start, end = MOVES[int(action)]
        tops = [next((d for d in range(3) if self._pegs[d] == peg), 3) for peg in (start, end)]
        if tops[0] < tops[1]:
            self._pegs[tops[0]] = end
        return -1.0, self._pegs == [2, 2, 2]

    def observe(self) -> Array:
        """Each disc's peg."""
        return hot(*((peg, 3) for peg in self._pegs))


class Ferry(World):
    """A wolf, a goat and a cabbage across a river: 1, or -1 if something is eaten."""

    def __init__(self) -> None:
        super().__init__(4, spaces.Discrete(4), 30)

    def begin(self) -> None:
        """All on this side."""
        self._over = [0, 0, 0, 0]  # the man, the wolf, the goat, the cabbage

    def move(self, action: Any) -> tuple[float, bool]:
        """Rows over, alone or with one."""
        taken = int(action)
        if self._over[taken] == self._over[0]:
            self._over[0] = 1 - self._over[0]
            self._over[taken] = self._over[0]
        man, wolf, goat, cabbage = self._over
        if goat != man and goat in (wolf, cabbage):
            return -1.0, True
        won = sum(self._over) == 4
        return float(won), won

    def observe(self) -> Array:
        """Which side each is on."""
        return np.array(self._over, np.float32)


class Dance(World):
    """One of five keys is shown: 1 for it, any other ends the dance; 40 steps."""

    def __init__(self) -> None:
        super().__init__(5, spaces.Discrete(5), 40)

    def begin(self) -> None:
        """The first key."""
        self._key = int(self.np_random.integers(5))

    def move(self, action: Any) -> tuple[float, bool]:
        """Presses a key."""
        right = int(action) == self._key
        self.begin()
        return float(right), not right

    def observe(self) -> Array:
        """The key."""
        return hot((self._key, 5))


class Battery(World):
    """Buys, keeps or sells current, up to three units, at the price of the hour; 30 hours."""

    def __init__(self) -> None:
        super().__init__(10, spaces.Discrete(3), 30)

    def begin(self) -> None:
        """An empty battery at some hour."""
        self._held, self._hour = 0, int(self.np_random.integers(6))

    def move(self, action: Any) -> tuple[float, bool]:
        """Sells, keeps or buys."""
        change = max(-self._held, min(3 - self._held, int(action) - 1))
        self._held += change
        price = PRICES[self._hour] + float(self.np_random.normal(0, 0.5))
        self._hour = (self._hour + 1) % 6
        return -change * price, False

    def observe(self) -> Array:
        """What is held, and the hour."""
        return hot((self._held, 4), (self._hour, 6))


class Duel(World):
    """Stone, paper, scissors against one who mostly beats what was played last; 20 rounds."""

    def __init__(self) -> None:
        super().__init__(3, spaces.Discrete(3), 20)

    def begin(self) -> None:
        """As if stone had been played."""
        self._last = 0

    def move(self, action: Any) -> tuple[float, bool]:
        """Plays a round: each beats the one before it."""
        other = (self._last + 1) % 3
        if self.np_random.random() < 0.2:
            other = int(self.np_random.integers(3))
        self._last = int(action)
        return (0.0, 1.0, -1.0)[(self._last - other) % 3], False

    def observe(self) -> Array:
        """What was played last."""
        return hot((self._last, 3))


class Crop(World):
    """A plant grows for five days and rots on the seventh: harvested, it pays its square."""

    def __init__(self) -> None:
        super().__init__(7, spaces.Discrete(2), 40)

    def begin(self) -> None:
        """A seed."""
        self._days = 0

    def move(self, action: Any) -> tuple[float, bool]:
        """Waits or harvests."""
        paid = self._days**2 / 25 if action == 1 else 0.0
        self._days = 0 if action == 1 or self._days >= 5 else self._days + 1
        return paid, False

    def observe(self) -> Array:
        """Its days."""
        return hot((self._days, 7))


class Tank(World):
    """Keep a leaking tank at the level that is wanted, through a slow valve; 40 steps."""

    def __init__(self) -> None:
        super().__init__(3, spaces.Box(-1, 1, (1,), np.float32), 40)

    def begin(self) -> None:
        """Some level, and another that is wanted."""
        self._level, self._wanted = (float(x) for x in self.np_random.uniform(-1, 1, 2))
        self._flow = 0.0

    def move(self, action: Any) -> tuple[float, bool]:
        """Turns the valve, whose flow comes a step later."""
        self._level = 0.95 * self._level + 0.4 * self._flow
        self._flow = float(np.clip(action[0], -1, 1))
        return -abs(self._level - self._wanted), False

    def observe(self) -> Array:
        """The levels and the flow."""
        return np.array([self._level, self._wanted, self._flow], np.float32)


class LightsOut(World):
    """Six lamps: a key turns its own and its neighbours; each press costs 1 until all are off."""

    def __init__(self) -> None:
        super().__init__(6, spaces.Discrete(6), 25)

    def begin(self) -> None:
        """What one to three presses lit."""
        self._lit = np.zeros(6, int)
        for key in self.np_random.permutation(6)[: int(self.np_random.integers(1, 4))]:
            self._lit[list(NEIGHBOURS[key])] ^= 1

    def move(self, action: Any) -> tuple[float, bool]:
        """Presses a key."""
        self._lit[list(NEIGHBOURS[int(action)])] ^= 1
        return -1.0, not self._lit.any()

    def observe(self) -> Array:
        """The lamps."""
        return self._lit.astype(np.float32)


FRESH_WORLDS: dict[str, Any] = {
    "hanoi": Hanoi,
    "ferry": Ferry,
    "dance": Dance,
    "battery": Battery,
    "duel": Duel,
    "crop": Crop,
    "tank": Tank,
    "lights_out": LightsOut,
    "car": lambda: gymnasium.make("MountainCarContinuous-v0", max_episode_steps=300),
    "cab": one_hot("Taxi-v4", max_episode_steps=60),
}
