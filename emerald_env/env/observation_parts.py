"""An observation by its parts, whether it is a dictionary of them or a single array."""

from collections.abc import Callable
from typing import Any

from gymnasium import spaces

PLAIN = ""  # the key of an observation that is not a dictionary


def parts_of(space: spaces.Space[Any]) -> dict[str, spaces.Space[Any]]:
    """Returns the spaces of an observation's parts; a single one under `PLAIN`."""
    return space.spaces if isinstance(space, spaces.Dict) else {PLAIN: space}


def as_parts(observation: Any) -> dict[str, Any]:
    """Returns an observation's parts; a single array under `PLAIN`."""
    return observation if isinstance(observation, dict) else {PLAIN: observation}


def unwrapped(parts: dict[str, Any]) -> Any:
    """Returns what `as_parts` was given."""
    return parts[PLAIN] if PLAIN in parts else parts


def map_parts(change: Callable[[Any], Any], observation: Any) -> Any:
    """Returns an observation each of whose parts was changed."""
    return unwrapped({key: change(part) for key, part in as_parts(observation).items()})
