"""A model from a manifest alone, and the zip that Stable-Baselines3 itself can open."""

import io
import os
from pathlib import Path

from baselines.checkpoints.checkpoint_file import weights_size, zip_bytes
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import MANIFEST, Manifest
from baselines.checkpoints.network import NO_NETWORK
from baselines.learner.policy.cnn.networks import policy_kwargs, policy_name
from baselines.learner.ppo import PPO
from baselines.learner.recurrent_ppo import learner_class
from emerald_env.files.atomic import write_atomically
from emerald_env.files.zips import MAX_FILE_BYTES, open_zip, read_members

PRIVATE = ("system_info.txt",)  # SB3's description of the machine
LEFT_OUT = ("_last_obs", "_last_episode_starts", "tensorboard_log")  # useless to anybody else


def model_of(manifest: Manifest) -> PPO:
    """Returns a learner with the network that a manifest describes, without games.

    Raises:
        CheckpointError: it does not describe one, or one that is implausibly large.
    """
    weights_size(manifest)
    try:
        observation_space, action_space = manifest.spaces()
        # learning settings do not matter for playing: SB3's defaults, but for the buffer's size
        model = learner_class(manifest.policy.recurrent)(
            policy_name(observation_space),
            None,
            n_steps=2,
            batch_size=2,
            device="cpu",
            policy_kwargs=policy_kwargs(manifest.built_from(), observation_space, manifest.policy),
            _init_setup_model=False,
        )
        model.observation_space, model.action_space = observation_space, action_space
        model.n_envs = 1
        model._setup_model()
    except (CheckpointError, *NO_NETWORK) as error:
        raise CheckpointError(f"the manifest does not describe a network: {error}") from error
    model.num_timesteps = manifest.num_timesteps
    return model


def sb3_members(model: PPO, manifest: Manifest) -> dict[str, bytes]:
    """Returns the members of a zip that `PPO.load` of Stable-Baselines3 opens, by name.

    Args:
        model: from `model_of`, with weights.
        manifest: from which it was made.
    """
    written = io.BytesIO()
    model.save(written, exclude=LEFT_OUT)
    with open_zip(written) as archive:
        names = set(archive.namelist()) - set(PRIVATE)
    members = read_members(written, dict.fromkeys(sorted(names), MAX_FILE_BYTES))
    return members | {MANIFEST: manifest.to_json()}


def write_new(path: Path, members: dict[str, bytes]) -> bytes:
    """Writes a zip atomically; equal members give equal files.

    Args:
        path: the file, which must not exist yet.
        members: content by name.

    Returns:
        What was written.

    Raises:
        CheckpointError: `path` already exists.
        OSError: it cannot be written.
    """
    if os.path.lexists(path):
        raise CheckpointError(f"{path} already exists: give another name, or remove it")
    content = zip_bytes(members)
    write_atomically(path, content)
    return content
