"""Versions of installed packages, as they are written into files."""

from importlib import metadata

UNKNOWN = "unknown"


def package_version(name: str) -> str:
    """Returns a package's version, UNKNOWN if it is not installed or its metadata is damaged."""
    try:
        found: str | None = metadata.version(name)  # None after a broken installation
    except metadata.PackageNotFoundError:
        return UNKNOWN
    return found or UNKNOWN
