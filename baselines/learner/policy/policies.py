"""SB3's actor-critic network with normalisation and masked actions inside."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from gymnasium import spaces
from stable_baselines3.common.distributions import CategoricalDistribution
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
from stable_baselines3.common.preprocessing import is_image_space, preprocess_obs
from stable_baselines3.common.torch_layers import (
    BaseFeaturesExtractor,
    CombinedExtractor,
    FlattenExtractor,
    NatureCNN,
)
from torch import Tensor, nn

from baselines.learner.policy.normalise import NormalizedValue, ObservationNormalizer
from emerald_env.env.action_masks import MASKS
from emerald_env.env.observation_parts import as_parts, parts_of, unwrapped

VALUE_PARTS = ("vf_features_extractor", "lstm_critic", "critic", "value_net")


class Drawn(NamedTuple):
    """What remains of a forward pass's distribution over actions."""

    probs: Tensor  # (batch, n)


class Decision(NamedTuple):
    """What a policy decides for a batch of observations."""

    actions: Tensor
    values: Tensor  # (batch, 1)
    log_probs: Tensor  # (batch,), of the actions
    probabilities: Tensor | None  # (batch, n_actions); None: the actions are not discrete
    memory: Any = None  # of a recurrent policy, for the next observations


class MaskedCategorical(CategoricalDistribution):
    """SB3's distribution over discrete actions, in which masked actions never occur.

    Their logits become minus infinity, so their probability is exactly 0 and no gradient flows
    through them (Huang and Ontañón 2022, "A Closer Look at Invalid Action Masking").
    """

    masks: Tensor | None = None  # (batch, n) bool, True: allowed; None: all are

    def proba_distribution(self, action_logits: Tensor) -> "MaskedCategorical":
        """Sets the distribution to these logits (batch, n) under the current masks."""
        super().proba_distribution(self.masked(action_logits))
        return self

    def masked(self, action_logits: Tensor) -> Tensor:
        """Returns logits (batch, n) under the current masks."""
        if self.masks is None:
            return action_logits
        return action_logits.masked_fill(~self.masks, -torch.inf)


class PolicyOptions(BasePolicy):
    """Options that our policies add to SB3's and sb3-contrib's.

    It must come *behind* them in the list of bases: they preprocess every observation with their
    base's `extract_features`, which is then the one below. `WithOptions` comes before them.
    """

    action_dist: Any
    value_net: Any
    normalizer: ObservationNormalizer | None
    bf16: bool = False  # see PPO's
    seen_space: spaces.Space[Any]  # of what the network sees

    @property
    def distribution(self) -> Any:
        """Torch's distribution over the actions of the samples that were passed last."""
        return self.action_dist.distribution

    def decide(self, obs: Any, *memory: Any, deterministic: bool = False) -> Decision:
        """Returns actions with their probabilities; a recurrent policy also takes its memory."""
        actions, values, log_probs, *after = self(obs, *memory, deterministic=deterministic)
        probabilities = getattr(self.distribution, "probs", None)
        return Decision(actions, values, log_probs, probabilities, *after)

    def make_features_extractor(self) -> BaseFeaturesExtractor:
        """Returns the network that sees the observation, which does not see the masks."""
        self.seen_space = without_masks(self.observation_space)
        parts = parts_of(self.seen_space)
        self._pictures = {key for key, part in parts.items() if is_image_space(part)}
        return self.features_extractor_class(self.seen_space, **self.features_extractor_kwargs)

    def extract_features(self, obs: Any, features_extractor: BaseFeaturesExtractor) -> Tensor:
        """Returns the features (batch, features_dim), and keeps the masks for the distribution.

        SB3 always asks for the features first and then for the distribution of the same samples.
        """
        if isinstance(self.action_dist, MaskedCategorical):
            n_actions = self.action_dist.action_dim
            # of stacked observations the last is the newest
            self.action_dist.masks = obs[MASKS][:, -n_actions:].bool()
            obs = _seen(obs)
        obs = self._prepared(obs, features_extractor)
        seen = obs if self.normalizer is None else self.normalizer(obs)
        if not self.bf16:
            features: Tensor = features_extractor(seen)
            return features
        with torch.autocast(self.device.type, torch.bfloat16):
            features = features_extractor(seen)
        return features.float()

    def _prepared(self, obs: Any, network: nn.Module) -> Any:
        """Returns what SB3's `preprocess_obs` does; pictures in the type that the network takes."""
        seen, spaces_of = as_parts(obs), parts_of(self.seen_space)
        return unwrapped(
            {key: self._part(key, space, seen[key], network) for key, space in spaces_of.items()}
        )

    def _part(self, key: str, space: spaces.Space[Any], part: Tensor, network: nn.Module) -> Any:
        """Prepares a part of the observation.

        In bfloat16 bytes are exact, so that nothing differs from a later conversion.
        """
        if key not in self._pictures:
            return preprocess_obs(part, space, normalize_images=self.normalize_images)
        if not self.normalize_images and getattr(network, "takes_bytes", False):
            return part
        pixels = part.to(torch.bfloat16 if self.bf16 else torch.float32)
        return pixels / 255 if self.normalize_images else pixels

    def add_options(
        self, normalize_observations: bool, normalize_binary: bool, normalize_returns: bool
    ) -> None:
        """Sets the options up, after the base's network has been built.

        Raises:
            ValueError: there are masks, but the actions are not discrete.
        """
        if is_masked(self.observation_space):
            if not isinstance(self.action_space, spaces.Discrete):
                raise ValueError(f"only discrete actions can be masked, not {self.action_space}")
            self.action_dist = MaskedCategorical(int(self.action_space.n))
        self.normalizer = (
            ObservationNormalizer(self.seen_space, normalize_binary)
            if normalize_observations
            else None
        )
        self._normalize_binary = normalize_binary
        if normalize_returns:
            self.value_net = NormalizedValue.of(self.value_net)

    def split_optimizer(self) -> None:
        """Gives the value's network an optimiser of its own: Adam's second group of parameters.

        Adam treats each parameter separately, so two groups learn as two optimisers would.
        """
        named = [(name, p) for name, p in self.named_parameters() if p.requires_grad]
        value = [p for name, p in named if _of_the_value(name)]
        actions = [p for name, p in named if not _of_the_value(name)]
        rate = self.optimizer.param_groups[0]["lr"]
        adam: Any = self.optimizer_class
        self.optimizer = adam(
            [{"params": actions}, {"params": value}], lr=rate, **self.optimizer_kwargs
        )

    def observe(self, observations: Any) -> None:
        """Adds a rollout's observations to the running mean and deviation, if there are any."""
        if self.normalizer is not None:
            masked = is_masked(self.observation_space)
            self.normalizer.update(_seen(observations) if masked else observations)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {
            "normalize_observations": self.normalizer is not None,
            "normalize_binary": self._normalize_binary,
            "normalize_returns": isinstance(self.value_net, NormalizedValue),
            "separate_networks": len(self.optimizer.param_groups) > 1,
        }


class WithOptions(BasePolicy):
    """Builds our policies: the base's network first, then the options.

    Args:
        observation_space: with a part `MASKS`, actions are masked by it.
        action_space: any of SB3's.
        lr_schedule: learning rate by remaining progress.
        normalize_observations: scale numbers (not pictures) to mean 0 and deviation 1.
        normalize_binary: also those inputs that have only been 0 or 1 so far.
        normalize_returns: let the value head learn normalised returns.
        separate_networks: a network each for actions and value, each with its own optimiser.
        kwargs: SB3's; `features_extractor_class` follows the observations if it is left out.
    """

    add_options: Callable[..., None]
    split_optimizer: Callable[[], None]

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Any,
        normalize_observations: bool = False,
        normalize_binary: bool = False,
        normalize_returns: bool = False,
        separate_networks: bool = False,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("features_extractor_class", default_extractor(observation_space))
        if separate_networks:
            kwargs["share_features_extractor"] = False
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)
        self.add_options(normalize_observations, normalize_binary, normalize_returns)
        if separate_networks:
            self.split_optimizer()

    @property
    def device(self) -> torch.device:
        """The weights' device; "meta" while a network is counted, even one without weights."""
        default = torch.get_default_device()
        return default if default.type == "meta" else super().device


class ActorCritic(WithOptions, ActorCriticPolicy, PolicyOptions):  # type: ignore[misc]
    """SB3's actor-critic policy with options; with none it is bit-identical to SB3's.

    Initialisation is orthogonal with gains sqrt(2), 0.01 for the actions and 1 for the value,
    unless `ortho_init` is False.
    """

    def forward(self, obs: Any, deterministic: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """Returns actions, values and log probabilities, SB3's to the bit.

        For discrete actions it skips the checks of `torch.distributions`, which take as long as a
        small network.
        """
        if deterministic or not isinstance(self.action_dist, CategoricalDistribution):
            return super().forward(obs, deterministic)
        features: Any = self.extract_features(obs)
        if self.share_features_extractor:
            latent_pi, latent_vf = self.mlp_extractor(features)
        else:
            latent_pi = self.mlp_extractor.forward_actor(features[0])
            latent_vf = self.mlp_extractor.forward_critic(features[1])
        logits = self.action_net(latent_pi)
        if isinstance(self.action_dist, MaskedCategorical):
            logits = self.action_dist.masked(logits)
        logits = logits - logits.logsumexp(dim=1, keepdim=True)
        probabilities = torch.softmax(logits, dim=1)
        actions = torch.multinomial(probabilities, 1, replacement=True)
        self.action_dist.distribution = Drawn(probabilities)  # type: ignore[assignment]
        log_prob = logits.gather(1, actions)
        return actions.squeeze(1), self.value_net(latent_vf), log_prob.squeeze(1)


def _of_the_value(name: str) -> bool:
    """Returns whether a parameter of a policy is of the value's network, by SB3's names."""
    first, _, rest = name.partition(".")
    return first in VALUE_PARTS or (first == "mlp_extractor" and rest.startswith("value_net"))


def is_masked(space: spaces.Space[Any]) -> bool:
    """Returns whether observations of this space say which actions are allowed."""
    return isinstance(space, spaces.Dict) and MASKS in space.spaces


def without_masks(space: spaces.Space[Any]) -> spaces.Space[Any]:
    """Returns the space of what the network sees; a single picture is returned itself."""
    if not is_masked(space):
        return space
    parts = {key: part for key, part in space.items() if key != MASKS}  # type: ignore[attr-defined]
    return next(iter(parts.values())) if is_alone(parts) else spaces.Dict(parts)


def is_alone(parts: Mapping[str, Any]) -> bool:
    """Returns whether a network gets the only part itself; the game's state stays a dictionary."""
    return len(parts) == 1 and "state" not in parts


def default_extractor(space: spaces.Space[Any]) -> type[BaseFeaturesExtractor]:
    """Returns the network that SB3 would use for these observations."""
    space = without_masks(space)
    if isinstance(space, spaces.Dict):
        return CombinedExtractor
    return NatureCNN if is_image_space(space) else FlattenExtractor


def return_deviation(policy: nn.Module) -> Tensor | float:
    """Returns the unit in which a policy learns returns: their deviation, or 1."""
    head = policy.value_net
    return head.returns.deviation if isinstance(head, NormalizedValue) else 1.0


def _seen(observations: dict[str, Tensor]) -> Any:
    """Returns observations without their masks, as `without_masks` says of their space."""
    parts = {key: part for key, part in observations.items() if key != MASKS}
    return next(iter(parts.values())) if is_alone(parts) else parts
