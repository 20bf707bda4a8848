"""Draws the learning curves of some sessions into one picture."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import tyro
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from emerald_env.command import run_command

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402  the backend comes first: there is no screen
from matplotlib.axes import Axes  # noqa: E402

REWARD = "rollout/ep_rew_mean"
MILESTONES = "milestones/per_episode"


@dataclass(frozen=True)
class PlotConfig:
    """Draw episode reward and milestones of some runs, one line a run.

    Where a run has no milestones, as on Breakout, the reward is drawn over steps in their place.
    """

    sessions: tyro.conf.Positional[tuple[Path, ...]]
    """Session folders."""
    out: Path = Path("runs.png")
    """The picture."""
    baseline: float | None = None
    """Mean episode reward of random keys, drawn as a line, and four times it as another."""


@dataclass(frozen=True)
class Curve:
    """One number over one run."""

    steps: tuple[int, ...]
    minutes: tuple[float, ...]  # since the run's first number
    values: tuple[float, ...]


def read_curve(session: Path, tag: str) -> Curve | None:
    """Reads one scalar of a session's tensorboard events; None where it has none of this name."""
    events = EventAccumulator(str(session), size_guidance={"scalars": 0})
    events.Reload()
    if tag not in events.Tags()["scalars"]:
        return None
    begin = min(events.Scalars(name)[0].wall_time for name in events.Tags()["scalars"])
    points = events.Scalars(tag)
    return Curve(
        tuple(point.step for point in points),
        tuple((point.wall_time - begin) / 60 for point in points),
        tuple(point.value for point in points),
    )


def draw(axes: Axes, curves: Sequence[tuple[str, Curve]], by_time: bool, ylabel: str) -> None:
    """Draws curves over minutes or over steps."""
    for name, curve in curves:
        across = curve.minutes if by_time else [step / 1000 for step in curve.steps]
        axes.plot(across, curve.values, label=name, linewidth=1.6)
    axes.set_xlabel("minutes" if by_time else "thousand steps")
    axes.set_ylabel(ylabel)
    axes.grid(alpha=0.3)


def read_curves(sessions: Sequence[Path], tag: str) -> list[tuple[str, Curve]]:
    """Reads one scalar of each session; empty where one of them lacks it."""
    curves = [(path.name, read_curve(path, tag)) for path in sessions]
    found = [(name, curve) for name, curve in curves if curve is not None]
    return found if len(found) == len(curves) else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws with the settings of a command line, None for this process's own.

    Returns:
        The exit status: 1 where a session has no rewards to draw yet.
    """
    config = tyro.cli(PlotConfig, args=arguments)
    rewards = read_curves(config.sessions, REWARD)
    if not rewards:
        missing = [str(path) for path in config.sessions if read_curve(path, REWARD) is None]
        print(f"error: no episode has ended yet in {', '.join(missing)}", file=sys.stderr)
        return 1
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
    draw(left, rewards, True, "mean episode reward")
    if milestones := read_curves(config.sessions, MILESTONES):
        draw(right, milestones, False, "milestones an episode")
    else:
        draw(right, rewards, False, "mean episode reward")
    if config.baseline is not None:
        left.axhline(config.baseline, color="grey", linestyle=":", label="random keys")
        left.axhline(4 * config.baseline, color="black", linestyle="--", label="four times that")
    left.legend(fontsize=8)
    figure.savefig(config.out, dpi=110)
    print(f"wrote {config.out}")
    return 0


if __name__ == "__main__":
    run_command(main)
