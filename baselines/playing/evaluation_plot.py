"""Plots players' rewards and the share of episodes that reached each milestone."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from baselines.playing.evaluation import Evaluation, in_order
from baselines.playing.intervals import Estimate
from emerald_env.files.printable import for_matplotlib

ROW = 0.34  # inches of height for a milestone
SPREAD = 0.6  # of a row, over which the players' points lie
MAX_NAME_LENGTH = 40  # letters of a player's name
DOT, CLOUD = 5.0, 12.0  # sizes of an estimate's point and of an episode's


def plot(evaluations: Sequence[Evaluation], path: Path) -> None:
    """Plots players into a picture; the file's ending sets its format.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: the format is unknown; the message lists the known ones.
    """
    slugs = in_order({slug for each in evaluations for slug in each.milestones})
    height = 1.6 + ROW * max(len(slugs), 3 * len(evaluations))
    figure = Figure(figsize=(11, height), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    means = draw_rewards(left, evaluations)
    draw_milestones(right, evaluations, slugs)
    labels = [for_matplotlib(shortened(each.name)) for each in evaluations]
    figure.legend(means, labels, loc="outside lower center", ncols=len(labels))
    figure.savefig(path, dpi=120)


def draw_rewards(axes: Axes, evaluations: Sequence[Evaluation]) -> list[Any]:
    """Draws every episode's reward as a dot, and the means with their intervals above them.

    Returns:
        each player's mean, for a legend: by its label matplotlib would leave out "_name".
    """
    means: list[Any] = []  # to matplotlib's types an ErrorbarContainer is no artist
    for row, each in enumerate(evaluations):
        rewards = [episode.reward for episode in each.episodes]
        # spread evenly, in the order they were played: equal rewards would hide each other
        heights = row + np.linspace(0.1, 0.34, len(rewards))
        axes.scatter(rewards, heights, CLOUD, f"C{row}", alpha=0.45, linewidths=0)
        means.append(draw_estimate(axes, each.reward, row - 0.12, row))
    axes.set_yticks([])
    axes.set_ylim(len(evaluations) - 0.4, -0.5)
    axes.set_xlabel("reward of an episode, mean with 95 % interval")
    axes.grid(axis="x", alpha=0.3)
    return means


def draw_milestones(axes: Axes, evaluations: Sequence[Evaluation], slugs: Sequence[str]) -> None:
    """Draws the share of episodes that reached each milestone, one colour a player."""
    shifts = np.linspace(-SPREAD / 2, SPREAD / 2, len(evaluations) + 2)[1:-1]
    for number, each in enumerate(evaluations):
        for row, slug in enumerate(slugs):
            draw_estimate(axes, each.reached(slug), row + shifts[number], number)
    axes.set_yticks(range(len(slugs)), [slug.replace("_", " ") for slug in slugs])
    axes.set_ylim(max(len(slugs), 1) - 0.5, -0.5)
    axes.set_xlim(-0.02, 1.02)
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.set_xlabel("episodes that reached it, with 95 % interval")
    axes.grid(axis="x", alpha=0.3)


def shortened(name: str) -> str:
    """Returns a name, shortened to leave room for others."""
    return name if len(name) <= MAX_NAME_LENGTH else f"…{name[1 - MAX_NAME_LENGTH :]}"


def draw_estimate(axes: Axes, estimate: Estimate, height: float, colour: int) -> ErrorbarContainer:
    """Draws a point with its interval, unless the interval is infinite, and returns both."""
    value, low, high = estimate
    bars = None if math.isinf(high - low) else [[value - low], [high - value]]
    return axes.errorbar(
        value,
        height,
        xerr=bars,
        fmt="o",
        color=f"C{colour}",
        markersize=DOT,
        capsize=3,
    )
