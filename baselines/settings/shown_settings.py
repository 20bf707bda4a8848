"""A run's settings as others see them: curves, Weights & Biases, a comparison of runs."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from baselines.settings.train_config import TrainConfig

# What changes where and how long a run goes, or its chance, but not what is tried
NOT_TRIED = {"name", "resume", "seed", "sessions", "n_workers", "shards", "worker_seconds"}

Setting = bool | int | float | str


def plain_settings(config: TrainConfig) -> dict[str, Setting]:
    """Returns the settings of a run by name, as tensorboard shows them."""
    found: dict[str, Setting] = {}
    for name, value in asdict(config).items():
        for inner, setting in (value if isinstance(value, dict) else {name: value}).items():
            plain = isinstance(setting, bool | int | float)
            found[inner] = setting if plain else str(setting)
    return found


def public_settings(config: TrainConfig) -> dict[str, Any]:
    """Returns the settings of a run without paths of this machine, and which game it is."""
    from emerald_env.game.editions import describe_game  # slow to load

    values = asdict(config)
    del values["sessions"], values["alert"]  # an alert's address may be secret
    values["resume"] = values["resume"] is not None
    values["env"] = without_paths(values["env"]) | {"game": describe_game(config.env.choice)}
    return values


def without_paths(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings with only the last part of each path."""
    return {
        name: Path(value).name if isinstance(value, Path) or os.sep in str(value) else value
        for name, value in settings.items()
    }


def setting_differences(configs: Sequence[TrainConfig]) -> list[dict[str, str]]:
    """Returns for each run the settings in which it differs from any other, by their flag's name.

    Seeds, folders and worker processes are left out.
    """
    flat = [dict(_leaves(asdict(config))) for config in configs]
    names = [name for name in (flat[0] if flat else ()) if len({each[name] for each in flat}) > 1]
    return [{name: each[name] for name in names} for each in flat]


def _leaves(values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value)
        elif name not in NOT_TRIED:
            text = " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
            yield name.replace("_", "-"), text or "none"
