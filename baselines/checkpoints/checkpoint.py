"""Checkpoints: an SB3 zip with our manifest inside, read without ever running what is in it.

SB3 keeps part of a model as pickles (the member `data`), and `PPO.load` on a stranger's file runs
whatever they say. Here only `manifest.json` and the tensors are read, the tensors by torch's
weights-only unpickler, and each is checked before it is used.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy

from baselines.checkpoints.archive import MEBIBYTE, CheckpointError, read_members
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.network_size import BYTES, MOST_NUMBERS, numbers_in
from baselines.checkpoints.weights import check_finite, check_optimizer, check_tensors, read_tensors
from baselines.learner.networks import policy_kwargs, policy_name
from baselines.learner.recurrent_ppo import learner_class
from baselines.runs.atomic import write_atomically

__all__ = ["CheckpointError", "load_policy", "read_manifest", "restore", "save_checkpoint"]

MANIFEST, POLICY, OPTIMIZER = "manifest.json", "policy.pth", "policy.optimizer.pth"
LARGEST_WEIGHTS = MOST_NUMBERS * BYTES
SPARE = 64 * MEBIBYTE  # of weights that do not fit, but are read, so as to say what does not
LIMITS = {
    MANIFEST: MEBIBYTE,
    POLICY: LARGEST_WEIGHTS + SPARE,
    OPTIMIZER: 2 * LARGEST_WEIGHTS + SPARE,
}
# Of no use to anybody who loads the file, and the observations are half of its size.
LEFT_OUT = ("_last_obs", "_last_episode_starts", "tensorboard_log")
# What torch and SB3 raise for a network that cannot be built.
NO_NETWORK = (ValueError, RuntimeError, AssertionError, KeyError, TypeError)


def save_checkpoint(model: OnPolicyAlgorithm, path: Path, manifest: Manifest) -> None:
    """Writes a model with its manifest, atomically; `PPO.load` of SB3 can open the file too.

    Raises:
        CheckpointError: a weight is NaN or infinite; an older file at `path` stays.
        OSError: it cannot be written; an older file at `path` stays.
    """
    write_atomically(path, checkpoint_bytes(model, manifest))


def checkpoint_bytes(model: OnPolicyAlgorithm, manifest: Manifest) -> bytes:
    """Returns what `save_checkpoint` writes.

    Raises:
        CheckpointError: a weight is NaN or infinite.
    """
    check_finite(model.policy.state_dict(), "not saved")
    buffer = io.BytesIO()
    model.save(buffer, exclude=LEFT_OUT)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(MANIFEST, manifest.to_json())
    return buffer.getvalue()


def read_manifest(path: Path) -> Manifest:
    """Returns what a checkpoint says of itself.

    Raises:
        CheckpointError: it is no whole zip, or has no manifest that we understand.
    """
    return _manifest(path, read_members(path, {MANIFEST: LIMITS[MANIFEST]}))


def load_policy(path: Path, device: str = "cpu") -> tuple[ActorCriticPolicy, Manifest]:
    """Returns the policy of a checkpoint, built from its manifest, ready to predict.

    Raises:
        CheckpointError: the file is damaged, or not one of ours, or its weights do not fit what its
            manifest says, or are NaN.
    """
    manifest = read_manifest(path)
    members = _members(path, manifest, {POLICY: 1})
    try:
        policy = build_policy(manifest)
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from error
    policy.load_state_dict(_weights(path, members, policy))
    policy.set_training_mode(False)
    return policy.to(device), manifest


def weights_size(manifest: Manifest) -> int:
    """Returns the bytes of the weights of the network that a manifest describes.

    Nothing is allocated for it: the manifest may be a stranger's, and ask for any size.

    Raises:
        CheckpointError: it describes no network, or one that is too large to be true.
    """
    try:
        seen, actions = manifest.spaces()
        if not isinstance(actions, spaces.Discrete):
            raise CheckpointError(f"its actions are {actions}, not a choice among keys")
        numbers = numbers_in(manifest.network, seen, int(actions.n), manifest.policy)
    except (CheckpointError, ValueError) as error:
        raise CheckpointError(f"its manifest describes no network: {error}") from error
    if numbers > MOST_NUMBERS:
        raise CheckpointError(
            f"a network of {numbers:,} numbers is asked for; {MOST_NUMBERS:,} "
            f"({LARGEST_WEIGHTS // MEBIBYTE} MiB) are the most that a checkpoint may hold: make "
            "its layers or what it sees smaller"
        )
    return numbers * BYTES


def build_policy(manifest: Manifest) -> ActorCriticPolicy:
    """Returns the network that a manifest describes, with weights of its own.

    Raises:
        CheckpointError: it describes none, or one that is too large to be true.
    """
    weights_size(manifest)
    try:
        observation_space, action_space = manifest.spaces()
        policies = learner_class(manifest.policy.recurrent).policy_aliases
        policy_class: Any = policies[policy_name(observation_space)]
        policy: ActorCriticPolicy = policy_class(
            observation_space,
            action_space,
            lambda _: 0.0,
            **policy_kwargs(manifest.network, observation_space, manifest.policy),
        )
        return policy
    except (CheckpointError, *NO_NETWORK) as error:
        raise CheckpointError(f"its manifest describes no network: {error}") from error


def restore(model: OnPolicyAlgorithm, path: Path, manifest: Manifest) -> Manifest:
    """Puts a checkpoint's weights, optimiser and step count into a model.

    Args:
        model: built with the settings of the run that goes on.
        path: the checkpoint.
        manifest: what the run that goes on is.

    Returns:
        The checkpoint's manifest.

    Raises:
        CheckpointError: see `load_policy`; or it was made with another network, observation or
            action table, and the message lists the differences. The model is then unchanged.
    """
    saved = read_manifest(path)
    if differences := saved.differences(manifest):
        raise CheckpointError(f"{path} does not fit this run:\n  " + "\n  ".join(differences))
    members = _members(path, saved, {POLICY: 1, OPTIMIZER: 2})
    weights = _weights(path, members, model.policy)
    optimizer = _optimizer_state(path, members, model.policy)
    model.policy.load_state_dict(weights)
    model.policy.optimizer.load_state_dict(optimizer)
    model.num_timesteps = saved.num_timesteps
    return saved


def _manifest(path: Path, members: Mapping[str, bytes]) -> Manifest:
    if MANIFEST not in members:
        raise CheckpointError(
            f"{path} has no {MANIFEST}: not one of our checkpoints. What is needed to play it "
            "stands only in its pickled part, which could run any code and is never opened"
        )
    try:
        return Manifest.from_json(members[MANIFEST])
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from error


def _members(path: Path, manifest: Manifest, times: Mapping[str, int]) -> dict[str, bytes]:
    """Returns files of tensors, each so many times as large as the weights, within reason.

    Raises:
        CheckpointError: see `weights_size`; or one is much larger, or the weights much smaller.
    """
    try:
        size = weights_size(manifest)
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from error
    members = read_members(path, {name: count * size + SPARE for name, count in times.items()})
    have = len(members.get(POLICY, b""))
    if size > have + SPARE:
        raise CheckpointError(
            f"{path}: its manifest describes a network of {size:,} bytes, its {POLICY} has {have:,}"
        )
    return members


def _weights(
    path: Path, members: Mapping[str, bytes], policy: torch.nn.Module
) -> dict[str, torch.Tensor]:
    weights = read_tensors(path, members, POLICY)
    check_tensors(f"{path}: its weights", weights, policy.state_dict())
    check_finite(weights, f"{path}: unusable")
    return weights


def _optimizer_state(
    path: Path, members: Mapping[str, bytes], policy: ActorCriticPolicy
) -> dict[str, Any]:
    """Returns Adam's state, after checking that each moment has the shape of its parameter."""
    saved = read_tensors(path, members, OPTIMIZER)
    groups = policy.optimizer.param_groups
    shapes = [p.detach().cpu() for group in groups for p in group["params"]]
    check_optimizer(f"{path}: its optimiser", saved, policy.optimizer.state_dict(), shapes)
    return saved
