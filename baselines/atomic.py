"""Writing a file so that a reader, or a crash, never meets half of it."""

import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Replaces the file at `path` by `content`, or leaves it as it was.

    The bytes go to a file beside it, onto the disk, and then take its name: a kill at any moment
    leaves the old file or the new one.

    Args:
        path: where the file shall be; its folder must exist.
        content: what it shall hold.

    Raises:
        OSError: the folder is missing or read-only, or the disk is full; `path` is untouched and
            nothing is left beside it.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner can read; a session may be shared
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
