"""Draws the pictures of the guide: `python -m experiments.recorded_runs.pictures`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from matplotlib.figure import Figure

from baselines.diagnostics import Severity
from baselines.diagnostics import metrics as m
from baselines.diagnostics.health_plot import COLOURS, GRID, INK, PALE, PANELS, draw, log_axis, tidy
from experiments.recorded_runs.pairs import FAMILIES, LARGEST_SHARE, PAIRS, Pair
from experiments.recorded_runs.recorded_run import RUNS, RecordedRun

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
DPI = 110
TERM_COLOURS = ("#1f4e79", "#2a9d8f", "#e9a03b", "#9b5094", "#888888", "#cc2936")


def curve(run: RecordedRun, metric: str) -> tuple[Any, Any]:
    """Returns env steps and a metric's values, NaN where it was not logged."""
    if metric == m.ENTROPY_SHARE:
        losses = curve(run, m.ENTROPY_LOSS)[1]
        return np.array(run.steps), m.entropy_share(losses, run.n_actions or 2)
    if metric == m.REJECTIONS:
        shares = [m.rejected_share(row) for _, row in run.rows()]
        return np.array(run.steps), np.array(shares, float)
    if metric == LARGEST_SHARE:
        paid = [[max(v, 0.0) for v in m.reward_terms(row).values()] for _, row in run.rows()]
        return np.array(run.steps), np.array([max(terms) / sum(terms) for terms in paid])
    values = [np.nan if value is None else value for value in run.series[metric]]
    return np.array(run.steps), np.array(values)


def new_figure(width: float, height: float, columns: int) -> tuple[Any, Any]:
    """Returns a figure with diagrams side by side."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def draw_pair(pair: Pair, load: Callable[[str], RecordedRun], path: Path) -> None:
    """Draws a metric in a healthy run (left, if there is one) and in a sick one (right)."""
    sides = [(pair.healthy, "healthy", INK)] if pair.healthy is not None else []
    sides.append((pair.sick, "sick", COLOURS[Severity.CRITICAL]))
    figure, axes = new_figure(9, 2.7, len(sides))
    runs = [load(name) for name, _, _ in sides]
    longest = max(run.steps[-1] for run in runs)
    for axis, run, (_, word, colour) in zip(axes, runs, sides, strict=True):
        steps, values = curve(run, pair.metric)
        axis.plot(steps, values, color=colour, linewidth=1.5)
        # shows where a run stopped early
        axis.set_xlim(0, 1.02 * longest)
        title = f"{run.recipe.world}, {word}"
        axis.set_title(
            title if word == "healthy" else f"{title}: {pair.done}", loc="left", fontsize=9
        )
        axis.set_xlabel("environment steps", fontsize=9)
        _finish(axis, pair, values)
    axes[0].set_ylabel(pair.label, fontsize=9)
    if pair.limit is not None:
        axes[0].legend(fontsize=8, frameon=False)
    if pair.log or pair.span is not None:
        _same_height(axes)
    figure.savefig(path)


def _finish(axis: Any, pair: Pair, values: Any) -> None:
    if pair.log:
        log_axis(axis, values)
    if pair.span is not None:
        axis.set_ylim(*pair.span)
    if pair.limit is not None:
        style = {"color": COLOURS[Severity.WARNING], "linewidth": 1.2, "linestyle": "--"}
        axis.axhline(pair.limit, label="limit of a warning", **style)
    tidy(axis)


def _same_height(axes: Any) -> None:
    low, high = (f(axis.get_ylim()[i] for axis in axes) for i, f in ((0, min), (1, max)))
    for axis in axes:
        axis.set_ylim(low, high)


def draw_family(
    sides: Sequence[tuple[str, str]], start: str, load: Callable[[str], RecordedRun], path: Path
) -> None:
    """Draws all metrics with a prefix, in two runs.

    Args:
        sides: the runs' names and headings.
        start: prefix of the metrics' names; those that are always 0 in both runs are left out.
        load: finds a run by its name.
        path: the picture's file.
    """
    figure, axes = new_figure(9, 3.0, 2)
    runs = [load(name) for name, _ in sides]
    names = sorted(
        {n for run in runs for n, v in run.series.items() if n.startswith(start) and any(v)}
    )
    for axis, run, (_, words) in zip(axes, runs, sides, strict=True):
        for colour, name in zip(TERM_COLOURS, names, strict=False):
            if name in run.series:
                label = name.removeprefix(start)
                axis.plot(*curve(run, name), color=colour, linewidth=1.5, label=label)
        axis.set_title(words, loc="left", fontsize=10)
        axis.set_xlim(0, run.steps[-1] * 1.02)
        axis.set_xlabel("environment steps", fontsize=9)
        axis.legend(fontsize=8, frameon=False)
        tidy(axis)
    axes[0].set_ylabel(f"{start}<term>, mean sum of an episode", fontsize=9)
    figure.savefig(path)


def draw_collapse(load: Callable[[str], RecordedRun], path: Path) -> None:
    """Draws four curves of a run that collapses in one update."""
    run = load("learning_rate_jumps_0")
    figure, axes = new_figure(9, 2.6, 4)
    panels = (
        ("episode reward", m.EPISODE_REWARD),
        ("approx_kl", m.APPROX_KL),
        ("entropy share", m.ENTROPY_SHARE),
        ("commonest action", m.TOP_ACTION_SHARE),
    )
    for axis, (title, metric) in zip(axes, panels, strict=True):
        steps, values = curve(run, metric)
        axis.plot(steps, values, color=COLOURS[Severity.CRITICAL], linewidth=1.4)
        if metric == m.APPROX_KL:
            log_axis(axis, values)
        axis.axvline(run.steps[len(run.steps) // 2], color="#999999", linewidth=1, linestyle=":")
        axis.set_xlim(0, run.steps[-1] * 1.02)
        axis.set_title(title, loc="left", fontsize=9)
        axis.set_xlabel("environment steps", fontsize=8)
        tidy(axis)
    figure.savefig(path)


def draw_report(load: Callable[[str], RecordedRun], path: Path) -> None:
    """Draws the picture of `emerald diagnose --picture` for a run that collapses."""
    run = load("learning_rate_jumps_0")
    metrics = {metric for panel in PANELS for metric in panel.metrics}
    columns = {name: curve(run, name)[1] for name in metrics if name in run.series}
    columns[m.ENTROPY_SHARE] = curve(run, m.ENTROPY_SHARE)[1]
    title = f"a run whose learning rate grows a hundredfold: {run.diagnosis.verdict}"
    draw(np.array(run.steps), columns, run.diagnosis, path, title)


def draw_objective(path: Path) -> None:
    """Draws the clipped objective over the ratio."""
    figure, axes = new_figure(9, 2.9, 2)
    ratio = np.linspace(0, 2, 401)
    sides = ((1.0, "a good action: advantage 1"), (-1.0, "a bad action: advantage -1"))
    for axis, (advantage, title) in zip(axes, sides, strict=True):
        plain = ratio * advantage
        fenced = np.minimum(plain, np.clip(ratio, 0.8, 1.2) * advantage)
        axis.axvspan(0.8, 1.2, color=GRID, lw=0)
        axis.plot(
            ratio, plain, color=PALE, linewidth=1.5, linestyle="--", label="without the fence"
        )
        axis.plot(ratio, fenced, color=INK, linewidth=2, label="PPO")
        axis.plot([1], [advantage], "o", color=COLOURS[Severity.CRITICAL], label="where it begins")
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_ylabel("objective", fontsize=9)
        axis.set_xlabel("ratio: new probability / old probability", fontsize=9)
        axis.legend(fontsize=8, frameon=False)
        tidy(axis)
    figure.savefig(path)


def draw_gamma(path: Path) -> None:
    """Draws the worth of a reward over the time until it comes."""
    figure, (axis,) = new_figure(9, 2.9, 1)
    seconds = np.linspace(0, 300, 601)
    for colour, gamma in zip(TERM_COLOURS, (0.9, 0.98, 0.99, 0.995, 0.999), strict=False):
        worth = gamma ** (seconds / (24 / 59.7275))
        axis.plot(seconds, worth, color=colour, linewidth=1.6, label=f"gamma {gamma}")
    axis.set_title("what a reward of 1 is worth now", loc="left", fontsize=10)
    axis.set_xlabel("seconds of game until it comes", fontsize=9)
    axis.set_ylabel("worth", fontsize=9)
    axis.legend(fontsize=8, frameon=False)
    tidy(axis)
    figure.savefig(path)


def main(runs: Path = RUNS, out: Path = PICTURES) -> None:
    """Draws every picture of the guide.

    Args:
        runs: folder of the recorded runs.
        out: folder of the pictures.
    """

    def load(name: str) -> RecordedRun:
        return RecordedRun.load(runs / f"{name}.json")

    out.mkdir(parents=True, exist_ok=True)
    for name, pair in PAIRS.items():
        draw_pair(pair, load, out / f"eli15_{name}.png")
    for name, (start, *sides) in FAMILIES.items():
        draw_family(sides, start, load, out / f"eli15_{name}.png")
    draw_collapse(load, out / "eli15_collapse.png")
    draw_report(load, out / "diagnose.png")
    draw_objective(out / "eli15_objective.png")
    draw_gamma(out / "eli15_gamma.png")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
