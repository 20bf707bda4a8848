"""Lists the sessions with their progress: `emerald session list`."""

import json
import stat
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import tyro
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import read_manifest
from baselines.commands.command import reports_user_errors
from baselines.runs.run_health import TOO_LITTLE, RunHealth
from baselines.runs.session_folder import Session
from baselines.settings.read_flags import read_flags
from baselines.settings.shown_settings import setting_differences
from baselines.settings.train_config import TrainConfig
from emerald_env.files.data import MEBIBYTE
from emerald_env.files.printable import for_rich, printable, say
from emerald_env.game.tables import milestones
from emerald_env.recordings.find_recordings import SESSIONS

WINDOW = 100  # episodes; SB3's for means
COLOURS = {"healthy": "green", TOO_LITTLE: "cyan", "warnings": "yellow", "collapsed": "red"}
HEADINGS = ("session", "milestone", "health", "steps", "reward", "MiB")
FOLDED = (1, 2)  # of these columns; the others' content stays in one line
FOLDED_WIDTH = 13  # characters, at least
UNREADABLE = (OSError, ValueError, TypeError, LookupError, AttributeError, CheckpointError)


@dataclass(frozen=True)
class ListConfig:
    """List the sessions, newest first."""

    command: tyro.conf.Positional[Literal["list"]]
    """What to do."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    json: bool = False
    """Print one JSON list."""


@dataclass(frozen=True)
class Summary:
    """The progress of one session; None: not known yet."""

    name: str
    date: str
    size: int  # bytes on disk
    game: str | None = None
    steps: int | None = None  # env steps played
    reward: float | None = None  # mean over the latest 100 episodes
    episodes: int = 0
    milestone: str | None = None  # the furthest that any episode reached
    health: str | None = None  # healthy, too little to judge, warnings or collapsed
    findings: tuple[str, ...] = ()  # what is wrong now, worst first
    bad_lines: int = 0  # of the episodes, that say something else
    broken: str | None = None  # what cannot be read


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the sessions; returns the exit status, 1 where there is no such folder."""
    config = read_flags(ListConfig, arguments)
    if not config.sessions.is_dir():
        raise FileNotFoundError(f"no folder {config.sessions}: give --sessions FOLDER")
    found = list(summaries(config.sessions))
    if config.json:
        print(json.dumps([asdict(summary) for summary in found], indent=2))
    elif found:
        console = Console(highlight=False)
        show(found, console)
        for name, differs in differences(config.sessions, found).items():
            text = f"{for_rich(name)} differs in {for_rich(differs)}"
            console.print(text, style="dim", soft_wrap=True)
    else:
        say(f"no sessions in {config.sessions} yet")
    return 0


def summaries(sessions: Path) -> Iterator[Summary]:
    """Yields a summary of each folder below `sessions`, the last started first."""
    for folder in sorted((p for p in sessions.iterdir() if p.is_dir()), reverse=True):
        if not folder.name.startswith("."):
            yield summarise(Session(folder))


def summarise(session: Session) -> Summary:
    """Returns a session's progress; damaged parts are named and skipped."""
    facts: dict[str, Any] = {}
    broken = []
    for read in (_settings, _checkpoint, _episodes, health):
        try:
            facts_read = read(session)
        except UNREADABLE as error:
            broken.append(_reason(error, session))
        else:
            # what was played since the last checkpoint counts too
            facts_read["steps"] = max(facts_read.get("steps") or 0, facts.get("steps") or 0) or None
            facts |= {name: value for name, value in facts_read.items() if value is not None}
    return Summary(
        name=printable(session.folder.name),
        date=_date(session.folder.name),
        size=_size(session.folder),
        broken="; ".join(broken) or None,
        **facts,
    )


def differences(sessions: Path, found: Sequence[Summary]) -> dict[str, str]:
    """Returns the settings in which each readable session differs from the majority.

    If a setting has no majority, every session's value is listed.
    """
    configs = {}
    for summary in found:
        with suppress(*UNREADABLE):
            configs[summary.name] = TrainConfig.load(sessions / summary.name / "config.json")
    differing = setting_differences(list(configs.values()))
    names = differing[0] if differing else ()
    usual = {name: most([differs[name] for differs in differing]) for name in names}
    differing = [{n: v for n, v in differs.items() if v != usual[n]} for differs in differing]
    return {
        name: ", ".join(f"{setting} {value}" for setting, value in differs.items())
        for name, differs in zip(configs, differing, strict=True)
        if differs
    }


def most(values: Sequence[str]) -> str | None:
    """Returns the value of more than half of them, None if there is none."""
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


def _settings(session: Session) -> dict[str, Any]:
    if not session.config.is_file():
        raise FileNotFoundError("no config.json")
    rom = TrainConfig.load(session.config).env.rom
    return {"game": "Jade" if rom is None else printable(rom.stem)}


def _checkpoint(session: Session) -> dict[str, Any]:
    path = session.latest_checkpoint()
    if path is None:
        return {}
    manifest = read_manifest(path)
    return {"game": manifest.game["name"], "steps": manifest.num_timesteps}


def _episodes(session: Session) -> dict[str, Any]:
    latest: deque[float] = deque(maxlen=WINDOW)
    reached: set[str] = set()
    steps = count = 0
    lines = session.read_episodes()
    for episode in lines:
        latest.append(episode["reward"])
        reached.update(episode.get("milestones", ()))
        steps, count = max(steps, episode["num_timesteps"]), count + 1
    found = {"bad_lines": lines.bad}
    if not count:
        return found
    order = [milestone.slug for milestone in milestones()]
    return found | {
        "steps": steps,
        "reward": sum(latest) / len(latest),
        "episodes": count,
        "milestone": next((name for name in reversed(order) if name in reached), None),
    }


def health(session: Session) -> dict[str, Any]:
    """Returns the steps and the health that a session's diagnostics say, empty if it has none."""
    found = RunHealth()
    for line in session.read_diagnostics():
        found.take(line)
    if not found.steps:
        return {}
    return {
        "steps": found.steps,
        "health": found.health,
        "findings": found.findings,
    }


def _reason(error: Exception, session: Session) -> str:
    text = str(error).replace(f"{session.folder}/", "")
    return printable(text.partition("\n")[0], 200)


def _date(name: str) -> str:
    """Returns date and time out of a session's name, "" where it has none."""
    day, _, rest = name.partition("_")
    time = rest.partition("_")[0]
    if len(day) != 10 or len(time) != 8:
        return ""
    return f"{day} {time.replace('-', ':')}"


def _size(folder: Path) -> int:
    """Returns the bytes of all files in a folder; links are not followed."""
    size = 0
    for path in folder.rglob("*"):
        try:
            facts = path.lstat()
        except FileNotFoundError:  # a run is at work
            continue
        size += facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    return size


def show(found: Sequence[Summary], console: Console) -> None:
    """Prints the summaries for people; names, which are there to be copied, stay whole."""
    rows = [SummaryRow.of(summary) for summary in found]
    if needed_width(rows) <= console.width:
        console.print(table(rows))
        return
    for row in rows:
        console.print(row.name, soft_wrap=True)  # a terminal copies it as one line
        console.print(Padding(row.in_words(), (0, 0, 0, 2), expand=False))


class SummaryRow(NamedTuple):
    """What is shown of a session, a field for each column."""

    name: Text
    milestone: Text
    health: Text
    steps: str
    reward: str
    size: str

    @classmethod
    def of(cls, summary: Summary) -> "SummaryRow":
        """Returns what is shown of a summary."""
        return cls(
            Text(summary.name),
            Text((summary.milestone or "").replace("_", " ")),
            _health_text(summary),
            "" if summary.steps is None else f"{summary.steps:,}",
            "" if summary.reward is None else f"{summary.reward:.2f}",
            f"{summary.size / MEBIBYTE:.0f}",
        )

    def in_words(self) -> Text:
        """Returns all but the name, for where there is no room for columns."""
        parts = [
            self.milestone,
            self.health,
            Text(f"{self.steps} steps" if self.steps else ""),
            Text(f"reward {self.reward}" if self.reward else ""),
            Text(f"{self.size} MiB"),
        ]
        return Text(", ").join(part for part in parts if part)


def _health_text(summary: Summary) -> Text:
    text = Text(summary.health or "", COLOURS.get(summary.health or "", ""))
    if summary.findings:
        text += Text(": " + ", ".join(summary.findings))
    if summary.broken is not None:
        text = Text(f"broken: {summary.broken}", "red")
    if summary.bad_lines:
        text += Text(f" ({summary.bad_lines:,} lines cannot be read)", "yellow")
    return text


def needed_width(rows: Sequence[SummaryRow]) -> int:
    """Returns the columns of a terminal in which a table of these has names and numbers whole."""
    widths = [
        max(cell_len(heading), *(cell_len(str(row[column])) for row in rows))
        for column, heading in enumerate(HEADINGS)
    ]
    texts = sum(min(widths[column], FOLDED_WIDTH) for column in FOLDED)
    return sum(widths) - sum(widths[column] for column in FOLDED) + texts + len(HEADINGS)


def table(rows: Sequence[SummaryRow]) -> Table:
    """Returns what is shown of each session as a table."""
    result = Table(box=None, padding=(0, 1, 0, 0))
    for column, heading in enumerate(HEADINGS):
        if column in FOLDED:
            result.add_column(heading, overflow="fold")
        else:
            result.add_column(heading, no_wrap=True, justify="right" if column else "left")
    for row in rows:
        result.add_row(*row)
    return result
