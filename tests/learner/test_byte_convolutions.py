"""Convolutions over bytes compute what a plain convolution over scaled pixels does."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from baselines.learner.policy.cnn.byte_convolutions import BytesConv2d, TileConv2d


def pixels_of(channels, height, width, order=torch.contiguous_format, dtype=torch.uint8):
    pixels = torch.randint(0, 256, (3, channels, height, width))
    return pixels.to(dtype).contiguous(memory_format=order)


def plain(layer, pixels):
    """The same convolution by torch, over pixels from 0 to 1."""
    scaled = pixels.double() / 255
    weight, bias = layer.weight.double(), layer.bias.double()
    return nn.functional.conv2d(scaled, weight, bias, layer.stride, layer.padding)


def in_bfloat16(layer, pixels):
    with torch.autocast("cpu", torch.bfloat16):
        return layer(pixels)


@settings(max_examples=60)
@given(
    tile=st.integers(1, 16),
    channels=st.integers(1, 6),
    rows=st.integers(1, 4),
    columns=st.integers(1, 4),
    more=st.tuples(st.integers(0, 15), st.integers(0, 15)),
    order=st.sampled_from([torch.contiguous_format, torch.channels_last]),
    dtype=st.sampled_from([torch.uint8, torch.float32, torch.bfloat16]),
)
def test_a_layer_over_tiles_is_the_convolution(tile, channels, rows, columns, more, order, dtype):
    height, width = (n * tile + m % tile for n, m in zip((rows, columns), more, strict=True))
    pixels = pixels_of(channels, height, width, order, dtype)
    layer = TileConv2d(channels, 4, tile, above=tile // 2)
    tiles = layer.tiles(pixels, dtype)
    in_one_pass, in_three = (layer.tiles(p, torch.bfloat16) for p in (pixels, pixels.float()))
    assert torch.equal(in_one_pass, in_three) and torch.equal(in_three.float(), tiles.float())
    by_tiles = nn.functional.linear(tiles.float(), layer.flat(), layer.bias).permute(0, 3, 1, 2)
    expected = plain(layer, pixels).float()
    torch.testing.assert_close(by_tiles, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(layer(pixels.float()), expected, rtol=1e-4, atol=1e-4)
    rounded = in_bfloat16(layer, pixels)
    assert rounded.dtype == torch.bfloat16
    torch.testing.assert_close(rounded.float(), expected, rtol=0.03, atol=0.03)


@pytest.mark.parametrize("kind", [lambda: BytesConv2d(2, 8, 8, 4), lambda: TileConv2d(2, 8, 8, 4)])
def test_bytes_and_floats_are_the_same_to_the_bit(kind):
    layer, pixels = kind(), pixels_of(2, 80, 120, torch.channels_last)
    assert torch.equal(layer(pixels), layer(pixels.float()))
    assert torch.equal(in_bfloat16(layer, pixels), in_bfloat16(layer, pixels.float()))


@pytest.mark.parametrize("kind", [lambda: BytesConv2d(2, 8, 8, 4), lambda: TileConv2d(2, 8, 8, 4)])
def test_gradients_in_bfloat16_are_near_the_exact_ones(kind):
    layer, pixels = kind(), pixels_of(2, 80, 120, torch.channels_last)
    back = torch.from_numpy(np.random.default_rng(0).normal(size=layer(pixels).shape)).float()
    (in_bfloat16(layer, pixels).float() * back).sum().backward()
    ours = [parameter.grad.double() for parameter in layer.parameters()]
    layer.zero_grad()
    (plain(layer, pixels) * back).sum().backward()
    for found, exact in zip(ours, layer.parameters(), strict=True):
        assert (found - exact.grad).norm() < 0.02 * exact.grad.norm()
