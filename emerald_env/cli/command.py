"""Ending a command as a shell expects it."""

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import FrameType
from typing import NoReturn, ParamSpec

LONGEST = 20_000  # characters of a message: a worker's traceback fits
READER_GONE = 128 + signal.SIGPIPE
INTERRUPTED = 128 + signal.SIGINT
USER_ERROR = 1  # exit status, as those above

Arguments = ParamSpec("Arguments")


def run_command(main: Callable[[], int]) -> NoReturn:
    """Runs a command and ends the process with its exit status.

    Where whoever reads the output has had enough, as in `... | head`, it ends without a word and
    with the status that a shell gives to programs that are ended so. Ctrl-C and SIGTERM end it
    with a word; what is half done is tidied up.
    """
    signal.signal(signal.SIGTERM, _end)
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # what is left in the buffer is written once more at the end, and must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = READER_GONE
    except KeyboardInterrupt:
        print("\nended by Ctrl-C", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    print(f"\nended by {signal.Signals(number).name}", file=sys.stderr)
    sys.exit(128 + number)


def run_module(name: str) -> NoReturn:
    """Runs the `main` of a module that takes seconds to load, in which Ctrl-C ends it as well."""

    def main() -> int:
        return import_module(name).main()

    run_command(main)


def reports_user_errors(
    *kinds: type[Exception], status: int = USER_ERROR
) -> Callable[[Callable[Arguments, int]], Callable[Arguments, int]]:
    """Lets a command's `main` print errors that the user can mend, and return an exit status.

    Those are what is wrong with files and values, OSError and ValueError: their messages say what
    was found and what to do, and a traceback would hide it.

    Args:
        kinds: of exceptions beside them.
        status: returned after one.
    """
    errors: tuple[type[Exception], ...] = (OSError, ValueError, *kinds)

    def decorate(main: Callable[Arguments, int]) -> Callable[Arguments, int]:
        @wraps(main)
        def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> int:
            try:
                return main(*args, **kwargs)
            except BrokenPipeError:
                raise  # no file is at fault: who reads the output has had enough
            except errors as error:
                return complain(error, status)

        return run

    return decorate


def complain(error: Exception, status: int = USER_ERROR) -> int:
    """Prints an error whose message is enough for the user to mend it; returns the status."""
    print(f"error: {printable(reason(error), LONGEST)}", file=sys.stderr)
    return status


def reason(error: Exception) -> str:
    """Returns an error's message; the system's own without its number."""
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}"
    return str(error)


def printable(text: str, most: int = 2000) -> str:
    """Returns a text without what could steer a terminal, and not longer than `most` characters."""
    shown = "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text[:most])
    return shown if len(text) <= len(shown) else shown + "…"
