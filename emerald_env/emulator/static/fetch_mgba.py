"""Fetches the source of mGBA that Debian packages, and checks its hash.

It comes from the system's source package if there is one, else from Debian's archive.

usage: fetch_mgba.py FOLDER
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

PACKAGE, VERSION = "mgba", "0.10.5"
ARCHIVE = f"{PACKAGE}_{VERSION}+dfsg.orig.tar.xz"
URL = f"http://deb.debian.org/debian/pool/main/m/mgba/{ARCHIVE}"
SHA256 = "8aee6705d2dd0fa1cbfdba2c2c475f630001d855b384849a1a6288e9aa376680"
MAX_ARCHIVE_BYTES = 32 << 20  # bytes
SECONDS = 60
REMEDY = (
    "Games run with the system's library, more slowly. With a source of mGBA 0.10.5 of your own: "
    "make fast MGBA_SOURCE=folder"
)


def fetch(folder: Path) -> None:
    """Puts the source into a folder, unless it is already there.

    Raises:
        SystemExit: it cannot be fetched, or is another file; the message says what to do.
    """
    done = folder / SHA256
    if done.exists():
        return
    with tempfile.TemporaryDirectory() as place:
        archive = from_system(Path(place))
        if archive is None or not is_right(archive):
            archive = from_debian(Path(place))
        if not is_right(archive):
            sys.exit(f"{URL} is not the expected file (SHA-256 {SHA256}). {REMEDY}")
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as files:
            files.extractall(folder)
    done.touch()


def is_right(archive: Path) -> bool:
    """Returns whether an archive is the version that our changes were written for."""
    return hashlib.sha256(archive.read_bytes()).hexdigest() == SHA256


def from_system(place: Path) -> Path | None:
    """Returns the archive of the system's source package, if it has this version.

    That needs apt with source packages ("deb-src") enabled, which many systems do not have.

    Args:
        place: the folder into which it is put.
    """
    if shutil.which("apt-get") is None:
        return None
    known = run("apt-cache", "showsrc", PACKAGE, place=place)
    versions = re.findall(rf"^Version: ({re.escape(VERSION)}\+dfsg\S*)$", known, re.MULTILINE)
    if not versions:
        return None
    run("apt-get", "source", "--download-only", f"{PACKAGE}={versions[0]}", place=place)
    return next(place.glob(ARCHIVE), None)


def run(*command: str, place: Path) -> str:
    """Returns what a command prints, even if it fails."""
    try:
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def from_debian(place: Path) -> Path:
    """Returns Debian's archive.

    Args:
        place: the folder into which it is put.

    Raises:
        SystemExit: it cannot be fetched.
    """
    try:
        with urllib.request.urlopen(URL, timeout=SECONDS) as answer:
            (place / ARCHIVE).write_bytes(answer.read(MAX_ARCHIVE_BYTES))
    except OSError as error:
        sys.exit(f"mGBA's source cannot be fetched from {URL}: {error}. {REMEDY}")
    return place / ARCHIVE


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
