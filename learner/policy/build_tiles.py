"""Declares the extension `_tiles` to cffi; setup.py builds it on installation."""

from pathlib import Path

from cffi import FFI

HEADER = Path(__file__).parent / "tiles.h"

ffibuilder = FFI()
ffibuilder.cdef(HEADER.read_text())
ffibuilder.set_source(
    "learner.policy._tiles",
    '#include <stdint.h>\n#include "tiles.h"\n',
    sources=["learner/policy/tiles.c"],
    depends=["learner/policy/tiles.h"],
    include_dirs=["learner/policy"],
    extra_compile_args=["-O3", "-std=gnu11"],
)
