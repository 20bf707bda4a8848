"""The states that a run has reached: `emerald archive explore|list|export|import`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from baselines.commands.command import reports_user_errors
from baselines.commands.learn.explore import ExploreGames
from baselines.exploration.archive_folder import INDEX, open_archive, save_index
from baselines.exploration.share_states import export_way, import_states
from baselines.exploration.state_archive import Archive
from baselines.runs.session_folder import Session
from baselines.settings.read_flags import read_flags
from emerald_env.env.config import EnvConfig
from emerald_env.files.printable import say
from emerald_env.game.choice import GameChoice
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.recordings.find_recordings import SESSIONS
from emerald_env.starts.starts import start_files


@dataclass(frozen=True)
class List:
    """Show the number of states for each milestone, and the length of the path to it."""

    archive: tyro.conf.Positional[str]
    """A session (a folder, a name, or "last"), or an archive's folder."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    json: bool = False
    """Print one JSON list."""

    def run(self) -> None:
        """Prints a line per milestone."""
        rows = summary(find_archive(self.sessions, self.archive))
        if self.json:
            print(json.dumps(rows, indent=2))
            return
        table = Table("milestone", "states", "steps", "health", "levels")
        table.add_column("file", overflow="fold")
        for row in rows:
            table.add_row(*(str(value) for value in row.values()))
        Console().print(table)


@dataclass(frozen=True)
class ExportStates(GameChoice):
    """Write the states on the path to the furthest one, with pictures, for --start or to share."""

    archive: tyro.conf.Positional[str]
    """A session (a folder, a name, or "last"), or an archive's folder."""
    folder: tyro.conf.Positional[Path]
    """Where to write them."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""

    def run(self) -> None:
        """Writes the states and prints their number."""
        written = export_way(find_archive(self.sessions, self.archive), self.choice, self.folder)
        say(
            f"{len(written)} states in {self.folder}, the first {written[0].name}, the last "
            f"{written[-1].name}"
        )


@dataclass(frozen=True)
class Import(GameChoice):
    """Make an archive from states that you or somebody else played, for --archive."""

    states: tyro.conf.Positional[Path]
    """A state of mGBA, or a folder of them. Each is tried in the game first."""
    archive: tyro.conf.Positional[Path]
    """The archive's folder; created, or added to."""

    def run(self) -> None:
        """Imports the states and prints their number."""
        config = EnvConfig(**vars(self.choice))
        known = (self.archive / INDEX).is_file()
        archive = open_archive(self.archive) if known else Archive(self.archive)
        kept = import_states(start_files(self.states), config, archive)
        save_index(archive)
        say(f"{kept} states imported; {len(archive)} cells in {self.archive}")


Command = (
    Annotated[ExploreGames, tyro.conf.subcommand("explore")]
    | Annotated[List, tyro.conf.subcommand("list")]
    | Annotated[ExportStates, tyro.conf.subcommand("export")]
    | Annotated[Import, tyro.conf.subcommand("import")]
)


@reports_user_errors(WorkerError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one of the commands; returns the exit status, 1 after an error a user can mend."""
    command: ExploreGames | List | ExportStates | Import = read_flags(Command, arguments)
    command.run()
    return 0


def find_archive(sessions: Path, name: str) -> Archive:
    """Returns the archive of a session, or the one in a folder.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is damaged.
    """
    if (Path(name) / INDEX).is_file():
        return open_archive(Path(name))
    return open_archive(Session.find(sessions, name).archive)


def summary(archive: Archive) -> list[dict[str, object]]:
    """Returns for each milestone its states, and the shortest, healthiest, strongest of them."""
    states = archive.states_by_milestone()
    rows: list[dict[str, object]] = []
    for slug, number in archive.first_with().items():
        node = archive.nodes[number]
        rows.append(
            {
                "milestone": slug,
                "states": states.get(slug, 0),
                "steps": node.length,
                "health": round(node.strength.health, 2),
                "levels": node.strength.levels,
                "file": node.file,
            }
        )
    return rows
