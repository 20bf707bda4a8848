"""The settings of `emerald play`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from pydantic import Field

from baselines.playing.display.video import check_scale
from emerald_env.env.setting_types import Count, Seed, checked
from emerald_env.files.output_files import check_video
from emerald_env.game.choice import GameChoice

SLOWEST, FASTEST = 1 / 8, 16  # of the game's own speed


@checked
@dataclass(frozen=True)
class PlayConfig(GameChoice):
    """Watch a checkpoint play, in a window or as a video; or play yourself."""

    checkpoint: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[CHECKPOINT]", help_behavior_hint=""),
    ] = None
    """A checkpoint (.zip), "jade" for the trained agent that comes with the program, a session,
    "last", or an address: hf://user/name or https://. Left out: a person plays (--human)."""
    video: Path | None = None
    """Write an mp4 instead of opening a window."""
    panel: bool = False
    """Show the agent's probabilities and rewards in a video, too; a window always does."""
    episode_length: Count | None = None
    """Steps of an episode. Left out: as in training, or endless for a person."""
    network: str | None = None
    """The network of your own that it was trained with, my_net.py:Net."""
    wrapper: str | None = None
    """The wrapper of your own that it was trained in, my_wrapper.py:Wrapper."""
    episodes: Count | None = None
    """Episodes to play; without a video, no window is opened and they go as fast as they can. Left
    out: one for a video, until ESC in a window."""
    json: bool = False
    """With --episodes: print one JSON object."""
    start: str | None = None
    """Where to begin: a state or a .sav file. Left out: a new game."""
    seed: Seed = 0
    """Of the sampled actions and the start."""
    greedy: bool = False
    """Always take the likeliest action; without it actions are sampled as in training."""
    attention: bool = False
    """Light up the tiles of the screen without which the agent would choose otherwise."""
    human: bool = False
    """Play with the keyboard."""
    record: Path | None = None
    """With --human: record your way in this folder, or continue the one there, to play it again
    (`emerald replay FOLDER`) or to learn from it (`emerald train --teacher FOLDER`)."""
    no_states: bool = False
    """With --record: keep keys and hashes alone, from a new game, for anybody with the same ROM."""
    speed: Annotated[float, Field(ge=SLOWEST, le=FASTEST)] = 1.0
    """The game's speed in a window; + and - change it."""
    sound: bool = False
    """Play the game's sound in a window, at speed 1."""
    scale: int = 3
    """Magnification: pixels shown for each pixel of the game."""
    states: Path | None = None
    """Folder for the states that F5 saves. Left out: the checkpoint's session, or where you are."""

    def __post_init__(self) -> None:
        """Raises ValueError for flags that exclude each other."""
        if self.human and (self.video is not None or self.episodes is not None):
            raise ValueError("--human needs a window: leave --video and --episodes out")
        if (self.checkpoint is None) != self.human:
            raise ValueError("give either a checkpoint to watch, or --human to play yourself")
        if self.attention and (self.human or not (self.has_window or self.video)):
            raise ValueError("--attention shows what an agent looks at in a window or a video")
        if self.json and self.episodes is None:
            raise ValueError("--json prints the numbers of some episodes: give --episodes, too")
        if self.sound and not self.has_window:
            raise ValueError("--sound needs a window: leave --video and --episodes out")
        if self.record is not None and not self.human:
            raise ValueError("--record is for --human; `emerald evaluate --record` records agents")
        if self.no_states and self.record is None:
            raise ValueError("--no-states has nothing to do without --record")
        check_scale(self.scale)
        check_video(self.video)
        if self.panel and self.scale < 2:
            raise ValueError("the panel needs --scale 2 or more to be read")

    @property
    def has_window(self) -> bool:
        """Whether it is played in a window."""
        return self.video is None and self.episodes is None

    @property
    def n_episodes(self) -> int | None:
        """How many episodes are played; None: until the window is closed."""
        return self.episodes or (None if self.has_window and self.episode_length is None else 1)

    @property
    def has_panel(self) -> bool:
        """Whether the panel is shown."""
        return self.panel or (self.has_window and self.scale > 1)
