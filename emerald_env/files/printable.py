"""Printing: untrusted text made safe, errors, and a reader that is gone."""

import html
import os
import re
import sys
from typing import Any

from rich.markup import escape

MAX_CHARACTERS = 2000  # characters
MAX_MESSAGE = 20_000  # characters of an error: a worker's traceback fits
USER_ERROR = 1  # exit status
BARE_LINKS = (  # that GitHub's Markdown makes of plain text, and what breaks them unseen
    (re.compile("://"), ":&#47;&#47;"),
    (re.compile(r"(www)\.", re.IGNORECASE), r"\1&#46;"),
    (re.compile("@"), "@&#8288;"),  # a word joiner: cmark-gfm links mail after decoding "&#64;"
)


def printable(text: object, most: int = MAX_CHARACTERS) -> str:
    """Returns a text without terminal control characters, at most `most` characters long."""
    text = str(text)
    shown = "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text[:most])
    return shown if len(text) <= most else shown + "…"


def say(text: object) -> None:
    """Prints a text that may contain file names."""
    print(printable(text), flush=True)


def warn(text: object) -> None:
    """Prints a text that may contain file names to standard error."""
    print(printable(text), file=sys.stderr, flush=True)


def is_printable(values: object) -> bool:
    """Returns whether the text in JSON values has no control characters but line breaks."""
    if isinstance(values, dict):
        return all(is_printable(key) and is_printable(value) for key, value in values.items())
    if isinstance(values, list):
        return all(map(is_printable, values))
    return not isinstance(values, str) or values.replace("\n", "").isprintable()


def as_printable(values: Any) -> Any:
    """Returns JSON values with all their text as `printable` shows it, however long it is."""
    if isinstance(values, dict):
        return {as_printable(key): as_printable(value) for key, value in values.items()}
    if isinstance(values, list):
        return [as_printable(value) for value in values]
    return printable(values, len(values)) if isinstance(values, str) else values


def for_rich(text: object) -> str:
    """Returns a text for rich, with its markup escaped."""
    return escape(printable(text))


def for_matplotlib(text: object) -> str:
    """Returns a text for matplotlib, in which no $ begins a formula."""
    return printable(text).replace("$", r"\$")


def for_markdown(text: object) -> str:
    """Returns a text for a cell of a Markdown table: no HTML, no links, no second line."""
    plain = html.escape(printable(text).replace("\n", " "))
    for link, broken in BARE_LINKS:
        plain = link.sub(broken, plain)
    return "".join(f"\\{c}" if c in "\\|[]" else c for c in plain)


def complain(error: Exception, status: int = USER_ERROR) -> int:
    """Prints an error that the user can fix from its message alone; returns the status.

    Raises:
        BrokenPipeError: it is this one: the reader closed the pipe, which `run_command` knows.
    """
    if isinstance(error, BrokenPipeError):
        raise error
    print(f"error: {printable(reason(error), MAX_MESSAGE)}", file=sys.stderr)
    return status


def reason(error: Exception) -> str:
    """Returns an error's message; the system's own without its number."""
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}"
    return str(error)


def discard_output() -> None:
    """Discards what is printed from now on: nobody can read it, and writing must not fail."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def counted(number: int, noun: str) -> str:
    """Returns a number of things, such as "1 episode" and "2,000 episodes"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def clock(seconds: float) -> str:
    """Returns a time as minutes and seconds, "1:05"."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
