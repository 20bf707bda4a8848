"""What differs in the settings of some runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from baselines.settings.train_config import TrainConfig

# What changes where and how long a run goes, or its chance, but not what is tried
NOT_TRIED = {"name", "resume", "seed", "sessions", "n_workers", "shards", "worker_seconds"}


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
