"""A result's files, each of which must be a new one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def taken(path: Path) -> FileExistsError:
    """Returns the error for a file that is there already."""
    return FileExistsError(
        f"{path} already exists: give another --out, or remove that result and its recordings"
    )


def create(path: Path) -> None:
    """Creates an empty file; of several programs that try to, one alone succeeds.

    Raises:
        FileExistsError: it is there already.
        OSError: its folder cannot be written.
    """
    try:
        path.touch(exist_ok=False)
    except FileExistsError as error:
        raise taken(path) from error


@contextmanager
def all_or_nothing(files: Sequence[Path]) -> Iterator[None]:
    """Creates files for a block to write, and removes those it created if the block fails.

    Raises:
        FileExistsError, OSError: see `create`; none of them was created then.
    """
    created: list[Path] = []
    try:
        for path in files:
            create(path)
            created.append(path)
        yield
    except BaseException:
        for path in created:
            path.unlink(missing_ok=True)
        raise
