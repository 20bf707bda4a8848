"""Compiles translated code with the system's compiler."""

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from emerald_env.emulator.library import ffi

HEADERS = Path(__file__).parents[1] / "core"
FLAGS = ("-O2", "-fwrapv", "-std=gnu11", "-w", "-shared", "-fPIC", "-fvisibility=hidden")
MESSAGE_LINES = 3  # of what a compiler says


class CompilerError(ValueError):
    """There is no compiler, or it could not compile."""


def compiler() -> list[str]:
    """Returns the command of the C compiler: that of CC in the environment, or `cc`.

    Raises:
        CompilerError: there is none.
    """
    command = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(command[0]) is None:
        raise CompilerError(
            f"there is no C compiler {command[0]!r}, so code cannot be translated: install one, on "
            "Debian with   sudo apt-get install gcc   (games run without it, only more slowly)"
        )
    return command


def compiler_version() -> str:
    """Returns what the compiler calls itself.

    Raises:
        CompilerError: there is none.
    """
    answer = subprocess.run([*compiler(), "--version"], capture_output=True, text=True)
    return answer.stdout.partition("\n")[0].strip()


def compiled(source: str, *flags: str) -> bytes:
    """Returns the shared library that a translation's source makes.

    Args:
        source: C.
        flags: for the compiler, after our own.

    Raises:
        CompilerError: it could not be compiled; the message is the compiler's.
    """
    with tempfile.TemporaryDirectory() as place:
        text, library = Path(place) / "translation.c", Path(place) / "translation.so"
        text.write_text(source)
        command = [*compiler(), *FLAGS, *flags, f"-I{HEADERS}", "-o", str(library), str(text)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            said = " / ".join(done.stderr.strip().splitlines()[:MESSAGE_LINES])
            raise CompilerError(f"the translated code could not be compiled: {said}")
        return library.read_bytes()


def loaded(library: Path) -> Any:
    """Returns the translation in a shared library, which stays loaded, for `game_translate`.

    Raises:
        OSError: it is not a library of this machine.
    """
    translation = ctypes.c_char.in_dll(ctypes.CDLL(str(library)), "translation")
    return ffi.cast("void *", ctypes.addressof(translation))
