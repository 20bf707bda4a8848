"""The message box's text, as the network sees it."""

from gymnasium import spaces
from torch import Tensor, nn

from emerald_env.env.observation import TEXT_SIZE

LETTERS = 256


class MessageLetters(nn.Module):
    """The mean of learnt vectors of the newest message's letters, whatever their order.

    Args:
        space: of the letters, (n * length,) for n stacked messages.
    """

    size = 64  # numbers in the output

    def __init__(self, space: spaces.Space[object]) -> None:
        super().__init__()
        if (space.shape or (1,))[0] % TEXT_SIZE:
            raise ValueError(f"messages have {TEXT_SIZE} letters each, not {space.shape}")
        self.letters = nn.EmbeddingBag(LETTERS, self.size)

    def forward(self, letters: Tensor) -> Tensor:
        """Returns (batch, size) of (batch, n * length) letters."""
        features: Tensor = self.letters(letters[:, -TEXT_SIZE:].long())
        return features
