"""What an agent observes: the picture and, optionally, a vector from the game's memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from struct import Struct
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from emerald_env.emulator import SCREEN_SHAPE, GreyPlace
from emerald_env.env.action_masks import MASKS
from emerald_env.env.actions import action_set
from emerald_env.env.config import EnvConfig
from emerald_env.env.setting_types import MAX_SEED
from emerald_env.env.state_vector import menu_numbers
from emerald_env.env.state_vector.bag import BAG_SIZE
from emerald_env.env.state_vector.details import observe_details
from emerald_env.env.state_vector.dialogue_text import TEXT_SIZE as TEXT_SIZE
from emerald_env.env.state_vector.state_layout import (
    FACINGS,
    LAYOUT,
    MAP_GROUPS,
    MAP_TILES,
    MAPS,
    MODES,
    N_MILESTONES,
)
from emerald_env.game.flags import BADGES
from emerald_env.game.symbols import PARTY_SIZE
from emerald_env.game.tables import NATIONAL_DEX_COUNT
from emerald_env.state import NOWHERE, GameState, milestone_bits
from emerald_env.state.parts.around.targets import NUMBERS as NUMBERS
from emerald_env.state.parts.around.targets import TARGET_KINDS as TARGET_KINDS
from emerald_env.state.parts.around.targets import TARGETS as TARGETS
from emerald_env.state.parts.around.tiles_around import COLUMNS as COLUMNS
from emerald_env.state.parts.around.tiles_around import KINDS as KINDS
from emerald_env.state.parts.around.tiles_around import ROWS as ROWS

Observation = NDArray[np.uint8] | dict[str, NDArray[Any]]
TILES, REACH, VISITED, BAG, TEXT = "tiles", "targets", "visited", "bag", "text"
SCREEN, GUIDE, PURPOSE, MENU = "screen", "guide", "purpose", "menu"
WORLD_NUMBER: Final = "world_number"
# Optional parts of an observation by the setting that adds them, which is the part's name, too,
# but for the menu.
OPTIONS: Final[dict[str, spaces.Space[Any]]] = {
    TILES: spaces.Box(0, KINDS - 1, (ROWS, COLUMNS), np.uint8),
    REACH: spaces.Box(0, 255, (TARGETS, NUMBERS), np.uint8),
    "menus": spaces.Box(0.0, 1.0, (menu_numbers.SIZE,), np.float32),
    VISITED: spaces.Box(0, 1, (ROWS, COLUMNS), np.uint8),
    BAG: spaces.Box(0.0, 1.0, (BAG_SIZE,), np.float32),
    TEXT: spaces.Box(0, 255, (TEXT_SIZE,), np.uint8),
}
# Parts that say what is in the game's memory, but for action masks and a teacher's labels.
FROM_MEMORY: Final = ("state", *(MENU if name == "menus" else name for name in OPTIONS))
# Settings that add a part to an observation that is read from the game's memory.
ADDED: Final = (*OPTIONS, "action_masks", "guide", "world_number")
GLOBAL_SCALE = 1000.0  # tiles; Hoenn's outdoor maps fit into a square of this side
VECTOR_SIZE, FULL_SIZE = LAYOUT.size, LAYOUT.full_size


def observation_space(config: EnvConfig) -> spaces.Space[Any]:
    """Returns the observation space for these settings."""
    parts: dict[str, spaces.Space[Any]] = {}
    if config.observation != "state":
        parts["screen"] = screen_space(config.shrink, 3 if config.colour else 1)
    if config.observation != "screen":
        parts["state"] = vector_space(vector_size(config))
    for name, space in OPTIONS.items():
        if getattr(config, name):
            parts[MENU if name == "menus" else name] = space
    for part in of_actions(config):
        parts[part] = spaces.Box(0, 1, (len(action_set(config.action_set)),), np.uint8)
    if config.guide:
        parts[PURPOSE] = spaces.Box(0, 255, (1,), np.uint8)
    if config.world_number:
        parts[WORLD_NUMBER] = spaces.Box(0, MAX_SEED, (1,), np.int64)
    return parts["screen"] if parts.keys() == {"screen"} else spaces.Dict(parts)


def of_actions(config: EnvConfig) -> list[str]:
    """Returns the parts that have a 0 or 1 for each action."""
    return [MASKS] * config.action_masks + [GUIDE] * config.guide


def screen_space(shrink: int, channels: int = 1) -> spaces.Box:
    """Returns the space of pictures, (160/shrink, 240/shrink, channels) uint8: 1 grey, 3 RGB."""
    height, width, _ = SCREEN_SHAPE
    return spaces.Box(0, 255, (height // shrink, width // shrink, channels), np.uint8)


def vector_size(config: EnvConfig) -> int:
    """Returns the length of a state vector with these settings."""
    return VECTOR_SIZE if config.observation == "dict" else FULL_SIZE


def vector_space(size: int = VECTOR_SIZE) -> spaces.Box:
    """Returns the space of state vectors, (size,) float32 in [-1, 1]."""
    return spaces.Box(-1.0, 1.0, (size,), np.float32)


class Place:
    """The arrays of one observation: the emulator writes the picture, `observe` the rest.

    Args:
        config: the settings.
        arrays: that match the observation space.

    Raises:
        ValueError: the picture's array does not fit.
    """

    __slots__ = ("_arrays", "_parts", "_vector", "picture")

    def __init__(self, config: EnvConfig, arrays: Observation) -> None:
        self._parts = parts = arrays if isinstance(arrays, dict) else {"screen": arrays}
        self._arrays = arrays
        vector: Any = parts.get("state")
        self._vector = None if vector is None else StateVector(vector, config.coordinates)
        screen: Any = parts.get("screen")
        grey = screen is not None and not config.colour
        self.picture = GreyPlace(config.shrink, screen) if grey else None

    @classmethod
    def new(cls, config: EnvConfig) -> "Place":
        """Returns a place with new arrays."""
        space: Any = observation_space(config)
        parts = getattr(space, "spaces", {SCREEN: space})
        arrays = {name: np.empty(part.shape, part.dtype) for name, part in parts.items()}
        return cls(config, arrays if isinstance(space, spaces.Dict) else arrays[SCREEN])

    def observe(
        self, state: GameState | None, parts: Iterable[tuple[str, Any]] = ()
    ) -> Observation:
        """Returns the arrays, with the last drawn picture, this state, and these other parts.

        Args:
            state: what the game's memory says; None: no game yet.
            parts: name and values of each other part; None: all 0.
        """
        if self._vector is not None:
            self._vector.write(state)
        for name, values in parts:
            self._parts[name][:] = 0 if values is None else values
        return self._arrays


def copy_of(observation: Observation) -> Observation:
    """Returns an observation that the next one does not overwrite."""
    if isinstance(observation, dict):
        return {key: value.copy() for key, value in observation.items()}
    copied: NDArray[np.uint8] = observation.copy()
    return copied


def observe_state(state: GameState | None) -> NDArray[np.float32]:
    """Returns the state as numbers of order one, all zero where there is no game yet.

    In order: mode and facing (one-hot), controllable, map group and number, x and y in the map,
    global x and y, level/100 and HP share of six Pokémon, badges, species seen and caught/386,
    and each milestone of the story. From tile 128 of a map on, only the global x and y differ;
    a map that has none but is so long, the Desert Underpass, has its own x and y there.
    """
    vector = np.zeros(VECTOR_SIZE, np.float32)
    StateVector(vector).write(state)
    return vector


def observe_fully(state: GameState | None) -> NDArray[np.float32]:
    """Returns `observe_state`'s numbers, then `observe_details`'; all zero without a game."""
    vector = np.zeros(FULL_SIZE, np.float32)
    StateVector(vector).write(state)
    return vector


class StateVector:
    """Writes successive states into a vector, each time only what differs from the last.

    Args:
        vector: (VECTOR_SIZE,) float32, or (FULL_SIZE,) with the details; contiguous, and written to
            by nobody else.
        coordinates: whether x and y are written; else they stay 0.
    """

    __slots__ = ("_details", "_hidden", "_memory", "_seen", "_vector")

    def __init__(self, vector: NDArray[np.float32], coordinates: bool = True) -> None:
        self._hidden = None if coordinates else vector[LAYOUT.coordinates]
        self._vector, self._details = vector, vector[VECTOR_SIZE:]
        self._memory = memoryview(vector).cast("B")  # type: ignore[arg-type]
        self._seen = list(_UNSEEN)

    def write(self, state: GameState | None) -> None:
        """Updates the vector to what `observe_state` or `observe_fully` returns."""
        if state is None:
            self._vector[:] = 0.0
            self._seen = list(_UNSEEN)
            return
        seen = self._seen
        for index, (fields, numbers, pack, start) in enumerate(_PARTS):
            values = fields(state)
            if values != seen[index]:
                seen[index] = values
                pack(self._memory, start, *numbers(state))
        if self._hidden is not None:
            self._hidden[:] = 0.0
        if len(self._details) and (values := _of_details(state)) != seen[-1]:
            seen[-1] = values
            np.clip(observe_details(state), -1.0, 1.0, out=self._details)


def _heading(state: GameState) -> tuple[bool, ...]:
    modes = (state.mode is mode for mode in MODES)
    return (*modes, *(state.facing is facing for facing in FACINGS), bool(state.controllable))


def _place(state: GameState) -> tuple[float, ...]:
    group, number = state.location
    x, y = state.position
    is_far = max(x, y) >= MAP_TILES  # beyond what x and y can tell
    global_x, global_y = state.global_position or ((x, y) if is_far else (0, 0))
    numbers = (group / MAP_GROUPS, number / MAPS, x / MAP_TILES, y / MAP_TILES)
    return tuple(map(_clip, (*numbers, global_x / GLOBAL_SCALE, global_y / GLOBAL_SCALE)))


def _team(state: GameState) -> list[float]:
    shares = [(one.level / 100, one.hp / max(one.max_hp, 1)) for one in state.party]
    numbers = [_clip(number) for pair in shares for number in pair]
    return numbers + [0.0] * (2 * PARTY_SIZE - len(numbers))


def _story(state: GameState) -> tuple[float, ...]:
    reached = milestone_bits(state)
    return (
        *(state.has(badge) for badge in BADGES),
        state.pokedex_seen.bit_count() / NATIONAL_DEX_COUNT,
        state.pokedex_caught.bit_count() / NATIONAL_DEX_COUNT,
        *(reached >> index & 1 for index in range(N_MILESTONES)),
    )


def _clip(number: float) -> float:
    return min(max(number, -1.0), 1.0)


_Part = tuple[
    Callable[[GameState], Any],
    Callable[[GameState], Sequence[float]],
    Callable[..., None],
    int,
]


def _parts() -> Iterator[_Part]:
    """Yields fields of a state, the numbers that depend on them, their writer and their slice."""
    start = 0
    for fields, numbers in (
        (("mode", "facing", "controllable"), _heading),
        (("location", "position", "global_position"), _place),
        (("party",), _team),
        (("flags", "vars", "party", "pokedex_seen", "pokedex_caught"), _story),
    ):
        writer = Struct(f"{len(numbers(NOWHERE))}f")
        yield attrgetter(*fields), numbers, writer.pack_into, start
        start += writer.size


_PARTS = tuple(_parts())
_of_details = attrgetter("flags", "in_battle", "battle_type", "enemy_party", "battlers")
_UNSEEN: list[Any] = [None] * (len(_PARTS) + 1)  # the last is for the details
