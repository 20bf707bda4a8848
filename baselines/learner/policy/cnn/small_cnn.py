"""The network "small"."""

from gymnasium import spaces
from torch import nn

from baselines.learner.policy.cnn.byte_convolutions import BytesConv2d
from baselines.learner.policy.cnn.picture_cnn import PictureCNN


class SmallCNN(PictureCNN):
    """NatureCNN with half its filters: a third of the computation, for learning on a CPU.

    Args:
        observation_space: pictures (channels, height, width) uint8. It takes bytes, or floats from
            0 to 255 (`normalize_images=False`).
        features_dim: numbers in the output, (batch, features_dim).
    """

    takes_bytes = True

    def __init__(self, observation_space: spaces.Box, features_dim: int = 256) -> None:
        super().__init__(
            observation_space,
            features_dim,
            BytesConv2d(observation_space.shape[0], 16, kernel_size=8, stride=4),
            nn.ReLU(inplace=True),
            nn.Conv2d(16, 32, kernel_size=4, stride=2),
            nn.ReLU(inplace=True),
            nn.Conv2d(32, 32, kernel_size=3, stride=1),
            nn.ReLU(inplace=True),
        )
