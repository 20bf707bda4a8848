"""The settings with which a new run builds the network of the checkpoint that it begins with."""

from dataclasses import asdict
from typing import Any

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import Manifest, to_lists
from baselines.settings.game_config import GameConfig
from emerald_env.env.setting_types import from_json
from emerald_env.files.own_code import parse_address

SEEN = ("observation", "coordinates", "colour", "shrink")
PRESSED = ("action_set", "frame_skip", "hold_frames")
# What a search knows is kept by place, and of no use to a network that is not told where it is.
WITHOUT_PLACES = {"explore": 0.0, "practice": 0.0, "advice": 0.0}


def same_network(manifest: Manifest) -> dict[str, Any]:
    """Returns what a checkpoint's network was trained to see and press, and how it is built.

    Code of somebody's own is left out: whoever begins a run has to name it.

    Returns:
        Settings of a training, as JSON would have them.

    Raises:
        CheckpointError: they are not ours.
    """
    from emerald_env.env.observation import ADDED  # slow to load

    named = (*SEEN, *ADDED, *PRESSED)
    env = {name: manifest.env.get(name, getattr(GameConfig, name)) for name in named}
    try:
        from_json(GameConfig, env)
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"its env settings cannot be used: {error}") from error
    policy = to_lists(asdict(manifest.policy))
    settings: dict[str, Any] = {"env": env, "policy": policy, "n_stack": manifest.n_stack}
    if not env["coordinates"]:
        settings |= WITHOUT_PLACES
    return settings if parse_address(manifest.network) else settings | {"network": manifest.network}
