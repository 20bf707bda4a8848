"""Fetches the source of mGBA that Debian 13 packages, and checks that it is that one.

usage: fetch_mgba.py FOLDER
"""

import hashlib
import io
import sys
import tarfile
import urllib.request
from pathlib import Path

URL = "http://deb.debian.org/debian/pool/main/m/mgba/mgba_0.10.5+dfsg.orig.tar.xz"
SHA256 = "8aee6705d2dd0fa1cbfdba2c2c475f630001d855b384849a1a6288e9aa376680"
LARGEST = 32 << 20  # bytes
SECONDS = 60


def fetch(folder: Path) -> None:
    """Puts the source into a folder, unless it is there.

    Raises:
        SystemExit: it cannot be had, or is another file; the message says what can be done.
    """
    done = folder / SHA256
    if done.exists():
        return
    try:
        with urllib.request.urlopen(URL, timeout=SECONDS) as answer:
            archive = answer.read(LARGEST)
    except OSError as error:
        sys.exit(f"mGBA's source cannot be fetched from {URL}: {error}. {REMEDY}")
    if hashlib.sha256(archive).hexdigest() != SHA256:
        sys.exit(f"{URL} is not the file that it was (SHA-256 {SHA256}). {REMEDY}")
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder)
    done.touch()


REMEDY = (
    "Games run with the system's library, more slowly. With a source of mGBA 0.10.5 of your own: "
    "make fast MGBA_SOURCE=folder"
)

if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
