"""wandb's local files, `run-*.wandb`: LevelDB's log format after a header of 7 bytes.

A block of 32 KiB holds parts of records: a checksum (4 bytes), a length (2), a kind (1), content.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from baselines.diagnostics.logs.log_tables import add_row, left_out
from baselines.diagnostics.logs.logged_curves import (
    Curves,
    LogError,
    Points,
    check_size,
    in_order,
    read_log,
)
from baselines.diagnostics.logs.logged_names import settings_by_our_names
from baselines.diagnostics.logs.settings_files import session_identity
from baselines.diagnostics.logs.table_rows import numbers
from emerald_env.files.data import parse_json
from emerald_env.files.installing import install_command

HEADER, BLOCK, PART = 7, 32768, 7
GAMES = ("env_id", "env", "env_name", "task")  # names of a game among a program's settings
FULL, FIRST, LAST = 1, 2, 4


def read_wandb(file: Path) -> Curves:
    """Returns the history of a run.

    Raises:
        LogError: wandb is not installed, or the file cannot be read.
    """
    content = read_log(file)
    found: Points = {}
    config: dict[str, Any] = {}
    lost = count = impossible = 0
    for record in _parsed(content, file):
        if record is None:
            lost += 1
            continue
        if record.HasField("run"):
            config |= _items(record.run.config.update)
        if record.HasField("history"):
            row = numbers(_items(record.history.item))
            impossible += add_row(found, row)
            count += len(row)
            check_size(found, count, file)
    damage = f"{file.name}: {lost:,} records are damaged or cut short, and left out"
    lacking = ((damage,) if lost else ()) + left_out(file, impossible)
    known, identity = _settings(config), _identity(config)
    return Curves(file, in_order(found), known, lacking, identity=identity)


def _parsed(content: bytes, file: Path) -> Iterator[Any]:
    """Yields each record as wandb's own, None for one that is damaged.

    Raises:
        LogError: wandb is not installed.
    """
    try:
        from google.protobuf.message import DecodeError
        from wandb.proto import wandb_internal_pb2 as wandb_format
    except ImportError as error:
        needed = install_command("wandb")
        raise LogError(f"{file}: reading it needs wandb: {needed} ({error})") from error
    for text in _records(content):
        try:
            yield None if text is None else wandb_format.Record.FromString(text)  # type: ignore[attr-defined]
        except DecodeError:
            yield None


def _records(content: bytes) -> Iterator[bytes | None]:
    """Yields each record, None for one that is damaged."""
    place, parts = HEADER, b""
    whole = True
    while place + PART <= len(content):
        if BLOCK - place % BLOCK < PART:
            place += BLOCK - place % BLOCK
            continue
        checksum, length, kind = struct.unpack_from("<IHB", content, place)
        if kind == length == 0:
            return  # the file was allocated larger than what was written so far
        part = content[place + PART : place + PART + length]
        right = len(part) == length and zlib.crc32(bytes([kind]) + part) == checksum
        whole = right and (whole or kind in (FULL, FIRST))
        parts = part if kind in (FULL, FIRST) else parts + part
        if not right or kind in (FULL, LAST):
            yield parts if whole else None
        if not right:  # its length may be wrong: continue with the next block
            place += BLOCK - place % BLOCK
            continue
        place += PART + length


def _items(items: Any) -> dict[str, Any]:
    found = {}
    for item in items:
        try:
            found[item.key or "/".join(item.nested_key)] = parse_json(item.value_json, finite=False)
        except ValueError:
            continue
    return found


def _settings(config: dict[str, Any]) -> dict[str, float]:
    inner = config.get("ppo")
    if isinstance(inner, dict):  # our sessions' own
        return numbers({**inner, "n_envs": config.get("n_envs")})
    return settings_by_our_names(numbers(config))


def _identity(config: dict[str, Any]) -> dict[str, str]:
    return session_identity(config) or {n: str(config[n]) for n in GAMES if n in config}
