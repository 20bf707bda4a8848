"""Health metrics of a running PPO, beyond the numbers that it logs anyway.

Everything is computed once per update from what SB3 keeps (the rollout's actions and observations,
the gradients); nothing is done per step.
"""

import math
from time import perf_counter
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import safe_mean

from baselines.diagnostics import (
    EPISODE_LENGTH,
    EPISODE_REWARD,
    EXPLAINED_RETURNS,
    GRADIENT_NORM,
    NOT_FINITE,
    STEPS_PER_SECOND,
    STILL_SHARE,
    TOP_ACTION_SHARE,
)
from baselines.training.callbacks.health.what_moves import WhatMoves

# numbers of a picture, about, that are compared with the one before it: enough to see it move
COMPARED = 1024


class GradientNorm:
    """The length of the gradient in the first gradient step of an update, before it is clipped.

    SB3 discards the number and clips the gradients. A hook on each parameter sees them in time and
    removes itself at its first call, so the cost is one norm per update.
    """

    def __init__(self) -> None:
        self._hooks: list[Any] = []
        self._norms: list[torch.Tensor] = []

    def watch(self, policy: torch.nn.Module) -> None:
        """Waits for the next backward pass through `policy`."""
        self.forget()
        parameter: Any
        for parameter in policy.parameters():
            if parameter.requires_grad:
                hook = parameter.register_post_accumulate_grad_hook(self._take(len(self._hooks)))
                self._hooks.append(hook)

    def _take(self, index: int) -> Any:
        def hook(parameter: torch.Tensor) -> None:
            assert parameter.grad is not None
            self._norms.append(torch.linalg.vector_norm(parameter.grad.detach()))
            self._hooks[index].remove()

        return hook

    def forget(self) -> None:
        """Removes all hooks and forgets what they saw."""
        for hook in self._hooks:
            hook.remove()
        self._hooks, self._norms = [], []

    def read(self) -> float | None:
        """Returns the norm since `watch`, None if there was no gradient."""
        if not self._norms:
            return None
        return float(torch.linalg.vector_norm(torch.stack(self._norms)))


class HealthMetrics:
    """Collects the health of one training run, an update at a time.

    Attributes:
        moves: what moves the policy; an exact resume restores it.
    """

    def __init__(self, model: OnPolicyAlgorithm) -> None:
        self._model = model
        self._gradient = GradientNorm()
        self.moves = WhatMoves(model)
        self._mark: tuple[int, float] | None = None

    def rollout(self) -> dict[str, float]:
        """Returns what the rollout that just ended shows, and waits for the update's gradient."""
        model, buffer = self._model, self._model.rollout_buffer
        found = {
            TOP_ACTION_SHARE: top_action_share(buffer.actions, model.action_space),
            STILL_SHARE: still_share(buffer),
            STEPS_PER_SECOND: self._speed(),
            NOT_FINITE: float((~np.isfinite(buffer.returns)).sum()),
        }
        explained = explained_returns(buffer, model.gamma)
        if explained is not None:
            found[EXPLAINED_RETURNS] = explained
        if model.ep_info_buffer:
            found[EPISODE_REWARD] = safe_mean([episode["r"] for episode in model.ep_info_buffer])
            found[EPISODE_LENGTH] = safe_mean([episode["l"] for episode in model.ep_info_buffer])
        found |= self.moves.rollout()
        self._gradient.watch(model.policy)
        return {name: value for name, value in found.items() if value is not None}

    def update(self, approx_kl: float | None) -> dict[str, float]:
        """Returns what the update that just ended shows beside SB3's own numbers.

        Args:
            approx_kl: how far it moved the policy, None if that is not known.
        """
        norm = self._gradient.read()
        self._gradient.forget()
        found = {} if norm is None else {GRADIENT_NORM: norm}
        return found | self.moves.update(approx_kl)

    def _speed(self) -> float | None:
        """Returns the speed from the last rollout's end to this one's, with the update between."""
        before, now = self._mark, (self._model.num_timesteps, perf_counter())
        self._mark = now
        return None if before is None else (now[0] - before[0]) / max(now[1] - before[1], 1e-9)


def top_action_share(actions: NDArray[Any], space: spaces.Space[Any]) -> float | None:
    """Returns the share of the most common action, None unless they are discrete."""
    if not isinstance(space, spaces.Discrete):
        return None
    counts = np.bincount(actions.astype(np.int64).ravel() - int(space.start))
    return float(counts.max() / counts.sum())


def explained_returns(buffer: RolloutBuffer, gamma: float) -> float | None:
    """Returns the explained variance of Monte-Carlo returns, of episodes that ended in the rollout.

    SB3's own compares values with lambda-returns, which contain the values: even noise explains
    most of those. None if no episode ended, or all returns were equal.
    """
    rewards, values = np.asarray(buffer.rewards), np.asarray(buffer.values)
    starts = np.asarray(buffer.episode_starts)
    following = np.zeros(rewards.shape[1])
    known = np.zeros(rewards.shape[1], bool)
    returns, counted = np.zeros(rewards.shape), np.zeros(rewards.shape, bool)
    for step in range(len(rewards) - 2, -1, -1):
        ended = starts[step + 1] > 0
        known |= ended
        following = rewards[step] + gamma * np.where(ended, 0.0, following)
        returns[step], counted[step] = following, known
    spread = returns[counted].var() if counted.any() else 0.0
    return float(1 - (returns - values)[counted].var() / spread) if spread > 0 else None


def still_share(buffer: RolloutBuffer) -> float | None:
    """Returns the share of steps after which the observation was the same as before.

    The first step of an episode does not count. Of large pictures only every n-th row and column is
    compared. None if there is nothing to compare.
    """
    observations: Any = buffer.observations
    parts = list(observations.values()) if isinstance(observations, dict) else [observations]
    # the pictures where there are some, not the clock or the counters beside them
    parts = [part for part in parts if part.ndim > 4] or parts
    same = np.logical_and.reduce([_unchanged(part) for part in parts])
    counted = buffer.episode_starts[1:] == 0
    return float(same[counted].mean()) if counted.any() else None


def _unchanged(observations: NDArray[Any]) -> NDArray[np.bool_]:
    """Returns whether each observation is the one before, (n_steps - 1, n_envs)."""
    every = max(1, round(math.sqrt(observations[0, 0].size / COMPARED)))
    if observations.ndim > 3:
        # before the reshape: it copies what is not stored in this order
        observations = observations[..., ::every, ::every]
    flat = observations.reshape(*observations.shape[:2], -1)
    same: NDArray[np.bool_] = (flat[1:] == flat[:-1]).all(axis=2)
    return same
