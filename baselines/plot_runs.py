"""Draws the learning curves of some sessions into one picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import tyro
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402  the backend comes first: there is no screen
from matplotlib.axes import Axes  # noqa: E402

REWARD = "rollout/ep_rew_mean"
MILESTONES = "milestones/per_episode"


@dataclass(frozen=True)
class PlotConfig:
    """Draw episode reward and milestones of some runs, one line a run."""

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


def read_curve(session: Path, tag: str) -> Curve:
    """Reads one scalar of a session's tensorboard events.

    Raises:
        KeyError: the session has no such scalar.
    """
    events = EventAccumulator(str(session), size_guidance={"scalars": 0})
    events.Reload()
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


def main() -> None:
    """Draws with the settings of a command line."""
    config = tyro.cli(PlotConfig)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
    rewards = [(path.name, read_curve(path, REWARD)) for path in config.sessions]
    milestones = [(path.name, read_curve(path, MILESTONES)) for path in config.sessions]
    draw(left, rewards, True, "mean episode reward")
    draw(right, milestones, False, "milestones an episode")
    if config.baseline is not None:
        left.axhline(config.baseline, color="grey", linestyle=":", label="random keys")
        left.axhline(4 * config.baseline, color="black", linestyle="--", label="four times that")
    left.legend(fontsize=8)
    figure.savefig(config.out, dpi=110)
    print(f"wrote {config.out}")


if __name__ == "__main__":
    main()
