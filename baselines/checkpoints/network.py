"""Building the network that a manifest describes, and its size before any of it is allocated."""

from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.preprocessing import is_image_space

from learner.policy.networks import policy_kwargs, policy_name
from learner.policy.policies import without_masks
from learner.policy.policy_config import PolicyConfig
from learner.recurrent_ppo import learner_class

MOST_NUMBERS = 1 << 26  # 256 MiB; the largest that trained anything here has 11 million
BYTES = 4  # of a number, float32
# What torch and SB3 raise for a network that cannot be built.
NO_NETWORK = (ValueError, RuntimeError, AssertionError, LookupError, TypeError, AttributeError)


def build_network(
    network: str, seen: spaces.Space[Any], actions: spaces.Space[Any], options: PolicyConfig
) -> ActorCriticPolicy:
    """Returns a policy with new weights.

    Raises:
        NO_NETWORK: there is no network of this name, or none for this observation.
    """
    kind: Any = learner_class(options.recurrent).policy_aliases[policy_name(seen)]
    policy: ActorCriticPolicy = kind(
        seen, actions, lambda _: 0.0, **policy_kwargs(network, seen, options)
    )
    return policy


def count_numbers(
    network: str, seen: spaces.Space[Any], actions: spaces.Space[Any], options: PolicyConfig
) -> int:
    """Returns how many numbers a network holds: what it learns, and its running means.

    It is built on torch's "meta" device, where tensors have a shape and no numbers.

    Raises:
        ValueError: there is no network of this name, nothing for it to look at, or too small a
            picture.
    """
    shown = without_masks(seen)
    parts = shown.spaces.values() if isinstance(shown, spaces.Dict) else [shown]
    if not any(map(is_image_space, parts)):
        raise ValueError(f"the network {network!r} looks at pictures, not at {shown}")
    try:
        with torch.device("meta"):
            policy = build_network(network, seen, actions, options)
    except NO_NETWORK as error:
        why = str(error).partition("\n")[0]
        raise ValueError(f"the network {network!r} cannot see {shown}: {why}") from error
    return sum(tensor.numel() for tensor in tensors_of(policy).values())


def tensors_of(policy: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Returns what a network holds; what its parts share has the first of its names."""
    own = first_names(policy)
    return {name: tensor for name, tensor in policy.state_dict().items() if own[name] == name}


def first_names(policy: torch.nn.Module) -> dict[str, str]:
    """Returns, for each name in a state dictionary, the first name of the same tensor."""
    first: dict[int, str] = {}
    state = policy.state_dict(keep_vars=True)
    return {name: first.setdefault(id(tensor), name) for name, tensor in state.items()}
