"""Weights that are packed once for many forward passes, in place of once for each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from learner.policy.byte_convolutions import BytesConv2d, TileConv2d, compute_dtype

# these alone: a subclass may compute otherwise
LAYERS = (nn.Conv2d, BytesConv2d, TileConv2d, nn.Linear)
OPS: Any = torch.ops.mkldnn


@contextmanager
def packed(network: nn.Module, batch: int) -> Iterator[None]:
    """Keeps the layers' weights packed while it is entered: faster on a CPU.

    oneDNN computes with weights in an order of its own. By default a layer reorders them at each
    forward pass, which is much of the time for the few observations of a rollout's step; here only
    when they have changed. A ReLU behind a layer becomes part of it. Equal up to rounding.

    Args:
        network: its convolutions and linear layers are packed.
        batch: only passes of so many samples, without gradients, use the packed weights; others
            compute as before.
    """
    available = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    changed = [*_pack_layers(network, batch)] if available else []
    try:
        yield
    finally:
        for module in changed:
            del module.forward


def _pack_layers(network: nn.Module, batch: int) -> Iterator[nn.Module]:
    """Replaces the layers' `forward`; yields the modules that have a new one."""
    relu = {
        layer: after
        for sequence in network.modules()
        if isinstance(sequence, nn.Sequential)
        for layer, after in pairwise(sequence)
        if type(after) is nn.ReLU
    }
    for layer in network.modules():
        if type(layer) in LAYERS:
            layer.forward = PackedLayer(layer, batch, layer in relu)
            yield layer
            if layer in relu:
                relu[layer].forward = _unchanged  # type: ignore[method-assign, assignment]
                yield relu[layer]


def _unchanged(features: Tensor) -> Tensor:
    return features


class PackedLayer:
    """The `forward` of a layer with its weights packed.

    Args:
        layer: a convolution or a linear layer.
        batch: samples of the passes that use the packed weights.
        relu: whether negative outputs become 0.
    """

    def __init__(self, layer: Any, batch: int, relu: bool) -> None:
        self._layer, self._batch = layer, batch
        self._relu = "relu" if relu else "none"
        self._packed: tuple[Any, ...] = ()  # what the packed weights were made from

    def __call__(self, features: Tensor) -> Tensor:
        """Returns the layer's output, after its ReLU if it has one."""
        layer = self._layer
        if len(features) != self._batch or torch.is_grad_enabled():
            output: Tensor = type(layer).forward(layer, features)
            return output.relu() if self._relu == "relu" else output
        dtype = compute_dtype(layer.weight)
        if isinstance(layer, TileConv2d) and layer.is_linear(dtype):
            return self._linear(layer.tiles(features).to(dtype), layer.flat).permute(0, 3, 1, 2)
        if isinstance(layer, nn.Linear):
            return self._linear(features.to(dtype), lambda: layer.weight)
        return self._convolution(features.to(dtype))

    def _linear(self, features: Tensor, weight: Callable[[], Tensor]) -> Tensor:
        if self._outdated(features.dtype):
            self._pack(features.dtype, OPS._reorder_linear_weight.default, weight(), self._batch)
        compute: Callable[..., Tensor] = OPS._linear_pointwise.default
        return compute(features, self._weight, self._bias, self._relu, [], "")

    def _convolution(self, features: Tensor) -> Tensor:
        layer = self._layer
        how = layer.padding, layer.stride, layer.dilation, layer.groups
        if self._outdated(features.dtype):
            weight = layer.scaled() if isinstance(layer, BytesConv2d) else layer.weight
            reorder = OPS._reorder_convolution_weight.default
            self._pack(features.dtype, reorder, weight, *how, features.shape)
        compute: Callable[..., Tensor] = OPS._convolution_pointwise.default
        return compute(features, self._weight, self._bias, *how, self._relu, [], "")

    def _outdated(self, dtype: torch.dtype) -> bool:
        return self._packed != self._source(dtype)

    def _pack(self, dtype: torch.dtype, reorder: Any, weight: Tensor, *how: Any) -> None:
        layer = self._layer
        self._weight = reorder(weight.to(dtype), *how)
        self._bias = None if layer.bias is None else layer.bias.to(dtype)
        self._packed = self._source(dtype)

    def _source(self, dtype: torch.dtype) -> tuple[Any, ...]:
        weight, bias = self._layer.weight, self._layer.bias
        return weight._version, None if bias is None else bias._version, dtype
