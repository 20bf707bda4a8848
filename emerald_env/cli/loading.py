"""Ctrl-C while a command's modules load: a message instead of a traceback."""

import sys
from types import TracebackType

PACKAGES = ("emerald_env", "rewards", "baselines", "viewer", "experiments")


def report_ctrl_c_of_commands() -> None:
    """Reports Ctrl-C without a traceback if this process runs one of our modules (`python -m`)."""
    words = sys.orig_argv
    name = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    if name.partition(".")[0] in PACKAGES:
        sys.excepthook = _report


def _report(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("\nended by Ctrl-C", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)
