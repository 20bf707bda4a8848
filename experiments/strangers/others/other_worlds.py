"""Tiny worlds of luck, stock, wind, keys, apples, heat and guesses, and two of gymnasium's."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from experiments.strangers.more_worlds import LEFT_UP, Array, World
from experiments.strangers.others.fresh_worlds import FRESH_WORLDS
from experiments.strangers.others.late_worlds import LATE_WORLDS
from experiments.strangers.worlds import one_hot


class Pig(World):
    """Roll a die, or hold: what was rolled is paid, but a 1 loses it all. Much luck."""

    def __init__(self) -> None:
        super().__init__(31, spaces.Discrete(2), 30)

    def begin(self) -> None:
        """Nothing is rolled."""
        self._total = 0

    def move(self, action: Any) -> tuple[float, bool]:
        """Holds or rolls."""
        if action == 0:
            return float(self._total), True
        rolled = int(self.np_random.integers(1, 7))
        self._total = min(30, self._total + rolled)
        return 0.0, rolled == 1

    def observe(self) -> Array:
        """The total, one hot."""
        return np.array(np.eye(31)[self._total], np.float32)


class Stock(World):
    """Order up to four units a day for 20 days: sold at 3, bought at 1, kept at 0.5 a night."""

    def __init__(self) -> None:
        super().__init__(11, spaces.Discrete(5), 20)

    def begin(self) -> None:
        """An empty shop."""
        self._stock = 0

    def move(self, action: Any) -> tuple[float, bool]:
        """Buys, sells and keeps."""
        self._stock = min(10, self._stock + int(action))
        sold = min(self._stock, int(self.np_random.binomial(4, 0.5)))
        self._stock -= sold
        return 3.0 * sold - float(action) - 0.5 * self._stock, False

    def observe(self) -> Array:
        """The stock, one hot."""
        return np.array(np.eye(11)[self._stock], np.float32)


class Grid(World):
    """A square walked by four keys.

    Args:
        side: tiles along each side.
        more: further numbers in an observation.
        limit: steps in an episode.
    """

    def __init__(self, side: int, more: int, limit: int) -> None:
        super().__init__(2 * side + more, spaces.Discrete(4), limit)
        self.side = side

    def begin(self) -> None:
        """In the first corner."""
        self.at = [0, 0]

    def walk(self, action: Any) -> None:
        """Walks a tile, or into the wall."""
        for axis, by in enumerate(LEFT_UP[int(action)]):
            self.at[axis] = min(self.side - 1, max(0, self.at[axis] + by))

    def place(self, tile: list[int]) -> Array:
        """Returns a tile, one hot along each axis."""
        eye = np.eye(self.side, dtype=np.float32)
        return np.concatenate([eye[tile[0]], eye[tile[1]]])


class Wind(Grid):
    """Along a cliff, with a wind that pushes towards it: -20 below, 10 at the other end."""

    def __init__(self) -> None:
        super().__init__(6, 0, 40)

    def begin(self) -> None:
        """Two tiles above the cliff."""
        self.at = [0, 3]

    def move(self, action: Any) -> tuple[float, bool]:
        """Walks, and is pushed now and then."""
        self.walk(action)
        if self.np_random.random() < 0.15:
            self.at[1] = min(5, self.at[1] + 1)
        if self.at[1] == 5:
            return -20.0, True
        won = self.at[0] == 5
        return 10.0 if won else -0.2, won

    def observe(self) -> Array:
        """The tile."""
        return self.place(self.at)


class Key(Grid):
    """The key lies in one corner, its door is in another: 1 for the door, with the key."""

    def __init__(self) -> None:
        super().__init__(4, 1, 40)

    def begin(self) -> None:
        """Without the key."""
        super().begin()
        self._has = 0

    def move(self, action: Any) -> tuple[float, bool]:
        """Walks, and takes the key."""
        self.walk(action)
        self._has = self._has or int(self.at == [3, 0])
        won = bool(self._has) and self.at == [0, 3]
        return float(won), won

    def observe(self) -> Array:
        """The tile, and whether it has the key."""
        return np.append(self.place(self.at), np.float32(self._has))

    def told(self) -> dict[str, Any]:
        """Whether the door was opened."""
        return {"is_success": bool(self._has) and self.at == [0, 3]}


class Apples(Grid):
    """An apple pays 1, and the next lies elsewhere; 60 steps."""

    def __init__(self) -> None:
        super().__init__(5, 4, 60)

    def begin(self) -> None:
        """In the middle of the square."""
        self.at = [2, 2]
        self._drop()

    def _drop(self) -> None:
        self._apple = [int(i) for i in self.np_random.integers(5, size=2)]

    def move(self, action: Any) -> tuple[float, bool]:
        """Walks and eats."""
        self.walk(action)
        ate = self.at == self._apple
        if ate:
            self._drop()
        return float(ate), False

    def observe(self) -> Array:
        """The tile, and the apple's directions."""
        far = np.array(self._apple) - self.at
        return np.concatenate([self.place(self.at), far < 0, far > 0]).astype(np.float32)


class Heater(World):
    """Heat a room that leaks to what the clock wants: each of 48 steps costs the difference."""

    def __init__(self) -> None:
        super().__init__(2, spaces.Box(-1, 1, (1,), np.float32), 48)

    def begin(self) -> None:
        """A cold room."""
        self._warm, self._wanted = 0.0, float(self.np_random.uniform(-1, 1))

    def move(self, action: Any) -> tuple[float, bool]:
        """Heats or cools."""
        self._warm = 0.8 * self._warm + 0.5 * float(np.clip(action[0], -1, 1))
        cost = abs(self._warm - self._wanted)
        if self.np_random.random() < 0.1:
            self._wanted = float(self.np_random.uniform(-1, 1))
        return -cost, False

    def observe(self) -> Array:
        """Both temperatures."""
        return np.array([self._warm, self._wanted], np.float32)


class Guess(World):
    """A number from 0 to 15: guess at one of eight places between its bounds; a guess costs 1."""

    def __init__(self) -> None:
        super().__init__(32, spaces.Discrete(8), 15)

    def begin(self) -> None:
        """Draws the number."""
        self._low, self._high = 0, 15
        self._number = int(self.np_random.integers(16))

    def move(self, action: Any) -> tuple[float, bool]:
        """Guesses, and moves a bound."""
        guess = self._low + int(action) * (self._high - self._low) // 7
        if guess < self._number:
            self._low = min(guess + 1, self._high)
        elif guess > self._number:
            self._high = max(guess - 1, self._low)
        return -1.0, guess == self._number

    def observe(self) -> Array:
        """The bounds, one hot."""
        eye = np.eye(16, dtype=np.float32)
        return np.concatenate([eye[self._low], eye[self._high]])


OTHER_WORLDS: dict[str, Any] = {
    **LATE_WORLDS,
    **FRESH_WORLDS,
    "pig": Pig,
    "stock": Stock,
    "wind": Wind,
    "key": Key,
    "apples": Apples,
    "heater": Heater,
    "guess": Guess,
    "lake": one_hot("FrozenLake-v1", is_slippery=False),
    "ice": one_hot("FrozenLake-v1"),
    "cliff": one_hot("CliffWalking-v1", max_episode_steps=100),
    "pole": lambda: gymnasium.make("CartPole-v1", max_episode_steps=200),
    "hill": lambda: gymnasium.make("MountainCar-v0"),
}
