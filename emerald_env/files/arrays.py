"""Untrusted files of numpy arrays: headers are checked before any memory is taken."""

import io
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from emerald_env.files.data import DataError
from emerald_env.files.zips import ZipError, read_file

MAX_HEADER = 256  # bytes of a header; numpy writes 128
# what numpy raises for a header that is none
DAMAGED = (ValueError, SyntaxError, TypeError, TokenError, RecursionError, MemoryError)


def read_arrays(
    path: Path, dtypes: Mapping[str, DTypeLike], most: int, optional: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    """Returns the arrays of an npz file.

    Args:
        path: the file.
        dtypes: of each array, by name.
        most: the most elements that an array may have.
        optional: names of those that may be missing; the others must be there.

    Raises:
        OSError: it cannot be opened.
        DataError: an array is missing, damaged, of another type, or too large.
    """
    wanted = {f"{name}.npy": np.dtype(dtype) for name, dtype in dtypes.items()}
    limits = {file: MAX_HEADER + most * dtype.itemsize for file, dtype in wanted.items()}
    try:
        members = read_file(path, limits)
    except ZipError as error:
        raise DataError(str(error)) from error
    if lacking := wanted.keys() - members.keys() - {f"{name}.npy" for name in optional}:
        raise DataError(f"it has no {min(lacking)}")
    return {
        name: _read_array(file, members[file], dtype)
        for name, (file, dtype) in zip(dtypes, wanted.items(), strict=True)
        if file in members
    }


def _read_array(name: str, content: bytes, wanted: np.dtype[Any]) -> NDArray[Any]:
    file = io.BytesIO(content)
    try:
        if npy.read_magic(file) != (1, 0):
            raise ValueError("another version than 1.0")
        shape, is_fortran, dtype = npy.read_array_header_1_0(file, MAX_HEADER)
    except DAMAGED as error:
        raise DataError(f"{name} has a damaged header ({type(error).__name__})") from error
    if dtype != wanted or is_fortran or min(shape, default=0) < 0:
        raise DataError(f"{name} has elements of {dtype}, not {wanted}")
    if math.prod(shape) * wanted.itemsize != len(content) - file.tell():
        raise DataError(f"{name} has other bytes than its header says")
    flat: NDArray[Any] = np.frombuffer(content, wanted, offset=file.tell()).copy()
    try:
        return flat.reshape(shape)
    except (ValueError, OverflowError) as error:  # (0, 10**26) has no elements, but no place either
        raise DataError(f"{name} has the impossible shape {str(shape):.60}") from error
