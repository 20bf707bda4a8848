"""The settings of one game for an agent, and the options of an episode's `reset`."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from emerald_env.env.actions import action_set
from emerald_env.env.setting_types import Count, Natural, checked
from emerald_env.game.choice import GameChoice

MAX_STEP = 3600  # frames, a minute of play
MAX_WAIT = 36_000  # frames, ten minutes of play
STATE, WAIT, WORLD, PREPARE = "state", "wait", "world", "prepare"  # options of `reset`


ObservationKind = Literal["screen", "dict", "full", "state"]


@checked
@dataclass(frozen=True)
class EnvConfig(GameChoice):
    """Which game an agent plays, what it observes and which keys it may press."""

    start: str = "new-game"
    """Where episodes begin: new-game, an mGBA state, a .sav file, or a folder of such files."""

    worlds: str | None = None
    """Draw one of these worlds of Jade for each episode, such as 1..60 or 1..60:large:demanding."""

    clock: str | None = None
    """The cartridge's date where episodes begin: such as 2024-07-01T12:00, or "state" for the
    state's own. Left out: the state's, on a clock that began in 2024."""

    start_wait: Annotated[int, Field(ge=0, le=MAX_WAIT)] = 30
    """Longest random wait after a reset, in frames, so that games differ."""

    action_set: str = "original"
    """The keys that can be pressed: original (15 combinations), story (those and Start, which opens
    the menu), simple (6 keys) or full (17)."""

    frame_skip: Annotated[int, Field(ge=1, le=MAX_STEP)] = 24
    """Frames of one step; the game runs at 60 a second."""

    hold_frames: Natural = 0
    """Frames for which a step's keys are held before they are released. 0: half of frame_skip."""

    observation: ObservationKind = "full"
    """screen: the picture alone; dict: the picture and a vector from the game's memory; full: a
    longer vector, with what scripts have switched and the exact values of a battle; state: that
    vector without the picture, which is faster. With --data always screen."""

    tiles: bool = False
    """Observe the 15 x 11 tiles around the player too, as kinds: wall, free, grass, ledge, door,
    water, stairs, mat, person, item, thing."""

    targets: bool = False
    """Observe what can be walked to on this map: doors, edges, people, items, signs, how far each
    is and which keys begin the way there, as the game's memory has them."""

    menus: bool = False
    """Observe which menu is open, its cursors and the item at them, and which moves for the map
    the party knows or the bag can teach. The action sets story and full open the menu."""

    visited: bool = False
    """Observe which of the 15 x 11 tiles around the player the episode has stood on: 1 or 0."""

    bag: bool = False
    """Observe how many of each item are in the bag."""

    text: bool = False
    """Observe the message box's text: up to 128 letters, as the game's codes."""

    colour: bool = False
    """Observe the picture in colour, (height, width, 3), not in grey."""

    coordinates: bool = True
    """Observe x and y: on the map and in the world. Who knows them can learn a world's ways by
    heart; without them an agent must look, as in a world that it has not seen."""

    guide: bool = False
    """Observe which actions Jade's guide would take too, 1 for each: labels for a teacher."""

    world_number: bool = False
    """Observe the number of the world too: for a teacher that knows the ways of several worlds."""

    action_masks: bool = False
    """Never press keys that do nothing now: into a wall, or Start in dialogue and battle."""

    shrink: Count = 2
    """The picture is averaged over squares with sides of this many pixels: 2 gives 80 x 120."""

    @property
    def is_exact(self) -> bool:
        """Whether all is observed by which the search tells places apart."""
        return self.observation in ("full", "state")

    def __post_init__(self) -> None:
        action_set(self.action_set)
        if self.clock is not None:
            from emerald_env.starts.clock import check_clock  # slow to load, as is the other below

            check_clock(self.clock)
        if self.worlds is not None:
            from emerald_env.jade.cartridge import worlds_of

            worlds_of(self.worlds)
            if self.rom is not None:
                raise ValueError("worlds are Jade's: leave --rom out")
        if self.data is not None:
            self._see_screen()
        if not self.hold_frames:
            object.__setattr__(self, "hold_frames", max(1, self.frame_skip // 2))
        if self.hold_frames > self.frame_skip:
            raise ValueError(
                f"hold_frames must not exceed frame_skip ({self.frame_skip}), "
                f"got {self.hold_frames}"
            )
        if 80 % self.shrink:
            raise ValueError(f"shrink must divide 80, got {self.shrink}")
        if self.colour and self.observation == "state":
            raise ValueError(
                "colour has nothing to do: with --observation state there is no picture"
            )

    def _see_screen(self) -> None:
        """Changes the default observation to what a game without a reader has."""
        if self.observation == EnvConfig.observation:
            object.__setattr__(self, "observation", "screen")
        read = (self.tiles, self.targets, self.menus, self.visited, self.bag, self.text)
        if self.observation != "screen" or any((*read, self.guide, self.world_number)):
            raise ValueError(
                "nobody can read the state of another game: with --data give --observation screen, "
                "and nothing else of the game's memory"
            )


def checked_options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns the options of a `reset`; none for None. What they do not name is not checked.

    Raises:
        ValueError: STATE is not bytes, WAIT no number of frames that is waited for, or PREPARE no
            function; WORLD is checked by `EmeraldEnv`, which alone has worlds.
    """
    chosen = dict(options or {})
    if not isinstance(state := chosen.get(STATE, b""), bytes | bytearray):
        raise ValueError(f"{STATE} must be the bytes of a raw mGBA state, got {state!r:.60}")
    if WAIT in chosen:
        chosen[WAIT] = whole_number(WAIT, chosen[WAIT], MAX_WAIT)
    if not callable(prepare := chosen.get(PREPARE, checked_options)):
        raise ValueError(f"{PREPARE} must be a function, got {prepare!r:.60}")
    return chosen


def whole_number(name: str, value: Any, most: int) -> int:
    """Returns an option that is a whole number from 0, such as an int or numpy's.

    Raises:
        ValueError: it is none, or above `most`.
    """
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= most:
        raise ValueError(f"{name} must be a whole number from 0 to {most:,}, got {value!r:.60}")
    return number
