"""Draws the pictures of the guide: `python -m baselines.recorded_runs.pictures`."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from baselines.diagnosis_plot import COLOURS, GRID, INK, PALE, PANELS, draw, tidy
from baselines.diagnostics import Severity
from baselines.diagnostics import metrics as m
from baselines.recorded_runs.measure import RUNS, RecordedRun

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
DPI = 110
TERM_COLOURS = ("#1f4e79", "#2a9d8f", "#e9a03b", "#9b5094", "#888888", "#cc2936")


@dataclass(frozen=True)
class Pair:
    """A metric in a healthy and in a sick run, or in a healthy one alone."""

    metric: str
    healthy: str
    sick: str | None = None
    done: str = ""  # what was done to the sick one
    limit: float | None = None  # where the diagnosis gets worried
    log: bool = False
    span: tuple[float, float] | None = None


WRONG_SIGN = "ent_coef -1: being sure is paid for"
PAIRS = {
    "ep_rew_mean": Pair(
        m.EPISODE_REWARD,
        "healthy_cartpole_0",
        "learning_rate_jumps_0",
        "learning rate x 100 from the middle on",
    ),
    "ep_len_mean": Pair(
        m.EPISODE_LENGTH,
        "healthy_acrobot_0",
        "learning_rate_too_high_acrobot_0",
        "learning rate 0.03: every episode is cut off at 500",
        span=(0, 520),
    ),
    "milestones": Pair(
        m.MILESTONES,
        "healthy_meadow_0",
        "entropy_bonus_of_wrong_sign_0",
        "ent_coef -1: sure before it found anything",
        span=(-0.05, 3.1),
    ),
    "entropy_loss": Pair(
        m.ENTROPY_LOSS, "healthy_meadow_0", "entropy_bonus_of_wrong_sign_0", WRONG_SIGN
    ),
    "entropy_share": Pair(
        m.ENTROPY_SHARE,
        "healthy_meadow_0",
        "entropy_bonus_far_too_high_meadow_0",
        "ent_coef 10: dice pay better than playing",
        0.97,
        span=(0, 1.04),
    ),
    "approx_kl": Pair(
        m.APPROX_KL,
        "healthy_cartpole_0",
        "learning_rate_too_high_0",
        "learning rate 0.02, twenty times too high",
        0.03,
        log=True,
    ),
    "clip_fraction": Pair(
        m.CLIP_FRACTION,
        "healthy_meadow_0",
        "learning_rate_too_high_meadow_0",
        "learning rate 0.02, twenty times too high",
        0.3,
        span=(0, 1),
    ),
    "clip_range": Pair(
        m.CLIP_RANGE,
        "healthy_cartpole_0",
        "no_clipping_0",
        "clip_range 1,000,000: no fence",
        log=True,
    ),
    "explained_variance": Pair(
        m.EXPLAINED_VARIANCE,
        "healthy_meadow_0",
        "learning_rate_too_high_acrobot_0",
        "learning rate 0.03: it predicts nothing",
        0.05,
        span=(-1, 1.05),
    ),
    "value_loss": Pair(
        m.VALUE_LOSS,
        "healthy_cartpole_0",
        "learning_rate_jumps_0",
        "learning rate x 100 from the middle on",
        log=True,
    ),
    "policy_gradient_loss": Pair(
        m.POLICY_LOSS,
        "healthy_meadow_0",
        "learning_rate_too_high_meadow_0",
        "learning rate 0.02, twenty times too high",
    ),
    "loss": Pair(
        m.LOSS,
        "healthy_acrobot_0",
        "learning_rate_jumps_0",
        "learning rate x 100 from the middle on",
        log=True,
    ),
    "learning_rate": Pair(
        m.LEARNING_RATE,
        "healthy_cartpole_0",
        "schedule_ends_early_0",
        "the schedule ends at 40 % of the run",
        span=(0, 0.00105),
    ),
    "gradient_norm": Pair(
        m.GRADIENT_NORM,
        "healthy_cartpole_0",
        "learning_rate_jumps_0",
        "learning rate x 100 from the middle on",
        log=True,
    ),
    "std": Pair(
        m.STD,
        "healthy_pendulum_0",
        "learning_rate_too_high_pendulum_0",
        "learning rate 0.03, thirty times too high",
    ),
    "top_action_share": Pair(
        m.TOP_ACTION_SHARE,
        "healthy_acrobot_0",
        "learning_rate_too_high_acrobot_0",
        "learning rate 0.03, thirty times too high",
        0.8,
        span=(0, 1.04),
    ),
    "still_share": Pair(
        m.STILL_SHARE,
        "healthy_meadow_0",
        "closed_in_0",
        "the agent starts in a closet without a door",
        0.5,
        span=(0, 1.04),
    ),
    "steps_per_second": Pair(m.STEPS_PER_SECOND, "healthy_meadow_0", span=(0, 20_000)),
}


def curve(run: RecordedRun, metric: str) -> tuple[Any, Any]:
    """Returns env steps and a metric's values, NaN where it was not logged."""
    if metric == m.ENTROPY_SHARE:
        losses = curve(run, m.ENTROPY_LOSS)[1]
        return np.array(run.steps), m.entropy_share(losses, run.n_actions or 2)
    values = [np.nan if value is None else value for value in run.series[metric]]
    return np.array(run.steps), np.array(values)


def new_figure(width: float, height: float, columns: int) -> tuple[Any, Any]:
    """Returns a figure with diagrams side by side."""
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def draw_pair(pair: Pair, load: Callable[[str], RecordedRun], path: Path) -> None:
    """Draws a metric in a healthy run (left) and in a sick one (right, where there is one)."""
    sides = [(pair.healthy, "healthy", INK)]
    if pair.sick is not None:
        sides.append((pair.sick, "sick", COLOURS[Severity.CRITICAL]))
    figure, axes = new_figure(9, 2.7, len(sides))
    for axis, (name, word, colour) in zip(axes, sides, strict=True):
        run = load(name)
        steps, values = curve(run, pair.metric)
        if pair.log:
            values = np.where(values > 0, values, np.nan)
        axis.plot(steps, values, color=colour, linewidth=1.5)
        axis.set_xlim(0, run.steps[-1] * 1.02)
        caption = f"{word}: {run.recipe.world}"
        axis.set_title(caption, loc="left", fontsize=10)
        axis.set_xlabel("steps" if word == "healthy" else pair.done, fontsize=9)
        _finish(axis, pair)
    if pair.log or pair.span is not None:
        _same_height(axes)
    figure.savefig(path)


def _finish(axis: Any, pair: Pair) -> None:
    if pair.log:
        axis.set_yscale("log")
        axis.minorticks_off()
    if pair.span is not None:
        axis.set_ylim(*pair.span)
    if pair.limit is not None:
        axis.axhline(pair.limit, color=COLOURS[Severity.WARNING], linewidth=1.2, linestyle="--")
    tidy(axis)


def _same_height(axes: Any) -> None:
    low, high = (f(axis.get_ylim()[i] for axis in axes) for i, f in ((0, min), (1, max)))
    for axis in axes:
        axis.set_ylim(low, high)


def draw_reward_terms(load: Callable[[str], RecordedRun], path: Path) -> None:
    """Draws the reward's parts of a run that plays and of one that is paid for standing still."""
    figure, axes = new_figure(9, 3.0, 2)
    sides = (("healthy_meadow_0", "healthy: plays"), ("idling_pays_0", "sick: stands still"))
    for axis, (name, word) in zip(axes, sides, strict=True):
        run = load(name)
        terms = sorted(
            n for n in run.series if n.startswith(m.REWARD_TERMS) and n != "reward/lever"
        )
        for colour, term in zip(TERM_COLOURS, terms, strict=False):
            label = term.removeprefix(m.REWARD_TERMS)
            axis.plot(*curve(run, term), color=colour, linewidth=1.5, label=label)
        axis.set_title(word, loc="left", fontsize=10)
        axis.set_xlim(0, run.steps[-1] * 1.02)
        axis.set_xlabel("steps", fontsize=9)
        axis.legend(fontsize=8, frameon=False)
        tidy(axis)
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
        if metric == m.APPROX_KL:
            values = np.where(values > 0, values, np.nan)
            axis.set_yscale("log")
        axis.plot(steps, values, color=COLOURS[Severity.CRITICAL], linewidth=1.4)
        axis.axvline(run.steps[len(run.steps) // 2], color="#999999", linewidth=1, linestyle=":")
        axis.set_xlim(0, run.steps[-1] * 1.02)
        axis.set_title(title, loc="left", fontsize=9)
        axis.minorticks_off()
        tidy(axis)
    figure.savefig(path)


def draw_report(load: Callable[[str], RecordedRun], path: Path) -> None:
    """Draws what `diagnose.py --plot` draws of a run that collapses."""
    run = load("learning_rate_jumps_0")
    metrics = {metric for panel in PANELS for metric in panel.metrics}
    columns = {name: curve(run, name)[1] for name in metrics if name in run.series}
    columns[m.ENTROPY_SHARE] = curve(run, m.ENTROPY_SHARE)[1]
    draw(np.array(run.steps), columns, run.diagnosis, path, "a run that collapses")


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
        axis.set_xlabel("ratio: new probability / old probability", fontsize=9)
        axis.legend(fontsize=8, frameon=False)
        tidy(axis)
    figure.savefig(path)


def draw_gamma(path: Path) -> None:
    """Draws what a reward is worth over the time until it comes."""
    figure, (axis,) = new_figure(9, 2.9, 1)
    seconds = np.linspace(0, 300, 601)
    for colour, gamma in zip(TERM_COLOURS, (0.9, 0.98, 0.99, 0.995, 0.999), strict=False):
        worth = gamma ** (seconds / (24 / 59.7275))
        axis.plot(seconds, worth, color=colour, linewidth=1.6, label=f"gamma {gamma}")
    axis.set_title("what a reward of 1 is worth now", loc="left", fontsize=10)
    axis.set_xlabel("seconds of game until it comes", fontsize=9)
    axis.legend(fontsize=8, frameon=False)
    tidy(axis)
    figure.savefig(path)


def main() -> None:
    """Draws every picture of the guide."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--out", type=Path, default=PICTURES)
    arguments = parser.parse_args()

    def load(name: str) -> RecordedRun:
        return RecordedRun.load(arguments.runs / f"{name}.json")

    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, pair in PAIRS.items():
        draw_pair(pair, load, arguments.out / f"eli15_{name}.png")
    draw_reward_terms(load, arguments.out / "eli15_reward_terms.png")
    draw_collapse(load, arguments.out / "eli15_collapse.png")
    draw_report(load, arguments.out / "diagnose.png")
    draw_objective(arguments.out / "eli15_objective.png")
    draw_gamma(arguments.out / "eli15_gamma.png")


if __name__ == "__main__":
    main()
