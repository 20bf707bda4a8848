"""Tiny worlds of sticks, sorting, bids, a lift, a spring, a knight and noughts and crosses."""

from typing import Any

import numpy as np
from gymnasium import spaces

from experiments.strangers.more_worlds import Array, World

KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip


def hot(*pairs: tuple[int, int]) -> Array:
    """Returns (number, of how many) one hot each, joined."""
    return np.concatenate([np.eye(size, dtype=np.float32)[at] for at, size in pairs])


class Nim(World):
    """21 sticks, 1 to 3 a move against somebody who plays by chance; the last one wins."""

    def __init__(self) -> None:
        super().__init__(22, spaces.Discrete(3), 30)

    def begin(self) -> None:
        """All sticks."""
        self._left = 21

    def move(self, action: Any) -> tuple[float, bool]:
        """Takes, and lets the other take."""
        self._left -= min(self._left, int(action) + 1)
        if self._left == 0:
            return 1.0, True
        self._left -= min(self._left, int(self.np_random.integers(1, 4)))
        return -1.0 * (self._left == 0), self._left == 0

    def observe(self) -> Array:
        """The sticks."""
        return hot((self._left, 22))


class Sort(World):
    """Four numbers, one swap of neighbours a step, each of which costs 1, until they are sorted."""

    def __init__(self) -> None:
        super().__init__(16, spaces.Discrete(3), 30)

    def begin(self) -> None:
        """Any other order."""
        self._row = [0, 1, 2, 3]
        while self._row == sorted(self._row):
            self._row = [int(i) for i in self.np_random.permutation(4)]

    def move(self, action: Any) -> tuple[float, bool]:
        """Swaps two."""
        at = int(action)
        self._row[at], self._row[at + 1] = self._row[at + 1], self._row[at]
        return -1.0, self._row == sorted(self._row)

    def observe(self) -> Array:
        """The order."""
        return hot(*((number, 4) for number in self._row))


class Auction(World):
    """Bid for 20 things whose value is known, against a bid by chance: pays what is saved."""

    def __init__(self) -> None:
        super().__init__(10, spaces.Discrete(10), 20)

    def begin(self) -> None:
        """The first thing."""
        self._value = int(self.np_random.integers(10))

    def move(self, action: Any) -> tuple[float, bool]:
        """Bids."""
        won = int(action) > int(self.np_random.integers(10))
        paid = float(won * (self._value - int(action)))
        self.begin()
        return paid, False

    def observe(self) -> Array:
        """The value."""
        return hot((self._value, 10))


class Lift(World):
    """Five floors, a lift and one passenger at a time: 1 for each who gets out; 60 steps."""

    def __init__(self) -> None:
        super().__init__(11, spaces.Discrete(3), 60)

    def begin(self) -> None:
        """An empty lift."""
        self._at, self._inside = 2, 0
        self._wanted = int(self.np_random.integers(5))

    def move(self, action: Any) -> tuple[float, bool]:
        """Goes down or up, or opens the door."""
        if action != 1:
            self._at = min(4, max(0, self._at + int(action) - 1))
        elif self._at == self._wanted:
            self._inside = 1 - self._inside
            self._wanted = int(self.np_random.integers(5))
            return float(not self._inside), False
        return 0.0, False

    def observe(self) -> Array:
        """The floor, where the passenger waits or wants to, and whether somebody is inside."""
        return np.append(hot((self._at, 5), (self._wanted, 5)), np.float32(self._inside))


class Spring(World):
    """Hold a heavy thing in the middle by pushing: each of 40 steps costs its distance."""

    def __init__(self) -> None:
        super().__init__(2, spaces.Box(-1, 1, (1,), np.float32), 40)

    def begin(self) -> None:
        """Somewhere, at rest."""
        self._at, self._speed = float(self.np_random.uniform(-1, 1)), 0.0

    def move(self, action: Any) -> tuple[float, bool]:
        """Pushes."""
        push = 0.25 * float(np.clip(action[0], -1, 1)) + 0.03 * float(self.np_random.normal())
        self._speed = 0.95 * self._speed + push
        self._at = float(np.clip(self._at + 0.3 * self._speed, -2, 2))
        return -abs(self._at), False

    def observe(self) -> Array:
        """Place and speed."""
        return np.array([self._at, self._speed], np.float32)


class Knight(World):
    """A chess knight on 25 squares goes to one of them: 1, each move costs 0.1."""

    def __init__(self) -> None:
        super().__init__(50, spaces.Discrete(8), 20)

    def begin(self) -> None:
        """Two different squares."""
        self._at, self._goal = (int(i) for i in self.np_random.choice(25, 2, replace=False))

    def move(self, action: Any) -> tuple[float, bool]:
        """Jumps, if there is a square."""
        row, column = np.add(divmod(self._at, 5), KNIGHT[int(action)])
        if 0 <= row < 5 and 0 <= column < 5:
            self._at = int(5 * row + column)
        won = self._at == self._goal
        return 1.0 * won - 0.1, won

    def observe(self) -> Array:
        """Both squares."""
        return hot((self._at, 25), (self._goal, 25))


class Noughts(World):
    """Noughts and crosses against somebody who plays by chance; a full square loses."""

    def __init__(self) -> None:
        super().__init__(18, spaces.Discrete(9), 9)

    def begin(self) -> None:
        """An empty board."""
        self._board = np.zeros(9, int)

    def move(self, action: Any) -> tuple[float, bool]:
        """Both play once."""
        if self._board[int(action)]:
            return -1.0, True
        for player, at in ((1, int(action)), (2, None)):
            free = np.flatnonzero(self._board == 0)
            if not len(free):
                return 0.0, True
            self._board[self.np_random.choice(free) if at is None else at] = player
            if any((self._board[list(line)] == player).all() for line in LINES):
                return (1.0, True) if player == 1 else (-1.0, True)
        return 0.0, not (self._board == 0).any()

    def observe(self) -> Array:
        """Whose each square is."""
        own = [self._board == 1, self._board == 2]
        return np.concatenate(own).astype(np.float32)


LATE_WORLDS: dict[str, Any] = {
    "nim": Nim, "sort": Sort, "auction": Auction, "lift": Lift, "spring": Spring,
    "knight": Knight, "noughts": Noughts,
}  # fmt: skip
