"""The `info` of a step: where the game stands, worked out when somebody reads it."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import wraps
from types import MappingProxyType
from typing import Any

from emerald_env.game.place_names import place_name
from emerald_env.state import GameState, milestones_done

# What each key is, of the state before which there is none: None.
READ: dict[str, Callable[[GameState], Any]] = {
    "place": lambda state: place_name(state.location),
    "position": lambda state: state.position,
    "badges": lambda state: len(state.badges),
    "party": lambda state: [
        {"name": one.name, "level": one.level, "hp": one.hp, "max_hp": one.max_hp}
        for one in state.party
    ],
    "milestones": lambda state: list(milestones_done(state)),
}
UNKNOWN: dict[str, Any] = {
    "place": None,
    "position": None,
    "badges": 0,
    "party": [],
    "milestones": [],
}
NO_VALUES: Mapping[str, Any] = MappingProxyType({})
# The methods of a dict that need all its keys.
OPERATORS = ("__iter__", "__reversed__", "__len__", "__eq__", "__ne__", "__repr__", "__delitem__")
NAMED = ("keys", "values", "items", "pop", "popitem", "setdefault")


class StepInfo(dict[str, Any]):
    """A dict with more keys, which cost nothing until one of them is read.

    Keys:
        "place": str, such as "Brendan's House 1F, Littleroot Town"; None without a game.
        "position": (x, y) int, tiles from the map's top-left corner; None without a game.
        "badges": int, 0 to 8.
        "party": list of dicts, one a Pokémon: "name" of the species, "level", "hp", "max_hp".
        "milestones": list of str, the story's that are reached, in the game's order.
        "reward_terms": dict of float by term, what the step paid; not after `reset`.

    They are those of `EmeraldEnv.state` at that step, also if they are read later. A copy in
    another process has them as plain values. Without further values, as after `reset`, they are
    read at once: `json.dumps` writes a dict that looks empty as `{}`, whatever its keys are.

    Args:
        state: of the step; None: no game could be read.
        values: further keys.
    """

    __slots__ = ("_is_read", "_state")

    def __init__(self, state: GameState | None, values: Mapping[str, Any] = NO_VALUES) -> None:
        self.update(values)  # a step has one of these: `super().__init__` takes longer
        self._state = state
        self._is_read = False
        if not values:
            self._read()

    def _read(self) -> None:
        if not self._is_read:
            self._is_read = True
            state = self._state
            for key, unknown in UNKNOWN.items():
                super().setdefault(key, deepcopy(unknown) if state is None else READ[key](state))

    def __missing__(self, key: str) -> Any:
        """Returns a key's value at its first reading."""
        if key not in UNKNOWN or self._is_read:
            raise KeyError(key)
        self._read()
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Returns a key's value, or a default."""
        return self[key] if key in self else default

    def __contains__(self, key: object) -> bool:
        """Returns whether there is such a key."""
        return super().__contains__(key) or (key in UNKNOWN and not self._is_read)

    def clear(self) -> None:
        """Removes all keys."""
        self._is_read = True
        super().clear()

    def __or__(self, other: Any) -> Any:
        """Returns a copy with the other's keys, still unread."""
        joined = self.copy()
        joined.update(other)
        return joined

    def copy(self) -> "StepInfo":
        """Returns a copy, still unread."""
        copied = StepInfo.__new__(StepInfo)
        copied._state, copied._is_read = self._state, self._is_read
        for key in super().__iter__():
            dict.__setitem__(copied, key, super().__getitem__(key))
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "StepInfo":
        """Returns a deep copy, still unread: a state never changes."""
        copied = self.copy()
        for key in dict.__iter__(self):
            dict.__setitem__(copied, key, deepcopy(dict.__getitem__(self, key), memo))
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns what a pickle stores: a plain dict of everything."""
        return dict, (list(self.items()),)


def _read_first(name: str) -> Callable[..., Any]:
    """Returns a method of a dict; every `StepInfo` that it takes reads all its keys first."""
    plain = getattr(dict, name)

    @wraps(plain)
    def method(*given: Any) -> Any:
        for one in given:
            if isinstance(one, StepInfo):
                one._read()
        return plain(*given)

    return method


for _name in OPERATORS + NAMED:
    setattr(StepInfo, _name, _read_first(_name))
