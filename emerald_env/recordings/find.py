"""Which recordings a name on a command line means."""

from pathlib import Path

from emerald_env.recordings.recording import SUFFIX

SESSIONS = Path("sessions")
FOLDER = "recordings"  # of a session


def find_recordings(name: str, sessions: Path = SESSIONS) -> list[Path]:
    """Returns the recordings that `name` stands for, in the order of their names.

    Args:
        name: a recording, a folder of recordings, a session's folder or name, or "last" for the
            newest session that has recordings.
        sessions: the folder of all sessions.

    Raises:
        FileNotFoundError: there are none; the message says where was looked.
    """
    if name.endswith(SUFFIX):
        return [Path(name)]
    folders = session_folders(sessions) if name == "last" else [Path(name), sessions / name]
    for folder in folders:
        for place in (folder / FOLDER, folder):
            if found := sorted(place.glob(f"*{SUFFIX}")):
                return found
    raise FileNotFoundError(
        f"no recordings at {name!r}, looked there and in {sessions}: train with --record every, "
        "which keeps the latest"
    )


def session_folders(sessions: Path) -> list[Path]:
    """Returns the sessions' folders, the last started first; names begin with the date."""
    return sorted((path.parent for path in sessions.glob("*/config.json")), reverse=True)
