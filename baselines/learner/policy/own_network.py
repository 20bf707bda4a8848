"""A network of the user's own: a torch module that turns observations into features."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from emerald_env.env.observation_parts import parts_of, unwrapped
from emerald_env.files.own_code import OwnCodeError, OwnName

BATCH = 2  # samples of the trial pass


class OwnNetwork(BaseFeaturesExtractor):
    """The features of a module of the user's own, checked once.

    Args:
        observation_space: of what it sees; pictures are divided by 255 and have channels first.
        own: a class or function that takes this space and returns the module: SB3's
            `BaseFeaturesExtractor`, or any that returns (batch, n) of a batch.
        sizes: further arguments of it.

    Raises:
        OwnCodeError: it raises, or is no such module.
        DataError: its file fails, or lacks the name.
    """

    def __init__(self, observation_space: spaces.Space[Any], own: OwnName, **sizes: Any) -> None:
        make = own.get()
        with _told(own):
            module = make(observation_space, **sizes)
        if not isinstance(module, nn.Module):
            raise OwnCodeError(
                f"the network {own.address} makes a {type(module).__name__}: it must be a torch "
                "module, or a function that returns one"
            )
        with _told(own):
            features = _features_of(module, observation_space)
        if not isinstance(features, torch.Tensor) or features.shape[:1] != (BATCH,):
            found = tuple(getattr(features, "shape", ())) or type(features).__name__
            raise OwnCodeError(
                f"the network {own.address} returned {found} for {BATCH} observations: it must "
                f"return a tensor ({BATCH}, n)"
            )
        super().__init__(observation_space, features.flatten(1).shape[1])
        self.module = module

    def forward(self, observations: Any) -> torch.Tensor:
        """Returns the features (batch, features_dim) of a batch."""
        features: torch.Tensor = self.module(observations)
        return features.flatten(1)


@contextmanager
def _told(own: OwnName) -> Iterator[None]:
    """Turns what the user's code raises into one line."""
    try:
        yield
    except Exception as error:
        raise own.failure("network", error) from error


@torch.no_grad()
def _features_of(module: nn.Module, space: spaces.Space[Any]) -> Any:
    """Returns a module's output for zeros, without changing its running statistics."""
    was_training = module.training
    module.eval()
    parts = parts_of(space).items()
    seen = unwrapped({key: torch.zeros(BATCH, *(part.shape or ())) for key, part in parts})
    features = module(seen)
    module.train(was_training)
    return features
