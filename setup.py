"""Builds what is written in C; everything else about the package is in pyproject.toml."""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

HERE = Path(__file__).parent / "emerald_env"
SHIM = "emerald_env.emulator._shim"
LICENCE = "emerald_env/emulator/LICENSE.mgba"  # in wheels that contain mGBA
sys.path.insert(0, str(HERE / "emulator" / "static"))
from build_mgba import (  # noqa: E402
    CPU_INFO,
    DEFINITIONS,
    OPTIMISE,
    PROFILE_PLAY,
    UnknownSource,
    find_root,
    for_this_machine,
    prepare,
)

MISSING = """

The emulator shim could not be compiled. It needs a C compiler, Python's headers and libmgba 0.10:

    Debian, Ubuntu:  sudo apt-get install build-essential python3-dev libmgba-dev
    macOS:           xcode-select --install; brew install mgba

An older libmgba does not serve (Ubuntu 22.04 has 0.9). In a clone of the repository

    make fast

compiles mGBA's own source instead: it needs no libmgba, and games run faster.

The compiler's own message is above.
"""


class BuildShim(build_ext):
    """Says which system package is missing when the shim does not compile.

    With MGBA_SOURCE in the environment, mGBA's source in that folder is compiled into the shim,
    which is then faster; where that fails the system's library is linked, and a line says so. With
    MGBA_REQUIRED, too, the build fails.
    """

    def run(self) -> None:
        """Builds the extension.

        Raises:
            SystemExit: it did not compile or link; the message names the packages to install.
        """
        self.stays_here = bool(self.inplace)  # setuptools builds elsewhere and copies
        try:
            super().run()
        except (BaseError, CCompilerError) as error:
            sys.exit(f"{error}{MISSING}")

    def build_extension(self, ext: Extension) -> None:
        """Builds with mGBA's source if that is wanted and can be done, else with the library."""
        source = os.environ.get("MGBA_SOURCE")
        if not source or ext.name != SHIM:
            return super().build_extension(ext)
        plain, self.force = dict(vars(ext)), True
        try:
            self.build_with_source(ext, Path(source))
        except (
            UnknownSource,
            BaseError,
            CCompilerError,
            OSError,
            subprocess.SubprocessError,
        ) as error:
            if os.environ.get("MGBA_REQUIRED"):
                sys.exit(f"mGBA was not built from {source}: {error}")
            print(f"mGBA was not built from {source}, its library serves: {error}", file=sys.stderr)
            vars(ext).update(plain)
            super().build_extension(ext)

    def build_with_source(self, ext: Extension, source: Path) -> None:
        """Builds twice with GCC: the first one plays, so that the second knows what is frequent."""
        folder = Path(self.build_temp).resolve()
        ext.sources = [*ext.sources, *prepare(source, Path(self.build_temp) / "mgba")]
        include = [HERE / "emulator" / "static", Path(self.build_temp) / "mgba" / "include"]
        include.append(Path(self.build_temp) / "mgba" / "src")
        ext.include_dirs = [*(str(path) for path in include), *ext.include_dirs]
        ext.define_macros = [*ext.define_macros, *DEFINITIONS]
        ext.libraries = ["m"]
        flags = [*ext.extra_compile_args, *OPTIMISE, "-w"]
        if self.stays_here and CPU_INFO.exists():  # a wheel serves other machines, too
            flags += for_this_machine(CPU_INFO.read_text())
        if is_gcc(self.compiler.compiler_so[0]):
            ext.extra_compile_args = [*flags, f"-fprofile-generate={folder}"]
            ext.extra_link_args = [*OPTIMISE, f"-fprofile-generate={folder}"]
            super().build_extension(ext)
            shim, rom = self.get_ext_fullpath(ext.name), HERE / "jade" / "jade.gba"
            subprocess.run([sys.executable, PROFILE_PLAY, shim, rom], check=True)
            flags += [f"-fprofile-use={folder}", "-fprofile-partial-training"]
        ext.extra_compile_args, ext.extra_link_args = flags, flags
        super().build_extension(ext)
        if not self.stays_here:  # its licence wants its text beside what is distributed
            licence = (find_root(source) / "LICENSE").read_bytes()
            (Path(self.build_lib) / LICENCE).write_bytes(licence)


def is_gcc(compiler: str) -> bool:
    """Returns whether this is GCC, whose way of learning from a run is used."""
    answer = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    return "Free Software Foundation" in answer.stdout


sys.path.insert(0, str(Path(__file__).parent))
setup(
    cffi_modules=[
        "emerald_env/emulator/build_shim.py:ffibuilder",
        "emerald_env/state/parts/around/build_walks.py:ffibuilder",
        "baselines/learner/policy/cnn/build_tiles.py:ffibuilder",
    ],
    cmdclass={"build_ext": BuildShim},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},  # cffi's extensions serve later ones too
)
