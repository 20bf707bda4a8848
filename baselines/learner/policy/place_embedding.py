"""Learnt embeddings of the game's places."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from emerald_env.env.state_vector.state_layout import LAYOUT

SIZE = 8  # size of the embedding at each scale
SPREAD = 0.1  # deviation of the initial values
FACTORS = (2654435761, 2246822519, 3266489917, 668265263, 374761393)  # large, prime, and fixed


class Scale(NamedTuple):
    """How coarse a place is."""

    tiles: int  # on each side
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
    _place_scale: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        sizes = [size for size in (LAYOUT.full_size, LAYOUT.size) if width % size == 0]
        if not sizes:
            raise ValueError(f"state vectors of {width} numbers contain no place")
        self._newest = slice(width - sizes[0], width)
        self.tables = nn.ModuleList(nn.Embedding(scale.rows, SIZE) for scale in SCALES)
        for table in self.tables:
            nn.init.normal_(table.weight, std=SPREAD)  # type: ignore[arg-type]
        # (field of a Scale, scale, 1): all scales at once: a call of torch costs more than the sums
        self.register_buffer("_scales", torch.tensor(SCALES).T[:, :, None], persistent=False)
        scale = torch.tensor(LAYOUT.scales[LAYOUT.map_and_tile], dtype=torch.float32)
        self.register_buffer("_place_scale", scale, persistent=False)

    def forward(self, states: Tensor) -> Tensor:
        """Returns (batch, size) learnt numbers of (batch, width) stacked state vectors."""
        chosen = self._rows(states[:, self._newest].detach())
        found = [table(own) for table, own in zip(self.tables, chosen, strict=True)]
        return torch.cat(found, dim=1)

    def _rows(self, newest: Tensor) -> Tensor:
        """Returns the row of each table, (scales, batch), of the newest state vectors."""
        place = newest[:, LAYOUT.map_and_tile] * self._place_scale
        story = LAYOUT.progress(newest)[:, None]
        where = torch.cat((place, story), dim=1).round().long().T
        if where.is_cpu:  # such short sums take NumPy a third of torch's time
            return torch.from_numpy(_rows(where.numpy(), self._scales.numpy()))
        rows: Tensor = _rows(where, self._scales)
        return rows


def _rows(where: Any, scales: Any) -> Any:
    """Returns a row for each scale and place, (scales, batch).

    Args:
        where: (5, batch) integers, map group and number, x, y and milestones: of torch or NumPy,
            as are the scales.
        scales: the fields of `SCALES`, (3, scales, 1).
    """
    group, number, x, y, story = where
    tiles, with_story, rows = scales
    return _mixed((group, number, x // tiles, y // tiles, story * with_story)) % rows


def _mixed(parts: tuple[Any, ...]) -> Any:
    """Returns a number below 2**32 for each place, (scales, batch)."""
    mixed: Any = 0
    for part, factor in zip(parts, FACTORS, strict=True):
        mixed = (mixed ^ (part + 1)) * factor & 0xFFFFFFFF
        mixed = mixed ^ (mixed >> 15)
    return mixed
