"""Declares the extension `_shim` to cffi; setup.py builds it on installation."""

import shutil
import subprocess
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).parent
PARTS = ("parts/hooks", "parts/mixer", "parts/cheat_codes")
SOURCES = ("shim", *PARTS, "skips/lines", "skips/sound")


def homebrew_prefix() -> list[Path]:
    """Returns mGBA's folder in Homebrew, empty without Homebrew."""
    if shutil.which("brew") is None:
        return []
    found = subprocess.run(["brew", "--prefix", "mgba"], capture_output=True, text=True)
    return [Path(found.stdout.strip())] if found.returncode == 0 else []


def declarations(header: str) -> str:
    """Returns the header without comments and preprocessor lines, as cffi needs it."""
    return "\n".join(line for line in header.splitlines() if not line.startswith(("#", "/*")))


prefixes = homebrew_prefix()
ffibuilder = FFI()
ffibuilder.cdef(declarations((HERE / "shim.h").read_text()))
ffibuilder.cdef('extern "Python" void hook_reached(void *, uint32_t);')
ffibuilder.set_source(
    "emerald_env.emulator._shim",
    '#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include "shim.h"\n',
    sources=[f"emerald_env/emulator/{name}.c" for name in SOURCES],
    depends=["emerald_env/emulator/shim.h", "emerald_env/emulator/game.h"],
    include_dirs=["emerald_env/emulator", *(str(p / "include") for p in prefixes)],
    library_dirs=[str(p / "lib") for p in prefixes],
    libraries=["mgba"],
    extra_compile_args=["-O3", "-std=gnu11"],
)
