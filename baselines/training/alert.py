"""Telling somebody who is not looking: a command of theirs is run with the news."""

import shlex
import shutil
import subprocess

from rich.console import Console


class CommandAlert:
    """Runs a command with a text as its last argument, and does not wait for it.

    Args:
        command: as in a shell, but no shell is asked: words and quotes.
        console: where it is said that the command could not be run.

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
        ValueError: a quote is open, or there is no such command.
    """
    words = shlex.split(command)
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"alert is {command!r}: no such command; try --alert notify-send")
    return words
