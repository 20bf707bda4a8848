"""How far groups of runs come by the same number of env steps: a table, and a picture.

`python -m experiments.parts_worth full=DIR,DIR,DIR "no advice"=DIR,DIR,DIR --out parts.png`
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import tyro
from matplotlib.figure import Figure

from baselines.commands.command import reports_user_errors, run_command
from emerald_env.env.setting_types import Count, Natural, checked
from experiments.run_groups import RunGroups


@checked
@dataclass(frozen=True)
class WorthConfig(RunGroups):
    """Compare the milestones per episode of groups of runs, within a window of env steps."""

    since: Natural = 680_000
    """Episodes count that end after so many env steps."""
    until: Natural = 830_000
    """And before so many."""
    latest: Count = 40
    """The latest of them, at most."""


def milestones_by(
    episodes: Iterable[Mapping[str, Any]], since: int, until: int, latest: int
) -> float:
    """Returns the mean number of milestones of a run's latest episodes in a window of steps.

    Raises:
        ValueError: none ended in it, or one does not tell its milestones.
    """
    within = [e for e in episodes if since <= e["num_timesteps"] <= until][-latest:]
    if not within:
        raise ValueError(f"no episode ended between {since:,} and {until:,} env steps")
    if not all("milestones" in episode for episode in within):
        raise ValueError("episodes tell no milestones: give runs on Emerald or Jade only")
    return mean(len(episode["milestones"]) for episode in within)


def table(groups: Mapping[str, Sequence[float]]) -> str:
    """Returns a Markdown table of the groups' means, each run's number behind it."""
    lines = ["| | milestones per episode, each run | mean |", "|---|---|---|"]
    for name, runs in groups.items():
        lines.append(f"| {name} | {', '.join(f'{run:.1f}' for run in runs)} | {mean(runs):.1f} |")
    return "\n".join(lines)


def draw(groups: Mapping[str, Sequence[float]], out: Path) -> None:
    """Draws a bar for each group's mean and a point for each run.

    Raises:
        OSError: the picture cannot be written.
    """
    figure = Figure(figsize=(8, 0.5 * len(groups) + 1.2), layout="constrained")
    axes = figure.subplots()
    for row, runs in enumerate(groups.values()):
        axes.barh(row, mean(runs), color="C0", alpha=0.35, height=0.6)
        axes.plot(runs, [row] * len(runs), "o", color="C0")
    axes.set_yticks(range(len(groups)), list(groups))
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("milestones per episode from a new game")
    figure.savefig(out, dpi=120)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table and draws the picture; returns the exit status."""
    config = tyro.cli(WorthConfig, args=arguments, description=__doc__)
    groups = config.each(
        lambda run: milestones_by(run.read_episodes(), config.since, config.until, config.latest)
    )
    print(table(groups))
    if config.out is not None:
        draw(groups, config.out)
    return 0


if __name__ == "__main__":
    run_command(main)
