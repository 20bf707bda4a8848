"""Weights in the zips that torch writes: our older checkpoints, and SB3's.

Torch's reader and Python's disagree about the contents of some zips, and torch's unpickler can be
made to run forever. So torch gets a zip rewritten here, from members read and checked here.
"""

import io
import pickle
import pickletools
import struct
import warnings
import zipfile
from typing import Any

import torch

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from emerald_env.files.zips import BROKEN_ZIP, flaws, open_zip, read_member

PICKLE = "data.pkl"  # in torch's files; the other members are numbers
TUPLES = ("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3")
PUTS, GETS = ("BINPUT", "LONG_BINPUT"), ("BINGET", "LONG_BINGET")
# All that `torch.save` writes for a state dict.
OPCODES = frozenset(
    "PROTO STOP MARK GLOBAL REDUCE BUILD BINPERSID EMPTY_DICT EMPTY_LIST EMPTY_TUPLE APPEND "
    "APPENDS SETITEM SETITEMS BINUNICODE BININT BININT1 BININT2 LONG1 BINFLOAT NEWTRUE NEWFALSE "
    "NONE".split()
).union(TUPLES, PUTS, GETS)
NAMES = frozenset({"collections OrderedDict", "torch._utils _rebuild_tensor_v2"}).union(
    f"torch {kind}Storage" for kind in ("Float", "Double", "Half", "Long", "Int", "Byte", "Bool")
)
# What torch raises for a damaged file of tensors.
BROKEN_TENSORS = (
    *BROKEN_ZIP,
    pickle.UnpicklingError,
    TypeError,
    AttributeError,
    AssertionError,
    MemoryError,
    NotImplementedError,
    struct.error,
)


def read_torch_zip(content: bytes) -> dict[str, Any]:
    """Returns the dict in a file that torch wrote; nothing in it runs.

    Its values are tensors, or lists and dicts of them and of numbers; none is checked yet.

    Raises:
        CheckpointError: it holds something else; the message follows the file's name.
    """
    try:
        rebuilt = _rebuild(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a damaged file, which is refused anyway
            tensors = torch.load(rebuilt, map_location="cpu", weights_only=True)
    except BROKEN_TENSORS as error:
        reason = str(error).partition("\n")[0]
        raise CheckpointError(f"does not hold tensors only: {reason}") from error
    if not isinstance(tensors, dict):
        raise CheckpointError(f"holds a {type(tensors).__name__}, not named tensors")
    return tensors


def _rebuild(content: bytes) -> io.BytesIO:
    """Returns a copy of a zip in which no member can hang torch's reader."""
    rebuilt = io.BytesIO()
    with open_zip(io.BytesIO(content)) as old, zipfile.ZipFile(rebuilt, "w") as new:
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in old.infolist()):
            raise CheckpointError("is compressed inside; torch never does that")
        if flaw := next(flaws(old), None):
            raise CheckpointError(f"{flaw}: refused")
        for name in old.namelist():
            member = read_member(old, name, len(content))
            if name.endswith(PICKLE) and (odd := odd_in(member)):
                raise CheckpointError(f"does not hold tensors only: {odd}")
            new.writestr(name, member)
    rebuilt.seek(0)
    return rebuilt


def odd_in(pickled: bytes) -> str | None:
    """Returns what a pickle has that no state dict has, None if there is nothing.

    A tuple that is used twice is odd, too: to hash nested pairs of one and the same pair takes
    2 ** depth steps, which nothing can interrupt.
    """
    tuples: set[Any] = set()
    before = ""
    for opcode, argument, _ in pickletools.genops(pickled):
        if opcode.name not in OPCODES:
            return f"it has the opcode {opcode.name}"
        if opcode.name == "GLOBAL" and argument not in NAMES:
            return f"it imports {argument!r:.100}"
        if opcode.name in GETS and argument in tuples:
            return "it has a tuple in two places"
        if opcode.name in PUTS:
            if before in TUPLES:
                tuples.add(argument)
        else:
            before = opcode.name
    return None
