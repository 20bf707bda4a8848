"""Training: configuration, session folder, callbacks, checkpoints, and the scripts over them."""

import sys
from importlib.util import find_spec

# Python puts "-m" there while it looks for the module that is to be run
if sys.argv[0] == "-m" and "-m" in sys.orig_argv:
    asked = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    if asked.startswith(f"{__name__}.") and find_spec(asked) is None:
        sys.exit(f"error: there is no module {asked}: type  python -m {asked.replace('.', ' ', 1)}")
