"""The differences between two descriptions, as readable lines."""

from collections.abc import Iterator, Mapping
from typing import Any


def differences(saved: Any, here: Any, name: str = "") -> Iterator[str]:
    """Yields a line for each field that differs, with both values.

    Args:
        saved: JSON values from a checkpoint.
        here: those of the run or game that wants to use it.
        name: of the field; fields inside it follow after a dot.
    """
    if isinstance(saved, Mapping) and isinstance(here, Mapping):
        # two different kinds of thing have no fields to compare
        other_kind = saved.get("type") != here.get("type")
        for key in ["type"] if other_kind else dict.fromkeys([*saved, *here]):
            inner = f"{name}.{key}" if name else str(key)
            yield from differences(saved.get(key, "nothing"), here.get(key, "nothing"), inner)
    elif saved != here:
        yield f"{name}: {_short(saved)} in the checkpoint, {_short(here)} here"


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
