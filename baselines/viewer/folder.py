"""The sessions in a folder, and whether a training runs in them."""

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from baselines.runs.session_folder import Session
from emerald_env.files.data import DataError, check_no_links
from emerald_env.files.printable import printable
from emerald_env.watching.live_file import ALIVE_SECONDS, LiveFile

MAX_SESSIONS = 200  # sessions that the page lists, and the one to show first


@dataclass(frozen=True)
class Status:
    """A session's status, found without reading much."""

    name: str  # of the folder
    shown: str  # the same, safe to print
    state: str  # running, lost (it ended without saying so) or finished
    age: float | None = None  # seconds since the games were last alive
    steps: int | None = None  # env steps; None: unknown
    command: str | None = None  # what plays: "train", "play" or "evaluate"


class Sessions:
    """The sessions of a folder.

    Args:
        folder: of all sessions.
        only: the one to show first; None: the newest.

    Raises:
        ValueError: the page cannot show the name of the one to show first.
    """

    def __init__(self, folder: Path, only: str | None = None) -> None:
        if only is not None and not _is_utf_8(only):
            raise ValueError(
                f"the name of {printable(folder / only)} is not UTF-8, so that no address of the "
                "page can hold it: rename it"
            )
        self.folder, self.first = folder, only

    def find(self, name: str) -> Session:
        """Returns a session by its folder's name.

        Raises:
            FileNotFoundError: there is none.
        """
        own = name and "/" not in name and "\0" not in name and not name.startswith(".")
        folder = self.folder / name
        if not own or not _is_session(folder):
            raise FileNotFoundError(f"no session {printable(name, 100)!r}")
        return Session(folder)

    def list(self) -> list[Status]:
        """Returns the newest sessions, newest first, and the one to show first even if old.

        Those whose names are not UTF-8 are left out: no address of the page can hold them.
        """
        if not self.folder.is_dir():
            return []
        with os.scandir(self.folder) as entries:
            names = [e.name for e in entries if not e.name.startswith(".") and _is_utf_8(e.name)]
        folders = [self.folder / name for name in sorted(names, reverse=True)]
        listed = list(islice(filter(_is_session, folders), MAX_SESSIONS))
        asked = [folder for folder in folders if folder.name == self.first and folder not in listed]
        return [status(Session(folder)) for folder in listed + list(filter(_is_session, asked))]


def _is_utf_8(name: str) -> bool:
    """Returns whether a file's name can be sent as text; Linux allows any bytes in names."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_session(folder: Path) -> bool:
    """Returns whether a folder is a session; a link to one is not."""
    return not folder.is_symlink() and (folder / "config.json").is_file()


def status(session: Session) -> Status:
    """Returns whether games are played in a session."""
    name = session.folder.name
    try:
        file = open_live(session)
    except (OSError, DataError):
        return Status(name, printable(name), "finished")
    try:
        age, steps = file.heartbeat
    except (OSError, DataError):
        age, steps = float("inf"), 0
    finally:
        file.close()
    return Status(name, printable(name), state_at(session, age), min(age, 1e9), steps, file.command)


def state_at(session: Session, age: float) -> str:
    """Returns whether a session's games are played, `age` seconds after the last sign of it.

    On a busy machine an update takes minutes; the lock says that the run is alive.
    """
    return "running" if age < ALIVE_SECONDS or session.is_held else "lost"


def open_live(session: Session) -> LiveFile:
    """Opens a live file of a session that is still written to; a training's comes first.

    Raises:
        OSError, DataError: there is none.
    """
    found = []
    for path in session.live_files:
        try:
            check_no_links(session.folder, path)
            file = LiveFile(path)
            found.append((file.heartbeat[0] >= ALIVE_SECONDS, file))
        except (OSError, DataError):
            continue
    if not found:
        raise FileNotFoundError("nothing is shown")
    chosen = min(found, key=lambda pair: pair[0])[1]
    for _, file in found:
        if file is not chosen:
            file.close()
    return chosen
