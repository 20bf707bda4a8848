"""Small worlds that PPO learns in seconds, and the ways in which they can be broken."""

from time import process_time
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
SIZE = 9  # tiles along each side of the meadow
MOVES = ((0, 0), (0, -1), (0, 1), (1, 0), (-1, 0))  # stay, up, down, right, left as (x, y)
KEY, DOOR, GOAL, LEVER = (1, 7), (4, 4), (7, 1), (1, 1)
WALL_GREY, KEY_GREY, GOAL_GREY, LEVER_GREY, AGENT_GREY = 80, 140, 200, 110, 255

MEADOW_STEPS = 100  # of an episode at most; `TimeLimit` truncates it
LIGHTS_IN_EPISODE = 10


class Meadow(gymnasium.Env[Picture, np.int64]):
    """Two rooms seen from above: take the key, go through the door, reach the goal.

    Action Space: `Discrete(5)`: stay, up, down, right, left.
    Observation Space: (9, 9, 1) uint8, one pixel per tile.
    Starting State: a random free tile of the left room; in the closet (see `closed`) if so set.
    Rewards: terms as in the games, each once per episode: "tile" 0.02 for each new tile,
        "key" 0.5, "door" 0.5, "goal" 1.
    Episode End: at the goal; `TimeLimit` truncates. The last `info` has "episode_terms" and
        "milestones".

    Args:
        lever_pays: reward for each step on the lever: a term to farm.
        move_costs: reward lost with each move.
        closed: the start is a closet without a way out.
    """

    def __init__(
        self, lever_pays: float = 0.0, move_costs: float = 0.0, closed: bool = False
    ) -> None:
        self.action_space = spaces.Discrete(len(MOVES))
        self.observation_space = spaces.Box(0, 255, (SIZE, SIZE, 1), np.uint8)
        self._lever_pays, self._move_costs, self._closed = lever_pays, move_costs, closed
        self._walls = {(x, y) for x in range(SIZE) for y in range(SIZE) if _is_wall(x, y)}
        if closed:
            self._walls |= {(2, 1), (1, 2)}
        self._empty = np.zeros((SIZE, SIZE, 1), np.uint8)
        for x, y in self._walls:
            self._empty[y, x] = WALL_GREY

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Picture, dict[str, Any]]:
        """Starts an episode; no options are known."""
        super().reset(seed=seed)
        room = [(x, y) for x in range(1, 4) for y in range(1, 8) if (x, y) != KEY]
        self._at = (1, 1) if self._closed else room[int(self.np_random.integers(len(room)))]
        self._seen = {self._at}
        self._steps = 0
        self._milestones: list[str] = []
        self._sums = dict.fromkeys(("tile", "key", "door", "goal", "lever", "move"), 0.0)
        return self._observe(), {}

    def step(self, action: np.int64) -> tuple[Picture, float, bool, bool, dict[str, Any]]:
        """Moves one tile if nothing is in the way."""
        x, y = MOVES[int(action)]
        target = (self._at[0] + x, self._at[1] + y)
        if target not in self._walls and (target != DOOR or "key" in self._milestones):
            self._at = target
        terms = self._pay(int(action))
        for name, value in terms.items():
            self._sums[name] += value
        self._steps += 1
        done = "goal" in self._milestones
        last = done or self._steps == MEADOW_STEPS
        info = {"episode_terms": self._sums, "milestones": self._milestones} if last else {}
        return self._observe(), sum(terms.values()), done, False, info

    def _pay(self, action: int) -> dict[str, float]:
        terms = {"tile": 0.02 * (self._at not in self._seen)}
        self._seen.add(self._at)
        for name, tile, value in (("key", KEY, 0.5), ("door", DOOR, 0.5), ("goal", GOAL, 1.0)):
            if self._at == tile and name not in self._milestones:
                self._milestones.append(name)
                terms[name] = value
        terms["lever"] = self._lever_pays * (self._at == LEVER and action == 0)
        terms["move"] = -self._move_costs * (action != 0)
        return terms

    def _observe(self) -> Picture:
        picture: NDArray[np.uint8] = self._empty.copy()
        if "key" not in self._milestones:
            picture[KEY[1], KEY[0]] = KEY_GREY
            picture[DOOR[1], DOOR[0]] = WALL_GREY
        picture[GOAL[1], GOAL[0]] = GOAL_GREY
        if self._lever_pays:
            picture[LEVER[1], LEVER[0]] = LEVER_GREY
        picture[self._at[1], self._at[0]] = AGENT_GREY
        return picture


def _is_wall(x: int, y: int) -> bool:
    border = x in (0, SIZE - 1) or y in (0, SIZE - 1)
    return border or (x == DOOR[0] and (x, y) != DOOR)


class Lights(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One of four lights is on; pressing its button pays 1. Ten lights make an episode.

    Args:
        clock: whether the observation has the share of lights that are left; without it the
            remaining reward of an episode is unknown.
    """

    def __init__(self, clock: bool = True) -> None:
        self.action_space = spaces.Discrete(4)
        self.observation_space = spaces.Box(0, 1, (5,), np.float32)
        self._clock = clock

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts an episode; no options are known."""
        super().reset(seed=seed)
        self._left = LIGHTS_IN_EPISODE
        return self._observe(), {}

    def step(
        self, action: np.int64
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Presses a button; another light goes on."""
        reward = float(int(action) == self._light)
        self._left -= 1
        return self._observe(), reward, self._left == 0, False, {}

    def _observe(self) -> NDArray[np.float32]:
        self._light = int(self.np_random.integers(4))
        observation = np.zeros(5, np.float32)
        observation[self._light] = 1
        observation[4] = self._clock * self._left / LIGHTS_IN_EPISODE
        return observation


class ScaledReward(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Multiplies the reward from one step on: a mistaken unit.

    Args:
        env: the healthy env.
        scale: the factor; NaN imitates a division by zero in a reward.
        start: steps of this env before it begins.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], scale: float, start: int = 0) -> None:
        super().__init__(env)
        self._scale, self._start, self._steps = scale, start, 0

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the env."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._steps += 1
        if self._steps > self._start:
            reward = float(reward) * self._scale
        return observation, reward, terminated, truncated, info


class SwappedActions(gymnasium.Wrapper[Any, Any, Any, Any]):
    """From one step on, each button does what the next one did: the rules change."""

    def __init__(self, env: gymnasium.Env[Any, Any], start: int) -> None:
        super().__init__(env)
        self._start, self._steps = start, 0

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the env."""
        self._steps += 1
        if self._steps > self._start:
            assert isinstance(self.action_space, spaces.Discrete)
            action = (int(action) + 1) % int(self.action_space.n)
        return self.env.step(action)


class Slowing(gymnasium.Wrapper[Any, Any, Any, Any]):
    """From one step on, takes `seconds` more of work per step: a leak."""

    def __init__(self, env: gymnasium.Env[Any, Any], start: int, seconds: float) -> None:
        super().__init__(env)
        self._start, self._seconds, self._steps = start, seconds, 0

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the env."""
        self._steps += 1
        if self._steps > self._start:
            end = process_time() + self._seconds
            while process_time() < end:
                pass
        return self.env.step(action)


class Frozen(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Shows the first observation forever and pays 0: a game that hangs."""

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the env and keeps its observation."""
        self._observation, info = self.env.reset(**kwargs)
        return self._observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the env and hides what came of it."""
        _, _, terminated, truncated, info = self.env.step(action)
        return self._observation, 0.0, terminated, truncated, info


class MenuTrap(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A menu opens some steps into each episode and never closes; its cursor blinks all the time.

    Pays nothing while it is open. `info["place_share"]` is that of the menu.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], opens: int) -> None:
        super().__init__(env)
        self._opens, self._steps = opens, 0

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the env; the menu is closed."""
        self._steps = 0
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the env, out of sight once the menu is open."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._steps += 1
        in_menu = max(0, self._steps - self._opens)
        if in_menu:
            observation, reward = np.full_like(observation, 255 * (self._steps % 2)), 0.0
        share = max(in_menu, 1) / self._steps
        return observation, reward, terminated, truncated, {**info, "place_share": share}


class Unreadable(gymnasium.Wrapper[Any, Any, Any, Any]):
    """At each step with some probability the state cannot be read, and nothing is paid.

    `info["rejections"]` counts them, as the games do.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], share: float) -> None:
        super().__init__(env)
        self._share, self._refused = share, 0
        self._dice = np.random.default_rng(0)

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the env and the count."""
        self._refused = 0
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps the env and throws dice for whether its state can be read."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._dice.random() < self._share:
            self._refused += 1
            reward = 0.0
        info = {**info, "rejections": {"location": self._refused}}
        return observation, reward, terminated, truncated, info
