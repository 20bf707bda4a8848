"""Rewards and ends of episodes as stable-retro writes them: data.json and scenario.json."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emerald_env.env.any_game.watched_values import WatchedValue
from emerald_env.files.data import MEBIBYTE, DataError, parse_json, read_bytes

Values = Mapping[str, int]
ABSOLUTE, DELTA = "absolute", "delta"
TIME = "time"  # the reward's part that each step pays
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "": lambda value, reference: value,
    "equal": lambda value, reference: value == reference,
    "negative-equal": lambda value, reference: -(value == reference),
    "not-equal": lambda value, reference: value != reference,
    "less-than": lambda value, reference: value < reference,
    "greater-than": lambda value, reference: value > reference,
    "less-or-equal": lambda value, reference: value <= reference,
    "greater-or-equal": lambda value, reference: value >= reference,
    "nonzero": lambda value, reference: value != 0,
    "zero": lambda value, reference: value == 0,
    "negative": lambda value, reference: value < 0,
    "positive": lambda value, reference: value > 0,
    "sign": lambda value, reference: (value > 0) - (value < 0),
}
CONDITIONS = {"any": any, "all": all}


@dataclass(frozen=True)
class Measure:
    """One variable of a scenario: what it measures, and what that is worth."""

    measurement: str
    op: str = ""
    reference: int = 0
    reward: float = 0.0
    penalty: float = 0.0

    def of(self, before: int, after: int) -> int:
        """Returns what is measured in a step."""
        value = after - before if self.measurement == DELTA else after
        return int(OPERATORS[self.op](value, self.reference))

    def paid(self, before: int, after: int) -> float:
        """Returns what a step pays."""
        measured = self.of(before, after)
        return measured * (self.reward if measured > 0 else self.penalty)


@dataclass(frozen=True)
class Ending:
    """When an episode is over: if any of its parts is true, or all."""

    condition: str = "any"
    variables: Mapping[str, Measure] = field(default_factory=dict)
    nodes: tuple["Ending", ...] = ()

    def holds(self, before: Values, after: Values) -> bool:
        """Returns whether it is over after a step."""
        parts = [each.of(before[name], after[name]) > 0 for name, each in self.variables.items()]
        parts += [node.holds(before, after) for node in self.nodes]
        return bool(parts) and CONDITIONS[self.condition](parts)


@dataclass(frozen=True)
class Scenario:
    """What pays, and when an episode is over; a function of the values before and after a step."""

    rewards: Mapping[str, Measure]
    time: Measure | None = None
    ending: Ending = Ending()

    def __call__(self, before: Values, after: Values) -> dict[str, float]:
        """Returns what each variable pays for a step, and under TIME what the step itself does.

        A variable of that name, which stable-retro allows, is in the same term.
        """
        paid = {name: each.paid(before[name], after[name]) for name, each in self.rewards.items()}
        if self.time is not None:
            paid[TIME] = paid.get(TIME, 0.0) + self.time.paid(0, 1)
        return paid

    def done(self, before: Values, after: Values) -> bool:
        """Returns whether the episode is over."""
        return self.ending.holds(before, after)


def read_data(path: Path) -> dict[str, WatchedValue]:
    """Returns the values that a data.json names.

    Raises:
        OSError, ValueError: it cannot be read, or has an impossible value; the message names it.
    """
    values = _object(_json(path), path, {"info"})
    found = {}
    for name, each in _object(values.get("info", {}), f"{path}: info").items():
        entry = _object(each, f"{path}: {name}", {"address", "type", "mask"})
        if missing := [key for key in ("address", "type") if key not in entry]:
            raise DataError(f"{path}: {name} has no {missing[0]}")
        try:
            found[name] = WatchedValue(**entry)
        except ValueError as error:
            raise DataError(f"{path}: {name}: {error}") from error
    return found


def read_scenario(path: Path, known: Mapping[str, WatchedValue]) -> Scenario:
    """Returns what a scenario.json says.

    Args:
        path: the file.
        known: the values that are watched.

    Raises:
        OSError, ValueError: it cannot be read, has an operator or a key that is not known here, or
            names a value that is not watched.
    """
    values = _object(_json(path), path, {"reward", "done"})
    reward = _object(values.get("reward", {}), f"{path}: reward", {"variables", TIME})
    scenario = Scenario(
        _measures(reward.get("variables", {}), f"{path}: reward", DELTA),
        _measure(reward[TIME], f"{path}: reward time", DELTA) if TIME in reward else None,
        _ending(values.get("done", {}), f"{path}: done"),
    )
    for name in (*scenario.rewards, *_named(scenario.ending)):
        if name not in known:
            raise DataError(f"{path}: no value {name!r} is watched: {', '.join(known) or 'none'}")
    return scenario


def _json(path: Path) -> Any:
    content = read_bytes(path, MEBIBYTE)
    try:
        return parse_json(content)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def _ending(found: Any, place: str) -> Ending:
    values = _object(found, place, {"condition", "variables", "nodes"})
    condition = values.get("condition", "any")
    if not isinstance(condition, str) or condition not in CONDITIONS:
        raise DataError(f"{place}: condition {condition!r:.60} is none of {', '.join(CONDITIONS)}")
    nodes = _object(values.get("nodes", {}), f"{place}: nodes")
    return Ending(
        condition,
        _measures(values.get("variables", {}), place, ABSOLUTE),
        tuple(_ending(node, f"{place}: {name}") for name, node in nodes.items()),
    )


def _named(ending: Ending) -> list[str]:
    return [*ending.variables, *(name for node in ending.nodes for name in _named(node))]


def _measures(found: Any, place: str, measurement: str) -> dict[str, Measure]:
    variables = _object(found, place).items()
    return {name: _measure(each, f"{place}: {name}", measurement) for name, each in variables}


def _measure(found: Any, place: str, measurement: str) -> Measure:
    values = {"measurement": measurement} | _object(
        found, place, {"measurement", "op", "reference", "reward", "penalty"}
    )
    if values["measurement"] not in (ABSOLUTE, DELTA):
        raise DataError(f"{place}: measurement {values['measurement']!r:.60}: absolute or delta")
    op = values.get("op", "")
    if not isinstance(op, str) or op not in OPERATORS:
        known = ", ".join(filter(None, OPERATORS))
        raise DataError(f"{place}: no operator {op!r:.60}: there are {known}")
    for name in ("reference", "reward", "penalty"):
        if type(values.get(name, 0)) not in (int, float):
            raise DataError(f"{place}: {name} must be a number, got {values[name]!r:.60}")
    return Measure(**values)


def _object(found: Any, place: object, known: set[str] | None = None) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise DataError(f"{place}: a {type(found).__name__} in place of an object")
    if known is not None and (more := sorted(set(found) - known)):
        raise DataError(
            f"{place}: {', '.join(more)} cannot be used here: {', '.join(sorted(known))}"
        )
    return found
