"""The base of our networks that see a picture."""

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn


class PictureCNN(BaseFeaturesExtractor):
    """Layers over a picture, then one linear layer over their flattened output.

    Args:
        observation_space: pictures (channels, height, width) uint8.
        features_dim: numbers in the output, (batch, features_dim).
        layers: applied to the picture; their output is flattened.
    """

    def __init__(
        self, observation_space: spaces.Box, features_dim: int, *layers: nn.Module
    ) -> None:
        super().__init__(observation_space, features_dim)
        self.cnn = nn.Sequential(*layers, nn.Flatten())
        with torch.no_grad():
            n_flatten = self.cnn(torch.zeros(1, *observation_space.shape)).shape[1]
        self.linear = nn.Sequential(nn.Linear(n_flatten, features_dim), nn.ReLU(inplace=True))

    def forward(self, observations: Tensor) -> Tensor:
        """Returns the features (batch, features_dim) of (batch, channels, height, width)."""
        features: Tensor = self.linear(self.cnn(observations))
        return features
