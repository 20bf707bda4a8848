"""How far a session's episodes get: `emerald funnel SESSION`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from annotated_types import Predicate
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from typing_extensions import TypedDict

from baselines.commands.command import reports_user_errors
from baselines.runs.session_folder import Session
from baselines.settings.read_flags import read_flags
from emerald_env.files.data import Count, DataError, Number, PlainText, misfit, read_json
from emerald_env.files.output_files import check_picture
from emerald_env.recordings.find_recordings import SESSIONS

COLUMNS = {
    "milestone": "milestone",
    "home_latest": "last 100",
    "home": "home",
    "practice": "practice",
    "first_home": "at home",
    "first_archive": "explored",
    "states": "states",
}
WIDEST = 1000  # characters of a table
LEGEND = (
    "last 100, home: episodes from home that reach it; practice: those that begin in the archive; "
    "at home, explored: env steps after which it was first reached; states: of the archive"
)


class FunnelFile(TypedDict):
    """A session's `funnel.json`; its objects may have more than what is shown."""

    rows: list[
        Annotated[
            dict[PlainText, PlainText | Number | None],
            Predicate(lambda row: COLUMNS.keys() <= row.keys()),
        ]
    ]
    episodes: Annotated[
        dict[PlainText, Count], Predicate(lambda counts: {"home", "practice"} <= counts.keys())
    ]
    explored: Count


@dataclass(frozen=True)
class FunnelConfig:
    """Show for each milestone how many episodes reach it, and when it was first seen."""

    session: tyro.conf.Positional[str]
    """A session: a folder, a name, or "last"."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    picture: Path | None = None
    """Draw it into this picture, too."""
    json: bool = False
    """Print one JSON object."""

    def __post_init__(self) -> None:
        """Raises ValueError where the picture cannot be written."""
        if self.picture is not None:
            check_picture(self.picture)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a session's funnel; returns the exit status, 1 where it has none."""
    config = read_flags(FunnelConfig, arguments)
    funnel = read_funnel(Session.find(config.sessions, config.session))
    if config.picture is not None:
        from baselines.runs.funnel_picture import draw_funnel  # matplotlib is slow to load

        draw_funnel(funnel, config.picture)
    if config.json:
        print(json.dumps(funnel, indent=2))
    else:
        show(table(funnel), Console())
    return 0


def show(shown: Table, console: Console) -> None:
    """Prints a table as wide as its numbers need, however narrow the terminal is."""
    whole = console.measure(shown, options=console.options.update(width=WIDEST)).maximum
    console.width = max(console.width, whole)
    console.print(shown)


def read_funnel(session: Session) -> dict[str, Any]:
    """Returns what a session's funnel says.

    Raises:
        FileNotFoundError: the session neither explores nor practises.
        ValueError: the file is damaged.
    """
    if not session.funnel.is_file():
        raise FileNotFoundError(
            f"no funnel in {session.folder}: it has one with --explore or --practice, after the "
            "first update"
        )
    try:
        funnel: dict[str, Any] = read_json(session.funnel)
    except DataError as error:
        raise ValueError(f"{session.funnel} is not a funnel: {error}") from error
    if place := misfit(funnel, FunnelFile):
        raise ValueError(f"{session.funnel} is not a funnel: its {place} is not as it must be")
    return funnel


def table(funnel: dict[str, Any]) -> Table:
    """Returns a funnel as a table, the furthest milestone last."""
    episodes = funnel["episodes"]
    title = (
        f"{episodes['home']:,} episodes from home, {episodes['practice']:,} in practice, "
        f"{funnel['explored']:,} steps explored"
    )
    shown = Table(title=title, caption=LEGEND, box=SIMPLE_HEAD, padding=0, collapse_padding=True)
    for name in COLUMNS.values():
        shown.add_column(name, justify="left" if name == "milestone" else "right", no_wrap=True)
    for row in funnel["rows"]:
        shown.add_row(*(_cell(name, row[name]) for name in COLUMNS))
    return shown


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "–"
    if name == "home_latest":
        return f"{value:.0%}"
    return f"{value:,}" if isinstance(value, int) else str(value)
