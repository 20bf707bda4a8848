"""The networks that see the screen."""

from typing import Any, NamedTuple

import torch
from gymnasium import spaces
from stable_baselines3.common.preprocessing import get_flattened_obs_dim, is_image_space
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, NatureCNN
from torch import nn

from baselines.learner.policy.cnn.impala import ImpalaCNN
from baselines.learner.policy.cnn.kinds_cnn import FEATURES, KindsCNN
from baselines.learner.policy.cnn.small_cnn import SmallCNN
from baselines.learner.policy.cnn.tile_cnn import TileCNN
from baselines.learner.policy.message_letters import MessageLetters
from baselines.learner.policy.own_network import OwnNetwork
from baselines.learner.policy.place_embedding import PlaceEmbedding
from baselines.learner.policy.policies import without_masks
from baselines.learner.policy.target_attention import TargetAttention
from baselines.settings.policy_config import PolicyConfig
from emerald_env.env.observation import REACH, TEXT, TILES
from emerald_env.files.own_code import OwnName

SWITCHES = (
    "normalize_observations",
    "normalize_binary",
    "normalize_returns",
    "separate_networks",
)


class Network(NamedTuple):
    """How a network is built."""

    cnn: type[BaseFeaturesExtractor]
    features_dim: int
    normalize_images: bool  # whether SB3 shall divide the pixels by 255


CNNS = {
    "tile": Network(TileCNN, 256, normalize_images=False),
    "small": Network(SmallCNN, 256, normalize_images=False),
    "nature": Network(NatureCNN, 512, normalize_images=True),
    "impala": Network(ImpalaCNN, 256, normalize_images=True),
}


class ScreenAndState(BaseFeaturesExtractor):
    """A CNN for each picture of a dictionary observation, concatenated with all other inputs.

    Args:
        observation_space: of the dictionaries.
        cnn: a name of `CNNS`.
        features_dim: size of each CNN's output.
        embed_places: also learn an embedding of the places in the part "state".
        sizes: further arguments of the CNN.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        cnn: str,
        features_dim: int,
        embed_places: bool = False,
        **sizes: Any,
    ) -> None:
        pictures = {key for key, space in observation_space.items() if is_image_space(space)}
        widths = {
            key: features_dim if key in pictures else get_flattened_obs_dim(space)
            for key, space in observation_space.items()
        }
        if TILES in widths:
            widths[TILES] = FEATURES
        if TEXT in widths:
            widths[TEXT] = MessageLetters.size
        state = widths.get("state", 0)
        if REACH in widths:
            widths[REACH] = TargetAttention.size
        embed_places = embed_places and "state" in widths
        embedded = PlaceEmbedding.size if embed_places else 0
        super().__init__(observation_space, sum(widths.values()) + embedded)
        self.takes_bytes = getattr(CNNS[cnn].cnn, "takes_bytes", False)
        self.places = PlaceEmbedding(state) if embed_places else None
        reach = observation_space.spaces.get(REACH)
        self.targets = None if reach is None else TargetAttention(reach, state)
        of_kind = {TILES: KindsCNN, TEXT: MessageLetters}
        self.extractors = nn.ModuleDict(
            {
                key: CNNS[cnn].cnn(space, features_dim, **sizes)
                if key in pictures
                else of_kind[key](space)
                if key in of_kind
                else nn.Flatten()
                for key, space in observation_space.items()
                if key != REACH
            }
        )

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Returns the features (batch, features_dim) of a batch of dictionaries."""
        parts = [extract(observations[key]) for key, extract in self.extractors.items()]
        if self.places is not None:
            parts.append(self.places(observations["state"]))
        if self.targets is not None:
            parts.append(self.targets(observations[REACH], observations.get("state")))
        return torch.cat(parts, dim=1)


def policy_name(observation_space: spaces.Space[Any]) -> str:
    """Returns SB3's name of the policy class for these observations."""
    return "MultiInputPolicy" if isinstance(observation_space, spaces.Dict) else "CnnPolicy"


def policy_kwargs(
    name: str | OwnName, observation_space: spaces.Space[Any], options: PolicyConfig | None = None
) -> dict[str, Any]:
    """Returns what the policy's class needs to build the network called `name`.

    Args:
        name: of the CNN, or a network of the user's own.
        observation_space: of the policy; the network does not see masks in it.
        options: sizes and parts; None: the defaults, without places.

    Raises:
        ValueError: there is no network of this name.
    """
    options = options or PolicyConfig(embed_places=False)
    if isinstance(name, OwnName):
        return _own_kwargs(name, options)
    if name not in CNNS:
        raise ValueError(f"unknown network {name!r}: there are {', '.join(CNNS)}")
    network = CNNS[name]
    sizes: dict[str, Any] = {"features_dim": options.features_dim or network.features_dim}
    if network.cnn is ImpalaCNN:
        sizes["channels"] = options.impala_channels
    both = isinstance(without_masks(observation_space), spaces.Dict)
    if both and options.embed_places:
        sizes["embed_places"] = True
    # the game's state is not seen by a convolution, so it gets a layer of its own
    layers = ([128] if both else []) if options.hidden_layers is None else options.hidden_layers
    return {
        "net_arch": list(layers),
        "features_extractor_class": ScreenAndState if both else network.cnn,
        "features_extractor_kwargs": {"cnn": name, **sizes} if both else sizes,
        "normalize_images": network.normalize_images,
        **_switched(options),
    }


def _own_kwargs(own: OwnName, options: PolicyConfig) -> dict[str, Any]:
    """Returns the same for a network of the user's own, which sees the observation as it is."""
    sizes = {} if options.features_dim is None else {"features_dim": options.features_dim}
    return {
        "net_arch": list(options.hidden_layers or ()),
        "features_extractor_class": OwnNetwork,
        "features_extractor_kwargs": {"own": own, **sizes},
        **_switched(options),
    }


def _switched(options: PolicyConfig) -> dict[str, Any]:
    memory = memory_kwargs(options) if options.recurrent else {}
    return {key: True for key in SWITCHES if getattr(options, key)} | memory


def memory_kwargs(options: PolicyConfig) -> dict[str, Any]:
    """Returns what a recurrent policy's class needs beyond that."""
    return {
        "lstm_hidden_size": options.lstm_size,
        "enable_critic_lstm": options.value_memory,
        "memory_bypass": options.memory_bypass,
    }


def count_parameters(policy: nn.Module) -> int:
    """Returns the number of learnt parameters."""
    return sum(parameter.numel() for parameter in policy.parameters() if parameter.requires_grad)
