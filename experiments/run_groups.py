"""Groups of runs that a command compares."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from baselines.runs.session_folder import Session
from emerald_env.files.output_files import check_picture
from emerald_env.recordings.find_recordings import SESSIONS


@dataclass(frozen=True)
class RunGroups:
    """What the commands that compare groups of runs have in common."""

    groups: tyro.conf.Positional[tuple[str, ...]]
    """Each group as NAME=SESSION,SESSION: folders or names."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    out: Path | None = None
    """A picture."""

    def __post_init__(self) -> None:
        """Raises ValueError for a group without a name, or a picture that cannot be written."""
        if not self.groups or not all("=" in group for group in self.groups):
            raise ValueError("name each group of sessions: nothing=DIR,DIR way=DIR,DIR")
        if self.out is not None:
            check_picture(self.out)

    def found(self) -> dict[str, list[Session]]:
        """Returns the sessions of each group.

        Raises:
            FileNotFoundError: there is no such session.
        """
        parts = (group.partition("=") for group in self.groups)
        return {
            name: [Session.find(self.sessions, one) for one in names.split(",")]
            for name, _, names in parts
        }
