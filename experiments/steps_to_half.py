"""How soon groups of runs reach milestones in half of their episodes: a table, and a picture.

`python -m experiments.steps_to_half nothing=DIR,DIR,DIR way=DIR,DIR,DIR --out teaching.png`
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import tyro
from matplotlib.figure import Figure

from baselines.commands.command import reports_user_errors, run_command
from emerald_env.env.setting_types import Count, checked
from experiments.run_groups import RunGroups, check_milestones


@checked
@dataclass(frozen=True)
class HalfConfig(RunGroups):
    """Compare how many env steps groups of runs need until half of their episodes succeed."""

    milestones: tuple[str, ...] = ("starter", "visited_petalburg", "badge_stone", "badge_knuckle")
    """What counts as success."""
    latest: Count = 20
    """Episodes from a new game in a share."""

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown milestone, or see `RunGroups`."""
        super().__post_init__()
        check_milestones(self.milestones)


def steps_to_half(episodes: Iterable[Mapping[str, Any]], slug: str, latest: int) -> float:
    """Returns the env steps until half of the latest episodes reached a milestone, or infinity.

    Args:
        episodes: from a new game, in order.
        slug: the milestone's name.
        latest: episodes that are looked at; fewer do not count.
    """
    reached: deque[bool] = deque(maxlen=latest)
    for episode in episodes:
        reached.append(slug in episode.get("milestones", ()))
        if len(reached) == latest and 2 * sum(reached) >= latest:
            return int(episode["num_timesteps"])
    return math.inf


def table(groups: Mapping[str, Sequence[Sequence[float]]], milestones: Sequence[str]) -> str:
    """Returns a Markdown table: the median over a group's runs, then each run.

    Args:
        groups: for each group, for each milestone, the env steps of its runs.
        milestones: their names.
    """
    lines = [f"| | {' | '.join(milestones)} |", "|---" * (len(milestones) + 1) + "|"]
    for name, rows in groups.items():
        cells = [f"{_said(median(runs))} ({', '.join(map(_said, runs))})" for runs in rows]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _said(steps: float) -> str:
    return f"{steps:,.0f}" if math.isfinite(steps) else "not reached"


def draw(
    groups: Mapping[str, Sequence[Sequence[float]]],
    ends: Mapping[str, Sequence[int]],
    milestones: Sequence[str],
    out: Path,
) -> None:
    """Draws a point for each run, groups side by side: a triangle where it did not get there.

    Args:
        groups: for each group, for each milestone, the env steps of its runs.
        ends: for each group, the last step of its runs.
        milestones: their names.
        out: the picture.

    Raises:
        OSError: the picture cannot be written.
    """
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for number, (name, rows) in enumerate(groups.items()):
        for at, runs in enumerate(rows):
            for run, (steps, end) in enumerate(zip(runs, ends[name], strict=True)):
                marker = "o" if math.isfinite(steps) else "^"
                fill = "full" if math.isfinite(steps) else "none"
                place = at + number / 5 + run / 30, min(steps, end) / 1e6  # none covers another
                axes.plot(*place, marker, color=f"C{number}", fillstyle=fill)
        axes.plot([], [], "o", color=f"C{number}", label=name)
    if not all(math.isfinite(steps) for rows in groups.values() for runs in rows for steps in runs):
        axes.plot([], [], "^", color="grey", fillstyle="none", label="not by the run's end")
    axes.set_xticks(range(len(milestones)), milestones)
    axes.set_ylabel("million env steps until half of the episodes reach it")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    figure.savefig(out, dpi=120)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table and draws the picture; returns the exit status."""
    config = tyro.cli(HalfConfig, args=arguments, description=__doc__)
    episodes = config.each(lambda run: list(run.read_episodes()))
    groups = {
        name: [
            [steps_to_half(run, slug, config.latest) for run in runs] for slug in config.milestones
        ]
        for name, runs in episodes.items()
    }
    print(table(groups, config.milestones))
    if config.out is not None:
        ends = {
            name: [int(run[-1]["num_timesteps"]) if run else 0 for run in runs]
            for name, runs in episodes.items()
        }
        draw(groups, ends, config.milestones, config.out)
    return 0


if __name__ == "__main__":
    run_command(main)
