"""Draws the learning curves of some sessions into one picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tyro
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from baselines.commands.command import reports_user_errors, run_command
from baselines.diagnostics.logs import Curves, LogError, read_runs
from emerald_env.env.setting_types import checked
from emerald_env.files.output_files import check_picture

REWARD = "rollout/ep_rew_mean"
MILESTONES = "milestones/per_episode"
PAUSE = 60.0  # seconds without a number after which a run may count as stopped


@checked
@dataclass(frozen=True)
class PlotConfig:
    """Draw episode reward and milestones of some runs, one line per run.

    The reward is drawn over time, or over steps if a run's log has no times. If a run has no
    milestones, as on Breakout, the reward is drawn over steps instead.
    """

    sessions: tyro.conf.Positional[tuple[Path, ...]]
    """Folders of sessions, or that contain sessions."""
    out: Path = Path("runs.png")
    """The picture."""
    baseline: float | None = None
    """Mean episode reward of random keys; it and its fourfold are drawn as lines."""

    def __post_init__(self) -> None:
        """Raises ValueError if there is nothing to draw, or the picture cannot be written."""
        if not self.sessions:
            raise ValueError("name the folder of a session, or of several")
        check_picture(self.out)


@dataclass(frozen=True)
class Curve:
    """One number over one run."""

    steps: tuple[int, ...]
    minutes: tuple[float, ...]  # since the run's first number; NaN where the log has no times
    values: tuple[float, ...]


def curve(run: Curves, tag: str) -> Curve:
    """Returns one scalar of a run.

    Raises:
        LogError: it has none of this name.
    """
    if tag not in run.points:
        raise LogError(f"no {tag} in {run.folder}: has an episode ended yet?")
    points = run.points[tag]
    times = [point.time for point in max(run.points.values(), key=len)]
    minutes = np.interp([point.time for point in points], times, active_minutes(times))
    return Curve(
        tuple(point.step for point in points),
        tuple(minutes.tolist()),
        tuple(point.value for point in points),
    )


def active_minutes(times: Sequence[float]) -> tuple[float, ...]:
    """Returns the minutes for which a run has run, without pauses until it was resumed.

    Args:
        times: seconds at which something was logged; a gap of a minute and of ten times the usual
            interval counts as a pause.
    """
    gaps = np.diff(times)
    usual = np.median(gaps)
    gaps[gaps > max(PAUSE, 10 * usual)] = usual
    return tuple(np.concatenate([[0.0], np.cumsum(gaps)]) / 60)


def curves(runs: Sequence[Curves], tag: str) -> list[tuple[str, Curve]]:
    """Returns one scalar of each run, with the run's name: its own, or its folder's.

    Raises:
        LogError: a run has none of this name.
    """
    return [(run.run or run.folder.name, curve(run, tag)) for run in runs]


class Panel(NamedTuple):
    """What one part of the picture shows."""

    lines: list[tuple[str, Curve]]  # with the runs' names
    by_time: bool  # over minutes, else over steps
    ylabel: str


def panels(runs: Sequence[Curves]) -> list[Panel]:
    """Returns the picture's parts: rewards, and milestones if all runs have them.

    Raises:
        LogError: a run has no rewards yet.
    """
    rewards = curves(runs, REWARD)
    timed = all(np.isfinite(line.minutes).all() for _, line in rewards)
    found = [Panel(rewards, timed, "mean episode reward")]
    if all(MILESTONES in run.points for run in runs):
        found.append(Panel(curves(runs, MILESTONES), False, "milestones per episode"))
    elif timed:
        found.append(found[0]._replace(by_time=False))
    return found


def draw(axes: Axes, panel: Panel) -> None:
    """Draws curves over minutes or over steps."""
    for name, line in panel.lines:
        across = line.minutes if panel.by_time else [step / 1000 for step in line.steps]
        axes.plot(across, line.values, label=name, linewidth=1.6)
    axes.set_xlabel("minutes" if panel.by_time else "thousand steps")
    axes.set_ylabel(panel.ylabel)
    axes.grid(alpha=0.3)


def plot(runs: Sequence[Curves], baseline: float | None, out: Path) -> None:
    """Draws all runs into one picture.

    Raises:
        LogError: a run has no rewards to draw yet.
        OSError: the picture cannot be written.
    """
    parts = panels(runs)
    figure = Figure(figsize=(5.5 * len(parts), 4), layout="constrained")
    ((left, *others),) = figure.subplots(1, len(parts), squeeze=False)
    for axes, part in zip((left, *others), parts, strict=True):
        draw(axes, part)
    if baseline is not None:
        left.axhline(baseline, color="grey", linestyle=":", label="random keys")
        left.axhline(4 * baseline, color="black", linestyle="--", label="four times that")
    left.legend(fontsize=8)
    figure.savefig(out, dpi=110)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Draws with the settings of a command line, None for this process's own.

    Returns:
        The exit status: 1 if there is nothing to draw yet, or the picture cannot be written.
    """
    config = tyro.cli(PlotConfig, args=arguments)
    plot(read_runs(config.sessions), config.baseline, config.out)
    print(f"wrote {config.out}")
    return 0


if __name__ == "__main__":
    run_command(main)
