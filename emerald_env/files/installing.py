"""How to install the rest of this program: from the checkout, or from the file at hand."""

import shlex
import sys
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlparse

from emerald_env.files.data import DataError, parse_json
from emerald_env.files.package_version import PROGRAM

CHECKOUT = Path(__file__).resolve().parents[2]


def in_checkout() -> bool:
    """Returns whether this program runs from its repository, not from an installed wheel."""
    return (CHECKOUT / "pyproject.toml").is_file()


def install_command(extra: str) -> str:
    """Returns the command that installs an extra of this program.

    It names no package of an index: the name there is nobody's, so anybody could take it.

    Args:
        extra: one or several, such as "train,play".
    """
    pip = f"{shlex.quote(sys.executable)} -m pip install"
    if in_checkout():
        return f"{pip} -e {shlex.quote(f'{CHECKOUT}[{extra}]')}"
    url = urlparse(installed_from() or "")
    if url.scheme == "file":
        return f"{pip} {shlex.quote(f'{unquote(url.path)}[{extra}]')}"
    if url.scheme:
        return f"{pip} {shlex.quote(f'{PROGRAM}[{extra}] @ {url.geturl()}')}"
    return f"{pip} 'FILE[{extra}]', where FILE is the .whl or .tar.gz that you installed"


def installed_from() -> str | None:
    """Returns the address of the file that was installed; None if it is not known."""
    try:
        text = metadata.distribution(PROGRAM).read_text("direct_url.json")  # PEP 610
        values = parse_json(text or "{}")
    except (metadata.PackageNotFoundError, DataError):
        return None
    url = values.get("url") if isinstance(values, dict) else None
    return url if isinstance(url, str) else None
