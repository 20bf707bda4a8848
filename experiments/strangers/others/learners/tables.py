"""Learners of a table: of values by Q-learning and SARSA, of preferences with a baseline."""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.strangers.others.learners.ledger import Ledger

MAX_ERROR = 1e6  # of a table that diverges
PLACES = 4096  # rows of a table


class Step(NamedTuple):
    """One step between two places, by their numbers."""

    now: int
    action: int
    reward: float
    after: int
    done: bool
    over: bool


def _number(seen: Any, known: dict[bytes, int]) -> int:
    return known.setdefault(np.asarray(seen, np.float32).tobytes(), len(known))


def _walked(
    env: Any,
    steps: int,
    seed: int,
    choose: Callable[[int], int],
    learn: Callable[[Step], dict[str, float]],
) -> Ledger:
    """Plays and learns step by step.

    Args:
        env: the world.
        steps: env steps.
        seed: of its first episode.
        choose: returns the action at a place.
        learn: takes a step; returns the learner's numbers.
    """
    ledger, known = Ledger(), dict[bytes, int]()
    now, total, length = _number(env.reset(seed=seed)[0], known), 0.0, 0
    for _ in range(steps):
        action = choose(now)
        seen, reward, done, cut, _ = env.step(action)
        total, length, after = total + float(reward), length + 1, _number(seen, known)
        ledger.stepped(**learn(Step(now, action, float(reward), after, done, done or cut)))
        now = after
        if done or cut:
            ledger.ended(total, length)
            now, total, length = _number(env.reset()[0], known), 0.0, 0
    return ledger


def _tried(dice: Any, values: NDArray[np.float64], chance: float) -> int:
    """Returns one of the best actions, or by chance any."""
    best = dice.choice(np.flatnonzero(values == values.max()))
    return int(dice.integers(len(values)) if dice.random() < chance else best)


def _corrected(
    table: NDArray[np.float64], step: Step, future: float, rate: float, told: dict[str, float]
) -> dict[str, float]:
    """Moves a table's value towards what a step paid and promises; returns the learner's numbers.

    Args:
        table: of values, by place and action.
        step: what was done.
        future: worth of the place where it ended.
        rate: of learning.
        told: the numbers so far, of which the squared error is smoothed here.
    """
    error = step.reward + future - table[step.now, step.action]
    error = float(np.clip(error, -MAX_ERROR, MAX_ERROR))
    table[step.now, step.action] += rate * error
    told["td"] = 0.99 * told["td"] + 0.01 * error**2
    return told | {"q": float(table[step.after].max())}


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
    dice, table = np.random.default_rng(seed), np.zeros((PLACES, env.action_space.n))
    count, told = itertools.count(), {"td": 0.0}

    def choose(at: int) -> int:
        told["epsilon"] = max(stays, 1 - next(count) / (greedy * steps))
        best = np.flatnonzero(table[at] == table[at].max())
        random = dice.random() < told["epsilon"]
        return int(dice.integers(table.shape[1]) if random else best[0])

    def learn(step: Step) -> dict[str, float]:
        future = 0.0 if step.done else gamma * table[step.after].max()
        return _corrected(table, step, future, rate, told)

    return _walked(env, steps, seed, choose, learn)


def sarsa(
    env: Any, steps: int, seed: int, rate: float = 0.2, chance: float = 0.1, gamma: float = 0.97,
    expected: bool = False, **_: Any,
) -> Ledger:  # fmt: skip
    """Learns a table of the values of what it really does.

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        rate: of learning.
        chance: of a random action.
        gamma: the discount.
        expected: whether it learns from what it would do on average instead.
    """
    dice, table = np.random.default_rng(seed), np.zeros((PLACES, env.action_space.n))
    told = {"td": 0.0}
    chosen: list[int] = []  # the action that was chosen for the next step already

    def draw(at: int) -> int:
        return _tried(dice, table[at], chance)

    def choose(at: int) -> int:
        return chosen.pop() if chosen else draw(at)

    def learn(step: Step) -> dict[str, float]:
        following, values = draw(step.after), table[step.after]
        if not step.over:
            chosen.append(following)
        future = (1 - chance) * values.max() + chance * values.mean()
        future = gamma * (future if expected else values[following])
        return _corrected(table, step, 0.0 if step.done else future, rate, told)

    return _walked(env, steps, seed, choose, learn)


def double_q(
    env: Any, steps: int, seed: int, rate: float = 0.2, chance: float = 0.1, gamma: float = 0.97,
    **_: Any,
) -> Ledger:  # fmt: skip
    """Learns two tables of values, each from the other's (van Hasselt 2010).

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        rate: of learning.
        chance: of a random action.
        gamma: the discount.
    """
    dice, tables = np.random.default_rng(seed), np.zeros((2, PLACES, env.action_space.n))
    told = {"td": 0.0}

    def choose(at: int) -> int:
        return _tried(dice, tables[:, at].sum(axis=0), chance)

    def learn(step: Step) -> dict[str, float]:
        own = int(dice.integers(2))
        table, other = tables[own], tables[1 - own]
        future = 0.0 if step.done else gamma * other[step.after, table[step.after].argmax()]
        return _corrected(table, step, future, rate, told)

    return _walked(env, steps, seed, choose, learn)


def _softmax(preferences: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(preferences - preferences.max())
    return np.asarray(powers / powers.sum(), np.float64)


def _entropy(shares: NDArray[np.float64]) -> float:
    return -float((shares * np.log(shares + 1e-12)).sum())


def actor_critic(
    env: Any, steps: int, seed: int, rate: float = 0.3, gamma: float = 0.97, **_: Any
) -> Ledger:
    """Learns a table of preferences from the surprise of each step.

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        rate: of the actor's learning; the critic learns by 0.2.
        gamma: the discount.
    """
    dice, table = np.random.default_rng(seed), np.zeros((PLACES, env.action_space.n))
    values, told = np.zeros(PLACES), {"entropy": 0.0, "lr": rate}

    def choose(at: int) -> int:
        return int(dice.choice(table.shape[1], p=_softmax(table[at])))

    def learn(step: Step) -> dict[str, float]:
        p = _softmax(table[step.now])
        future = 0.0 if step.done else gamma * values[step.after]
        surprise = step.reward + future - values[step.now]
        values[step.now] += 0.2 * surprise
        table[step.now] += rate * surprise * (np.eye(len(p))[step.action] - p)
        before, own = told["entropy"], _entropy(p)
        told["entropy"] = 0.99 * before + 0.01 * own if before else own
        return told | {"value_loss": float(surprise**2)}

    return _walked(env, steps, seed, choose, learn)


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
    table, values = np.zeros((PLACES, env.action_space.n)), np.zeros(PLACES)
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
        entropy = float(np.mean([_entropy(p) for p in before.values()]))
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
