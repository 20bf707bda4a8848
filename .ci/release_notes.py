"""Prints the changelog of the version in pyproject.toml, which the tag given must name too.

usage: release_notes.py TAG
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(tag: str, project: str, changelog: str) -> str:
    """Returns the version's part of a changelog.

    Args:
        tag: the release's, "v" and the version.
        project: the text of pyproject.toml.
        changelog: the text of CHANGELOG.md: a heading "## VERSION (DATE)" for each version.

    Raises:
        ValueError: the tag is of another version, or the changelog has no text for it.
    """
    (version,) = re.findall(r'^version = "([^"]+)"$', project, re.MULTILINE)
    if tag != f"v{version}":
        raise ValueError(
            f"the tag is {tag!r}, pyproject.toml has version {version}: tag v{version}"
        )
    heading = rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$"
    parts = re.split(heading, changelog, flags=re.MULTILINE)
    text = re.split(r"^## ", parts[-1], maxsplit=1, flags=re.MULTILINE)[0].strip()
    if len(parts) != 2 or not text:
        raise ValueError(
            f"CHANGELOG.md needs one heading '## {version} (YYYY-MM-DD)', and text below"
        )
    return text


if __name__ == "__main__":
    texts = [(ROOT / name).read_text("utf-8") for name in ("pyproject.toml", "CHANGELOG.md")]
    try:
        print(notes(sys.argv[1], *texts))
    except ValueError as error:
        sys.exit(f"error: {error}")
