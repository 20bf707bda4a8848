"""The checkpoint that a name refers to."""

from contextlib import suppress
from pathlib import Path

from baselines.checkpoints.downloads import download, is_address
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import read_manifest
from baselines.runs.session_folder import Session
from emerald_env.recordings.find_recordings import SESSIONS

TRAINED = Path(__file__).parents[1] / "playing" / "trained"  # agents that come with the repository


def find_checkpoint(name: str, sessions: Path = SESSIONS) -> Path:
    """Returns the checkpoint called `name`.

    Args:
        name: a file that ends in .zip; an agent that comes with the repository, such as "jade";
            any other file; a session, for its latest; "last", for the latest of the newest session;
            or an address, see `download`.
        sessions: where sessions are looked for first, before `SESSIONS`.

    Raises:
        FileNotFoundError: there is none; the message says where it was looked for.
        DownloadError: an address cannot be used.
    """
    if is_address(name):
        return download(name)
    if name.endswith(".zip"):
        return Path(name)
    if is_shipped(name):
        return TRAINED / f"{name}.zip"
    if name == "jade":
        raise FileNotFoundError(
            f"no trained agent at {TRAINED / 'jade.zip'}: it comes with the repository (git pull); "
            'or train one of your own with `make train` and play "last"'
        )
    if Path(name).is_file():
        return Path(name)
    session = _session_in(sessions, name)
    checkpoint = session.latest_checkpoint()
    if checkpoint is None:
        raise FileNotFoundError(f"nothing is saved in {session.folder} yet")
    return checkpoint


def _session_in(sessions: Path, name: str) -> Session:
    """Returns the session of that name in a folder of sessions, or else in the usual one.

    Raises:
        FileNotFoundError: there is none in either; the message is about the first.
    """
    try:
        return Session.find(sessions, name)
    except FileNotFoundError:
        with suppress(FileNotFoundError):
            return Session.find(SESSIONS, name)
        raise


def is_shipped(name: str) -> bool:
    """Returns whether a name is that of an agent that comes with the repository; no path is."""
    return Path(name).name == name and (TRAINED / f"{name}.zip").is_file()


def lasting_name(name: str, sessions: Path = SESSIONS) -> str:
    """Returns a name that will always mean the checkpoint that `name` means now.

    It is that of an agent that comes with the repository, or an absolute path: what is "last" or at
    an address may be another file when a run resumes.

    Raises:
        FileNotFoundError, DownloadError: see `find_checkpoint`.
    """
    return name if is_shipped(name) else str(find_checkpoint(name, sessions).resolve())


def checkpoint_to_resume(session: Session, total_timesteps: int) -> Path:
    """Returns the checkpoint with which a session resumes, to train until `total_timesteps`.

    Raises:
        FileNotFoundError: it has no checkpoint.
        CheckpointError: it cannot be read, or has all its steps already.
    """
    checkpoint = session.latest_checkpoint()
    if checkpoint is None:
        raise FileNotFoundError(f"{session.folder} has no checkpoint: start a new run")
    session.check_own_files()
    done = read_manifest(checkpoint).num_timesteps
    if done >= total_timesteps:
        raise CheckpointError(
            f"{checkpoint} has already trained for {done:,} steps, and total_timesteps is "
            f"{total_timesteps:,}: give a larger --total-timesteps"
        )
    return checkpoint
