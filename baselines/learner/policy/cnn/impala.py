"""A small residual CNN."""

from collections.abc import Sequence

import torch
from gymnasium import spaces
from torch import Tensor, nn

from baselines.learner.policy.cnn.picture_cnn import PictureCNN


class Residual(nn.Module):
    """Adds to its input the output of two convolutions, times a constant.

    Args:
        channels: of the input and the output.
        weight: the constant. With 1, each residual doubles the variance under SB3's orthogonal
            initialisation (gain sqrt(2)), and after six the features are too large to learn from.
    """

    def __init__(self, channels: int, weight: float = 1.0) -> None:
        super().__init__()
        self.weight = weight
        self.convolutions = nn.Sequential(
            nn.ReLU(),
            nn.Conv2d(channels, channels, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, kernel_size=3, padding=1),
        )

    def forward(self, pictures: Tensor) -> Tensor:
        """Returns (batch, channels, height, width), as it came."""
        return torch.add(pictures, self.convolutions(pictures), alpha=self.weight)


class ImpalaCNN(PictureCNN):
    """The large network of IMPALA (Espeholt et al. 2018, figure 3), without its LSTM.

    Each stage is a convolution, a pooling that halves the sides (rounded up), and two residuals.
    Each residual is weighted by 1 / sqrt(their number), see `Residual`.

    Args:
        observation_space: pictures (channels, height, width) uint8; SB3 hands them over as floats
            from 0 to 1.
        features_dim: numbers in the output, (batch, features_dim).
        channels: of each stage. Half of them is a quarter of the work.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        features_dim: int = 256,
        channels: Sequence[int] = (16, 32, 32),
    ) -> None:
        layers: list[nn.Module] = []
        weight = (2 * len(channels)) ** -0.5  # so that all residuals together double the variance
        for before, after in zip((observation_space.shape[0], *channels), channels, strict=False):
            layers += [
                nn.Conv2d(before, after, kernel_size=3, padding=1),
                nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
                Residual(after, weight),
                Residual(after, weight),
            ]
        super().__init__(observation_space, features_dim, *layers, nn.ReLU(inplace=True))
