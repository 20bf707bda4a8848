"""What the state in a resume file must be, whoever wrote it: types and bounds of its values.

What is not here is checked where it is used: `GameState`s by `plain.py`, games by the emulator,
archive and atlas by themselves. A name that ends in "?" may be missing, as in older versions.
"""

# mypy: disable-error-code="valid-type, misc"

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
from annotated_types import Predicate
from numpy.typing import NDArray
from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from emerald_env.explorer.cells import is_cell
from emerald_env.files.data import WHOLE_LIMIT, Count, Number, PlainText, is_count, is_number
from emerald_env.state import GameState
from emerald_env.wrappers.disturbed import STARTERS
from rewards.own.own_kinds import is_key
from rewards.own.own_terms import is_plain

N_WORDS = 624  # of a Mersenne twister


def _that(holds: Callable[[Any], bool]) -> Any:
    return Annotated[Any, Predicate(holds)]


def _form(fields: Mapping[str, Any]) -> Any:
    """Returns the type of a dictionary with these items, and perhaps others."""
    kinds = {
        name.removesuffix("?"): NotRequired[kind] if name.endswith("?") else kind
        for name, kind in fields.items()
    }
    return TypedDict("Form", kinds)  # type: ignore[operator]


def _is_finite(array: Any) -> bool:
    return isinstance(array, np.ndarray) and bool(np.isfinite(array).all())


def _is_dice(dice: Any) -> bool:
    """Returns whether these are Python's three; `setstate` checks the words."""
    return isinstance(dice, list) and len(dice) == 3 and (dice[2] is None or is_number(dice[2]))


def _is_task(task: Any) -> bool:
    """Returns whether these are a `Task`'s four values."""
    if not isinstance(task, list) or len(task) != 4 or not isinstance(task[1], list):
        return False
    flags = all(type(one) is bool for one in [*task[1], task[3]])
    return flags and is_number(task[0], 0) and is_count(task[2])


def _is_cell(cell: Any) -> bool:
    return isinstance(cell, tuple) and is_cell(cell)


def _is_found(found: Any) -> bool:
    """Returns whether this is a state on a practised way: cell, length, strength, packed state."""
    if not isinstance(found, tuple) or list(map(type, found)) != [tuple, int, tuple, bytes]:
        return False
    cell, length, strength, _ = found
    return _is_cell(cell) and is_count(length) and all(map(is_number, strength))


def _is_priority(array: NDArray[Any]) -> bool:
    return _is_finite(array) and bool((array >= 0).all())


Key = _that(is_key)
Plain = _that(is_plain)
Counts = dict[PlainText, Count]
Bits = _that(lambda bits: type(bits) is int and 0 <= bits < WHOLE_LIMIT)
Limit = Annotated[float, Field(ge=0)]  # infinite where there is none; NaN is not above 0
Array = _that(_is_finite)
Seen = GameState | None
Dice = _that(_is_dice)
Home = _that(_is_cell)
Found = _that(_is_found)
Task = _that(_is_task)

ACCOUNT = {
    "known?": dict[Key, Number],
    "counts?": dict[Key, Count],
    "highest?": dict[Key, Number],
    "progress?": dict[Annotated[int, Field(ge=0, le=200)], Annotated[Number, Field(ge=0)]],
    "paid?": dict[Key, Number],
    "allowance?": Limit,
}
HEALING = {"believed": dict[int, tuple[int, int]], "candidate": dict[int, tuple[int, int]]}
BOOK = {
    "reached?": Bits,
    "terms?": dict[PlainText, _form(ACCOUNT)],
    # the 2023 reward's
    "paid?": dict[Key, Number],
    "gained?": dict[Key, Number],
    "last?": Seen,
    "first_step?": bool,
    "worth?": tuple[Number, Number],
    "explore?": _form({"due": dict[Key, Count], "step": Count}),
    "healing?": _form(HEALING | {"equal": Count}),
}
REWARD = _form(
    {"book": _form(BOOK), "last": Seen, "own?": dict[PlainText, dict[PlainText, Plain] | None]}
)
ENV = {
    "world?": PlainText | None,
    "game": dict[PlainText, bytes],
    "random": dict[PlainText, Any],
    "state": Seen,
    "reader": _form({"last": Seen, "held": Seen, "rejections": Counts}),
    "reward": REWARD,
}
SUMMARY = {
    "env": _form(ENV),
    "limit": _form(
        {"length": Count, "left": Number, "allowance": Number | None, "milestones": Bits}
    ),
    "length": Count,
    "latest?": Count,
    "terms": dict[PlainText, Number],
    "places": dict[Key, Count],
    "milestone_steps": Counts,
    "seconds": Number,
}
HOW = {
    **dict.fromkeys(("repeat", "random"), Annotated[float, Field(ge=0, le=1)]),
    "noise": Annotated[float, Field(ge=0, le=255)],
    "starter": Annotated[int, Field(ge=0, le=STARTERS)],
    **dict.fromkeys(("black", "no_vector", "girl", "mixed"), bool),
}
DISTURBED = {
    "last": Count | None,
    "choosing": Count,
    "how": _form(HOW),
}
PRACTICE = {
    "disturbed?": _form(DISTURBED),
    "practice?": _form({"task": PlainText, "node": Count, "length": Count}) | None,
    "home?": Home | None,
    "way?": list[Found],
}
RECORDED = PRACTICE | {
    "summary": _form(SUMMARY),
    "given": list[PlainText],
    "reached": list[PlainText],
    "pressed": bytes,
    "hashes": list[Annotated[int, Field(ge=0, lt=1 << 32)]],
    "track": bytes,
    "best": _that(lambda best: type(best) in (int, float) and best <= 1e18),  # -inf: none yet
    "full?": tuple[Number, tuple[PlainText, ...]] | None,
}
GAME = _form(RECORDED) | _form(SUMMARY | PRACTICE)
STEPS = {
    "n_steps": Count,
    "observations": dict[str, list[bytes]],
    **dict.fromkeys(("labels", "purposes", "starts", "memory"), Array),
    "priority": _that(_is_priority),
}
LEARNER = {
    "steps?": _form(STEPS),
    "purposes?": dict[PlainText, Array],
}
FUNNEL = dict.fromkeys(("home", "practice", "first_home", "episodes"), Counts)
EXPLORATION = {
    "archive": dict[PlainText, Any],
    "search": _form({"steps": Count, "first_seen": Counts, "dice": Dice}),
    "curriculum": _form({"tasks": dict[PlainText, Task], "dice": Dice}),
    "funnel": _form(FUNNEL | {"latest": list[list[PlainText]]}),
    "schedule?": _form({"learnt": Count, "planned": Number, "best?": Number, "best_at?": Count}),
}
SHARES = {
    "chunks": list[tuple[Count, dict[PlainText, Number], dict[Key, Number]]],
    "reached": list[PlainText],
    "since": Count | None,
}
MOMENTS = dict.fromkeys(("mean", "var", "count"), Number) | {"returns": Array}
# numpy checks no bounds of its twister
TWISTER = {"state": _form({"key": Array, "pos": Annotated[int, Field(ge=0, le=N_WORDS)]})}
RANDOM = {
    "python": tuple[Any, ...],
    "numpy": _form(TWISTER | {"has_gauss": bool | int, "gauss": Number}),
    "torch": Array,
    "cuda": list[Array],
    "actions": dict[PlainText, Any],
}
LOGGED = _that(lambda value: isinstance(value, float) or is_number(value))  # NaN, too
RUN_STATE = _form(
    {
        "num_timesteps": Count,
        "n_updates": Count,
        "games": list[GAME],
        "observations": dict[PlainText, Array] | dict[str, Array],
        "episode_starts": Array,
        "memory": list[Array],
        "random": _form(RANDOM),
        "episodes": list[_form({"r": Number, "l": Number, "t?": Number})],
        "curves": dict[
            PlainText, tuple[LOGGED | PlainText, tuple[PlainText, ...] | PlainText | None]
        ],
        "novelty?": _form({"episodes": dict[Key, Count], "been": list[list[Key]]}) | None,
        "reward_scale?": _form(MOMENTS) | None,
        "learner?": _form(LEARNER),
        "teacher?": PlainText | None,
        "reward_shares?": _form({"shares": _form(SHARES), "said_at": Count | None}),
        "exploration?": _form(EXPLORATION) | None,
        "what_moves?": _form({"due": Count, "share": LOGGED | None}),
        "curves_begun?": _form({"begun": list[PlainText] | None, "zeros": Counts}),
    }
)
