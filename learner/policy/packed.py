"""Weights that are packed once for many forward passes, in place of once for each."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from learner.policy.networks import BytesConv2d

LAYERS = (nn.Conv2d, BytesConv2d, nn.Linear)  # these alone: a subclass may compute otherwise


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
        self._layer, self._batch, self._relu = layer, batch, relu
        self._version: int | None = None  # of the weights that are packed

    def __call__(self, features: Tensor) -> Tensor:
        """Returns the layer's output, after its ReLU if it has one."""
        layer = self._layer
        if len(features) != self._batch or torch.is_grad_enabled():
            output: Tensor = type(layer).forward(layer, features)
            return output.relu() if self._relu else output
        if self._version != layer.weight._version:
            self._pack(features)
        return self._compute(features)

    def _pack(self, features: Tensor) -> None:
        layer, pack = self._layer, torch.ops.mkldnn
        if isinstance(layer, nn.Linear):
            self._weight = pack._reorder_linear_weight.default(layer.weight, self._batch)
        else:
            weight = layer.weight / 255 if isinstance(layer, BytesConv2d) else layer.weight
            how = layer.padding, layer.stride, layer.dilation, layer.groups
            self._weight = pack._reorder_convolution_weight.default(weight, *how, features.shape)
        self._version = layer.weight._version

    def _compute(self, features: Tensor) -> Tensor:
        layer, compute = self._layer, torch.ops.mkldnn
        then: tuple[Any, ...] = ("relu" if self._relu else "none", [], "")
        output: Tensor
        if isinstance(layer, nn.Linear):
            output = compute._linear_pointwise.default(features, self._weight, layer.bias, *then)
        else:
            how = layer.padding, layer.stride, layer.dilation, layer.groups
            output = compute._convolution_pointwise.default(
                features, self._weight, layer.bias, *how, *then
            )
        return output
