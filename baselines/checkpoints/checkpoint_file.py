"""Checkpoints: a zip of a manifest and plain tensors, read without running anything.

`policy.safetensors` holds the network that plays: after an update the average of the latest ones.
`live.safetensors` holds the weights that training goes on from, `optimizer.safetensors` what Adam
remembers. Zips of older versions, which Stable-Baselines3 wrote, are still read: their tensors,
never their pickled parts.
"""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError, read_members
from baselines.checkpoints.formats.torch_zip import read_torch_zip
from baselines.checkpoints.formats.weights import (
    check_finite,
    check_tensors,
    moments_of,
    read_safetensors,
    set_moments,
    to_safetensors,
)
from baselines.checkpoints.manifest import MANIFEST, MAX_MANIFEST_BYTES, Manifest, read_manifest
from baselines.checkpoints.network import (
    BYTES,
    MAX_PARAMETERS,
    NO_NETWORK,
    build_network,
    count_numbers,
    first_names,
    tensors_of,
)
from baselines.learner.ppo import PPO
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import MEBIBYTE
from emerald_env.files.own_code import OwnName

__all__ = ["CheckpointError", "load_policy", "read_manifest", "restore", "save_checkpoint"]

POLICY, LIVE, OPTIMIZER = "policy.safetensors", "live.safetensors", "optimizer.safetensors"
N_UPDATES = "n_updates"  # in LIVE, beside the weights: how many the average is of
MAX_UPDATES = 1 << 31
OLD_POLICY, OLD_OPTIMIZER = "policy.pth", "policy.optimizer.pth"  # in zips that SB3 wrote
MAX_WEIGHT_BYTES = MAX_PARAMETERS * BYTES
SPARE = 16 * MEBIBYTE  # of surplus weights that are read, so that the error can list them
# What training produces, and the most that each may hold as a multiple of the network's size.
LEARNT = {POLICY: 1, LIVE: 1, OPTIMIZER: 2, OLD_POLICY: 1, OLD_OPTIMIZER: 2}
LIMITS = {MANIFEST: MAX_MANIFEST_BYTES} | {
    n: times * MAX_WEIGHT_BYTES + SPARE for n, times in LEARNT.items()
}
NO_DATE = (1980, 1, 1, 0, 0, 0)  # the same content gives the same file


def save_checkpoint(model: PPO, path: Path, manifest: Manifest) -> None:
    """Writes a model with its manifest, atomically.

    Raises:
        CheckpointError: a weight is NaN or infinite; an older file at `path` stays.
        OSError: it cannot be written; an older file at `path` stays.
    """
    write_atomically(path, checkpoint_bytes(model, manifest))


def checkpoint_bytes(model: PPO, manifest: Manifest) -> bytes:
    """Returns what `save_checkpoint` writes.

    Raises:
        CheckpointError: a weight is NaN or infinite.
    """
    members = policy_members(model.policy, manifest, model.average.weights)
    if model.average.n_updates:
        live = dict(model.policy.named_parameters())
        check_finite(live, "not saved")
        members[LIVE] = to_safetensors(live | {N_UPDATES: torch.tensor(model.average.n_updates)})
    return zip_bytes(members | {OPTIMIZER: to_safetensors(moments_of(model.policy.optimizer))})


def policy_members(
    policy: torch.nn.Module,
    manifest: Manifest,
    average: Mapping[str, torch.Tensor] = MappingProxyType({}),
) -> dict[str, bytes]:
    """Returns the members needed to play a checkpoint.

    Args:
        policy: the network.
        manifest: describes it.
        average: weights in place of the network's own.

    Raises:
        CheckpointError: a weight is NaN or infinite.
    """
    tensors = tensors_of(policy) | dict(average)
    check_finite(tensors, "not saved")
    return {MANIFEST: manifest.to_json(), POLICY: to_safetensors(tensors)}


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """Returns a zip; equal members give equal bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, NO_DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return whole.getvalue()


def load_policy(path: Path, own: OwnName | None = None) -> tuple[ActorCriticPolicy, Manifest]:
    """Returns the policy of a checkpoint, built from its manifest, ready to predict.

    Args:
        path: the checkpoint.
        own: the user's own network, for a checkpoint that was trained with it.

    Raises:
        CheckpointError: the file is damaged, or not one of ours, or its weights do not fit what its
            manifest says, or are NaN.
    """
    manifest = read_manifest(path).with_network(own)
    members = _learnt(path, manifest, (POLICY, OLD_POLICY))
    try:
        policy = build_policy(manifest)
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from error
    policy.load_state_dict(_weights(path, members, policy))
    policy.set_training_mode(False)
    return policy, manifest


def weights_size(manifest: Manifest) -> int:
    """Returns the bytes of the weights of the network that a manifest describes.

    Nothing is allocated for it: the manifest is untrusted and may ask for any size.

    Raises:
        CheckpointError: it does not describe a network, or one that is implausibly large.
    """
    try:
        seen, actions = manifest.spaces()
        if not isinstance(actions, spaces.Discrete):
            raise CheckpointError(f"its actions are {actions}, not a discrete choice of keys")
        numbers = count_numbers(manifest.built_from(), seen, actions, manifest.policy)
    except (CheckpointError, ValueError) as error:
        raise CheckpointError(f"its manifest describes no network: {error}") from error
    if numbers > MAX_PARAMETERS:
        raise CheckpointError(
            f"it asks for a network of {numbers:,} numbers; a checkpoint may hold at most "
            f"{MAX_PARAMETERS:,} ({MAX_WEIGHT_BYTES // MEBIBYTE} MiB): make its layers or its "
            "observations smaller"
        )
    return numbers * BYTES


def build_policy(manifest: Manifest) -> ActorCriticPolicy:
    """Returns the network that a manifest describes, with new weights.

    Raises:
        CheckpointError: it does not describe one, or one that is implausibly large.
    """
    weights_size(manifest)
    try:
        return build_network(manifest.built_from(), *manifest.spaces(), manifest.policy)
    except NO_NETWORK as error:
        raise CheckpointError(f"its manifest describes no network: {error}") from error


def restore(model: PPO, path: Path, manifest: Manifest) -> Manifest:
    """Puts a checkpoint's weights, optimiser and step count into a model.

    Args:
        model: built with the settings of the resumed run.
        path: the checkpoint. An exported one has no optimiser state; the model then keeps its
            own.
        manifest: describes the resumed run.

    Returns:
        The checkpoint's manifest.

    Raises:
        CheckpointError: see `load_policy`; or it was made with another network, observation or
            action table, and the message lists the differences. The model is then unchanged.
    """
    saved = read_manifest(path).with_network(manifest.own)
    if differences := saved.differences(manifest):
        raise CheckpointError(f"{path} does not fit this run:\n  " + "\n  ".join(differences))
    members = _learnt(path, saved, tuple(LEARNT))
    weights = _weights(path, members, model.policy)
    live, n_updates = _live(path, members, model.policy)
    set_moments(f"{path}: its optimiser", model.policy.optimizer, _moments(path, members))
    model.policy.load_state_dict(weights)
    model.average.set(model.policy, n_updates)
    model.policy.load_state_dict(live, strict=False)
    model.num_timesteps = saved.num_timesteps
    return saved


def read_live(path: Path, policy: torch.nn.Module) -> tuple[dict[str, torch.Tensor], int]:
    """Returns the weights that training goes on from, where they are not those that play.

    Args:
        path: the checkpoint.
        policy: its network.

    Returns:
        The weights by their names, and how many updates those that play are the average of; none,
        and 0, in an exported checkpoint and one of an older version.

    Raises:
        CheckpointError: they do not fit the network.
    """
    return _live(path, read_members(path, {LIVE: LIMITS[LIVE]}), policy)


def learnt_sha256(path: Path) -> str:
    """Returns the hash of the learner's state in a checkpoint.

    Raises:
        CheckpointError: it is damaged.
    """
    members = read_members(path, {name: LIMITS[name] for name in LEARNT})
    return hash_learnt(members)


def hash_learnt(members: Mapping[str, bytes]) -> str:
    """Returns the hash of the members with the learner's state."""
    learnt = [members[name] for name in LEARNT if name in members]
    return hashlib.sha256(b"".join(learnt)).hexdigest()


def _learnt(path: Path, manifest: Manifest, names: tuple[str, ...]) -> dict[str, bytes]:
    """Returns the tensor files; each may be at most a fixed multiple of the weights' size.

    Raises:
        CheckpointError: see `weights_size`; or a file is too large, or the weights far too small.
    """
    try:
        size = weights_size(manifest)
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from error
    members = read_members(path, {name: LEARNT[name] * size + SPARE for name in names})
    have = len(members.get(POLICY, members.get(OLD_POLICY, b"")))
    if size > have + SPARE:
        raise CheckpointError(
            f"{path}: its manifest describes a network of {size:,} bytes, it has {have:,}"
        )
    return members


def _weights(
    path: Path, members: Mapping[str, bytes], policy: torch.nn.Module
) -> dict[str, torch.Tensor]:
    """Returns a state dict that fits a policy."""
    own, wanted = first_names(policy), policy.state_dict()
    name, weights = read_tensors(path, members, POLICY, OLD_POLICY)
    if name == POLICY:
        wanted = {key: wanted[key] for key in own.values()}
    check_tensors(f"{path}: its weights", weights, wanted)
    check_finite(weights, f"{path}: unusable")
    return weights if name == OLD_POLICY else {key: weights[own[key]] for key in own}


def _live(
    path: Path, members: Mapping[str, bytes], policy: torch.nn.Module
) -> tuple[dict[str, torch.Tensor], int]:
    """Returns what `read_live` does."""
    if LIVE not in members:
        return {}, 0
    _, live = read_tensors(path, members, LIVE, LIVE)
    wanted = {name: weight.detach() for name, weight in policy.named_parameters()}
    wanted[N_UPDATES] = torch.tensor(0)
    check_tensors(f"{path}: its live weights", live, wanted)
    check_finite(live, f"{path}: unusable")
    n_updates = int(live.pop(N_UPDATES))
    if not 0 < n_updates < MAX_UPDATES:
        raise CheckpointError(f"{path}: its weights are the average of {n_updates:,} updates")
    return live, n_updates


def _moments(path: Path, members: Mapping[str, bytes]) -> dict[str, torch.Tensor]:
    """Returns the optimiser's moments; empty if the file has none."""
    if OPTIMIZER not in members and OLD_OPTIMIZER not in members:
        return {}
    name, saved = read_tensors(path, members, OPTIMIZER, OLD_OPTIMIZER)
    if name == OPTIMIZER:
        return saved
    state = saved.get("state")
    if not isinstance(state, dict) or not all(isinstance(kept, dict) for kept in state.values()):
        raise CheckpointError(f"{path}: {name} does not hold an optimiser's state")
    return {f"{index}.{key}": part for index, kept in state.items() for key, part in kept.items()}


def read_tensors(
    path: Path, members: Mapping[str, bytes], name: str, old_name: str
) -> tuple[str, dict[str, Any]]:
    """Returns the tensors in a member, and which of the two it is.

    Raises:
        CheckpointError: there is neither, or the member holds something else.
    """
    found = name if name in members else old_name
    if found not in members:
        raise CheckpointError(f"{path} has no {name}")
    try:
        read = read_torch_zip if found.endswith(".pth") else read_safetensors
        return found, read(members[found])
    except CheckpointError as error:
        raise CheckpointError(f"{path}: its {found} {error}") from error
