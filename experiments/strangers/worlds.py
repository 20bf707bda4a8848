"""Tiny worlds, ways to break them, and a counter of the true score that the learner never sees."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from experiments.recorded_runs.probes import MEADOW_STEPS, Lights, Meadow
from experiments.strangers.more_worlds import MORE_WORLDS, Array, World

Step = tuple[Any, float, bool, bool, dict[str, Any]]


class Catch(World):
    """A ball falls ten rows in five columns: be below it. Pays 1, or -1, at the end."""

    def __init__(self) -> None:
        super().__init__(11, spaces.Discrete(3), 0, 0, 1)

    def begin(self) -> None:
        """Drops a ball."""
        self._ball, self._at = int(self.np_random.integers(5)), 2

    def move(self, action: Any) -> tuple[float, bool]:
        """Moves left, not, or right."""
        self._at = min(4, max(0, self._at + int(action) - 1))
        done = self.steps == 9
        return (1.0 if self._at == self._ball else -1.0) if done else 0.0, done

    def observe(self) -> Array:
        """Both columns, one hot, and the share of rows."""
        seen = np.zeros(11, np.float32)
        seen[self._ball], seen[5 + self._at], seen[10] = 1, 1, self.steps / 9
        return seen


class Reach(World):
    """Steer a point in the plane to a target; each step costs the distance. 30 steps."""

    def __init__(self) -> None:
        super().__init__(4, spaces.Box(-1, 1, (2,), np.float32), 30, -4, 4)

    def begin(self) -> None:
        """Draws the point and the target."""
        self._places = self.np_random.uniform(-1, 1, 4).astype(np.float32)

    def move(self, action: Any) -> tuple[float, bool]:
        """Moves by a fifth of the action."""
        self._places[:2] = np.clip(self._places[:2] + 0.2 * np.clip(action, -1, 1), -2, 2)
        self._far = float(np.linalg.norm(self._places[:2] - self._places[2:]))
        return -self._far, False

    def observe(self) -> Array:
        """The point and the target."""
        return np.array(self._places, np.float32)

    def told(self) -> dict[str, Any]:
        """Whether it is there."""
        return {"is_success": self._far < 0.15}


class Corridor(World):
    """Eight steps right to a treasure of 1; one step left is a penny of 0.05 that ends it."""

    def __init__(self) -> None:
        super().__init__(9, spaces.Discrete(2), 0, 0, 1)

    def begin(self) -> None:
        """Stands beside the penny."""
        self._at = 2

    def move(self, action: Any) -> tuple[float, bool]:
        """Walks left or right."""
        self._at += 1 if action else -1
        won, lost = self._at == 8, self._at == 0
        return 1.0 * won + 0.05 * lost, won or lost

    def observe(self) -> Array:
        """The place, one hot."""
        return np.array(np.eye(9)[self._at], np.float32)


class LongLights(World):
    """Six lights and buttons, 600 of them an episode: games that start together end together."""

    def __init__(self) -> None:
        super().__init__(6, spaces.Discrete(6), 600, 0, 1)

    def move(self, action: Any) -> tuple[float, bool]:
        """Presses a button."""
        return float(int(action) == self._light), False

    def observe(self) -> Array:
        """Another light, one hot."""
        self._light = int(self.np_random.integers(6))
        return np.array(np.eye(6)[self._light], np.float32)


class Broken(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Breaks a world after a share of the run, and counts the true score before it is broken.

    Args:
        env: the world.
        fault: what happens; None: nothing.
        start: this env's step at which it begins.
        score: called with (step of this env, true return) at each episode's end.
    """

    def __init__(self, env: Any, fault: str | None, start: int, score: Any) -> None:
        super().__init__(env)
        self._fault, self._start, self._score, self._steps = fault, start, score, 0
        self._dice = np.random.default_rng(0)
        self._last: Any = None

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the world and the true return."""
        self._true = 0.0
        seen, info = self.env.reset(**kwargs)
        return self._shown(seen), info

    def step(self, action: Any) -> Step:
        """Steps the world, tampering with what goes in and comes out."""
        self._steps += 1
        on = self._fault is not None and self._steps > self._start
        step: Any = self.env.step(self._pressed(action, on))
        seen, reward, terminated, truncated, info = self._turned(step, on)
        self._true += float(reward)
        over = terminated or truncated
        if over:
            self._score(
                self._steps, len(info["milestones"]) if "milestones" in info else self._true
            )
        return self._shown(seen), self._paid(float(reward), over, on), terminated, truncated, info

    def _pressed(self, action: Any, on: bool) -> Any:
        ignored = {"actions ignored": 1.0, "half of the actions ignored": 0.5}.get(
            self._fault or "", 0.0
        )
        return self.action_space.sample() if on and self._dice.random() < ignored else action

    def _turned(self, step: Step, on: bool) -> Step:
        return step

    def _paid(self, reward: float, over: bool, on: bool) -> float:
        paid = {
            "noise reward": float(self._dice.normal()),
            "no reward": 0.0,
            "constant reward": 1.0,
            "sign flips": -reward,
            "huge reward": reward * 1e6,
            "small reward": reward * 1e-4,
            "a wage": reward + 1.0,
            "nan reward": float("nan"),
        }
        return paid.get(self._fault or "", reward) if on else reward

    def _shown(self, seen: Any) -> Any:
        if self._steps >= self._start:
            if self._fault == "picture frozen":
                self._last = seen if self._last is None else self._last
                return self._last
            if self._fault == "picture of noise":
                return self.observation_space.sample()
            if self._fault == "picture in another unit":
                return seen * 300 + 100
        return seen


def one_hot(name: str, **options: Any) -> Any:
    """Returns a maker of a world of gymnasium's whose observation is a number."""

    def make() -> Any:
        env = gymnasium.make(name, **options)
        count = int(env.observation_space.n)  # type: ignore[attr-defined]
        eye = np.eye(count, dtype=np.float32)
        space = spaces.Box(0, 1, (count,), np.float32)
        return gymnasium.wrappers.TransformObservation(env, lambda place: eye[place], space)

    return make


WORLDS: dict[str, Any] = {
    "catch": Catch,
    "reach": Reach,
    "corridor": Corridor,
    "long": LongLights,
    "lights": Lights,
    "cartpole": lambda: gymnasium.make("CartPole-v1"),
    "acrobot": lambda: gymnasium.make("Acrobot-v1"),
    "taxi": one_hot("Taxi-v4", max_episode_steps=60),
    "blackjack": lambda: gymnasium.wrappers.FlattenObservation(gymnasium.make("Blackjack-v1")),
    "meadow": lambda: gymnasium.wrappers.TimeLimit(Meadow(), MEADOW_STEPS),
    "farm": lambda: gymnasium.wrappers.TimeLimit(Meadow(lever_pays=0.5), MEADOW_STEPS),
    **MORE_WORLDS,
}
# (a random player's score, a good one's); meadow's are milestones an episode
SCORES = {
    "catch": (-0.6, 1.0),
    "reach": (-33.0, -6.0),
    "corridor": (0.2, 1.0),
    "long": (100.0, 580.0),
    "lights": (2.5, 10.0),
    "cartpole": (22.0, 475.0),
    "acrobot": (-499.0, -100.0),
    "taxi": (-220.0, -20.0),
    "blackjack": (-0.4, -0.06),
    "meadow": (0.3, 3.0),
    "farm": (0.3, 3.0),
    "bandit": (0.2, 1.0),
    "noisy_bandit": (0.2, 1.0),
    "track": (-76.0, -1.5),
    "track_small": (-0.076, -0.0015),
    "track_large": (-7.6e5, -1.5e4),
    "knobs": (6.67, 20.0),
    "queues": (-4800.0, -600.0),
    "maze": (0.11, 1.0),
    "costly_maze": (-51.0, -7.5),
    "far_maze": (0.0, 1.0),
    "ladder": (5.0, 22.0),
    "dodge": (8.0, 80.0),
    "recall": (0.0, 1.0),
    "doors": (1.25, 15.0),
    "lottery": (6.25, 25.0),
}
