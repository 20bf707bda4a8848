"""Builds the emulator shim; everything else about the package stands in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

MISSING = """

The emulator shim could not be compiled. It needs a C compiler, Python's headers and libmgba 0.10:

    Debian, Ubuntu:  sudo apt-get install build-essential python3-dev libmgba-dev
    macOS:           xcode-select --install; brew install mgba

The compiler's own message stands above.
"""


class BuildShim(build_ext):
    """Says which system package is missing when the shim does not compile."""

    def run(self) -> None:
        """Builds the extension.

        Raises:
            SystemExit: it did not compile or link; the message names the packages to install.
        """
        try:
            super().run()
        except (BaseError, CCompilerError) as error:
            sys.exit(f"{error}{MISSING}")


sys.path.insert(0, str(Path(__file__).parent))
setup(
    cffi_modules=["emerald_env/emulator/build_shim.py:ffibuilder"],
    cmdclass={"build_ext": BuildShim},
)
