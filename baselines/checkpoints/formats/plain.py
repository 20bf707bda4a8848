"""The state of a game and of a learner as JSON and arrays, and back: nothing in it can run code."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from emerald_env.files.data import fits
from emerald_env.state import Battler, Facing, GameState, Menu, MenuKind, Mode, Pokemon

Arrays = Mapping[str, NDArray[Any]]
# The only classes that a file can yield, apart from plain values.
RECORDS: dict[str, type] = {kind.__name__: kind for kind in (GameState, Pokemon, Battler, Menu)}
CHOICES: dict[str, type[Enum]] = {kind.__name__: kind for kind in (Mode, Facing, MenuKind)}
SIMPLE = (bool, int, float, str, type(None))


def to_plain(value: Any) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Returns a value as a JSON tree, and its arrays and bytes by their names in the tree.

    Args:
        value: made of numbers, text, bytes, None, lists, tuples, dictionaries (with any keys),
            numpy arrays and the state's own classes. An object of those that occurs twice is
            written once, and is one object again after `from_plain`.

    Raises:
        TypeError: something else is in it.
    """
    writer = _Writer()
    return writer.write(value), writer.arrays


def from_plain(tree: Any, arrays: Arrays) -> Any:
    """Returns the value from which `to_plain` made a tree and arrays.

    Raises:
        CheckpointError: the tree is not one of `to_plain`'s.
    """
    try:
        return _Reader(arrays).read(tree)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"damaged: {type(error).__name__}: {error}") from error


class _Writer:
    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._numbers: dict[int, int] = {}  # id of a record -> its number

    def write(self, value: Any) -> Any:
        if isinstance(value, Enum):
            return {"choice": [type(value).__name__, value.value]}
        if isinstance(value, SIMPLE):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, list):
            return [self.write(part) for part in value]
        if isinstance(value, tuple):
            return {"tuple": [self.write(part) for part in value]}
        if isinstance(value, dict):
            return {"dict": [[self.write(key), self.write(part)] for key, part in value.items()]}
        return self._write_large(value)

    def _write_large(self, value: Any) -> Any:
        if isinstance(value, bytes | bytearray):
            return {"bytes": self._keep(np.frombuffer(value, np.uint8))}
        if isinstance(value, np.ndarray):
            return {"array": self._keep(np.ascontiguousarray(value))}
        kind = type(value).__name__
        if RECORDS.get(kind) is not type(value):
            raise TypeError(f"a {kind} has no plain form")
        if id(value) in self._numbers:
            return {"again": self._numbers[id(value)]}
        self._numbers[id(value)] = len(self._numbers)
        names = [field.name for field in fields(RECORDS[kind])]
        parts = [self.write(getattr(value, name)) for name in names]
        return {"record": [kind, parts]}

    def _keep(self, array: NDArray[Any]) -> str:
        name = str(len(self.arrays))
        self.arrays[name] = array
        return name


class _Reader:
    def __init__(self, arrays: Arrays) -> None:
        # each may be used once only: repeated names would turn a few bytes into any number of them
        self._arrays = dict(arrays)
        self._records: list[Any] = []
        self._read: dict[str, Callable[[Any], Any]] = {
            "choice": lambda part: CHOICES[part[0]](part[1]),
            "tuple": lambda part: tuple(map(self.read, part)),
            "dict": lambda part: {self.read(key): self.read(value) for key, value in part},
            "bytes": lambda part: self._arrays.pop(part).tobytes(),
            "array": lambda part: self._arrays.pop(part),
            "again": lambda part: self._records[part],
            "record": self._record,
        }

    def read(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self.read(part) for part in tree]
        if isinstance(tree, dict):
            ((kind, part),) = tree.items()
            return self._read[kind](part)
        return tree

    def _record(self, part: Any) -> Any:
        kind, values = part
        number = len(self._records)
        self._records.append(None)  # records are numbered in the order in which they begin
        parts = [self.read(value) for value in values]
        hints = get_type_hints(RECORDS[kind])
        for (name, hint), value in zip(
            hints.items(), parts, strict=False
        ):  # a new field may be missing
            if not fits(value, hint):
                raise TypeError(f"{name} of a {kind} is a {type(value).__name__}")
        self._records[number] = RECORDS[kind](*parts)
        return self._records[number]
