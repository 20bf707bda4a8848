"""Numbers of a network's health: dormant units, rank, norm, sureness, gradient noise."""

from collections import defaultdict
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

DORMANT = 0.025  # of its layer's mean activation; Sokar et al. 2023, arXiv:2302.12902
ENERGY = 0.99  # share of singular values that a rank explains; Kumar et al. 2021, arXiv:2010.14498
SURE = 0.99  # probability of one action
SAMPLES = 512  # of the rollout
CHUNKS = 4  # of these samples, whose gradients are compared
NAMES = ("dormant", "rank", "norm", "sure", "noise")
LOW_IS_BAD = ("rank",)


def health(model: Any, dice: np.random.Generator) -> dict[str, float]:
    """Returns a learner's health on samples of its full rollout, before its update.

    Returns:
        dormant: share of hidden units whose mean activation is below `DORMANT` of their layer's.
        rank: directions that explain the last hidden layer of the policy, of all its units.
        norm: root of the mean square of all weights.
        sure: share of samples in which one action has the probability `SURE`.
        noise: gradient noise over gradient squared, in samples (McCandlish et al. 2018).
    """
    (batch, *_) = model.rollout_buffer.in_order(model.n_steps * model.n_envs)
    rows = torch.from_numpy(dice.permutation(len(batch.actions))[:SAMPLES])
    seen, actions, advantages = (x[rows] for x in (batch.observations, batch.actions,
                                                   batch.advantages))  # fmt: skip
    found, last = _activations(model.policy, seen)
    weights = torch.cat([p.detach().flatten() for p in model.policy.parameters()])
    probabilities = torch.exp(model.policy.distribution.logits).detach()
    return {
        "dormant": found,
        "rank": _rank(last),
        "norm": float(weights.square().mean().sqrt()),
        "sure": float((probabilities.max(dim=1).values > SURE).float().mean()),
        "noise": _noise(model, seen, actions, model.normalized(advantages)),
    }


def _activations(policy: Any, seen: Tensor) -> tuple[float, Tensor]:
    """Returns the share of dormant hidden units, and the policy's last hidden layer."""
    outputs: dict[str, list[Tensor]] = defaultdict(list)
    hooks = []
    for part in ("policy_net", "value_net"):
        for layer in getattr(policy.mlp_extractor, part):
            if not isinstance(layer, nn.Linear):
                keep = outputs[part]
                hooks.append(layer.register_forward_hook(lambda _m, _i, o, k=keep: k.append(o)))
    with torch.no_grad():
        policy.get_distribution(seen)
        policy.predict_values(seen)
    for hook in hooks:
        hook.remove()
    scores = [layer.abs().mean(dim=0) for layers in outputs.values() for layer in layers]
    dormant = torch.cat([score <= DORMANT * score.mean() for score in scores])
    return float(dormant.float().mean()), outputs["policy_net"][-1]


def _rank(features: Tensor) -> float:
    values = torch.linalg.svdvals(features)
    shares = torch.cumsum(values, 0) / values.sum().clamp(min=1e-12)
    return float((shares < ENERGY).sum() + 1) / features.shape[1]


def _noise(model: Any, seen: Tensor, actions: Tensor, advantages: Tensor) -> float:
    """Returns tr(S) / |G|^2 of the policy's gradient, from the spread of its chunks' gradients."""
    parameters = [p for n, p in model.policy.named_parameters()
                  if n.startswith(("mlp_extractor.policy_net", "action_net"))]  # fmt: skip
    gradients = []
    for rows in torch.arange(len(seen)).chunk(CHUNKS):
        _, log_prob, _ = model.policy.evaluate_actions(seen[rows], actions[rows])
        slopes = torch.autograd.grad(-(advantages[rows] * log_prob).mean(), parameters)
        gradients.append(torch.cat([slope.flatten() for slope in slopes]))
    each = torch.stack(gradients)
    size = len(seen) / CHUNKS
    spread = float(each.var(dim=0).sum()) * size  # of one sample
    squared = float(each.mean(dim=0).square().sum()) - spread / len(seen)
    return spread / max(squared, 1e-3 * spread / len(seen), 1e-20)
