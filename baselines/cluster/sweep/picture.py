"""Plots a sweep: the final scores and the learning curves."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from baselines.cluster.sweep.results import Row
from baselines.playing.intervals import Estimate
from emerald_env.files.printable import for_matplotlib

ROW = 0.5  # inches of height per row
NAME = 30  # characters of a line
POINTS = 60  # of a curve
FEW = 200  # episodes or fewer are drawn one by one: a curve of one or two points could not be seen
WINDOW = 0.1  # share of a run averaged in a point of its curve
SHAPES = (("interquartile mean", "D", 6), ("mean", "o", 6), ("a seed", "o", 3))  # and their sizes
Curve = tuple[NDArray[Any], NDArray[Any]]  # steps, score: of every episode of a run


def curve_of(episodes: Sequence[Mapping[str, Any]], score: str) -> Curve:
    """Returns the step at which each episode of a run ended, and its score, where that is told."""
    told = [episode for episode in episodes if score in episode]
    scores = [len(e["milestones"]) if score == "milestones" else e["reward"] for e in told]
    return np.array([e["num_timesteps"] for e in told], float), np.array(scores, float)


def draw(rows: Sequence[Row], curves: Sequence[Sequence[Curve]], score: str, path: Path) -> None:
    """Plots settings into a picture; the file's ending sets its format.

    Args:
        rows: the settings, best first.
        curves: for each, the episodes of its runs.
        score: "milestones" or "reward".
        path: the file.
    """
    height = 2 + ROW * len(rows)
    figure = Figure(figsize=(11, max(4, height)), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_estimates(left, rows, score)
    for number, runs in enumerate(curves):
        draw_curves(right, runs, f"C{number % 10}")
    right.set(title="mean and range of the seeds", xlabel="steps", xlim=(0, None))
    right.set_ylabel(f"{score} of an episode")
    right.xaxis.set_major_locator(MaxNLocator(5))
    right.xaxis.set_major_formatter("{x:,.0f}")
    right.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def draw_estimates(axes: Axes, rows: Sequence[Row], score: str) -> None:
    """Draws each run as a dot, means with Student's and interquartile means with their interval."""
    for number, row in enumerate(rows):
        colour = f"C{number % 10}"
        mark(axes, row.interquartile(score), number - 0.2, colour, "D")
        mark(axes, row.mean(score), number, colour, "o")
        scores = row.scores(score)
        axes.scatter(scores, [number + 0.25] * len(scores), 14, colour, alpha=0.5)
    names = [for_matplotlib(fill(row.name or "the same settings", NAME)) for row in rows]
    axes.set_yticks(range(len(rows)), names)
    for number, name in enumerate(axes.get_yticklabels()):  # a key to the curves, too
        name.set_color(f"C{number % 10}")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    # Student's interval for two seeds may be ten times as wide as the range of all values
    found = [value for row in rows for value in row.scores(score)]
    if found:
        margin = 0.5 * (max(found) - min(found)) or 1.0
        axes.set_xlim(min(found) - margin, max(found) + margin)
    axes.set(title="last tenth of each run, 95 % intervals", xlabel=f"{score} of an episode")
    axes.grid(axis="x", alpha=0.3)
    keys = [
        Line2D([], [], color="grey", linestyle="", marker=shape, markersize=size, label=name)
        for name, shape, size in SHAPES
    ]
    below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15)}  # where it hides nothing
    axes.legend(handles=keys, ncol=3, frameon=False, fontsize="small", **below)


def mark(axes: Axes, estimate: Estimate, height: float, colour: str, shape: str) -> None:
    """Draws a number with its interval; skips an unknown one."""
    if np.isfinite(estimate.low):
        axes.plot([estimate.low, estimate.high], [height, height], color=colour)
    axes.plot([estimate.value], [height], shape, color=colour)


def draw_curves(axes: Axes, runs: Sequence[Curve], colour: str) -> None:
    """Draws the mean of some runs' curves, and their range, over the steps that all have.

    Runs that have no steps in common are drawn each for itself.
    """
    runs = [run for run in runs if len(run[0])]
    if not runs:
        return
    start = max(float(steps[0]) for steps, _ in runs)
    end = min(float(steps[-1]) for steps, _ in runs)
    if start > end and len(runs) > 1:
        for run in runs:
            draw_curves(axes, [run], colour)
        return
    grid = np.linspace(start, end, POINTS)
    smooth = np.array([smoothed(*run, grid, WINDOW * end) for run in runs])
    axes.plot(grid, smooth.mean(0), color=colour)
    for steps, scores in runs:
        if len(steps) <= FEW:
            axes.scatter(steps, scores, 14, colour, alpha=0.4, linewidths=0)
    axes.fill_between(grid, smooth.min(0), smooth.max(0), color=colour, alpha=0.15, linewidth=0)


def smoothed(
    steps: NDArray[Any], scores: NDArray[Any], grid: NDArray[Any], window: float
) -> NDArray[np.float64]:
    """Returns the mean score of the episodes that ended within `window` steps before each point.

    If none did, it is that of the latest one before, or the first.
    """
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    stop = np.searchsorted(steps, grid, side="right").clip(1)
    start = np.minimum(np.searchsorted(steps, grid - window, side="right"), stop - 1)
    mean: NDArray[np.float64] = (sums[stop] - sums[start]) / (stop - start)
    return mean
