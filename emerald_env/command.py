"""Ending a command as a shell expects it."""

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

READER_GONE = 128 + signal.SIGPIPE


def run_command(main: Callable[[], int]) -> NoReturn:
    """Runs a command and ends the process with its exit status.

    Where whoever reads the output has had enough, as in `... | head`, it ends without a word and
    with the status that a shell gives to programs that are ended so.
    """
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # what is left in the buffer is written once more at the end, and must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = READER_GONE
    sys.exit(status)
