"""Several runs of the same settings in one picture: between which rewards they lie."""

from pathlib import Path

import numpy as np

from baselines.diagnostics.bands import bands
from baselines.diagnostics.health_plot import INK, PALE, save, tidy
from baselines.diagnostics.history import History
from emerald_env.files.printable import for_matplotlib

PARTS = 40  # of the steps that all runs of a group have


def plot_bands(groups: list[tuple[str, list[History]]], path: Path) -> None:
    """Writes a picture with a panel for each group: lowest to highest reward, and the median.

    Args:
        groups: a title and the runs each; the file's ending sets the format (png, svg, pdf).
        path: the file to write.

    Raises:
        OSError: it cannot be written.
        ValueError: matplotlib does not know the format.
    """
    # imported here, so that reports without a picture do not wait for matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 0.6 + 3 * len(groups)), dpi=100, layout="constrained")
    all_axes = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
    for axes, (title, runs) in zip(all_axes, groups, strict=True):
        found = np.array(bands(runs, PARTS)).reshape(-1, 4)
        steps, lowest, median, highest = found.T
        axes.fill_between(steps, lowest, highest, color=PALE, alpha=0.5, lw=0, label="all runs")
        axes.plot(steps, median, color=INK, linewidth=1.3, label="median")
        axes.legend(fontsize=8, frameon=False, loc="upper left", ncols=2)
        axes.set_title(for_matplotlib(title), loc="left", fontsize=9)
        tidy(axes)
    all_axes[-1].set_xlabel("environment steps", fontsize=9)
    save(figure, path)
