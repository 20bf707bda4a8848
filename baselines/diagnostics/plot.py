"""A run's curves in one picture, with the findings marked on them."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from baselines.diagnostics import Diagnosis, Severity
from baselines.diagnostics import metrics as m
from baselines.diagnostics.event_files import Curves

COLOURS = {Severity.NOTE: "#7f9fbf", Severity.WARNING: "#e0a100", Severity.CRITICAL: "#cc2936"}
INK, PALE, GREY, GRID = "#1f4e79", "#9ab6cf", "#888888", "#e6e6e6"


@dataclass(frozen=True)
class Panel:
    """One small diagram: its title, its curves, and the findings that are marked on it."""

    title: str
    metrics: tuple[str, ...]
    findings: tuple[str, ...]
    log: bool = False
    span: tuple[float, float] | None = None  # what of the y axis is shown
    from_zero: bool = False  # the y axis begins at 0


PANELS = (
    Panel(
        "episode reward",
        (m.EPISODE_REWARD,),
        ("reward_collapse", "reward_plateau", "reward_farming"),
    ),
    Panel(
        "entropy, share of its maximum",
        (m.ENTROPY_SHARE,),
        ("entropy_collapse", "entropy_stuck_high"),
        span=(-0.02, 1.02),
    ),
    Panel("approx_kl", (m.APPROX_KL,), ("kl_blow_up", "dead_updates"), log=True),
    Panel("clip_fraction", (m.CLIP_FRACTION,), ("kl_blow_up",), span=(-0.02, 1.02)),
    Panel(
        "explained variance",
        (m.EXPLAINED_VARIANCE,),
        ("value_useless", "value_stuck_at_one"),
        span=(-1.05, 1.05),
    ),
    Panel("value loss", (m.VALUE_LOSS,), ("value_loss_blow_up", "not_a_number"), log=True),
    Panel(
        "commonest action (blue), still (pale), in one place (grey)",
        (m.TOP_ACTION_SHARE, m.STILL_SHARE, m.PLACE_SHARE),
        ("one_action", "stuck_in_place"),
        span=(-0.02, 1.02),
    ),
    Panel("steps per second", (m.STEPS_PER_SECOND,), ("throughput_drop",), from_zero=True),
    Panel("learning rate", (m.LEARNING_RATE,), ("schedule_ended",), from_zero=True),
    Panel("gradient norm", (m.GRADIENT_NORM,), ("not_a_number",), log=True),
)


def plot(curves: Curves, diagnosis: Diagnosis, path: Path) -> None:
    """Writes the picture of a run; its ending says the format (png, svg, pdf).

    Raises:
        OSError: it cannot be written.
        ValueError: matplotlib does not know the format.
    """
    rows = list(curves.rows())
    steps = np.array([step for step, _ in rows])
    columns = {
        name: np.array([row.get(name, np.nan) for _, row in rows])
        for panel in PANELS
        for name in panel.metrics
    }
    columns[m.ENTROPY_SHARE] = _entropy_share(rows, diagnosis.n_actions)
    draw(steps, columns, diagnosis, path, title=str(curves.folder))


def _entropy_share(rows: list[tuple[int, dict[str, float]]], n_actions: int | None) -> Any:
    if n_actions is None:
        return np.full(len(rows), np.nan)
    losses = [row.get(m.ENTROPY_LOSS, np.nan) for _, row in rows]
    return np.array([m.entropy_share(loss, n_actions) for loss in losses])


def draw(steps: Any, columns: dict[str, Any], diagnosis: Diagnosis, path: Path, title: str) -> None:
    """Draws the panels whose curves have any number, and a bar for each finding below them.

    Args:
        steps: (updates,) env steps.
        columns: metric -> (updates,) values, NaN where there is none.
        diagnosis: what was said.
        path: the file to write.
        title: the picture's headline.
    """
    # only here, so that reports without a picture do not wait for matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    there = [p for p in PANELS if any(_any_finite(columns.get(n)) for n in p.metrics)]
    findings = diagnosis.findings
    n_rows = (len(there) + 1) // 2
    bars = 0.35 + 0.24 * len(findings)
    figure = Figure(figsize=(10, 0.6 + 1.75 * n_rows + bars), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(_shortened(title), x=0.01, ha="left", fontsize=11, color="#333333")
    grid = figure.add_gridspec(n_rows + 1, 2, height_ratios=[*[1.75] * n_rows, bars])
    for index, panel in enumerate(there):
        axes = figure.add_subplot(grid[index // 2, index % 2])
        draw_panel(axes, panel, steps, columns, diagnosis)
    _draw_bars(figure.add_subplot(grid[n_rows, :]), steps, diagnosis)
    figure.savefig(path)


def _any_finite(values: Any) -> bool:
    return values is not None and bool(np.isfinite(values).any())


def _shortened(title: str) -> str:
    return title if len(title) <= 100 else f"...{title[-97:]}"


def draw_panel(
    axes: Any, panel: Panel, steps: Any, columns: dict[str, Any], diagnosis: Diagnosis
) -> None:
    """Draws one diagram with the times of its findings shaded."""
    for colour, name in zip((INK, PALE, GREY), panel.metrics, strict=False):
        values = columns.get(name)
        if values is None:
            continue
        if panel.log:
            values = np.where(values > 0, values, np.nan)
        axes.plot(steps, values, color=colour, linewidth=1.3)
    axes.set_xlim(*x_limits(steps))
    if panel.log and any(np.nanmax(columns[n], initial=0) > 0 for n in panel.metrics):
        axes.set_yscale("log")
        whole_decades(axes)
    if panel.span is not None:
        axes.set_ylim(*panel.span)
    elif panel.from_zero:
        axes.set_ylim(0, 1.05 * max(axes.get_ylim()[1], 1e-12))
    for finding in diagnosis.findings:
        if finding.code in panel.findings:
            end = steps[-1] if finding.until is None else finding.until
            colour = COLOURS[finding.severity]
            axes.axvspan(finding.since, max(end, finding.since), color=colour, alpha=0.18, lw=0)
            axes.axvline(finding.said, color=colour, linewidth=1)
    axes.set_title(panel.title, loc="left", fontsize=9)
    tidy(axes)


def x_limits(steps: Any) -> tuple[float, float]:
    """Returns what of the x axis is shown: the same below every diagram."""
    margin = 0.02 * (steps[-1] - steps[0]) + 1
    return steps[0] - margin, steps[-1] + margin


def whole_decades(axes: Any) -> None:
    """Lets a logarithmic y axis begin and end at powers of ten, so that two at least are named."""
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    axes.set_ylim(10 ** math.floor(low), 10 ** math.ceil(high))
    axes.minorticks_off()


def tidy(axes: Any) -> None:
    """Takes away what is no data, and writes steps as 20k and 3M."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8, length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _steps(x)))


def _steps(number: float) -> str:
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{unit}"
    return f"{number:g}"


def _draw_bars(axes: Any, steps: Any, diagnosis: Diagnosis) -> None:
    findings = diagnosis.findings
    for index, finding in enumerate(findings):
        end = steps[-1] if finding.until is None else finding.until
        axes.barh(
            index,
            max(end - finding.since, (steps[-1] - steps[0]) / 200),
            left=finding.since,
            height=0.6,
            color=COLOURS[finding.severity],
        )
    axes.set_yticks(range(len(findings)), [finding.code for finding in findings])
    axes.set_ylim(len(findings) - 0.5, -0.5) if findings else axes.set_yticks([])
    axes.set_xlim(*x_limits(steps))
    axes.set_title("findings" if findings else "nothing found", loc="left", fontsize=9)
    tidy(axes)
