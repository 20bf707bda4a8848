"""A small network over the kinds of the tiles around the player."""

import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.nn import functional

from emerald_env.env.observation import COLUMNS, KINDS, ROWS

FEATURES = 128


class KindsCNN(nn.Module):
    """Convolves the newest of stacked maps of kinds, each kind a channel of its own.

    Args:
        space: of the stacked maps, (ROWS, n * COLUMNS).

    Raises:
        ValueError: they are of another size.
    """

    def __init__(self, space: spaces.Space[object]) -> None:
        super().__init__()
        shape = space.shape or ()
        if shape[:1] != (ROWS,) or shape[-1] % COLUMNS:
            raise ValueError(f"kinds of tiles are {ROWS} x {COLUMNS}, not {shape}")
        self.layers = nn.Sequential(
            nn.Conv2d(KINDS, 32, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 6 * 8, FEATURES),
            nn.ReLU(),
        )

    def forward(self, kinds: Tensor) -> Tensor:
        """Returns (batch, FEATURES) of (batch, ROWS, n * COLUMNS) numbers of kinds."""
        newest = kinds[:, :, -COLUMNS:].long()
        one_hot = functional.one_hot(newest, KINDS).permute(0, 3, 1, 2)
        features: Tensor = self.layers(one_hot.to(torch.float32))
        return features
