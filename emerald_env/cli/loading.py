"""Ctrl-C while the modules of a command load: a word, and no traceback."""

import sys
from types import TracebackType

PACKAGES = ("emerald_env", "rewards", "baselines", "viewer", "experiments")


def report_ctrl_c_of_commands() -> None:
    """Reports Ctrl-C in a word if this process runs one of our modules, as `python -m` does."""
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
