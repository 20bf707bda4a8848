"""The average of a policy's weights over the latest of its updates, which plays more steadily.

Each update moves the policy to and fro; what it can do best comes and goes. The mean of its weights
keeps what they have in common (Izmailov et al. 2018, arXiv:1803.05407).
"""

import torch
from torch import Tensor, nn

ETA = 29  # the latest 1 / (ETA + 1) of the updates count most


class WeightAverage:
    """Averages weights over about the last thirtieth of the updates so far.

    Polynomial-decay averaging (Shamir and Zhang 2013, arXiv:1212.1824, section 4): after update t
    the average moves by (ETA + 1) / (t + ETA) of the way to the present weights. So it needs no
    length of its own: a short run averages few updates, a long one many.

    Attributes:
        n_updates: how many it is of.
        weights: by their names in the policy's `named_parameters`; empty before an update.
    """

    def __init__(self) -> None:
        self.n_updates = 0
        self.weights: dict[str, Tensor] = {}

    @torch.no_grad()
    def add(self, policy: nn.Module) -> None:
        """Takes the weights of a policy after an update into the average."""
        now = {name: weight.detach() for name, weight in policy.named_parameters()}
        self.n_updates += 1
        if self.n_updates == 1:
            self.weights = {name: weight.clone() for name, weight in now.items()}
            return
        share = (ETA + 1) / (self.n_updates + ETA)
        torch._foreach_lerp_([self.weights[name] for name in now], list(now.values()), share)

    def set(self, policy: nn.Module, n_updates: int) -> None:
        """Takes the weights of a policy as the average of some updates."""
        self.n_updates = n_updates
        kept = policy.named_parameters() if n_updates else ()
        self.weights = {name: weight.detach().clone() for name, weight in kept}
