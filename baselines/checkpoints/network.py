"""Building the network that a manifest describes, and its size before any of it is allocated."""

from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.preprocessing import is_image_space

from baselines.learner.policy.cnn.networks import policy_kwargs, policy_name
from baselines.learner.policy.policies import without_masks
from baselines.learner.recurrent_ppo import learner_class
from baselines.settings.policy_config import PolicyConfig
from emerald_env.files.own_code import OwnCodeError, OwnName

MAX_PARAMETERS = 1 << 26  # 256 MiB; our largest network has 11 million
BYTES = 4  # of a number, float32
# What torch and SB3 raise for a network that cannot be built.
NO_NETWORK = (ValueError, RuntimeError, AssertionError, LookupError, TypeError, AttributeError)


def build_network(
    network: str | OwnName,
    seen: spaces.Space[Any],
    actions: spaces.Space[Any],
    options: PolicyConfig,
) -> ActorCriticPolicy:
    """Returns a policy with new weights.

    Raises:
        NO_NETWORK: the network is unknown, or does not fit this observation.
    """
    kind: Any = learner_class(options.recurrent).policy_aliases[policy_name(seen)]
    policy: ActorCriticPolicy = kind(
        seen, actions, lambda _: 0.0, **policy_kwargs(network, seen, options)
    )
    return policy


def count_numbers(
    network: str | OwnName,
    seen: spaces.Space[Any],
    actions: spaces.Space[Any],
    options: PolicyConfig,
) -> int:
    """Returns how many numbers a network holds: its weights and running means.

    It is built on torch's "meta" device, where tensors have a shape but no data.

    Raises:
        ValueError: the network is unknown, the observation is no picture, or the picture is too
            small; or the user's own fails.
    """
    shown = without_masks(seen)
    drawn = isinstance(shown, spaces.Dict) or is_image_space(shown)
    if not drawn and isinstance(network, str):
        raise ValueError(
            f"the network {network!r} needs pictures, not {shown}: give --network FILE.py:NAME, "
            "an observation with pictures, or a dictionary"
        )
    try:
        with torch.device("meta"):
            policy = build_network(network, seen, actions, options)
    except OwnCodeError:
        raise
    except NO_NETWORK as error:
        why = str(error).partition("\n")[0]
        raise ValueError(f"the network {network!r} cannot see {shown}: {why}") from error
    return sum(tensor.numel() for tensor in tensors_of(policy).values())


def tensors_of(policy: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Returns a network's tensors; a shared one appears once, under its first name."""
    own = first_names(policy)
    return {name: tensor for name, tensor in policy.state_dict().items() if own[name] == name}


def first_names(policy: torch.nn.Module) -> dict[str, str]:
    """Returns, for each name in a state dict, the first name of the same tensor."""
    first: dict[int, str] = {}
    state = policy.state_dict(keep_vars=True)
    return {name: first.setdefault(id(tensor), name) for name, tensor in state.items()}
