"""How far a session's episodes get: `emerald funnel SESSION`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from baselines.commands.command import reports_user_errors
from baselines.runs.session_folder import Session
from baselines.settings.read_flags import read_flags
from emerald_env.files.data import fits, is_count, read_json
from emerald_env.files.output_files import check_picture
from emerald_env.files.printable import is_printable
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
LEGEND = (
    "last 100, home: episodes from home that reach it; practice: those that begin in the archive; "
    "at home, explored: env steps after which it was first reached; states: of the archive"
)


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
        Console().print(table(funnel))
    return 0


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
    funnel = read_json(session.funnel)
    if not isinstance(funnel, dict):
        raise ValueError(f"{session.funnel} is not a funnel")
    rows = funnel.get("rows")
    alike = isinstance(rows, list) and all(
        isinstance(row, dict)
        and COLUMNS.keys() <= set(row)
        and all(fits(row[name], str | float | None) for name in COLUMNS)
        for row in rows
    )
    episodes = funnel.get("episodes")
    heads = fits(episodes, dict[str, int]) and {"home", "practice"} <= set(episodes or ())
    heads = heads and is_count(funnel.get("explored"))
    if not alike or not heads or not is_printable(funnel):
        raise ValueError(f"{session.funnel} is not a funnel")
    return dict(funnel)


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
