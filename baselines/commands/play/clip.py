"""Cuts the seconds around milestones out of a recording: `emerald clip FILE`."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from baselines.commands.command import reports_user_errors
from baselines.playing.display.video import GAME_FPS, VideoFile, check_scale
from baselines.runs.parent import end_with_parent
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import NotNegative, checked
from emerald_env.files.output_files import make_folder
from emerald_env.files.printable import say
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import Game
from emerald_env.recordings.find_recordings import best_recording
from emerald_env.recordings.recording import Recording, RecordingError
from emerald_env.recordings.replaying import ReplayStep, open_recorded, replay
from emerald_env.starts.watchdog import HANGS, Watchdog
from emerald_env.wrappers.episode_summary import MilestoneTimes

LOWEST_PRIORITY = 19  # of the system's priorities


@checked
@dataclass(frozen=True)
class ClipsConfig(GameChoice):
    """Make a short video of each milestone that a recorded episode reached."""

    recording: tyro.conf.Positional[str]
    """A recording, or a session or "last" for the best of its recordings."""
    folder: Path = Path()
    """Where the videos go, `<milestone>.mp4` each."""
    milestones: tuple[str, ...] = ()
    """Which milestones. Left out: all that the episode reached."""
    before: NotNegative = 10.0
    """Seconds of play before the milestone."""
    after: NotNegative = 2.0
    """Seconds after it."""
    scale: int = 2
    """Magnification: pixels shown for each pixel of the game."""
    background: bool = False
    """Run at the lowest priority, and no longer than what started it."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting or a folder that cannot be made."""
        check_scale(self.scale)
        for name in ("before", "after"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: it must not be below 0")
        make_folder(self.folder)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Makes clips with a command line's settings; returns the exit status."""
    config = read_flags(ClipsConfig, arguments)
    if config.background:
        end_with_parent()
        os.nice(LOWEST_PRIORITY)
    recording = Recording.load(best_recording(config.recording))
    with open_recorded(recording, config.choice) as gba:
        paths = make_clips(recording, gba, config)
    for path in paths:
        say(path)
    if not paths:
        say("no milestone was reached: no clip")
    return 0


def make_clips(recording: Recording, gba: Game, config: ClipsConfig) -> list[Path]:
    """Writes the clips that `config` asks for; returns their files, first milestone first.

    Raises:
        RecordingError: the episode did not reach a milestone that was asked for, or plays
            differently here.
        FileNotFoundError: the folder does not exist.
    """
    with Watchdog(HANGS.format("the recording's start")) as watchdog:
        reached = milestone_steps(watchdog.follow(replay(recording, gba)))
    if strangers := set(config.milestones) - set(reached):
        raise RecordingError(
            f"the episode in {config.recording} did not reach {', '.join(sorted(strangers))}; "
            f"it reached {', '.join(reached) or 'none'}"
        )
    paths = []
    for slug in config.milestones or reached:
        paths.append(config.folder / f"{slug}.mp4")
        make_clip(recording, gba, reached[slug], paths[-1], config)
    return paths


def make_clip(recording: Recording, gba: Game, step: int, path: Path, config: ClipsConfig) -> None:
    """Writes the seconds around one step of a recording, and that step however short they are."""
    steps_per_second = GAME_FPS / recording.frame_skip
    first = max(0, step - max(1, round(config.before * steps_per_second)))
    last = step + round(config.after * steps_per_second)
    with VideoFile(path, config.scale) as video:
        for replayed in replay(recording, gba, video, watch_from=first):
            if replayed.step >= last:
                break


def milestone_steps(steps_played: Iterable[ReplayStep]) -> dict[str, int]:
    """Returns the step at which each milestone was first reached, in order.

    Those that the start already has were not reached and are left out.

    Raises:
        RecordingError: memory differs from what was recorded.
    """
    times = MilestoneTimes()
    for replayed in steps_played:
        if replayed.same is False:
            raise RecordingError(f"it plays differently here, seen after {replayed.step} steps")
        times.see(replayed.state, replayed.step)
    return times.reached
