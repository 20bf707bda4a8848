"""The network "tile"."""

from gymnasium import spaces
from torch import nn

from baselines.learner.policy.cnn.byte_convolutions import TileConv2d
from baselines.learner.policy.cnn.picture_cnn import PictureCNN

SCREEN_TILES = 10  # rows of tiles on the screen: 160 pixels, 16 a tile


class TileCNN(PictureCNN):
    """Convolves the game's tiles, then each with its neighbours: half the computation of SmallCNN.

    The game draws tiles of 16 pixels around a player in the middle of the screen, so
    that rows of tiles begin half a tile above it. The first convolution's squares are these tiles.

    Args:
        observation_space: pictures (channels, height, width) uint8 of the whole screen. It takes
            bytes, or floats from 0 to 255 (`normalize_images=False`).
        features_dim: numbers in the output, (batch, features_dim).
    """

    takes_bytes = True

    def __init__(self, observation_space: spaces.Box, features_dim: int = 256) -> None:
        channels, height, _ = observation_space.shape
        tile = max(1, height // SCREEN_TILES)
        super().__init__(
            observation_space,
            features_dim,
            TileConv2d(channels, 32, tile, above=tile // 2),
            nn.ReLU(),  # in place its gradient would be slow: the convolution's output is a view
            nn.Conv2d(32, 32, kernel_size=3, stride=2, padding=1),
            nn.Flatten(),  # before the ReLU, whose gradient is slow where memory's order changes
            nn.ReLU(inplace=True),
        )
