"""Writing a file so that a reader, or a crash, never meets half of it."""

import os
import sys
import tempfile
from pathlib import Path
from types import TracebackType

PART = ".part"  # ends the name of a file that is not whole yet


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
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner can read; a session may be shared
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class WriteWarning:
    """Says, the first time, that something dispensable could not be written, and goes on.

    A full disk must not end a training: what counts is saved as soon as there is room again.

    Args:
        what: could not be written.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = False

    def __enter__(self) -> None:
        """Begins an attempt to write."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Takes an OSError; every other error goes on."""
        if isinstance(error, OSError) and not self._said:
            text = f"warning: cannot write {self._what} ({error}); training goes on without"
            print(text, file=sys.stderr)
            self._said = True
        return isinstance(error, OSError)
