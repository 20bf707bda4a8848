"""Recordings as Minari data sets, and back: `emerald recording export|import`."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from baselines.commands.command import reports_user_errors
from baselines.games.minari_set import export_set, import_set
from baselines.settings.read_flags import read_flags
from emerald_env.files.printable import counted, say
from emerald_env.game.choice import GameChoice
from emerald_env.recordings.find_recordings import find_recordings


@dataclass(frozen=True)
class ExportSet(GameChoice):
    """Write recordings as a Minari data set."""

    recording: tyro.conf.Positional[str]
    """A recording, a folder of them, or a session or "last" for its recordings."""
    minari: str = "emerald/play-v0"
    """Name of the data set."""

    def run(self) -> None:
        """Writes the set and says how large it is."""
        paths = find_recordings(self.recording)
        episodes, steps = export_set(paths, self.minari, self.choice)
        written = f"{counted(episodes, 'episode')}, {counted(steps, 'step')}"
        say(f"wrote {written}: minari.load_dataset({self.minari!r})")


@dataclass(frozen=True)
class ImportSet:
    """Write the recordings of a Minari data set into a folder."""

    minari: tyro.conf.Positional[str]
    """Name of a data set that `emerald recording export` wrote."""
    folder: tyro.conf.Positional[Path]
    """Where to; created if missing. No recording that is there is written over."""

    def run(self) -> None:
        """Writes the recordings and says where."""
        paths = import_set(self.minari, self.folder)
        replay = shlex.join(["emerald", "replay", str(self.folder)])
        say(f"wrote {counted(len(paths), 'recording')}: {replay}")


Command = (
    Annotated[ExportSet, tyro.conf.subcommand("export")]
    | Annotated[ImportSet, tyro.conf.subcommand("import")]
)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the sub-command of a command line; returns the exit status."""
    command: ExportSet | ImportSet = read_flags(Command, arguments)
    command.run()
    return 0
