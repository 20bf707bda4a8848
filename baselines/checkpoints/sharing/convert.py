"""Weights from the zips of Stable-Baselines3 and sb3-contrib, given a manifest for them."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from baselines.checkpoints.checkpoint_file import (
    LIMITS,
    OLD_POLICY,
    build_policy,
    policy_members,
    read_manifest,
    read_tensors,
)
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError, read_members
from baselines.checkpoints.formats.weights import check_finite, check_tensors, misfits
from baselines.checkpoints.manifest import MAX_MANIFEST_BYTES, MAX_STEPS, Manifest
from baselines.checkpoints.sharing.pack import write_new
from emerald_env.files.data import DataError, is_count, parse_json, read_bytes

MANIFESTS = Path(__file__).parent / "manifests"
DATA = "data"  # SB3's JSON, with pickles in it as text
MAX_DATA_BYTES = 256 << 20  # bytes
EXTRACTORS = ("pi_features_extractor.", "vf_features_extractor.")
NOT_BUILT = "; this program cannot build such a network, so no manifest can describe it"
# Parameter names that only occur in networks that a manifest cannot describe.
STRANGE = (
    (r"lstm_\w+\.weight_ih_l[1-9]", f"its LSTM has several layers{NOT_BUILT}"),
    (r"critic\.", f"its value has no LSTM of its own (enable_critic_lstm=False){NOT_BUILT}"),
    (r"mlp_extractor\.shared_net\.", f"policy and value share layers{NOT_BUILT}"),
    (r"log_std", f"its actions are continuous, not a discrete choice of keys{NOT_BUILT}"),
)


def convert(foreign: Path, manifest_source: str, out: Path) -> Manifest:
    """Writes a checkpoint with the weights of a foreign zip; its pickled part is never opened.

    The optimiser starts afresh.

    Args:
        foreign: a zip that SB3 or sb3-contrib saved.
        manifest_source: describes the network and the game, see `find_manifest`.
        out: the checkpoint.

    Returns:
        The manifest.

    Raises:
        CheckpointError: the file is damaged, or the weights are not those of the network that the
            manifest describes; the message lists what does not fit.
        OSError: a file cannot be read or written.
    """
    manifest = find_manifest(manifest_source)
    members = read_members(foreign, {OLD_POLICY: LIMITS[OLD_POLICY], DATA: MAX_DATA_BYTES})
    manifest = manifest.at(manifest.num_timesteps or steps_in(members.get(DATA, b"")))
    found = with_extractors(read_tensors(foreign, members, OLD_POLICY, OLD_POLICY)[1])
    policy = build_policy(manifest)
    wanted = policy.state_dict()
    if misfits(found, wanted):
        lines = [f"- {hint}" for hint in hints(found, wanted, manifest)]
        try:
            check_tensors(f"{foreign}: its weights", found, wanted)
        except CheckpointError as error:
            raise CheckpointError("\n".join([str(error), *lines])) from error
    check_finite(found, f"{foreign}: unusable")
    policy.load_state_dict(found)
    write_new(out, policy_members(policy, manifest))
    return manifest


def steps_in(data: bytes) -> int:
    """Returns the steps trained on according to SB3's JSON, 0 if it does not say."""
    try:
        steps = parse_json(data)["num_timesteps"]
    except (DataError, TypeError, LookupError):
        return 0
    return steps if is_count(steps, MAX_STEPS - 1) else 0


def find_manifest(source: str) -> Manifest:
    """Returns a manifest: from a JSON file, another checkpoint (.zip), or one that we ship.

    Raises:
        CheckpointError: there is no manifest at `source`.
        OSError: the file cannot be read.
    """
    if source.endswith(".zip"):
        return read_manifest(Path(source))
    ours = MANIFESTS / f"{source}.json"
    path = ours if re.fullmatch(r"\w+", source) and ours.is_file() else Path(source)
    if not path.is_file():
        names = ", ".join(sorted(p.stem for p in MANIFESTS.glob("*.json")))
        raise CheckpointError(f"no manifest at {source}: give a file, a checkpoint, or {names}")
    try:
        return Manifest.from_json(read_bytes(path, MAX_MANIFEST_BYTES))
    except (CheckpointError, DataError) as error:
        raise CheckpointError(f"{source}: {error}") from error


def with_extractors(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Renames tensors of a shared CNN as SB3 has named them since version 1.7."""
    found = dict(tensors)
    if any(str(name).startswith(EXTRACTORS) for name in tensors):
        return found
    for name, tensor in tensors.items():
        if str(name).startswith("features_extractor."):
            rest = str(name).removeprefix("features_extractor.")
            found |= {prefix + rest: tensor for prefix in EXTRACTORS}
    return found


def hints(
    found: Mapping[Any, Any], wanted: Mapping[str, Tensor], manifest: Manifest
) -> Iterator[str]:
    """Yields what to write into the manifest instead, or why no manifest can fit."""
    shapes = {
        str(name): tuple(tensor.shape)
        for name, tensor in found.items()
        if isinstance(tensor, Tensor)
    }
    for pattern, text in STRANGE:
        if any(re.match(pattern, name) for name in shapes):
            yield text
    for hint in HINTS:
        yield from hint(shapes, {name: tuple(t.shape) for name, t in wanted.items()}, manifest)


Shapes = Mapping[str, tuple[int, ...]]
Hint = Callable[[Shapes, Shapes, Manifest], Iterator[str]]


def _memory(found: Shapes, wanted: Shapes, manifest: Manifest) -> Iterator[str]:
    shape = found.get("lstm_actor.weight_hh_l0")
    recurrent = manifest.policy.recurrent
    if shape is None and recurrent:
        yield "it has no LSTM: policy.recurrent must be false"
    elif shape is not None and (not recurrent or shape[-1] != manifest.policy.lstm_size):
        yield f"it has an LSTM: policy.recurrent must be true, policy.lstm_size {shape[-1]}"


def _first_layer(found: Shapes, wanted: Shapes, manifest: Manifest) -> Iterator[str]:
    name = "features_extractor.cnn.0.weight"
    shape, own = found.get(name, ()), wanted.get(name, ())
    if len(shape) == 4 == len(own) and shape != own:
        yield (
            f"its first layer has {shape[0]} filters of {shape[2]} pixels a side over {shape[1]} "
            f"pictures, the network {manifest.network!r} has {own[0]} of {own[2]} over {own[1]}: "
            "see network, n_stack and observation_space"
        )
    elif bool(shape) != bool(own):
        seen = "a picture alone" if shape else "something other than a picture alone"
        yield f"it sees {seen}; the manifest says otherwise: see observation_space"


def _features(found: Shapes, wanted: Shapes, manifest: Manifest) -> Iterator[str]:
    name = "features_extractor.linear.0.weight"
    shape, own = found.get(name, ()), wanted.get(name, ())
    if len(shape) == 2 == len(own) and shape[0] != own[0]:
        yield f"its CNN has {shape[0]} outputs: policy.features_dim must be {shape[0]}"
    if len(shape) == 2 == len(own) and shape[1] != own[1]:
        yield "its pictures have a different size: see observation_space"


def _hidden(found: Shapes, wanted: Shapes, manifest: Manifest) -> Iterator[str]:
    layers, own = (
        [s[0] for n, s in shapes.items() if re.fullmatch(r"mlp_extractor\.policy_net.*weight", n)]
        for shapes in (found, wanted)
    )
    if layers != own:
        yield f"its layers after the features are {layers}: policy.hidden_layers must match"


def _actions(found: Shapes, wanted: Shapes, manifest: Manifest) -> Iterator[str]:
    shape, own = found.get("action_net.weight", ()), wanted["action_net.weight"]
    if shape and shape[0] != own[0]:
        yield f"it has {shape[0]} actions, the manifest {own[0]}: see actions"


HINTS: tuple[Hint, ...] = (_memory, _first_layer, _features, _hidden, _actions)
