"""Writing a file so that neither a reader nor a crash ever leaves half of it."""

import errno
import os
import secrets
import stat
from pathlib import Path
from types import TracebackType

from emerald_env.files.printable import warn

PART = ".part"  # suffix of an incomplete file
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_atomically(path: Path, content: bytes) -> None:
    """Replaces the file at `path` by `content`, or leaves it unchanged.

    The bytes go to a file beside it, are synced to disk, and then take its name: a kill at any
    moment leaves the old file or the new one. Its permissions follow the umask. The folder is
    created again if it was removed; its parent must exist. A link is replaced, not followed: the
    folder may be a stranger's.

    Args:
        path: the file.
        content: its new content.

    Raises:
        OSError: the folder is read-only, the disk is full, or `path` is a device, a pipe or a
            folder; it is unchanged and nothing is left beside it.
    """
    if (kind := special_kind(path)) is not None:
        raise OSError(errno.EEXIST, f"it is {kind}, which no file replaces", str(path))
    part = path.parent / f".{path.name}.{secrets.token_hex(4)}{PART}"
    try:
        path.parent.mkdir(exist_ok=True)
        with os.fdopen(os.open(part, NEW_FILE, 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        _remove(part)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        _remove(part)
        raise


def special_kind(path: Path) -> str | None:
    """Returns what is at a path, such as "a device"; None: a file, a link or nothing."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
        return None
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "a pipe or a socket"


def _remove(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:
        pass  # its folder cannot be read: nothing was written there


class WriteWarning:
    """Warns once if something dispensable could not be written, and continues.

    A full disk must not end a training: what matters is saved as soon as there is room again.

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
        """Suppresses an OSError and no other error."""
        if isinstance(error, OSError) and not self._said:
            text = (
                f"warning: cannot write {self._what} ({error}); the program continues without them"
            )
            warn(text)
            self._said = True
        return isinstance(error, OSError)
