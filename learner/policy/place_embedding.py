"""Learnt embeddings of the game's places."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from emerald_env.env.observation import (
    FULL_SIZE,
    MAP_AND_TILE,
    MAP_AND_TILE_SCALE,
    MILESTONES,
    VECTOR_SIZE,
)

SIZE = 8  # size of the embedding at each scale
SPREAD = 0.1  # deviation of the initial values
FACTORS = (2654435761, 2246822519, 3266489917, 668265263, 374761393)  # large, prime, and fixed


class Scale(NamedTuple):
    """How coarse a place is."""

    tiles: int  # a side
    story: bool  # whether the same ground after another milestone is another place
    rows: int  # of its table; places share them by chance where there are more


SCALES = (
    Scale(1, True, 1 << 15),
    Scale(1, False, 1 << 14),
    Scale(4, True, 1 << 13),
    Scale(4, False, 1 << 12),
    Scale(1 << 10, True, 1 << 11),
    Scale(1 << 10, False, 1 << 10),
)


class PlaceEmbedding(nn.Module):
    """Looks up the newest place of stacked state vectors in a table for each scale.

    A number such as x/128 tells a small network almost nothing about tile x. A table lets it learn
    what to do in a place from a few visits, and tables at several scales generalise beyond single
    tiles. A hash chooses the rows (Müller et al. 2022, doi:10.1145/3528223.3530127).

    Args:
        width: size of the stacked state vectors.

    Raises:
        ValueError: they are not stacked state vectors.
    """

    size = SIZE * len(SCALES)
    _scales: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        sizes = [size for size in (FULL_SIZE, VECTOR_SIZE) if width % size == 0]
        if not sizes:
            raise ValueError(f"state vectors of {width} numbers say no place")
        self._newest = slice(width - sizes[0], width)
        self.tables = nn.ModuleList(nn.Embedding(scale.rows, SIZE) for scale in SCALES)
        for table in self.tables:
            nn.init.normal_(table.weight, std=SPREAD)  # type: ignore[arg-type]
        # (field of a Scale, scale, 1): all scales at once, for a call of torch costs more than sums
        self.register_buffer("_scales", torch.tensor(SCALES).T[:, :, None], persistent=False)

    def forward(self, states: Tensor) -> Tensor:
        """Returns (batch, size) learnt numbers of (batch, width) stacked state vectors."""
        newest = states[:, self._newest].detach()
        scale = torch.tensor(MAP_AND_TILE_SCALE, device=states.device)
        group, number, x, y = (newest[:, MAP_AND_TILE] * scale).round().long().unbind(dim=1)
        story = newest[:, MILESTONES].sum(dim=1).round().long()
        tiles, with_story, rows = self._scales
        chosen = _mixed((group, number, x // tiles, y // tiles, story * with_story)) % rows
        found = [table(own) for table, own in zip(self.tables, chosen, strict=True)]
        return torch.cat(found, dim=1)


def _mixed(parts: tuple[Tensor, ...]) -> Tensor:
    """Returns a number below 2**32 for each place, (scales, batch)."""
    mixed = torch.zeros_like(parts[-1])
    for part, factor in zip(parts, FACTORS, strict=True):
        mixed = (mixed ^ (part + 1)) * factor & 0xFFFFFFFF
        mixed = mixed ^ (mixed >> 15)
    return mixed
