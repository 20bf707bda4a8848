"""Groups of runs that a command compares, and the milestones that it counts."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

import tyro

from baselines.runs.session_folder import Session
from emerald_env.files.output_files import check_picture
from emerald_env.game.tables import milestones
from emerald_env.recordings.find_recordings import SESSIONS

Read = TypeVar("Read")


def check_milestones(slugs: Sequence[str]) -> None:
    """Checks that milestones exist.

    Raises:
        ValueError: one does not; the message says whether another has a similar name.
    """
    known = [milestone.slug for milestone in milestones()]
    if unknown := [slug for slug in slugs if slug not in known]:
        close = get_close_matches(unknown[0], known, 1)
        hint = f": did you mean {close[0]}?" if close else ""
        raise ValueError(f"there is no milestone {unknown[0]!r}{hint}")


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
        """Raises ValueError for bad names of groups, or a picture that cannot be written."""
        if not self.groups or not all("=" in group for group in self.groups):
            raise ValueError("name each group of sessions: nothing=DIR,DIR way=DIR,DIR")
        counts = Counter(group.partition("=")[0] for group in self.groups)
        if twice := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"{', '.join(twice)} names several groups: give each another name")
        if self.out is not None:
            check_picture(self.out)

    def each(self, read: Callable[[Session], Read]) -> dict[str, list[Read]]:
        """Returns what is read of the sessions of each group, when all of them are found.

        Raises:
            FileNotFoundError: there is no such session.
            ValueError: two names in a group are the same session's, which would count twice.
        """
        parts = (group.partition("=") for group in self.groups)
        found = {name: self._sessions(name, names.split(",")) for name, _, names in parts}
        return {name: [read(session) for session in own] for name, own in found.items()}

    def _sessions(self, group: str, names: Sequence[str]) -> list[Session]:
        """Returns a group's sessions."""
        found: dict[Path, str] = {}
        for name in names:
            folder = Session.find(self.sessions, name).folder.resolve()
            if folder in found:
                raise ValueError(
                    f"{group}: {found[folder]} and {name} are the same session, {folder}, which "
                    "would count twice: name it once"
                )
            found[folder] = name
        return [Session(folder) for folder in found]
