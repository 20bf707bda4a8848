"""The command line of `emerald checkpoint`."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError, check_file
from baselines.checkpoints.manifest import check_own_code, read_manifest
from baselines.checkpoints.sharing.file_report import as_json, verdict
from baselines.checkpoints.sharing.show import show
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.command import at_work, reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.files.own_code import OwnName
from emerald_env.files.printable import say


@dataclass(frozen=True)
class Inspect:
    """Say what is in a checkpoint, and what its pickled parts would do, without running them."""

    file: tyro.conf.Positional[str]
    """A checkpoint, or a file that claims to be one; a session, or "last"."""
    json: bool = False
    """Print one JSON object."""

    def run(self) -> None:
        """Prints what is in the file.

        Raises:
            CheckpointError, OSError: it cannot be read at all, or nobody should open it.
        """
        path = Path(self.file)
        path = path if path.is_file() else find_checkpoint(self.file)
        check_file(path)
        with at_work(f"inspecting {path.name}"):
            from baselines.checkpoints.sharing.inspection import inspect_file  # torch loads slowly

            found = inspect_file(path)
        if self.json:
            print(json.dumps(as_json(found), indent=2))
        else:
            show(found, Console(highlight=False))
        if found.worst == "dangerous":
            raise CheckpointError(f"{path.name}: {verdict(found)}")


@dataclass(frozen=True)
class Convert:
    """Take the weights out of a zip of SB3 or sb3-contrib, with a manifest that describes them."""

    foreign: tyro.conf.Positional[Path]
    """The zip. Its pickled part is never opened."""
    out: tyro.conf.Positional[Path]
    """The checkpoint to write."""
    manifest: str
    """What describes network and game: a JSON file, a checkpoint whose manifest is taken, or
    original_2023 for the 2023 project's."""

    def run(self) -> None:
        """Writes the checkpoint.

        Raises:
            CheckpointError, OSError: see `convert`.
        """
        check_file(self.foreign)
        with at_work(f"converting {self.foreign.name}"):
            from baselines.checkpoints.sharing.convert import convert  # torch loads slowly

            manifest = convert(self.foreign, self.manifest, self.out)
        play = shlex.join(["emerald", "play", str(self.out)])
        say(
            f"wrote {self.out}: {manifest.game['name']}, {manifest.network_title}; its optimiser "
            f"starts from zero\nplay it with   {play}"
        )


@dataclass(frozen=True)
class ExportCheckpoint:
    """Write one file to give away: weights, manifest and a model card, nothing of this machine."""

    checkpoint: tyro.conf.Positional[str]
    """A checkpoint (.zip), a session, or "last"."""
    out: tyro.conf.Positional[Path]
    """The file to write."""
    sb3: bool = False
    """Write a zip that Stable-Baselines3's PPO.load opens; a part of it is pickled."""
    network: str | None = None
    """The network of your own that it was trained with, my_net.py:Net."""
    disturbed: Path | None = None
    """What `emerald evaluate AGENT --disturb all --json` printed: the card shows it as a table."""

    def run(self) -> None:
        """Writes the file and prints its hash.

        Raises:
            CheckpointError, OSError, ValueError: see `export`; or --network is another's.
        """
        checkpoint = find_checkpoint(self.checkpoint)
        check_file(checkpoint)
        check_own_code([read_manifest(checkpoint)], self.network, None)
        own = None if self.network is None else OwnName.read(self.network)
        with at_work(f"exporting {checkpoint.name}"):
            from baselines.checkpoints.sharing.export import export  # torch loads slowly

            done = export(checkpoint, self.out, self.sb3, self.disturbed, own)
        say(f"wrote {done.path}, {done.size:,} bytes\nSHA-256 {done.sha256}")


Command = (
    Annotated[Inspect, tyro.conf.subcommand("inspect")]
    | Annotated[Convert, tyro.conf.subcommand("convert")]
    | Annotated[ExportCheckpoint, tyro.conf.subcommand("export")]
)


@reports_user_errors(CheckpointError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line, None for this process's own.

    Returns:
        The exit status: 0, or 1 after an error, or for a file that nobody should open.
    """
    command = read_flags(
        Command,
        arguments,
        description="Look into a checkpoint, take over foreign weights, or give one away.",
    )
    command.run()
    return 0
