"""Plays a recorded episode again and checks every bit: `emerald replay FILE`."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path

import tyro
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from baselines.commands.command import reports_user_errors
from baselines.games.recorded_reward import recorded_reward
from baselines.playing.display.video import GAME_FPS, VideoFile, check_scale
from baselines.settings.read_flags import read_flags
from emerald_env.files.output_files import check_video
from emerald_env.files.printable import clock, say
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import Game
from emerald_env.recordings.find_recordings import best_recording
from emerald_env.recordings.recording import Recording, RecordingError
from emerald_env.recordings.replaying import FrameViewer, ReplayStep, open_recorded, replay
from emerald_env.starts.watchdog import HANGS, Watchdog
from emerald_env.state import GameState
from emerald_env.wrappers.episode_summary import MilestoneTimes
from rewards import Reward

EQUAL, DIFFERENT = 0, 2  # exit status; 1 after an error
ROUNDING = 1e-5  # of a recorded reward: SB3's Monitor keeps six digits


@dataclass(frozen=True)
class ReplayConfig(GameChoice):
    """Play a recorded episode again: check it bit by bit, show its rewards, make a video."""

    recording: tyro.conf.Positional[str]
    """A recording, or a session or "last" for the best of its recordings."""
    video: Path | None = None
    """Write an mp4 of the whole episode."""
    scale: int = 3
    """Magnification: pixels shown for each pixel of the game."""
    json: bool = False
    """Print one JSON object instead of tables."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        check_scale(self.scale)
        check_video(self.video)


@dataclass
class Findings:
    """What replaying an episode showed."""

    n_steps: int  # of the recording
    checked: int = 0  # hashes that were equal
    equal_until: int = 0  # steps after which the last of them was taken
    different_at: int | None = None  # steps after which memory was first seen to differ
    milestones: dict[str, int] = field(default_factory=dict)  # slug -> steps until it was reached
    given: tuple[str, ...] = ()  # milestones that were reached before the episode began
    terms: dict[str, float] = field(default_factory=dict)  # reward term -> its sum
    recorded_total: float = 0.0  # the reward as it was recorded
    unpaid_because: str | None = None  # why the reward could not be recomputed

    @property
    def total(self) -> float:
        """The recomputed reward."""
        return sum(self.terms.values())

    @property
    def same_reward(self) -> bool:
        """Whether the reward is the recorded one; it changes with the program, memory does not."""
        return abs(self.total - self.recorded_total) <= ROUNDING


class Examiner:
    """Follows a replay and collects findings."""

    def __init__(self, recording: Recording) -> None:
        self.findings = Findings(recording.n_steps, recorded_total=recording.total)
        self._reward: Reward | None = None
        try:
            self._reward = recorded_reward(recording)
        except RecordingError as error:
            self.findings.unpaid_because = str(error)
        self._every = recording.sampled_every
        self._times = MilestoneTimes()
        self._terms: Counter[str] = Counter()
        self._before: GameState | None = None

    def see(self, replayed: ReplayStep) -> bool:
        """Processes a step; returns whether memory has matched the recording so far."""
        findings = self.findings
        if replayed.same is False:
            findings.different_at = replayed.step
            return False
        if replayed.same:
            findings.checked += 1
            findings.equal_until = replayed.step
        if self._times.see(replayed.state, replayed.step):
            findings.milestones = self._times.reached
            findings.given = tuple(slug for slug, step in self._times.steps.items() if not step)
        self._pay(replayed)
        return True

    def _pay(self, replayed: ReplayStep) -> None:
        if self._reward is None or replayed.step % self._every:
            return
        if replayed.step == 0:
            self._reward.reset(replayed.state)
        else:
            self._terms.update(self._reward(self._before, replayed.state))
        self._before = replayed.state
        self.findings.terms = dict(self._terms)


def examine(recording: Recording, gba: Game, watch: FrameViewer | None = None) -> Findings:
    """Plays a recording to its end, or to where memory differs; returns the findings.

    Raises:
        RecordingError: its start cannot be used.
    """
    examiner = Examiner(recording)
    with Watchdog(HANGS.format("the recording's start")) as watchdog:
        for replayed in watchdog.follow(replay(recording, gba, watch)):
            if not examiner.see(replayed):
                break
    return examiner.findings


def verdict(findings: Findings) -> str:
    """Returns in a sentence whether the episode came out bit by bit as it was recorded."""
    if findings.different_at is None:
        return f"bit-equal: all {findings.checked} hashes of {findings.n_steps:,} steps agree"
    if findings.different_at == 0:
        return "DIFFERENT from the start: the state in the file is not the one that was recorded"
    return (
        f"DIFFERENT: memory agrees up to step {findings.equal_until:,} but not at step "
        f"{findings.different_at:,} of {findings.n_steps:,}; it was changed, or another version "
        "of the emulator plays it"
    )


def show(recording: Recording, findings: Findings) -> None:
    """Prints the findings for people."""
    console = Console(highlight=False)
    seconds = recording.n_steps * recording.frame_skip / GAME_FPS
    console.print(
        f"{escape(recording.game['name'])}, {recording.n_steps:,} steps ({seconds:,.0f} s of "
        f"play), reward {escape(str(recording.reward['name']))}, libmgba "
        f"{escape(recording.versions.get('libmgba', '?'))}"
    )
    colour = "green" if findings.different_at is None else "bold red"
    console.print(f"[{colour}]{verdict(findings)}[/]")
    table = Table("milestone", "step", "time")
    for slug, step in findings.milestones.items():
        table.add_row(slug, f"{step:,}", clock(step * recording.frame_skip / GAME_FPS))
    console.print(table if findings.milestones else "no milestone was reached")
    if findings.unpaid_because is not None:
        console.print(f"note: {escape(findings.unpaid_because)}")
    else:
        show_terms(console, findings)


def show_terms(console: Console, findings: Findings) -> None:
    """Prints what the episode paid."""
    terms = Table("reward term", "sum")
    for name, value in sorted(findings.terms.items(), key=lambda item: -item[1]):
        if value:
            terms.add_row(name, f"{value:.3f}")
    terms.add_section()
    terms.add_row("together", f"{findings.total:.3f}")
    console.print(terms)
    if findings.different_at is None and not findings.same_reward:
        console.print(
            f"note: {findings.recorded_total:.3f} was recorded: the reward's rules have changed "
            "since, or it was played on several days with an earlier version"
        )


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Replays with the settings of a command line, None for this process's own.

    Returns:
        The exit status: 0 where all is bit-equal, 1 after an error that the user can mend, 2 where
        memory differs.
    """
    config = read_flags(ReplayConfig, arguments)
    path = best_recording(config.recording)
    recording = Recording.load(path)
    with open_recorded(recording, config.choice) as gba, ExitStack() as stack:
        video: VideoFile | None = None
        if config.video is not None:
            video = stack.enter_context(VideoFile(config.video, config.scale))
        findings = examine(recording, gba, video)
    if config.json:
        print(json.dumps(asdict(findings) | {"total": findings.total}))
    else:
        say(path)
        show(recording, findings)
        if video is not None:
            say("no frame was played: no video" if video.is_empty else f"wrote {config.video}")
    return EQUAL if findings.different_at is None else DIFFERENT
