"""Further learners that are not PPO: SARSA, a table of an actor and a critic, evolution."""

from typing import Any

import numpy as np

from experiments.strangers.others.other_learners import LEARNERS, Ledger, _number, _softmax, _tried

CHILDREN = 10  # of a generation, and as many in the opposite direction


def sarsa(
    env: Any, steps: int, seed: int, rate: float = 0.2, chance: float = 0.1, gamma: float = 0.97,
    **_: Any,
) -> Ledger:  # fmt: skip
    """Learns a table of the values of what it really does.

    Args:
        env: the world.
        steps: env steps.
        seed: of the dice.
        rate: of learning.
        chance: of a random action.
        gamma: the discount.
    """
    dice, ledger, known = np.random.default_rng(seed), Ledger(), dict[bytes, int]()
    table = np.zeros((4096, env.action_space.n))

    def choose(at: int) -> int:
        best = dice.choice(np.flatnonzero(table[at] == table[at].max()))
        return int(dice.integers(table.shape[1]) if dice.random() < chance else best)

    now, total, length, loss = _number(env.reset(seed=seed)[0], known), 0.0, 0, 0.0
    action = choose(now)
    for _step in range(steps):
        seen, reward, done, cut, _info = env.step(action)
        total, length, after = total + float(reward), length + 1, _number(seen, known)
        following = choose(after)
        error = reward + (0.0 if done else gamma * table[after, following]) - table[now, action]
        table[now, action] += rate * error
        loss, now, action = 0.99 * loss + 0.01 * error**2, after, following
        ledger.stepped(td=loss, q=float(table[now].max()))
        if done or cut:
            ledger.ended(total, length)
            now, total, length = _number(env.reset()[0], known), 0.0, 0
            action = choose(now)
    return ledger


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
    dice, ledger, known = np.random.default_rng(seed), Ledger(), dict[bytes, int]()
    table, values = np.zeros((4096, env.action_space.n)), np.zeros(4096)
    now, total, length, entropy = _number(env.reset(seed=seed)[0], known), 0.0, 0, 0.0
    for _step in range(steps):
        p = _softmax(table[now])
        action = int(dice.choice(len(p), p=p))
        seen, reward, done, cut, _info = env.step(action)
        total, length, after = total + float(reward), length + 1, _number(seen, known)
        surprise = reward + (0.0 if done else gamma * values[after]) - values[now]
        values[now] += 0.2 * surprise
        table[now] += rate * surprise * (np.eye(len(p))[action] - p)
        own = -float((p * np.log(p + 1e-12)).sum())
        entropy = own if not entropy else 0.99 * entropy + 0.01 * own
        now = after
        ledger.stepped(entropy=entropy, lr=rate, value_loss=float(surprise**2))
        if done or cut:
            ledger.ended(total, length)
            now, total, length = _number(env.reset()[0], known), 0.0, 0
    return ledger


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


ALL_LEARNERS = LEARNERS | {"sarsa": sarsa, "actor_critic": actor_critic, "evolution": evolution}
