"""A run's settings, from the files that lie beside its log."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from baselines.diagnostics.logs.logged_names import settings_by_our_names
from emerald_env.files.data import is_number, parse_json, read_bytes, read_json
from emerald_env.files.zips import read_file

# Of a session's settings those in which two runs of the same kind may differ.
OWN = frozenset(
    {"name", "seed", "labels", "resume", "sessions", "total_timesteps", "save_freq", "wandb"}
    | {"n_workers", "worker_seconds", "backend", "shards", "actors", "ray", "overlap", "device"}
    | {"keep_checkpoints", "picture_seconds", "record", "keep_recordings", "alert", "_wandb"}
)
MAX_TEXT, MAX_DATA = 1 << 20, 1 << 24  # bytes
# "gamma: 0.99", or a pair of lists: "- - gamma" and below it "- 0.99"; "lin_" falls to 0
# A separator is demanded, since a name may be digits, too: each split of them would be tried.
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?"  # and no date, which has digits, too
PAIR = re.compile(rf"^[ -]*?(\w+)(?:: +|:? *\n +- )(?:lin_)?({NUMBER}) *$", re.MULTILINE)


def folder_of(log: Path) -> Path:
    """Returns the folder that a run's log, or its folder itself, is in."""
    return log if log.is_dir() else log.parent


def read_settings(log: Path) -> dict[str, float]:
    """Returns the numbers among the learner's settings, by SB3's names; empty without a file.

    Read are, the later ones first: our sessions' config.json, the config.yml and args.yml of
    rl-baselines3-zoo and of others, and the model that SB3 saved last.
    """
    folder = folder_of(log)
    there = [*folder.glob("*.zip"), *folder.rglob("*.yml"), folder / "config.json"]
    found: dict[str, float] = {}
    for pattern, read in READERS.items():
        files = [file for file in there if file.match(pattern)]
        try:
            newest = max(files, key=lambda p: p.stat().st_mtime, default=None)
            values = {} if newest is None else read(newest)
            found |= {k: float(v) for k, v in values.items() if is_number(v)}
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            continue  # advice then comes without values
    return settings_by_our_names(found)


def read_identity(log: Path) -> dict[str, str]:
    """Returns all that says what a session tried, `session_identity`; empty for another log."""
    folder = folder_of(log)
    try:
        return session_identity(read_json(folder / "config.json"))
    except (OSError, ValueError):
        return {}


def session_identity(config: Any) -> dict[str, str]:
    """Returns what a session's settings say was tried: game, reward, policy, ..., each as JSON.

    Args:
        config: settings in a file; empty is returned for those of another program.
    """
    if not isinstance(config, dict) or not isinstance(config.get("ppo"), dict):
        return {}
    return {
        name: json.dumps(value, sort_keys=True) for name, value in config.items() if name not in OWN
    }


def _model(path: Path) -> dict[str, Any]:
    return dict(parse_json(read_file(path, {"data": MAX_DATA})["data"]))


def _yaml(path: Path) -> dict[str, Any]:
    text = read_bytes(path, MAX_TEXT).decode("utf-8", errors="replace")
    return {name: float(value) for name, value in PAIR.findall(text)}


def _session(path: Path) -> dict[str, Any]:
    config = read_json(path)
    return {**config["ppo"], "n_envs": config.get("n_envs")}


READERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "*.zip": _model,
    "args.yml": _yaml,
    "config.yml": _yaml,
    "config.json": _session,
}
