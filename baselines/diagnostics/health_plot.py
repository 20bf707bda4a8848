"""A run's curves in one picture, with the findings marked on them."""

import math
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from baselines.diagnostics import RULES, Diagnosis, Severity
from baselines.diagnostics import metrics as m
from baselines.diagnostics.logs import Curves
from baselines.diagnostics.rules.rule import Settings
from emerald_env.files.printable import for_matplotlib

COLOURS = {Severity.NOTE: "#7f9fbf", Severity.WARNING: "#e0a100", Severity.CRITICAL: "#cc2936"}
INK, PALE, GREY, GRID = "#1f4e79", "#9ab6cf", "#888888", "#e6e6e6"
MAX_DECADES = 6  # of a logarithmic axis, between its largest value and what is drawn as 0


@dataclass(frozen=True)
class Diagram:
    """One diagram: its title, its curves, and the findings marked on it."""

    title: str
    metrics: tuple[str, ...]
    findings: tuple[str, ...]
    limits: tuple[str, ...] = ()  # the findings whose limits are on this axis
    names: tuple[str, ...] = ()  # of the curves, if there are several
    log: bool = False
    span: tuple[float, float] | None = None  # range of the y axis
    from_zero: bool = False  # the y axis begins at 0


SHARE = (-0.02, 1.02)
PANELS = (
    Diagram(
        "episode reward",
        (m.EPISODE_REWARD,),
        (
            "reward_collapse",
            "reward_plateau",
            "reward_misleads",
            "reward_constant",
            "reward_farming",
        ),
    ),
    Diagram(
        "entropy, share of its maximum",
        (m.ENTROPY_SHARE,),
        ("entropy_collapse", "entropy_stuck_high"),
        ("entropy_collapse", "entropy_stuck_high"),
        span=SHARE,
    ),
    Diagram("standard deviation of the actions", (m.STD,), (), from_zero=True),
    Diagram(
        "approx_kl",
        (m.APPROX_KL,),
        ("kl_blow_up", "dead_updates"),
        ("kl_blow_up",),
        log=True,
    ),
    Diagram("clip_fraction", (m.CLIP_FRACTION,), ("kl_blow_up",), span=SHARE),
    Diagram(
        "explained variance",
        (m.EXPLAINED_VARIANCE,),
        ("value_useless",),
        ("value_useless",),
        span=(-1.05, 1.05),
    ),
    Diagram("value loss", (m.VALUE_LOSS,), ("value_loss_blow_up", "not_a_number"), log=True),
    Diagram(
        "share of steps",
        (m.TOP_ACTION_SHARE, m.STILL_SHARE, m.PLACE_SHARE),
        ("one_action", "stuck_in_place"),
        ("one_action",),
        ("commonest action", "nothing changed", "in one place"),
        span=SHARE,
    ),
    Diagram("steps per second", (m.STEPS_PER_SECOND,), ("throughput_drop",), from_zero=True),
    Diagram(
        "learning rate", (m.LEARNING_RATE,), ("schedule_ended", "wrong_setting"), from_zero=True
    ),
    Diagram("gradient norm", (m.GRADIENT_NORM,), ("not_a_number",), log=True),
)


def plot(curves: Curves, diagnosis: Diagnosis, path: Path, verdict: str) -> None:
    """Writes the picture of a run; the file's ending sets the format (png, svg, pdf).

    Args:
        curves: the run.
        diagnosis: its findings.
        path: the file to write.
        verdict: on the whole run.

    Raises:
        OSError: it cannot be written.
        ValueError: matplotlib does not know the format.
    """
    rows = list(curves.rows())
    steps = np.array([step for step, _, _ in rows])
    columns = {
        name: np.array([row.get(name, np.nan) for _, row, _ in rows])
        for panel in PANELS
        for name in panel.metrics
    }
    if diagnosis.n_actions is not None and not _any_finite(columns[m.STD]):
        losses = [row.get(m.ENTROPY_LOSS, np.nan) for _, row, _ in rows]
        shares = [m.entropy_share(loss, diagnosis.n_actions) for loss in losses]
        columns[m.ENTROPY_SHARE] = np.array(shares)
    title = f"{_shortened(curves.title)}: {verdict}"
    draw(steps, columns, diagnosis, path, title)


def draw(steps: Any, columns: dict[str, Any], diagnosis: Diagnosis, path: Path, title: str) -> None:
    """Draws the panels whose curves have any values, and a bar for each finding below them.

    Args:
        steps: (updates,) env steps.
        columns: metric -> (updates,) values, NaN where missing.
        diagnosis: the findings.
        path: the file to write.
        title: the picture's headline.
    """
    # imported here, so that reports without a picture do not wait for matplotlib
    from matplotlib.figure import Figure

    there = [p for p in PANELS if any(_any_finite(columns.get(n)) for n in p.metrics)]
    codes = list(dict.fromkeys(finding.code for finding in diagnosis.findings))
    heights = [1.25] * len(there) + ([0.35 + 0.22 * len(codes)] if codes else [])
    figure = Figure(figsize=(10, 0.8 + sum(heights)), dpi=100, layout="constrained")
    figure.suptitle(for_matplotlib(title), x=0.01, ha="left", fontsize=11, wrap=True)
    # one above the other, so that simultaneous events align
    all_axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)
    for axes, panel in zip(all_axes[:, 0], there, strict=False):
        draw_panel(axes, panel, steps, columns, diagnosis)
    if codes:
        _draw_bars(all_axes[-1, 0], steps, diagnosis, codes)
    all_axes[-1, 0].set_xlabel("environment steps", fontsize=9)
    all_axes[-1, 0].set_xlim(*_x_limits(steps))
    _draw_legend(figure, {finding.severity for finding in diagnosis.findings})
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Writes a figure; a character that the font lacks is a box, of which nothing is said.

    Raises:
        OSError: it cannot be written.
        ValueError: matplotlib does not know the format.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(path)


def _draw_legend(figure: Any, severities: set[Severity]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        Line2D([], [], color=COLOURS[severity], linestyle="--", linewidth=1, label=label)
        for severity, label in (
            (Severity.WARNING, "limit: warning"),
            (Severity.CRITICAL, "limit: critical"),
        )
    ]
    for severity in sorted(severities):
        name = f"{severity.name.lower()}, while it held"
        entries.append(Patch(color=COLOURS[severity], alpha=0.4, label=name))
    if severities:
        entries.append(Line2D([], [], color=GREY, linewidth=1, label="when it was said"))
    figure.legend(
        handles=entries, loc="outside lower left", ncols=len(entries), fontsize=8, frameon=False
    )


def _any_finite(values: Any) -> bool:
    return values is not None and bool(np.isfinite(values).any())


def _shortened(title: str) -> str:
    return title if len(title) <= 60 else f"...{title[-57:]}"


def draw_panel(
    axes: Any, panel: Diagram, steps: Any, columns: dict[str, Any], diagnosis: Diagnosis
) -> None:
    """Draws one diagram with its limits and the times of its findings."""
    there = [name for name in panel.metrics if _any_finite(columns.get(name))]
    for colour, name in zip((INK, PALE, GREY), panel.metrics, strict=False):
        if name in there:
            label = panel.names[panel.metrics.index(name)] if panel.names else None
            axes.plot(steps, columns[name], color=colour, linewidth=1.3, label=label)
    if panel.names:
        axes.legend(fontsize=7, frameon=False, loc="upper left", ncols=3)
    if panel.log:
        log_axis(axes, np.concatenate([columns[name] for name in there]))
    if panel.span is not None:
        axes.set_ylim(*panel.span)
    elif panel.from_zero:
        axes.set_ylim(0, 1.05 * max(axes.get_ylim()[1], 1e-12))
    _draw_limits(axes, panel, diagnosis.history.settings)
    for finding in diagnosis.findings:
        if finding.code in panel.findings:
            end = steps[-1] if finding.until is None else finding.until
            colour = COLOURS[finding.severity]
            axes.axvspan(finding.since, max(end, finding.since), color=colour, alpha=0.18, lw=0)
            axes.axvline(finding.said, color=colour, linewidth=1)
    axes.set_title(panel.title, loc="left", fontsize=9)
    tidy(axes)


def _draw_limits(axes: Any, panel: Diagram, settings: Settings) -> None:
    low, high = axes.get_ylim()
    for code in panel.limits:
        rule = RULES[code]
        warn = rule.limit(settings)
        limits = {Severity.WARNING: warn, Severity.CRITICAL: rule.critical}
        for severity, limit in limits.items():
            if limit is not None and low <= limit <= high:
                axes.axhline(limit, color=COLOURS[severity], linewidth=1, linestyle="--")


def _x_limits(steps: Any) -> tuple[float, float]:
    margin = 0.02 * (steps[-1] - steps[0]) + 1
    return steps[0] - margin, steps[-1] + margin


def log_axis(axes: Any, values: Any) -> None:
    """Makes a y axis logarithmic, with whole decades; values of 0 or less are drawn, too."""
    values = values[np.isfinite(values)]
    positive = values[values > 10 * sys.float_info.min]  # the decade below a smaller one may be 0
    if not len(positive):
        return
    top = 10.0 ** math.ceil(math.log10(positive.max()))
    low = 10.0 ** math.floor(math.log10(positive.min()))
    if len(positive) < len(values):
        low = max(low, top / 10**MAX_DECADES)
        axes.set_yscale("symlog", linthresh=low)
        axes.set_ylim(min(-low / 5, float(values.min())), top)
    else:
        axes.set_yscale("log")
        axes.set_ylim(low, max(top, 10 * low))
    axes.minorticks_off()


def tidy(axes: Any) -> None:
    """Removes clutter, and writes steps as 20k and 3M."""
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


def _draw_bars(axes: Any, steps: Any, diagnosis: Diagnosis, codes: list[str]) -> None:
    shortest = (steps[-1] - steps[0]) / 200
    for finding in diagnosis.findings:
        end = steps[-1] if finding.until is None else finding.until
        width = max(end - finding.since, shortest)
        place, colour = codes.index(finding.code), COLOURS[finding.severity]
        axes.barh(place, width, left=finding.since, height=0.6, color=colour)
    axes.set_yticks(range(len(codes)), codes)
    axes.set_ylim(len(codes) - 0.5, -0.5)
    axes.set_title("findings", loc="left", fontsize=9)
    tidy(axes)
