"""The funnel as a picture: a bar for each milestone."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure


def draw_funnel(funnel: dict[str, Any], path: Path) -> None:
    """Draws the share of the latest episodes from home, and of all in practice, per milestone.

    Bars beside it show the archive's number of states for each milestone that it has.

    Args:
        funnel: as `Funnel.rows` gives them under "rows", and "episodes".
        path: the picture.

    Raises:
        OSError: it cannot be written.
    """
    rows = funnel["rows"]
    names = [row["milestone"] for row in rows]
    practised = max(funnel["episodes"]["practice"], 1)
    places = range(len(rows))
    figure = Figure(figsize=(10, 1 + 0.28 * len(rows)))
    shares, states = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    home = [row["home_latest"] for row in rows]
    shares.barh([p - 0.2 for p in places], home, 0.4, label="latest 100 episodes from home")
    practice = [row["practice"] / practised for row in rows]
    shares.barh([p + 0.2 for p in places], practice, 0.4, label="all practice episodes")
    shares.set_yticks(list(places), names)
    shares.invert_yaxis()
    shares.set_xlim(0, 1)
    shares.set_xlabel("share that reach it")
    shares.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)  # on no bar
    shares.margins(y=0.01)
    states.barh(list(places), [row["states"] for row in rows], 0.6, color="0.6")
    states.set_xlabel("states in the archive")
    figure.tight_layout()
    figure.savefig(path)
