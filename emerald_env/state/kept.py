"""What was worked out a step ago, and is valid as long as the bytes are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A pure function that is not called again for the arguments of its last call.

    So what did not change in memory is the same object in the next state, too. Unlike
    `functools.lru_cache` it hashes nothing, and nobody else's calls push the last one out.
    """

    __slots__ = ("_arguments", "_function", "_value")

    def __init__(self, function: Callable[..., Value]) -> None:
        self._function = function
        self._arguments: tuple[Any, ...] | None = None
        self._value: Value

    def __call__(self, *arguments: Any) -> Value:
        """Returns what the function returns for these positional arguments."""
        if arguments != self._arguments:
            self._value = self._function(*arguments)
            self._arguments = arguments
        return self._value
