"""Declares the extension `_walks` to cffi; setup.py builds it on installation."""

from pathlib import Path

from cffi import FFI

HEADER = Path(__file__).parent / "walks.h"

ffibuilder = FFI()
ffibuilder.cdef(HEADER.read_text())
ffibuilder.set_source(
    "emerald_env.state.parts.around._walks",
    '#include <stdint.h>\n#include "walks.h"\n',
    sources=["emerald_env/state/parts/around/walks.c"],
    depends=["emerald_env/state/parts/around/walks.h"],
    include_dirs=["emerald_env/state/parts/around"],
    extra_compile_args=["-O3", "-std=gnu11"],
)
