"""The recordings, or the session's folder, that a name on a command line refers to."""

from pathlib import Path

SUFFIX = ".recording"
SESSIONS = Path("sessions")
FOLDER = "recordings"  # of a session
BEST = "best.recording"


def recording_in(folder: Path, number: int) -> Path:
    """Returns the file in a folder for the recording of an episode."""
    return folder / f"episode_{number:04}{SUFFIX}"


def find_recordings(name: str) -> list[Path]:
    """Returns the recordings that `name` refers to, sorted by name.

    Args:
        name: a recording, a folder of recordings, a session's folder or name, or "last" for the
            newest session that has recordings.

    Raises:
        FileNotFoundError: there are none; the message says where we looked.
    """
    if name.endswith(SUFFIX):
        return [Path(name)]
    folders = session_folders(SESSIONS) if name == "last" else [Path(name), SESSIONS / name]
    for folder in folders:
        for place in (folder / FOLDER, folder):
            if found := sorted(place.glob(f"*{SUFFIX}")):
                return found
    raise FileNotFoundError(
        f"no recordings at {name!r}, neither there nor in {SESSIONS}: train with --record every, "
        "which keeps the latest"
    )


def best_recording(name: str) -> Path:
    """Returns the one recording that `name` refers to; of several the best episode, or the last.

    Raises:
        FileNotFoundError: there is none.
    """
    found = find_recordings(name)
    return next((path for path in found if path.name == BEST), found[-1])


def find_folder(name: str) -> Path:
    """Returns the path called `name`: itself, a session's folder, or "last" for the newest one.

    Raises:
        FileNotFoundError: there is none.
    """
    newest = session_folders(SESSIONS)[:1] if name == "last" else []
    for path in (*newest, Path(name), SESSIONS / name):
        if path.exists():
            return path
    raise FileNotFoundError(
        f"{name} does not exist, neither here nor in {SESSIONS}: give a file, a folder, the name "
        'of a session, or "last" for the newest'
    )


def session_folders(sessions: Path) -> list[Path]:
    """Returns the sessions' folders, newest first; names begin with the date."""
    return sorted((path.parent for path in sessions.glob("*/config.json")), reverse=True)
