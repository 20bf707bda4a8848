"""What an agent can press: tables of named key combinations."""

import operator
from dataclasses import dataclass
from itertools import product
from typing import Any

from emerald_env.emulator import key_mask


@dataclass(frozen=True)
class Action:
    """Keys that go down together for one step."""

    name: str
    keys: int  # mask, see `key_mask`


def combine(directions: tuple[str, ...], buttons: tuple[str, ...]) -> tuple[Action, ...]:
    """Returns one action for each pair; an empty name means no key."""
    pairs = [tuple(filter(None, pair)) for pair in product(directions, buttons)]
    return tuple(Action("+".join(pair) or "wait", key_mask(*pair)) for pair in pairs)


DIRECTIONS = ("", "up", "down", "right", "left")
ORIGINAL = combine(DIRECTIONS, ("", "a", "b"))
START, SELECT = (Action(key, key_mask(key)) for key in ("start", "select"))
# "original" is the table of the 2023 project, in its order: 15 actions. "story" can open the menu,
# too; Select only calls an item that was registered in the bag.
ACTION_SETS: dict[str, tuple[Action, ...]] = {
    "original": ORIGINAL,
    "story": (*ORIGINAL, START),
    "simple": tuple(
        Action(key, key_mask(key)) for key in ("up", "down", "right", "left", "a", "b")
    ),
    "full": (*ORIGINAL, START, SELECT),
}


def action_set(name: str) -> tuple[Action, ...]:
    """Returns an action table by name.

    Raises:
        ValueError: the name is unknown.
    """
    if name not in ACTION_SETS:
        raise ValueError(f"no action set named {name!r}: there are {', '.join(ACTION_SETS)}")
    return ACTION_SETS[name]


def action_number(action: Any, count: int) -> int:
    """Returns an action of `step` as an index.

    Args:
        action: any whole number, such as an int or numpy's.
        count: of the actions that there are.

    Raises:
        ValueError: it is none of these.
    """
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < count:
        raise ValueError(f"action must be 0 to {count - 1}, got {action!r:.60}")
    return number
