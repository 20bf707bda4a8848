"""The checkpoint that a name refers to."""

from pathlib import Path

from baselines.runs.session_folder import Session
from emerald_env.recordings.find_recordings import SESSIONS

TRAINED = Path(__file__).parents[1] / "playing" / "trained"  # agents that come with the repository


def find_checkpoint(name: str) -> Path:
    """Returns the checkpoint called `name`.

    Args:
        name: a file that ends in .zip; an agent that comes with the repository, such as "jade"; a
            session, for its latest; or "last", for the latest of the newest session.

    Raises:
        FileNotFoundError: there is none; the message says where it was looked for.
    """
    if name.endswith(".zip"):
        return Path(name)
    shipped = TRAINED / f"{name}.zip"
    if shipped.is_file():
        return shipped
    if name == "jade":
        raise FileNotFoundError(
            f"no trained agent at {shipped}: it comes with the repository (git pull); or train one "
            'of your own with `make train` and play "last"'
        )
    session = Session.find(SESSIONS, name)
    checkpoint = session.latest_checkpoint()
    if checkpoint is None:
        raise FileNotFoundError(f"nothing is saved in {session.folder} yet")
    return checkpoint
