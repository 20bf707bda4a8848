"""The compiled shim (`ffi` and `lib`), checked to match this version of the Python code."""

import re
from pathlib import Path
from typing import Any

from emerald_env.emulator._shim import ffi, lib

__all__ = ["ffi", "lib"]
DECLARATIONS = Path(__file__).with_name("shim.h")


def check(library: Any, declarations: str) -> None:
    """Checks that a library has every declared function.

    Raises:
        ImportError: it was built from an older version; the message says what to do.
    """
    names = re.findall(r"(\w+)\([^()]*\);", declarations)
    if missing := [name for name in names if not hasattr(library, name)]:
        raise ImportError(
            f"the emulator shim is older than the program (it lacks {', '.join(missing)}): build "
            "it again with   make setup   or   pip install -e ."
        )


if DECLARATIONS.is_file():  # a wheel does not contain it, and cannot be out of date
    check(lib, DECLARATIONS.read_text())
