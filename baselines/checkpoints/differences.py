"""What differs between two descriptions, in lines that a person can read."""

from collections.abc import Iterator, Mapping
from typing import Any


def differences(saved: Any, here: Any, name: str = "") -> Iterator[str]:
    """Yields a line for each field that differs, with both values.

    Args:
        saved: JSON values out of a checkpoint.
        here: those of the run or game that it shall serve.
        name: of the field; those inside it are written behind a dot.
    """
    if isinstance(saved, Mapping) and isinstance(here, Mapping):
        # of two kinds of thing the rest cannot be compared
        other_kind = saved.get("type") != here.get("type")
        for key in ["type"] if other_kind else dict.fromkeys([*saved, *here]):
            inner = f"{name}.{key}" if name else str(key)
            yield from differences(saved.get(key, "nothing"), here.get(key, "nothing"), inner)
    elif saved != here:
        yield f"{name}: {_short(saved)} in the checkpoint, {_short(here)} here"


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
