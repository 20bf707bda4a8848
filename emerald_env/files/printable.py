"""Makes untrusted text safe to print."""

import html
import sys

from rich.markup import escape

MOST = 2000  # characters


def printable(text: object, most: int = MOST) -> str:
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


def for_rich(text: object) -> str:
    """Returns a text for rich, with its markup escaped."""
    return escape(printable(text))


def for_markdown(text: object) -> str:
    """Returns a text for a cell of a Markdown table: no HTML, no links, no second line."""
    plain = html.escape(printable(text).replace("\n", " "))
    return "".join(f"\\{c}" if c in "\\|[]" else c for c in plain)
