"""Processes that do not outlive the one that started them."""

import os
import signal
from threading import Thread
from time import sleep


def end_with_parent() -> None:
    """Sends this process SIGTERM when the one that started it is gone, even if it was killed."""

    def watch(parent: int) -> None:
        while os.getppid() == parent:
            sleep(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=watch, args=(os.getppid(),), daemon=True).start()
