"""A student's guess of its teacher's purpose, for learning only."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

UNKNOWN = 255  # a purpose that the teacher does not tell; no loss is taken there


class PurposeHead:
    """Guesses from a student's memory what its teacher is after.

    Which way to go often follows from what happened hundreds of steps ago and cannot be seen now.
    The labels of actions alone seldom reward a memory for keeping it: this loss does, at every
    step. It is not part of the policy, which plays without it.

    Args:
        size: of the student's outputs.
        n_purposes: how many there are.
        device: where it guesses.
    """

    def __init__(self, size: int, n_purposes: int, device: torch.device | str = "cpu") -> None:
        self.layer = nn.Linear(size, n_purposes).to(device)
        self.optimizer = torch.optim.Adam(self.layer.parameters())

    def loss(self, outputs: Tensor, purposes: Tensor) -> Tensor:
        """Returns the mean cross-entropy over the steps whose purpose is known, 0 without any.

        Args:
            outputs: (n, steps, size).
            purposes: (n, steps) int64, `UNKNOWN` where it is not told.
        """
        known = purposes != UNKNOWN
        if not known.any():
            return outputs.new_zeros(())
        return cross_entropy(self.layer(outputs[known]), purposes[known])

    def step(self, rate: float) -> None:
        """Takes a gradient step with a learning rate, and forgets the gradients."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad()

    def get_state(self) -> dict[str, Any]:
        """Returns the weights, and Adam's numbers once there are any, as arrays by name."""
        state: dict[str, Any] = {}
        for name, weights in self.layer.named_parameters():
            state[name] = weights.detach().cpu().numpy().copy()
            for moment, values in self.optimizer.state[weights].items():
                state[f"{name}.{moment}"] = np.array(values.cpu().numpy())
        return state

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned.

        Raises:
            LookupError, RuntimeError: it is of another size, or something is missing.
        """
        for name, weights in self.layer.named_parameters():
            moments = {key for key in state if key.startswith(f"{name}.")}
            with torch.no_grad():
                weights.copy_(torch.tensor(state[name]))
            self.optimizer.state[weights] = {
                # Adam counts its steps on the CPU
                key.removeprefix(f"{name}."): found.to(weights.device) if found.ndim else found
                for key, found in ((key, torch.tensor(state[key])) for key in moments)
            }
