"""Which parts of the screen an agent's choice depends on.

Hide a part, and see how far the logits of the actions move (Greydanus et al. 2018, "Visualizing and
Understanding Atari Agents", arXiv:1711.00138; there a part is blurred, here it is painted over).
Probabilities would say nothing where an agent is sure.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from emerald_env.env.observation import SCREEN

ROWS, COLUMNS = 10, 15  # tiles of the screen, 16 x 16 pixels each, as the maps have them
MIN_PROBABILITY = 1e-30  # a probability below is taken for this
Probabilities = Callable[[Any, int], Tensor]


@torch.no_grad()
def attention(seen: Any, probabilities: Probabilities) -> NDArray[np.float32]:
    """Returns how far the choice moves if a tile is hidden, (ROWS, COLUMNS).

    It is the deviation of the change of the actions' log probabilities, which is that of their
    logits. A hidden tile has the mean level of its picture.

    Args:
        seen: one observation as the policy takes it: a picture (1, channels, height, width), or a
            dictionary with one.
        probabilities: of all actions, (n, n_actions), for n observations.
    """
    parts = seen if isinstance(seen, dict) else {SCREEN: seen}
    n = ROWS * COLUMNS
    many = {key: part.expand(n, *part.shape[1:]) for key, part in parts.items()}
    many[SCREEN] = with_hidden_tiles(parts[SCREEN])
    whole = probabilities(seen, 1)
    hidden = probabilities(many if isinstance(seen, dict) else many[SCREEN], n)
    possible = whole[0] > 0  # not masked
    after, before = (
        found[:, possible].clamp(min=MIN_PROBABILITY).log() for found in (hidden, whole)
    )
    moved = after - before
    found: NDArray[np.float32] = moved.std(dim=1, unbiased=False).cpu().numpy()
    return found.reshape(ROWS, COLUMNS)


def with_hidden_tiles(picture: Tensor) -> Tensor:
    """Returns copies of a picture, each with another tile hidden, row by row.

    Args:
        picture: (1, channels, height, width).

    Returns:
        (ROWS * COLUMNS, channels, height, width)
    """
    height, width = picture.shape[2:]
    down, across = _borders(height, ROWS), _borders(width, COLUMNS)
    level = picture.float().mean(dim=(2, 3), keepdim=True).to(picture.dtype)[0]
    copies = picture.repeat(ROWS * COLUMNS, 1, 1, 1)
    for number in range(len(copies)):
        row, column = divmod(number, COLUMNS)
        top, left = down[row], across[column]
        copies[number, :, top : down[row + 1], left : across[column + 1]] = level
    return copies


def _borders(length: int, parts: int) -> list[int]:
    return [round(k * length / parts) for k in range(parts + 1)]
