"""Declares the extension `_tiles` to cffi; setup.py builds it on installation."""

from pathlib import Path

from cffi import FFI

HEADER = Path(__file__).parent / "tiles.h"

ffibuilder = FFI()
ffibuilder.cdef(HEADER.read_text())
ffibuilder.set_source(
    "baselines.learner.policy.cnn._tiles",
    '#include <stdint.h>\n#include "tiles.h"\n',
    sources=["baselines/learner/policy/cnn/tiles.c"],
    depends=["baselines/learner/policy/cnn/tiles.h"],
    include_dirs=["baselines/learner/policy/cnn"],
    extra_compile_args=["-O3", "-std=gnu11"],
)
