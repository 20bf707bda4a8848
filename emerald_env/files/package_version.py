"""This program as installed: its name, its version and its packages', its cache folder."""

from importlib import metadata
from pathlib import Path

from platformdirs import user_cache_path

PROGRAM = "pokemon-emerald-agent"  # its distribution
UNKNOWN = "unknown"


def package_version(name: str = PROGRAM) -> str:
    """Returns a package's version, UNKNOWN if it is not installed or its metadata is damaged."""
    try:
        found: str | None = metadata.version(name)  # None after a broken installation
    except metadata.PackageNotFoundError:
        return UNKNOWN
    return found or UNKNOWN


def cache_folder() -> Path:
    """Returns the user's folder for what can be made or downloaded again."""
    return user_cache_path(PROGRAM, appauthor=False)
