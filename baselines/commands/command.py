"""Runs a command's `main` and ends the process as a shell expects."""

import gc
import signal
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import FrameType
from typing import NoReturn, ParamSpec

from rich.console import Console
from rich.status import Status

from emerald_env.files.printable import USER_ERROR, complain, discard_output, for_rich

READER_GONE = 128 + signal.SIGPIPE
INTERRUPTED = 128 + signal.SIGINT

Arguments = ParamSpec("Arguments")


def run_command(main: Callable[[], int]) -> NoReturn:
    """Runs a command and ends the process with its exit status.

    When the reader closes the pipe, as in `... | head`, it ends silently with the status that a
    shell gives to such programs. Ctrl-C, SIGTERM and SIGHUP end it with a message, after clean-up.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)
    Console.on_broken_pipe = _raise  # type: ignore[assignment,method-assign]
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        status = READER_GONE
    except KeyboardInterrupt:
        print("\nended by Ctrl-C", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)


def _raise(console: Console) -> NoReturn:
    """Leaves a closed pipe to `run_command`; rich would end the process with status 1."""
    raise BrokenPipeError


def _end(number: int, frame: FrameType | None) -> NoReturn:
    # a second one ends the process at once; but a closed terminal sends SIGHUP twice by itself
    signal.signal(number, signal.SIG_IGN if number == signal.SIGHUP else signal.SIG_DFL)
    print(f"\nended by {signal.Signals(number).name}", file=sys.stderr)
    sys.exit(128 + number)


def run_module(name: str) -> NoReturn:
    """Runs the `main` of a module that may take seconds to load; Ctrl-C ends that cleanly, too."""

    def main() -> int:
        module = import_module(name)
        gc.freeze()  # what was loaded stays: it need not be searched for garbage
        gc.enable()
        status: int = module.main()
        return status

    run_command(main)


def at_work(text: str) -> Status:
    """Returns a context that shows on a terminal what a command is doing, as long as it does."""
    return Console(stderr=True).status(for_rich(text))


def reports_user_errors(
    *kinds: type[Exception], status: int = USER_ERROR
) -> Callable[[Callable[Arguments, int]], Callable[Arguments, int]]:
    """Makes a command's `main` print errors that the user can fix and return an exit status.

    These are OSError and ValueError, for files and values: their messages say what was found and
    what to do; a traceback would hide that.

    Args:
        kinds: further exceptions to report.
        status: the exit status after an error.
    """
    errors: tuple[type[Exception], ...] = (OSError, ValueError, *kinds)

    def decorate(main: Callable[Arguments, int]) -> Callable[Arguments, int]:
        @wraps(main)
        def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> int:
            try:
                return main(*args, **kwargs)
            except errors as error:
                return complain(error, status)

        return run

    return decorate
