"""The compiled shim (`ffi` and `lib`), checked to match this version of the Python code."""

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from emerald_env.emulator._shim import ffi, lib

__all__ = ["batches_lines", "ffi", "is_compiled_in", "lib", "libmgba_version", "one_at_a_time"]
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


if DECLARATIONS.is_file():  # who packs a program may leave it out: only this check reads it
    check(lib, DECLARATIONS.read_text())


def libmgba_version() -> str:
    """Returns the version of the library that the shim was linked with, such as "0.10.1"."""
    return str(ffi.string(lib.mgba_version()).decode())


def batches_lines() -> bool:
    """Returns whether quiet lines are skipped, as with every version compared.

    Without that memory, registers and pictures are the same, but a frame takes longer. See lines.c.
    """
    return bool(lib.mgba_proved())


def is_compiled_in() -> bool:
    """Returns whether mGBA was compiled into the shim (`make fast`), not linked as a library."""
    return bool(lib.mgba_static())


class _Locked(Protocol):
    _lock: Any  # an RLock


Owner = TypeVar("Owner", bound=_Locked)
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def one_at_a_time(
    method: Callable[Concatenate[Owner, Parameters], Result],
) -> Callable[Concatenate[Owner, Parameters], Result]:
    """Makes a second thread wait: the shim releases Python's lock, and libmgba has none."""

    @wraps(method)
    def locked(self: Owner, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with self._lock:
            return method(self, *args, **kwargs)

    return locked
