"""Learners that are not PPO: tables of values or of preferences, and the search of a line."""

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.strangers.foreign_logs import Row

ROW_STEPS = 500  # env steps from a row of the log to the next
ELITE = 5  # of a generation, from which the next is drawn
GENERATION = 20
MAX_ERROR = 1e6  # of a table that diverges


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


def _number(seen: Any, known: dict[bytes, int]) -> int:
    return known.setdefault(np.asarray(seen, np.float32).tobytes(), len(known))


def q_learning(
    env: Any, steps: int, seed: int, rate: float = 0.1, greedy: float = 0.5, stays: float = 0.05,
    gamma: float = 0.97, **_: Any,
) -> Ledger:  # fmt: skip
    """Learns a table of values.

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        rate: of learning.
        greedy: share of the run in which the chance of a random action falls from 1.
        stays: to which it falls; of 1 nothing is ever chosen.
        gamma: the discount.
    """
    dice, ledger, known = np.random.default_rng(seed), Ledger(), dict[bytes, int]()
    table = np.zeros((4096, env.action_space.n))
    now, loss, total, length = _number(env.reset(seed=seed)[0], known), 0.0, 0.0, 0
    for step in range(steps):
        chance = max(stays, 1 - step / (greedy * steps))
        best = np.flatnonzero(table[now] == table[now].max())
        action = int(dice.integers(env.action_space.n) if dice.random() < chance else best[0])
        seen, reward, done, cut, _ = env.step(action)
        total, length, after = total + float(reward), length + 1, _number(seen, known)
        error = reward + (0.0 if done else gamma * table[after].max()) - table[now, action]
        error = float(np.clip(error, -MAX_ERROR, MAX_ERROR))
        table[now, action] += rate * error
        loss, now = 0.99 * loss + 0.01 * error**2, after
        ledger.stepped(td=loss, q=float(table[now].max()), epsilon=chance)
        if done or cut:
            ledger.ended(total, length)
            now, total, length = _number(env.reset()[0], known), 0.0, 0
    return ledger


def _softmax(preferences: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(preferences - preferences.max())
    return np.asarray(powers / powers.sum(), np.float64)


def reinforce(
    env: Any, steps: int, seed: int, rate: float = 0.1, batch: int = 20, gamma: float = 0.97,
    **_: Any,
) -> Ledger:  # fmt: skip
    """Learns a table of preferences from whole episodes, with a table of values as baseline.

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        rate: of learning.
        batch: episodes of an update.
        gamma: the discount.
    """
    dice, ledger, known = np.random.default_rng(seed), Ledger(None), dict[bytes, int]()
    table, values = np.zeros((4096, env.action_space.n)), np.zeros(4096)
    env.reset(seed=seed)
    while ledger.steps < steps:
        played = [_episode(env, table, known, dice, ledger) for each in range(batch)]
        before = {n: _softmax(table[n]) for episode in played for n, _, _ in episode}
        losses, gains = [], []
        for episode in played:
            following = 0.0
            for at, action, reward in reversed(episode):
                following = reward + gamma * following
                gain = following - values[at]
                slope = -_softmax(table[at])
                slope[action] += 1
                table[at] += rate * gain * slope
                values[at] += 0.1 * gain
                losses.append(gain**2)
                gains.append(gain)
        shares = list(before.values())
        entropy = float(np.mean([-(p * np.log(p + 1e-12)).sum() for p in shares]))
        kl = np.mean([(p * np.log((p + 1e-12) / (_softmax(table[n]) + 1e-12))).sum()
                      for n, p in before.items()])  # fmt: skip
        ledger.row(entropy=entropy, kl=float(kl), lr=rate, value_loss=float(np.mean(losses)),
                   policy_loss=-float(np.mean(gains)))  # fmt: skip
    return ledger


def _episode(
    env: Any, table: Any, known: dict[bytes, int], dice: Any, ledger: Ledger
) -> list[tuple[int, int, float]]:
    steps: list[tuple[int, int, float]] = []
    now, over = _number(env.reset()[0], known), False
    while not over:
        action = int(dice.choice(table.shape[1], p=_softmax(table[now])))
        seen, reward, done, cut, _ = env.step(action)
        steps.append((now, action, float(reward)))
        ledger.stepped()
        now, over = _number(seen, known), done or cut
    ledger.ended(sum(reward for _, _, reward in steps), len(steps))
    return steps


def line_search(
    env: Any, steps: int, seed: int, width: float = 1.0, worst: bool = False, **_: Any
) -> Ledger:
    """Draws linear policies, and the next ones near the best of them (cross-entropy method).

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        width: standard deviation of the first generation.
        worst: whether the worst are kept instead.
    """
    dice, ledger = np.random.default_rng(seed), Ledger(None)
    sizes = env.observation_space.shape[0] + 1, getattr(env.action_space, "n", 1)
    middle, spread = np.zeros(sizes), np.full(sizes, width)
    env.reset(seed=seed)
    while ledger.steps < steps:
        drawn = [middle + spread * dice.normal(size=sizes) for _ in range(GENERATION)]
        scores = [_tried(env, line, ledger) for line in drawn]
        order = np.argsort(scores)
        kept = np.array([drawn[i] for i in (order[:ELITE] if worst else order[-ELITE:])])
        middle, spread = kept.mean(axis=0), kept.std(axis=0) + 0.02 * width
        ledger.row(std=float(spread.mean()))
    return ledger


def _tried(env: Any, line: Any, ledger: Ledger) -> float:
    seen, total, length, over = env.reset()[0], 0.0, 0, False
    while not over:
        said = np.append(seen, 1.0) @ line
        action = int(said.argmax()) if hasattr(env.action_space, "n") else np.clip(said, -1, 1)
        seen, reward, done, cut, _ = env.step(action)
        total, length, over = total + float(reward), length + 1, done or cut
        ledger.stepped()
    ledger.ended(total, length)
    return total


LEARNERS: dict[str, Callable[..., Ledger]] = {
    "q": q_learning, "reinforce": reinforce, "line": line_search,
}  # fmt: skip
