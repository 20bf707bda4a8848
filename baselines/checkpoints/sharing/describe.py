"""Values that a pickle would make, in words that are safe to print."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from baselines.checkpoints.pickles import Call, Name, Reference
from emerald_env.cli.command import printable

LONGEST = 120  # characters
MOST_ITEMS = 4
DEEPEST = 4
LARGEST_NUMBER = 10**18
REBUILD = ("torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor")
PARAMETER = "torch._utils._rebuild_parameter"


@dataclass(frozen=True)
class Tensor:
    """What a file says of one of its tensors."""

    where: str  # the member that it is in
    name: str
    shape: tuple[int, ...]
    dtype: str
    storage: str  # what its numbers are stored as; tensors may share them

    @property
    def numbers(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


def describe(value: Any, depth: int = 0) -> str:
    """Returns an inert value of a pickle as a short piece of Python."""
    return printable(_describe(value, depth))[:LONGEST]


def _describe(value: Any, depth: int) -> str:
    if depth > DEEPEST:
        return "…"
    if isinstance(value, Call):
        what = value.what if not isinstance(value.what, tuple) else "set the state of something"
        return f"{_describe(what, depth + 1)}{_describe(value.arguments, depth + 1)}"
    if isinstance(value, tuple | list):
        inside = ", ".join(_describe(item, depth + 1) for item in value[:MOST_ITEMS])
        inside += ", …" if len(value) > MOST_ITEMS else ""
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, Mapping):
        return f"a dictionary of {len(value)}"
    if isinstance(value, Reference):
        return "a reference"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST_NUMBER:
        return "a huge number"
    return str(value) if isinstance(value, Name) else repr(_cut(value))


def _cut(value: Any) -> Any:
    return value[:LONGEST] if isinstance(value, str | bytes | bytearray) else value


def tensors_in(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any, str, str]]:
    """Yields name, shape, type and storage of the tensors in a file of torch, as far as it says."""
    if depth > DEEPEST:
        return
    if isinstance(value, Call):
        tensor = _tensor(value)
        if tensor is not None:
            yield path or "tensor", *tensor
        elif str(value.what) == "collections.OrderedDict":
            yield from tensors_in(dict(_pairs(value)), path, depth)
    elif isinstance(value, dict):
        for key, item in value.items():
            name = f"{path}.{key}" if path else str(key)
            yield from tensors_in(item, printable(name)[:LONGEST], depth + 1)


def _pairs(made: Call) -> Iterator[tuple[Any, Any]]:
    for item in made.items:
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str | int):
            yield item


def _tensor(made: Call) -> tuple[tuple[int, ...], str, str] | None:
    """Returns shape, type and storage of the tensor that a call rebuilds, None for other calls."""
    name, arguments = str(made.what), made.arguments
    if not isinstance(arguments, tuple) or not arguments:
        return None
    if name == PARAMETER and isinstance(arguments[0], Call):
        return _tensor(arguments[0])
    if name not in REBUILD or len(arguments) < 3 or not isinstance(arguments[2], tuple):
        return None
    shape = arguments[2]
    if not all(type(side) is int and 0 <= side < LARGEST_NUMBER for side in shape):
        return None
    storage = arguments[0].key if isinstance(arguments[0], Reference) else None
    kind = storage[1] if isinstance(storage, tuple) and len(storage) > 1 else None
    stored = kind.name if isinstance(kind, Name) else "?"
    key = storage[2] if isinstance(storage, tuple) and len(storage) > 2 else None
    place = f"{describe(key)} from {describe(arguments[1])}"
    return shape, printable(stored.removesuffix("Storage").lower()), place
