"""How many numbers the network of a manifest holds, reckoned before any of them is allocated."""

import math
from typing import Any, NamedTuple

from gymnasium import spaces
from stable_baselines3.common.preprocessing import get_flattened_obs_dim, is_image_space

from baselines.learner.networks import CNNS, SCREEN_TILES, policy_kwargs
from baselines.learner.policies import without_masks
from baselines.learner.policy_config import PolicyConfig

MOST_NUMBERS = 1 << 26  # 256 MiB; the largest that trained anything here has 11 million
BYTES = 4  # of a number, float32


class Layer(NamedTuple):
    """A convolution over squares, or a pooling where it has no filters of its own."""

    filters: int | None
    kernel: int
    stride: int
    padding: tuple[int, int] = (0, 0)  # rows above and below, columns left and right
    again: int = 0  # convolutions after it that change no side: 3 x 3 pixels, padded


SMALL = (Layer(16, 8, 4), Layer(32, 4, 2), Layer(32, 3, 1))
NATURE = (Layer(32, 8, 4), Layer(64, 4, 2), Layer(64, 3, 1))


def numbers_in(network: str, space: spaces.Space[Any], n_actions: int, policy: PolicyConfig) -> int:
    """Returns how many numbers a network holds: what it learns, and its running means.

    Raises:
        ValueError: there is no network of this name, nothing for it to look at, or too small a
            picture.
    """
    kwargs = policy_kwargs(network, space, policy)
    seen = without_masks(space)
    parts = list(seen.spaces.values()) if isinstance(seen, spaces.Dict) else [seen]
    pictures = [part.shape or () for part in parts if is_image_space(part)]
    rest = [part for part in parts if not is_image_space(part)]
    if rest == [seen]:
        raise ValueError(f"the network {network!r} looks at pictures, not at {seen}")
    width = policy.features_dim or CNNS[network].features_dim
    total = sum([_cnn(network, shape, width, policy) for shape in pictures])
    if policy.separate_networks:
        total *= 2
    if policy.normalize_observations:
        each = 2 if policy.normalize_binary else 3
        total += sum([each * get_flattened_obs_dim(part) + 1 for part in rest])
    features = width * len(pictures) + sum(map(get_flattened_obs_dim, rest))
    if policy.recurrent:
        total += 2 * 4 * policy.lstm_size * (features + policy.lstm_size + 2)
        features = policy.lstm_size
    for size in kwargs["net_arch"]:
        total += 2 * _linear(features, size)
        features = size
    heads = _linear(features, n_actions) + _linear(features, 1)
    return total + heads + (3 if policy.normalize_returns else 0)


def _linear(before: int, after: int) -> int:
    return (before + 1) * after


def _cnn(network: str, shape: tuple[int, ...], width: int, policy: PolicyConfig) -> int:
    channels, *sides = shape
    total = 0
    for layer in _layers(network, shape, policy):
        sides = [
            (side + 2 * padding - layer.kernel) // layer.stride + 1
            for side, padding in zip(sides, layer.padding, strict=True)
        ]
        if min(sides) < 1:
            raise ValueError(f"a picture of {shape} is too small for the network {network!r}")
        if layer.filters is not None:
            total += _linear(channels * layer.kernel**2, layer.filters)
            channels = layer.filters
        total += layer.again * _linear(channels * 9, channels)
    return total + _linear(channels * math.prod(sides), width)


def _layers(network: str, shape: tuple[int, ...], policy: PolicyConfig) -> tuple[Layer, ...]:
    """Returns the convolutions of one of `CNNS`, as its class builds them."""
    if network == "tile":
        tile = max(1, shape[1] // SCREEN_TILES)
        return Layer(32, tile, tile, (tile // 2, 0)), Layer(32, 3, 2, (1, 1))
    if network == "impala":
        stages = [
            (Layer(size, 3, 1, (1, 1)), Layer(None, 3, 2, (1, 1), again=4))
            for size in policy.impala_channels
        ]
        return tuple(layer for stage in stages for layer in stage)
    return {"small": SMALL, "nature": NATURE}[network]
