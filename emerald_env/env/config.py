"""The settings of one game for an agent."""

from dataclasses import dataclass
from typing import Literal

from emerald_env.env.actions import action_set
from emerald_env.env.settings import check_numbers
from emerald_env.game.choice import GameChoice
from emerald_env.starts.clock import check_clock

LONGEST_STEP = 3600  # frames, a minute of play
LONGEST_WAIT = 36_000  # frames, ten minutes of play


@dataclass(frozen=True)
class EnvConfig(GameChoice):
    """Which game an agent plays, what it observes and which keys it may press."""

    start: str = "new-game"
    """Where episodes begin: new-game, an mGBA state, a .sav file, or a folder of such files."""

    clock: str | None = None
    """The cartridge's date where episodes begin: such as 2024-07-01T12:00, or "state" for the
    state's own. None: the state's, on a clock that began in 2024."""

    start_wait: int = 30
    """Longest random wait after a reset, in frames, so that games differ."""

    action_set: str = "original"
    """The keys that can be pressed: original (15 combinations), simple (6 keys) or full (17)."""

    frame_skip: int = 24
    """Frames of one step; the game runs at 60 a second."""

    hold_frames: int = 12
    """Frames for which a step's keys are held before they are released."""

    episode_length: int = 512
    """Steps after which an episode is truncated."""

    patience: int | None = None
    """Steps that an episode may take without reward before it is truncated; a reward of 1 buys 400
    more, up to so many. None: only episode_length counts."""

    observation: Literal["screen", "dict", "full"] = "screen"
    """screen: the picture alone; dict: the picture and a vector from the game's memory; full: a
    longer vector, with what scripts have switched and the exact values of a battle."""

    action_masks: bool = False
    """Never press keys that do nothing now: into a wall, or Start in dialogue and battle."""

    shrink: int = 2
    """The picture is averaged over squares with sides of this many pixels: 2 gives 80 x 120."""

    def __post_init__(self) -> None:
        action_set(self.action_set)
        check_clock(self.clock)
        check_numbers(self, "frame_skip", "hold_frames", "episode_length", "patience")
        if self.frame_skip > LONGEST_STEP:
            raise ValueError(f"frame_skip must not exceed {LONGEST_STEP}, got {self.frame_skip}")
        if self.hold_frames > self.frame_skip:
            raise ValueError(
                f"hold_frames must not exceed frame_skip ({self.frame_skip}), "
                f"got {self.hold_frames}"
            )
        if not 0 <= self.start_wait <= LONGEST_WAIT:
            raise ValueError(
                f"start_wait must be between 0 and {LONGEST_WAIT}, got {self.start_wait}"
            )
        if self.shrink < 1 or 80 % self.shrink:
            raise ValueError(f"shrink must divide 80, got {self.shrink}")
