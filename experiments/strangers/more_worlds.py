"""More tiny worlds: noisy, sparse, endless, costly, and with other kinds of actions."""

from collections import deque
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Array = NDArray[np.float32]
Info = dict[str, Any]
LEFT_UP = ((-1, 0), (1, 0), (0, -1), (0, 1))


class World(gymnasium.Env[Array, Any]):
    """A world of some numbers and a limit of steps; an inheritor moves and observes.

    Args:
        size: numbers in an observation.
        actions: the action space.
        limit: steps in an episode, after which it is truncated; 0: there is none.
        least: number in an observation.
        most: number in an observation.
    """

    def __init__(
        self, size: int, actions: spaces.Space[Any], limit: int, least: int = -10, most: int = 10
    ) -> None:
        self.observation_space = spaces.Box(least, most, (size,), np.float32)
        self.action_space, self.limit = actions, limit

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Array, Info]:
        """Starts an episode."""
        super().reset(seed=seed)
        self.steps = 0
        self.begin()
        return self.observe(), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, Info]:
        """Moves once."""
        self.steps += 1
        reward, done = self.move(action)
        info = self.told() if done or self.steps == self.limit else {}
        return self.observe(), reward, done, self.steps == self.limit, info

    def begin(self) -> None:
        """Starts an episode."""

    def move(self, action: Any) -> tuple[float, bool]:
        """Returns the reward, and whether the episode is over."""
        raise NotImplementedError

    def observe(self) -> Array:
        """Returns the observation."""
        raise NotImplementedError

    def told(self) -> Info:
        """Returns the last info of an episode."""
        return {}


class Bandit(World):
    """Five contexts, each with one right arm of five: an episode is one noisy payment."""

    def __init__(self, noise: float = 2.0, right: float = 1.0) -> None:
        super().__init__(5, spaces.Discrete(5), 1)
        self._noise, self._right = noise, right

    def begin(self) -> None:
        """Draws a context."""
        self._context = int(self.np_random.integers(5))
        self._hit = False

    def move(self, action: Any) -> tuple[float, bool]:
        """Pulls an arm."""
        self._hit = int(action) == (2 * self._context) % 5
        return self._right * self._hit + self._noise * float(self.np_random.normal()), True

    def observe(self) -> Array:
        """The context."""
        return np.array(np.eye(5)[self._context], np.float32)

    def told(self) -> Info:
        """The score without noise."""
        return {"milestones": ["right"] * self._hit}


class Track(World):
    """Follow a target that swings; each of 60 steps costs the squared distance times `scale`."""

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__(3, spaces.Box(-1, 1, (1,), np.float32), 60)
        self._scale = scale

    def begin(self) -> None:
        """Draws the swing."""
        self._phase, self._at = float(self.np_random.uniform(0, 2 * np.pi)), 0.0

    def move(self, action: Any) -> tuple[float, bool]:
        """Moves by three tenths of the action."""
        self._at = float(np.clip(self._at + 0.3 * np.clip(action[0], -1, 1), -2, 2))
        self._phase += 0.15
        return -self._scale * (self._at - np.sin(self._phase)) ** 2, False

    def observe(self) -> Array:
        """Place and swing."""
        return np.array([self._at, np.sin(self._phase), np.cos(self._phase)], np.float32)


class Knobs(World):
    """Three knobs of three positions: each set as shown pays a third; 20 steps."""

    def __init__(self) -> None:
        super().__init__(9, spaces.MultiDiscrete([3, 3, 3]), 20)

    def begin(self) -> None:
        """Draws the first pattern."""
        self._wanted = self.np_random.integers(3, size=3)

    def move(self, action: Any) -> tuple[float, bool]:
        """Sets the knobs."""
        right = float(np.mean(np.asarray(action) == self._wanted))
        self._wanted = self.np_random.integers(3, size=3)
        return right, False

    def observe(self) -> Array:
        """The pattern, one hot."""
        return np.array(np.eye(3)[self._wanted].ravel(), np.float32)


class Queues(World):
    """Serve one of three queues: each step of 150 costs what waits. Costs have a heavy tail."""

    def __init__(self) -> None:
        super().__init__(3, spaces.Discrete(4), 150)

    def begin(self) -> None:
        """Empty queues."""
        self._waiting = np.zeros(3)

    def move(self, action: Any) -> tuple[float, bool]:
        """Serves a queue, or nobody."""
        self._waiting += self.np_random.random(3) < (0.4, 0.3, 0.2)
        if action < 3:
            self._waiting[action] = max(0.0, self._waiting[action] - 1)
        self._waiting = np.minimum(self._waiting, 40)
        return -float(self._waiting @ (1.0, 2.0, 4.0)), False

    def observe(self) -> Array:
        """How many wait."""
        return np.array(self._waiting / 4, np.float32)


class Maze(World):
    """An open square: from one corner to the other. Sparse.

    Args:
        side: tiles along each side.
        each: what every step pays; 1 is paid at the goal.
        limit: steps in an episode.
        grows: whether the goal moves away by a tile when 16 of 20 episodes reached it.
    """

    def __init__(
        self, side: int = 6, each: float = 0.0, limit: int = 40, grows: bool = False
    ) -> None:
        super().__init__(2 * side, spaces.Discrete(4), limit)
        self._side, self._each, self._level = side, each, 2 if grows else 2 * side - 2
        self._latest: deque[bool] = deque(maxlen=20)
        self._grows = grows

    def begin(self) -> None:
        """In the first corner; the goal is as far as it is now."""
        self._at = [0, 0]
        self._far = self._level

    def move(self, action: Any) -> tuple[float, bool]:
        """Walks a tile."""
        for axis, by in enumerate(LEFT_UP[int(action)]):
            self._at[axis] = min(self._side - 1, max(0, self._at[axis] + by))
        won = sum(self._at) >= self._far
        if won or self.steps == self.limit:
            self._latest.append(won)
        if self._grows and sum(self._latest) >= 16 and self._level < 2 * self._side - 2:
            self._level += 1
            self._latest.clear()
        return self._each + won, won

    def observe(self) -> Array:
        """The tile, one hot along each axis."""
        eye = np.eye(self._side)
        return np.array(np.concatenate([eye[self._at[0]], eye[self._at[1]]]), np.float32)

    def told(self) -> Info:
        """How far the goal is, where it moves away."""
        found: Info = {"is_success": sum(self._at) >= self._far}
        return found | ({"milestones": list(range(self._level))} if self._grows else {})


class Dodge(World):
    """Rocks fall in five columns: each step survived pays 1, up to 200."""

    def __init__(self) -> None:
        super().__init__(15, spaces.Discrete(3), 200)

    def begin(self) -> None:
        """In the middle, under a clear sky."""
        self._at, self._rocks = 2, np.zeros((3, 5))

    def move(self, action: Any) -> tuple[float, bool]:
        """Steps left, not, or right, while rocks fall."""
        self._at = min(4, max(0, self._at + int(action) - 1))
        self._rocks[1:] = self._rocks[:-1].copy()
        self._rocks[0] = self.np_random.random(5) < 0.15
        return 1.0, bool(self._rocks[2, self._at])

    def observe(self) -> Array:
        """The agent's column and the rocks above."""
        me = np.eye(5)[self._at]
        return np.array(np.concatenate([me, self._rocks[0], self._rocks[1]]), np.float32)


class Recall(World):
    """A sign at the first step says where to turn six steps later: 1 or -1."""

    def __init__(self) -> None:
        super().__init__(3, spaces.Discrete(2), 6)

    def begin(self) -> None:
        """Draws the sign."""
        self._sign = int(self.np_random.integers(2))

    def move(self, action: Any) -> tuple[float, bool]:
        """Only the last turn counts."""
        last = self.steps == self.limit
        return (1.0 if int(action) == self._sign else -1.0) if last else 0.0, False

    def observe(self) -> Array:
        """The sign at first, then the clock."""
        seen = np.zeros(3, np.float32)
        if self.steps == 0:
            seen[self._sign] = 1
        seen[2] = self.steps / 6
        return seen


class Doors(World):
    """Twelve doors, of which six are open; one of them is lit. MaskablePPO sees which."""

    def __init__(self) -> None:
        super().__init__(12, spaces.Discrete(12), 15)

    def begin(self) -> None:
        """Draws the doors."""
        self._open = self.np_random.permutation(12)[:6]

    def move(self, action: Any) -> tuple[float, bool]:
        """Goes through a door."""
        right = float(int(action) == self._open[0])
        self.begin()
        return right, False

    def observe(self) -> Array:
        """The lit door."""
        return np.array(np.eye(12)[self._open[0]], np.float32)

    def action_masks(self) -> NDArray[np.bool_]:
        """The open doors."""
        return np.isin(np.arange(12), self._open)


class Lottery(World):
    """Each of 25 steps pays by Student's t with two degrees; the right button adds 0.5."""

    def __init__(self) -> None:
        super().__init__(4, spaces.Discrete(4), 25)

    def begin(self) -> None:
        """Draws the button."""
        self._button, self._sum = int(self.np_random.integers(4)), 0

    def move(self, action: Any) -> tuple[float, bool]:
        """Presses a button."""
        right = int(action) == self._button
        self._sum += right
        self._button = int(self.np_random.integers(4))
        return 0.5 * right + 0.3 * float(self.np_random.standard_t(2)), False

    def observe(self) -> Array:
        """The button."""
        return np.array(np.eye(4)[self._button], np.float32)

    def told(self) -> Info:
        """The score without luck."""
        return {"milestones": ["right"] * self._sum}


MORE_WORLDS: dict[str, Any] = {
    "bandit": Bandit,
    "noisy_bandit": lambda: Bandit(6.0),
    "track": Track,
    "track_small": lambda: Track(1e-3),
    "track_large": lambda: Track(1e4),
    "knobs": Knobs,
    "queues": Queues,
    "maze": Maze,
    "costly_maze": lambda: Maze(5, -1.0, 60),
    "far_maze": lambda: Maze(14, 0.0, 60),
    "ladder": lambda: Maze(12, 0.0, 60, True),
    "dodge": Dodge,
    "recall": Recall,
    "doors": Doors,
    "lottery": Lottery,
}
