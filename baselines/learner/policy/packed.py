"""Weights that are packed once for many forward passes, in place of once for each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from baselines.learner.policy.cnn.byte_convolutions import BytesConv2d, TileConv2d, compute_dtype

# these alone: a subclass may compute otherwise
LAYERS = (nn.Conv2d, BytesConv2d, TileConv2d, nn.Linear)
OPS: Any = torch.ops.mkldnn
Compute = Callable[[Tensor], Tensor]
MIN_PACKED_WEIGHTS = (
    1 << 12
)  # weights of a linear layer; with fewer, to call oneDNN takes longer than to compute


@contextmanager
def packed(network: nn.Module, batch: int) -> Iterator[None]:
    """Keeps the layers' weights packed while it is entered: faster on a CPU.

    oneDNN computes with weights in an order of its own. By default a layer reorders them at each
    forward pass, which is much of the time for the few observations of a rollout's step; here only
    when they have changed. A ReLU behind a layer becomes part of it. Equal up to rounding.

    Args:
        network: its convolutions and linear layers are packed.
        batch: only passes of this many samples, without gradients, use the packed weights; others
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
    layer: Any
    for layer in network.modules():
        if type(layer) in LAYERS and not _is_tiny(layer):
            layer.forward = PackedLayer(layer, batch, layer in relu)
            yield layer
            if layer in relu:
                relu[layer].forward = _unchanged  # type: ignore[method-assign, assignment]
                yield relu[layer]


def _is_tiny(layer: Any) -> bool:
    return isinstance(layer, nn.Linear) and layer.weight.numel() < MIN_PACKED_WEIGHTS


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
        self._learnt = [part for part in (layer.weight, layer.bias) if part is not None]
        self._source: list[Any] = []  # what the packed weights were made from
        self._compute: Compute = layer.forward  # with the packed weights

    def __call__(self, features: Tensor) -> Tensor:
        """Returns the layer's output, after its ReLU if it has one."""
        layer = self._layer
        if features.shape[0] != self._batch or torch.is_grad_enabled():
            output: Tensor = type(layer).forward(layer, features)
            return output.relu() if self._relu == "relu" else output
        dtype = compute_dtype(self._learnt[0])
        source = [dtype, *(part._version for part in self._learnt)]
        if source != self._source:
            self._compute, self._source = self._pack(dtype, features.shape), source
        return self._compute(features)

    def _pack(self, dtype: torch.dtype, shape: torch.Size) -> Compute:
        """Returns what computes the layer with the weights that it has now."""
        layer = self._layer
        bias = None if layer.bias is None else layer.bias.to(dtype)
        if isinstance(layer, nn.Linear):
            linear = self._linear(layer.weight.to(dtype), bias)
            return lambda features: linear(features.to(dtype))
        if isinstance(layer, TileConv2d) and layer.is_linear(dtype):
            linear = self._linear(layer.flat().to(dtype), bias)
            return lambda pixels: linear(layer.tiles(pixels, dtype)).permute(0, 3, 1, 2)
        weight = layer.scaled() if isinstance(layer, BytesConv2d) else layer.weight
        convolution = self._convolution(weight.to(dtype), bias, shape)
        return lambda features: convolution(features.to(dtype))

    def _linear(self, weight: Tensor, bias: Tensor | None) -> Compute:
        ready = OPS._reorder_linear_weight.default(weight, self._batch)
        compute: Callable[..., Tensor] = OPS._linear_pointwise.default
        return lambda features: compute(features, ready, bias, self._relu, [], "")

    def _convolution(self, weight: Tensor, bias: Tensor | None, shape: torch.Size) -> Compute:
        layer = self._layer
        how = layer.padding, layer.stride, layer.dilation, layer.groups
        ready = OPS._reorder_convolution_weight.default(weight, *how, shape)
        compute: Callable[..., Tensor] = OPS._convolution_pointwise.default
        return lambda features: compute(features, ready, bias, *how, self._relu, [], "")
