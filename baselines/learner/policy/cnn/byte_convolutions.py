"""Convolutions over pixels as the screen gives them, from 0 to 255."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from baselines.learner.policy.cnn.tiles import can_write, write

# elements as wide as a tile's row of pixels are copied at once: much faster than pixel by pixel
WIDE = (torch.complex128, torch.int64, torch.int32, torch.int16)


class BytesConv2d(nn.Conv2d):
    """A convolution over pixels from 0 to 255 that computes as if they were scaled to 0 to 1.

    Scaling its few weights is free; scaling every pixel takes a fifth of a small CNN's time.
    """

    def scaled(self) -> Tensor:
        """Returns the weights, (filters, channels, height, width), for pixels from 0 to 255."""
        return self.weight / 255

    def forward(self, pixels: Tensor) -> Tensor:
        """Returns the convolution of (batch, channels, height, width), bytes or floats."""
        pixels = pixels.to(compute_dtype(self.weight))
        return functional.conv2d(pixels, self.scaled(), self.bias, self.stride, self.padding)


class TileConv2d(BytesConv2d):
    """A convolution whose squares are tiles that do not overlap.

    In bfloat16 it computes a linear layer over tiles, with the same result: oneDNN's gradient of a
    convolution with few channels is slower in bfloat16 than in single precision.

    Args:
        channels: of the picture.
        filters: numbers in the output for each tile.
        tile: its side in pixels.
        above: pixels of the first row of tiles that are above the picture, and of the last below.
    """

    def __init__(self, channels: int, filters: int, tile: int, above: int) -> None:
        super().__init__(channels, filters, kernel_size=tile, stride=tile, padding=(above, 0))

    def forward(self, pixels: Tensor) -> Tensor:
        """Returns (batch, filters, rows, columns) of (batch, channels, height, width)."""
        dtype = compute_dtype(self.weight)
        if not self.is_linear(dtype):
            return super().forward(pixels)
        of_tiles = functional.linear(self.tiles(pixels, dtype), self.flat(), self.bias)
        return of_tiles.permute(0, 3, 1, 2)

    def is_linear(self, dtype: torch.dtype) -> bool:
        """Returns whether it computes a linear layer over tiles in this type."""
        return dtype == torch.bfloat16

    def flat(self) -> Tensor:
        """Returns the weights of the linear layer, (filters, numbers of a tile)."""
        return self.scaled().permute(0, 2, 3, 1).flatten(1)

    def tiles(self, pixels: Tensor, dtype: torch.dtype) -> Tensor:
        """Returns the tiles' pixels, (batch, rows, columns, numbers of a tile)."""
        tile, above = self.kernel_size[0], int(self.padding[0])
        lines = pixels.permute(0, 2, 3, 1)
        batch, height, width, channels = lines.shape
        rows, columns = (height + 2 * above) // tile, width // tile
        if dtype == torch.bfloat16 and can_write(lines):
            tiles = torch.empty(batch, rows, columns, tile * tile * channels, dtype=dtype)
            write(tiles, lines, tile, above)
            return tiles
        lines = functional.pad(lines, (0, 0, 0, 0, above, above))
        lines = lines[:, : rows * tile, : columns * tile].contiguous()
        lines = lines.view(batch, rows, tile, columns, tile * channels)
        wide = as_wide(lines).transpose(2, 3).contiguous()
        found = wide.view(pixels.dtype).view(batch, rows, columns, tile * tile * channels)
        return found.to(dtype)


def as_wide(lines: Tensor) -> Tensor:
    """Returns the same contiguous memory in elements as wide as the last axis allows."""
    size = lines.shape[-1] * lines.element_size()
    for dtype in WIDE:
        if size % dtype.itemsize == 0:
            return lines.view(dtype)
    return lines


def compute_dtype(weight: Tensor) -> torch.dtype:
    """Returns the type in which a layer with these weights computes, autocast considered."""
    kind = weight.device.type
    known = torch.amp.is_autocast_available(kind)  # "meta" is not
    casts = known and torch.is_autocast_enabled(kind)
    return torch.get_autocast_dtype(kind) if casts else weight.dtype
