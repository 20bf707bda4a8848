"""States that take long to make, cached in a folder by the hash of their contents."""

import hashlib
from pathlib import Path

from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import DataError, read_bytes

MAX_STATE_BYTES = 1 << 20  # of an unpacked state or save
HASH_LENGTH = 16  # letters of SHA-256 in a file's name: enough to detect damage


def keep(folder: Path, key: str, state: bytes) -> Path | None:
    """Writes a state, completely or not at all.

    Args:
        folder: created if missing, for its user only.
        key: identifies the state.
        state: the raw state.

    Returns:
        The file, None if it cannot be written.
    """
    path = kept_file(folder, key, state)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, state)
    except OSError:
        return None
    return path


def kept_file(folder: Path, key: str, state: bytes) -> Path:
    """Returns a state's path."""
    return folder / f"{key}_{_hash(state)}.state"


def read_kept(folder: Path, key: str) -> bytes | None:
    """Returns the state cached under a key, None if it is missing or damaged."""
    for path in sorted(folder.glob(f"{key}_*.state")):
        try:
            state = read_bytes(path, MAX_STATE_BYTES)
        except (OSError, DataError):
            continue
        if path.stem.removeprefix(f"{key}_") == _hash(state):
            return state
    return None


def _hash(state: bytes) -> str:
    return hashlib.sha256(state).hexdigest()[:HASH_LENGTH]
