"""What moves the policy: PPO's own part of the loss, or a teacher's, whose advice is in it too.

Both parts are differentiated where an update begins, in the layers behind the features, over all
of the rollout. Adam's step is linear in the gradient, so that it is the sum of a step for each
part, and each of them alone would move the policy by some KL divergence.
"""

from collections import defaultdict
from typing import Any

import torch
from torch import Tensor

from baselines.diagnostics import metrics as m
from baselines.learner.ppo import PPO

EVERY = 16  # updates from one measurement to the next; in between its shares count
HEAD = ("mlp_extractor.policy_net", "action_net")  # SB3's names of the layers behind the features
EPSILON = 1e-8  # Adam's
Slopes = list[Tensor]  # of each of some weights


class WhatMoves:
    """Measures what moves a learner's policy, while a teacher's part is in its loss."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        self._due = 0  # updates until the next measurement
        self._share: float | None = None  # of PPO's own part

    def rollout(self) -> dict[str, float]:
        """Returns both parts' gradient norms and the cosine of their angle, where they are due."""
        learner = self._learner
        if not isinstance(learner, PPO) or (learner.advisor is None and learner.clone is None):
            self._due, self._share = 0, None
            return {}
        self._due -= 1
        if self._due > 0:
            return {}
        self._due, self._share = 0, None
        named = learner.policy.named_parameters()
        head = [p for name, p in named if name.startswith(HEAD) and p.requires_grad]
        found = _gradients(learner, head)
        if found is None:
            return {}
        self._due = EVERY
        own_kl, taught_kl = _kls_of_steps(learner, head, found)
        if own_kl + taught_kl > 0:
            self._share = own_kl / (own_kl + taught_kl)
        own, taught = (torch.cat([slope.flatten() for slope in part]) for part in found)
        norms = {m.POLICY_GRADIENT: float(own.norm()), m.ADVICE_GRADIENT: float(taught.norm())}
        product = norms[m.POLICY_GRADIENT] * norms[m.ADVICE_GRADIENT]
        return norms | ({m.PARTS_COSINE: float(own @ taught) / product} if product > 0 else {})

    def update(self, approx_kl: float | None) -> dict[str, float]:
        """Returns each part's share of an update's `approx_kl`, empty where none is known."""
        if self._share is None or approx_kl is None:
            return {}
        own = approx_kl * self._share
        return {m.POLICY_KL: own, m.ADVICE_KL: approx_kl - own}

    def get_state(self) -> dict[str, Any]:
        """Returns when the next measurement is due, and what the latest one found."""
        return {"due": self._due, "share": self._share}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned."""
        self._due, self._share = state["due"], state["share"]


def _gradients(learner: PPO, head: list[Any]) -> tuple[Slopes, Slopes] | None:
    """Returns both parts' mean gradients over the rollout, None if the teacher says nothing."""
    own: Slopes = [torch.zeros_like(p) for p in head]
    taught: Slopes = [torch.zeros_like(p) for p in head]
    buffer = learner.rollout_buffer
    learner.take_advantages()  # else they would be compared with the rollout's before
    for batch in buffer.in_order(learner.batch_size):
        batch = batch._replace(advantages=learner.normalized(batch.advantages))
        policy_loss, _, advice_loss = learner.parts(batch, defaultdict(list), learner.policy)
        if not advice_loss:  # None, or nobody is advised
            return None
        weight = len(batch.actions) / (buffer.buffer_size * buffer.n_envs)
        for total, loss in ((own, policy_loss), (taught, advice_loss)):
            slopes = torch.autograd.grad(loss, head, retain_graph=True, allow_unused=True)
            for place, slope in zip(total, slopes, strict=True):
                place += 0 if slope is None else weight * slope
    return own, taught


def _kls_of_steps(learner: PPO, head: list[Any], parts: tuple[Slopes, Slopes]) -> list[float]:
    """Returns the KL divergence of each part's step of Adam, but for a factor that both share.

    It is s' F s / 2 to second order, on one minibatch. F s is the slope of the divergence's slope
    along s, as in TRPO (Schulman et al. 2015).
    """
    batch = next(iter(learner.rollout_buffer.in_order(learner.batch_size)))
    learner.policy.evaluate_actions(batch.observations, batch.actions, *batch.memory)
    log_p = learner.policy.distribution.logits
    p = log_p.exp().detach()
    kl = torch.where(p > 0, p * (log_p.detach() - log_p), 0.0).sum(dim=1).mean()
    slopes = torch.autograd.grad(kl, head, create_graph=True)
    roots = _roots(learner, head, parts)
    found = []
    for part in parts:
        step = [slope / root for slope, root in zip(part, roots, strict=True)]
        along = torch.stack([(k * s).sum() for k, s in zip(slopes, step, strict=True)]).sum()
        curved = torch.autograd.grad(along, head, retain_graph=True)
        found.append(float(sum((s * c).sum() for s, c in zip(step, curved, strict=True))) / 2)
    return found


def _roots(learner: PPO, head: list[Any], parts: tuple[Slopes, Slopes]) -> Slopes:
    """Returns what Adam divides each weight's slope by; before its first step, the slope itself."""
    known = learner.policy.optimizer.state
    squares = [known.get(p, {}).get("exp_avg_sq") for p in head]
    return [
        ((a + b).abs() if square is None else square.sqrt()) + EPSILON
        for square, a, b in zip(squares, *parts, strict=True)
    ]
