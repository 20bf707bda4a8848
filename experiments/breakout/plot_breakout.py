"""Plots runs on Breakout beside the published one, and prints both as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
import tyro

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402  the backend comes first: there is no screen
from matplotlib.axes import Axes  # noqa: E402

from baselines.commands.command import reports_user_errors, run_command  # noqa: E402
from baselines.diagnostics.logs import read_runs  # noqa: E402
from emerald_env.files.output_files import check_picture  # noqa: E402
from experiments.plot_runs import REWARD, Curve, curves  # noqa: E402

# Mean score of the last 100 games by steps in millions, of the agent that rl-baselines3-zoo
# publishes (seed 661550378): made from ppo/BreakoutNoFrameskip-v4_1/*.monitor.csv of
# https://github.com/DLR-RM/rl-trained-agents (commit cd35bde). Its eight games' frames add up to
# 1.3 % more than 4 times its 10 million steps, as those of resets count; steps are scaled down.
PUBLISHED = (
    *((0.05, 2.1), (0.1, 3.2), (0.15, 6.0), (0.2, 8.9), (0.25, 9.5), (0.3, 11.3), (0.4, 13.3)),
    *((0.5, 14.4), (0.6, 17.5), (0.7, 21.0), (0.8, 21.1), (0.9, 22.6), (1.0, 25.8), (1.2, 28.3)),
    *((1.4, 39.0), (1.6, 44.9), (1.8, 49.3), (2.0, 61.6), (2.5, 79.0), (3.0, 118.4), (4.0, 182.7)),
    *((5.0, 259.4), (6.0, 326.9), (7.0, 343.0), (8.0, 346.5), (9.0, 381.8), (10.0, 390.4)),
)


class Score(NamedTuple):
    """A published score after 10 million steps."""

    source: str
    mean: float
    deviation: float


FINAL = (
    Score("rl-baselines3-zoo, benchmark.md", 398.03, 33.33),
    Score("CleanRL, ppo_atari.py", 414.66, 28.09),
    Score("OpenAI's baselines, as run by CleanRL", 406.57, 31.55),
)


@dataclass(frozen=True)
class BreakoutPlotConfig:
    """Draw runs of run_breakout.py beside the published one, and print a table of both."""

    sessions: tyro.conf.Positional[tuple[Path, ...]]
    """Folders of sessions, or that contain sessions."""
    out: Path = Path(__file__).resolve().parents[2] / "docs/pictures/breakout.png"
    """The picture."""

    def __post_init__(self) -> None:
        """Raises ValueError if there is nothing to draw, or the picture cannot be written."""
        if not self.sessions:
            raise ValueError("name the folder of a session, or of several")
        check_picture(self.out)


def score_at(curve: Curve, steps: float) -> float:
    """Returns the mean of the last 100 games at a step, between two points of a curve."""
    return float(np.interp(steps, curve.steps, curve.values))


def table(curves: Sequence[Curve]) -> Iterator[str]:
    """Yields the rows: each published point that a run has reached, and the runs' scores there."""
    reached = max(curve.steps[-1] for curve in curves)
    yield (
        "| steps | published | " + " | ".join(f"run {k}" for k in range(1, len(curves) + 1)) + " |"
    )
    yield "|---" * (2 + len(curves)) + "|"
    for millions, score in PUBLISHED:
        steps = millions * 1e6
        if steps <= reached:
            ours = (f"{score_at(c, steps):.1f}" if c.steps[-1] >= steps else "" for c in curves)
            yield f"| {steps:,.0f} | {score} | {' | '.join(ours)} |"


def draw(axes: Axes, curves: Sequence[tuple[str, Curve]]) -> None:
    """Draws all curves, and the published scores at the end, slightly apart."""
    steps, scores = zip(*PUBLISHED, strict=True)
    axes.plot(steps, scores, "k.--", label="published (rl-baselines3-zoo, one seed)")
    for name, curve in curves:
        axes.plot([step / 1e6 for step in curve.steps], curve.values, label=name, linewidth=1.2)
    for k, score in enumerate(FINAL):
        axes.errorbar(10 + 0.2 * k, score.mean, score.deviation, fmt="o", label=score.source)
    axes.set_xlim(0, 10.6)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("million steps")
    axes.set_ylabel("mean score of the last 100 games")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="upper left")


def plot(runs: Sequence[tuple[str, Curve]], out: Path) -> None:
    """Draws all runs into one picture: their progress, and the published scores.

    Raises:
        OSError: the picture cannot be written.
    """
    figure, axes = plt.subplots(figsize=(9, 4.6), constrained_layout=True)
    draw(axes, runs)
    figure.savefig(out, dpi=110)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Draws with the settings of a command line, None for this process's own.

    Returns:
        The exit status: 1 if there is nothing to draw yet, or the picture cannot be written.
    """
    config = tyro.cli(BreakoutPlotConfig, args=arguments)
    runs = curves(read_runs(config.sessions), REWARD)
    plot(runs, config.out)
    print("\n".join(table([curve for _, curve in runs])))
    print(f"wrote {config.out}")
    return 0


if __name__ == "__main__":
    run_command(main)
