"""Processes that do not outlive the one that starts them."""

import os
import signal
from threading import Thread
from time import sleep

STARTER = "EMERALD_STARTER"  # its number, since it may be gone before one can ask for it


def beside_this() -> dict[str, str]:
    """Returns the environment of a process that calls `end_with_parent`."""
    return os.environ | {STARTER: str(os.getpid())}


def end_with_parent() -> None:
    """Sends this process SIGTERM when the one that started it is gone, even if it was killed."""
    parent = int(os.environ.get(STARTER, os.getppid()))

    def watch() -> None:
        while os.getppid() == parent:
            sleep(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=watch, daemon=True).start()
