"""Alerts: runs a command of the user's with each warning."""

import shlex
import shutil
import subprocess

from rich.console import Console

ALERT = "diagnostics/alert"  # the name by which Weights & Biases is given the same texts


class CommandAlert:
    """Runs a command with a text as its last argument, and does not wait for it.

    Args:
        command: words and quotes as in a shell, but no shell is used.
        console: where a failure to start the command is reported.

    Raises:
        ValueError: there is no such command.
    """

    def __init__(self, command: str, console: Console | None = None) -> None:
        self._words = alert_words(command)
        self._console = console or Console()
        self._running: list[subprocess.Popen[bytes]] = []

    def __call__(self, text: str) -> None:
        """Starts the command."""
        self._running = [process for process in self._running if process.poll() is None]
        quiet = subprocess.DEVNULL
        try:
            self._running.append(
                subprocess.Popen([*self._words, text], stdin=quiet, stdout=quiet, stderr=quiet)
            )
        except OSError as error:
            self._console.print(f"--alert: {error}", style="yellow", markup=False)


def alert_words(command: str) -> list[str]:
    """Returns a command's words.

    Raises:
        ValueError: an unclosed quote, or an unknown command.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(
            f"--alert is {command!r}: {error}; close each quote, and leave no backslash at the end"
        ) from None
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"--alert is {command!r}: no such command; try --alert notify-send")
    return words
