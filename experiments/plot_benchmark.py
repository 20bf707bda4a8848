"""Draws the table of docs/BENCHMARK.md: `python -m experiments.plot_benchmark PICTURE.png`.

A line for each agent, with its score and 95 % interval, coloured by its assists.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tyro
from matplotlib.figure import Figure

from baselines.commands.command import reports_user_errors, run_command
from emerald_env.files.output_files import check_picture

TABLE = Path(__file__).parents[1] / "docs" / "BENCHMARK.md"
SCORE = re.compile(r"([\d.]+) \(([\d.]+) to ([\d.]+)\)")
COLOURS = {"none": "C2", "memory": "C0"}
MORE, MORE_COLOUR = "states, a teacher or a script, too", "C1"


@dataclass(frozen=True)
class PlotConfig:
    """Draw the benchmark's table."""

    picture: tyro.conf.Positional[Path]
    """The file."""
    table: Path = TABLE
    """Markdown file with the table."""

    def __post_init__(self) -> None:
        """Raises ValueError for a picture that cannot be written."""
        check_picture(self.picture)


class Line(NamedTuple):
    """An agent's line of the table."""

    agent: str
    assists: str
    episodes: int
    score: float
    low: float
    high: float


def read_lines(text: str) -> list[Line]:
    """Returns the lines of a page whose fifth column is a score with its interval.

    Raises:
        ValueError: there is none.
    """
    found = []
    for row in text.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) > 4 and (score := SCORE.fullmatch(cells[4])):  # noqa: PLR2004  the fifth
            agent = cells[0].replace("`", "")
            found.append(Line(agent, cells[1], int(cells[3]), *map(float, score.groups())))
    if not found:
        raise ValueError("no line of a table has a score as 0.190 (0.132 to 0.369)")
    return found


def draw(lines: Sequence[Line], out: Path) -> None:
    """Draws each line's score and interval.

    Raises:
        OSError: the picture cannot be written.
    """
    figure = Figure(figsize=(9, 0.4 * len(lines) + 1.2), layout="constrained")
    axes = figure.subplots()
    labelled = set()
    for at, line in enumerate(lines):
        name = line.assists if line.assists in COLOURS else MORE
        axes.errorbar(
            line.score,
            at,
            xerr=[[line.score - line.low], [line.high - line.score]],
            fmt="o",
            capsize=3,
            color=COLOURS.get(line.assists, MORE_COLOUR),
            label=None if name in labelled else name,
        )
        labelled.add(name)
    axes.set_yticks(
        range(len(lines)), [f"{line.agent} ({line.episodes} episodes)" for line in lines]
    )
    axes.invert_yaxis()
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("score: mean share of the 22 milestones, with 95 % interval")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(title="assists", fontsize="small")
    figure.savefig(out, dpi=110)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Draws the picture; returns the exit status."""
    config = tyro.cli(PlotConfig, args=arguments)
    draw(read_lines(config.table.read_text(encoding="utf-8")), config.picture)
    return 0


if __name__ == "__main__":
    run_command(main)
