"""Behaviour cloning: a policy learns to take the actions of recorded steps (Pomerleau 1991)."""

import copy
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.utils import obs_as_tensor

from baselines.learner.ppo import PPO
from emerald_env.env.observation_parts import map_parts

LEARNING_RATE = 1e-3
BATCH = 128
UNLIKELY = -20.0  # log-probability below which a step teaches nothing, such as a masked key's


def clone(
    model: PPO, observations: Any, actions: NDArray[np.int64], epochs: int, seed: int
) -> float:
    """Teaches a model's policy recorded actions, and keeps a copy of it as `model.clone`.

    The optimiser of the run is not touched.

    Args:
        model: its policy learns.
        observations: as the policy sees them, arrays of n steps.
        actions: taken in them, (n,).
        epochs: passes over the steps.
        seed: of their order.

    Returns:
        The share of the steps in which the policy's likeliest action is now the recorded one.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on a busy machine several would wait for each other
    try:
        return _clone(model, observations, actions, epochs, seed)
    finally:
        torch.set_num_threads(threads)


def _clone(
    model: PPO, observations: Any, actions: NDArray[np.int64], epochs: int, seed: int
) -> float:
    policy: Any = model.policy
    seen, taken = obs_as_tensor(observations, model.device), torch.as_tensor(actions)
    taken = taken.to(model.device)
    if policy.normalizer is not None and policy.normalizer.fresh:
        policy.observe(seen)  # else the first update would see observations of another scale
    optimizer = torch.optim.Adam(policy.parameters(), lr=LEARNING_RATE)
    dice = np.random.default_rng(seed)
    policy.set_training_mode(True)
    for _ in range(epochs):
        for part in _parts(dice.permutation(len(taken))):
            _, log_prob, _ = policy.evaluate_actions(map_parts(itemgetter(part), seen), taken[part])
            loss = -log_prob.clamp(min=UNLIKELY).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            optimizer.step()
    policy.set_training_mode(False)
    same = _agreement(policy, seen, taken)
    model.clone = copy.deepcopy(policy)
    return same


@torch.no_grad()
def _agreement(policy: Any, seen: Any, taken: torch.Tensor) -> float:
    equal = 0
    for part in _parts(np.arange(len(taken))):
        policy.evaluate_actions(map_parts(itemgetter(part), seen), taken[part])
        equal += int((policy.distribution.probs.argmax(dim=1) == taken[part]).sum())
    return equal / len(taken)


def _parts(order: NDArray[np.int64]) -> Iterator[torch.Tensor]:
    for begin in range(0, len(order), BATCH):
        yield torch.as_tensor(order[begin : begin + BATCH])
