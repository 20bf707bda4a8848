"""Descriptions of a session's unusable files, for the page."""

from collections.abc import Iterator
from dataclasses import dataclass

from baselines.runs.session_folder import Session
from emerald_env.files.data import DataError, check_no_links, read_json
from emerald_env.files.printable import printable
from emerald_env.watching.live_file import LiveFile


@dataclass(frozen=True)
class Damage:
    """A file that cannot be used, or only in part."""

    file: str
    found: str  # what was found in it
    missing: str  # what the page, or the run, lacks because of it


def find_damage(
    session: Session, bad_diagnoses: int, bad_pictures: int, bad_sightings: int
) -> Iterator[Damage]:
    """Yields the damaged files.

    Args:
        session: the session.
        bad_diagnoses: lines of its diagnostics that could not be used.
        bad_pictures: lines of its photographs that could not be used.
        bad_sightings: lines of its sightings that could not be used.
    """
    try:
        check_no_links(session.folder, session.config)
        if not isinstance(read_json(session.config), dict):
            raise DataError("no settings")
    except (OSError, DataError) as error:
        missing = "the run cannot be resumed; its other files are shown"
        yield Damage(session.config.name, _why(error), missing)
    for path, bad, lack in (
        (session.diagnostics, bad_diagnoses, "these are left out of the curves"),
        (session.photographs, bad_pictures, "these pictures are left out of the map"),
        (session.sightings, bad_sightings, "these are left out of the map's layers"),
    ):
        try:
            check_no_links(session.folder, path)
        except (OSError, DataError) as error:
            yield Damage(path.name, _why(error), lack)
        if bad:
            yield Damage(path.name, _lines(bad), lack)
    for path in session.live_files:
        try:
            LiveFile(path).close()
        except FileNotFoundError:
            pass
        except (OSError, DataError) as error:
            yield Damage(path.name, _why(error), "the games cannot be shown")


def _lines(bad: int) -> str:
    return "a line is damaged" if bad == 1 else f"{bad:,} lines are damaged"


def _why(error: Exception) -> str:
    return printable(error, 200)
