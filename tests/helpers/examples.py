"""How many examples a property is tried with: `EXAMPLES=10 make test` tries ten times as many."""

import os

TIMES = float(os.environ.get("EXAMPLES", "1"))


def examples(usual: int) -> int:
    """Returns the number of examples of a property that is usually tried with so many."""
    return max(1, int(usual * TIMES))
