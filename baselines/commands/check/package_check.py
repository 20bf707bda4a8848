"""Checks the Python packages that this program lists as its requirements."""

from collections.abc import Iterable
from importlib import metadata

from packaging.requirements import Requirement

from emerald_env.files.package_version import PROGRAM, UNKNOWN, package_version

EXTRAS = ("", "train", "play")  # "": what every command needs


def lacking_packages(requirements: Iterable[str] | None = None) -> dict[str, list[str]]:
    """Returns what is missing or too old, for each extra that lacks something.

    Args:
        requirements: lines as in pyproject.toml; None: those of the installed distribution.

    Raises:
        metadata.PackageNotFoundError: this program is not installed as a package.
    """
    lines = metadata.requires(PROGRAM) if requirements is None else requirements
    lacking: dict[str, list[str]] = {}
    for line in lines or ():
        wanted = Requirement(line)
        extra = _extra_of(wanted)
        if extra is not None and (problem := _problem(wanted)):
            lacking.setdefault(extra, []).append(problem)
    return lacking


def _extra_of(wanted: Requirement) -> str | None:
    """Returns the first extra that requires a package on this machine, None if none does."""
    for extra in EXTRAS:
        if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
            return extra
    return None


def _problem(wanted: Requirement) -> str:
    found = package_version(wanted.name)
    if found == UNKNOWN:
        return wanted.name
    if wanted.specifier.contains(found, prereleases=True):
        return ""
    return f"{wanted.name}{wanted.specifier} (found {found})"
