"""A run's settings as others see them: curves, Weights & Biases, a comparison of runs."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from baselines.settings.train_config import TrainConfig

# What changes where and how long a run goes, or its chance, but not what is tried
NOT_TRIED = {"name", "resume", "seed", "sessions", "n_workers", "shards", "worker_seconds"}
NO_PATHS = {"name"}  # texts in which a slash is a slash
ADDRESS = re.compile("[A-Za-z][A-Za-z0-9+.-]*://")

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
    sent: dict[str, Any] = without_paths(values)
    sent["env"]["game"] = describe_game(config.env.choice)
    return sent


def without_paths(value: Any) -> Any:
    """Returns a setting, or tables and lists of them, with only the last part of each path.

    Of an address its machine and the last part of its path are kept: what is before the machine, or
    after the path, may be secret.
    """
    if isinstance(value, dict):
        return {
            name: each if name in NO_PATHS else without_paths(each) for name, each in value.items()
        }
    if isinstance(value, tuple | list):
        return [without_paths(each) for each in value]
    if isinstance(value, str) and ADDRESS.match(value):
        return _public_address(value)
    is_path = isinstance(value, Path) or (isinstance(value, str) and os.sep in value)
    return Path(value).name if is_path else value


def _public_address(address: str) -> str:
    """Returns an address without folders, a user's name or password, and a query or fragment."""
    plain = re.split("[?#]", address, maxsplit=1)[0]
    kind, _, rest = plain.partition("://")
    machine, *folders = rest.split("/")
    name = f"/{folders[-1]}" if folders else ""
    return f"{kind}://{machine.rpartition('@')[2]}{name}"


def setting_differences(configs: Sequence[TrainConfig]) -> list[dict[str, str]]:
    """Returns for each run the settings in which it differs from any other, by their flag's name.

    Seeds, folders and worker processes are left out.
    """
    flat = [dict(_leaves(asdict(config))) for config in configs]
    names = [name for name in (flat[0] if flat else ()) if len({each[name] for each in flat}) > 1]
    return [{name: each[name] for name in names} for each in flat]


def reward_differences(
    configs: Sequence[TrainConfig], rewards: Sequence[Mapping[str, Any] | None]
) -> list[dict[str, str]]:
    """Returns for each run how its reward differs from those of other runs that name the same one.

    A reward's file may have been changed between two runs; then their settings are the same.

    Args:
        configs: of the runs.
        rewards: what paid in each, as reward.toml has it; None where that is not known.

    Returns:
        {"reward.toml": "badge=5.0"}, the values that differ; empty where nothing does.
    """
    named: dict[Any, list[dict[str, str]]] = {}
    for config, reward in zip(configs, rewards, strict=True):
        if reward is not None:
            named.setdefault(reward_settings(config), []).append(_amounts(reward))
    found = []
    for config, reward in zip(configs, rewards, strict=True):
        alike = named.get(reward_settings(config), [])
        names = sorted({name for each in alike for name in each})
        names = [name for name in names if len({each.get(name) for each in alike}) > 1]
        own = {} if reward is None else _amounts(reward)
        text = " ".join(f"{name}={own.get(name, 'none')}" for name in names)
        found.append({"reward.toml": text} if text and reward is not None else {})
    return found


def reward_settings(config: TrainConfig) -> tuple[Any, ...]:
    """Returns the settings that name a run's reward."""
    return config.env.reward, config.env.reward_weights, config.env.reward_code


def _amounts(reward: Mapping[str, Any]) -> dict[str, str]:
    """Returns what a reward.toml says of what is paid, as texts by name; weights by their term."""
    tables = {name: value for name, value in reward.items() if isinstance(value, dict)}
    plain = {name: str(value) for name, value in reward.items() if name not in tables}
    plain.pop("about", None)  # words for people
    return plain | {
        term if name == "weights" else f"{name}.{term}": str(value)
        for name, table in tables.items()
        for term, value in table.items()
    }


def _leaves(values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value)
        elif name not in NOT_TRIED:
            text = " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
            yield name.replace("_", "-"), text or "none"
