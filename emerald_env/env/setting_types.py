"""Settings that check themselves: the decorator of every settings class, and types with bounds.

A setting's type, bounds, default and help stand in one place, its field. pydantic checks them in
strict mode, for keyword arguments and for JSON alike.
"""

import dataclasses
import json
from difflib import get_close_matches
from functools import cache, wraps
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs

MAX_SEED = 2**31 - 1  # a resumed run adds its steps, and numpy takes 32 bits
MAX_INT = 1 << 40
MAX_FLOAT = 1e30  # products still fit into the network's float32
MAX_SHOWN = 60  # characters of a refused value
BOUNDS = {  # kind of pydantic's error -> the limit's name in it, and how we say it
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "greater_than": ("gt", "above"),
    "less_than": ("lt", "below"),
}

Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
Count = Annotated[int, Field(ge=1, le=MAX_INT)]
Natural = Annotated[int, Field(ge=0, le=MAX_INT)]
Real = Annotated[float, Field(ge=-MAX_FLOAT, le=MAX_FLOAT)]
Positive = Annotated[float, Field(gt=0, le=MAX_FLOAT)]
NotNegative = Annotated[float, Field(ge=0, le=MAX_FLOAT)]
Share = Annotated[float, Field(ge=0, le=1)]
BelowOne = Annotated[float, Field(ge=0, lt=1)]
Record = Literal["milestones", "every", "none"]  # which episodes are kept

Settings = TypeVar("Settings")
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


def checked(kind: type[Settings]) -> type[Settings]:
    """Lets a dataclass of settings refuse impossible values when it is made.

    It raises ValueError; the message names each setting, its value and what it may be.
    """

    def construct(self: Any, *args: Any, **values: Any) -> None:
        try:
            _adapter_of(kind).validator.validate_python(
                ArgsKwargs(args, values), self_instance=self
            )
        except ValidationError as error:
            raise ValueError(_readable(error, kind)) from None

    changed: Any = kind
    changed.__pydantic_config__ = _STRICT
    changed.__init__ = wraps(changed.__init__)(construct)
    return kind


def from_json(kind: type[Settings], values: Any) -> Settings:
    """Returns settings with values that came from JSON; those that are missing get their default.

    Args:
        kind: a `checked` dataclass.
        values: the settings by name, nested ones as further dicts, paths as text.

    Raises:
        ValueError: an unknown setting, or an impossible value.
    """
    if not isinstance(values, dict):
        shown = f"{values!r:.{MAX_SHOWN}}"
        raise ValueError(f"{shown} in place of the settings of {kind.__name__}")
    try:
        made: Settings = _adapter_of(kind).validate_json(json.dumps(values))
    except ValidationError as error:
        raise ValueError(_readable(error, kind)) from None
    return made


def _adapter_of(kind: Any) -> TypeAdapter[Any]:
    return _adapter(kind)


_adapter = cache(TypeAdapter)


def _readable(error: ValidationError, kind: type) -> str:
    """Returns what is wrong, a clause for each setting."""
    clauses: dict[str, str] = {}
    for each in error.errors(include_url=False):
        # pydantic also names which type of a union it tried, such as "constrained-float"
        name = ".".join(part for part in map(str, _named(each["loc"], kind)) if part.isidentifier())
        clause = _clause(each, kind, name)
        if not name:
            clauses[name] = clause
        elif name in clauses:
            clauses[name] += " or " + clause.rpartition("it must be ")[2]
        else:
            clauses[name] = clause
    return "; ".join(clauses.values())


def _named(place: tuple[str | int, ...], kind: type) -> tuple[str | int, ...]:
    """Returns the place of a setting by its name, also where it was given without one."""
    names = [setting.name for setting in dataclasses.fields(kind)]
    match place:
        case (int(number), *rest) if number < len(names):
            return names[number], *rest
    return place


def _clause(error: Any, kind: type, name: str) -> str:
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] in ("missing", "missing_argument"):
        return f"the setting {name} is missing: give it a value, as it has no default"
    if error["type"] == "unexpected_positional_argument":
        return f"more than its {len(dataclasses.fields(kind))} settings are given: name each"
    if error["type"] == "unexpected_keyword_argument":
        known = [setting.name for setting in dataclasses.fields(kind)]
        close = get_close_matches(name, known, 1)
        return f"no setting {name}" + (f": did you mean {close[0]}?" if close else "")
    wanted = error["msg"].replace("Input should be", "it must be")
    if error["type"] in BOUNDS:
        key, words = BOUNDS[error["type"]]
        limit = error["ctx"][key]
        wanted = f"it must be {words} " + (f"{limit:,}" if isinstance(limit, int) else f"{limit:g}")
    return f"{name} is {error['input']!r:.{MAX_SHOWN}}: {wanted}"
