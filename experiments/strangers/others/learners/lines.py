"""Learners of a linear policy: the cross-entropy method, and evolution."""

from typing import Any

import numpy as np

from experiments.strangers.others.learners.ledger import Ledger

ELITE = 5  # of a generation, from which the next is drawn
GENERATION = 20
CHILDREN = 10  # of a generation, and as many in the opposite direction


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


def evolution(
    env: Any, steps: int, seed: int, rate: float = 0.5, width: float = 0.5, **_: Any
) -> Ledger:
    """Moves a linear policy along the mean of its children, by their rank (Salimans et al. 2017).

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        rate: of learning.
        width: standard deviation of the children.
    """
    dice, ledger = np.random.default_rng(seed), Ledger(None)
    sizes = env.observation_space.shape[0] + 1, getattr(env.action_space, "n", 1)
    middle = np.zeros(sizes)
    env.reset(seed=seed)
    while ledger.steps < steps:
        ways = dice.normal(size=(CHILDREN, *sizes))
        ways = np.concatenate([ways, -ways])
        scores = np.array([_tried(env, middle + width * way, ledger) for way in ways])
        ranks = scores.argsort().argsort() / (len(ways) - 1) - 0.5
        middle = middle + rate * np.tensordot(ranks, ways, 1) / len(ways)
        ledger.row(std=width)
    return ledger
