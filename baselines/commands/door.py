"""Opens a command from a script that is run by its path."""

import gc
import signal
import sys
from pathlib import Path

NOT_INSTALLED = """\
error: the package {name!r} is missing. `make setup` installs everything into .venv; then run

    source .venv/bin/activate
    python {script}

or, without activating it,   .venv/bin/python {script}"""


def enter(module: str) -> None:
    """Runs the `main` of a module of this repository and ends the process with its status.

    The module is imported here, so that Ctrl-C during a slow import ends without a traceback.
    """
    # not this folder: a name in it would hide the package of that name
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    gc.disable()  # until the module is loaded, which makes many objects and no garbage
    try:
        from baselines.commands.command import run_module

        run_module(module)
    except ModuleNotFoundError as error:
        sys.exit(NOT_INSTALLED.format(name=error.name, script=" ".join(sys.argv)))
    except ImportError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("\nended by Ctrl-C", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
