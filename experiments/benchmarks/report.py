"""The benchmark's results, as tables for a terminal, as Markdown and as JSON."""

import os
import platform
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from emerald_env.parallel.cpu_placement import available_cores

Line = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """How many times as fast as its reference something is, in each block."""

    name: str
    target: float | None
    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median ratio."""
        return statistics.median(self.ratios)

    def line(self) -> Line:
        """Returns name, median, lower and upper quartile, target, verdict."""
        numbers = np.percentile(self.ratios, (50, 25, 75))
        verdict = "" if self.target is None else "met" if self.median >= self.target else "not met"
        target = "" if self.target is None else f"≥ {self.target:g}"
        return (self.name, *(f"{number:.3g}" for number in numbers), target, verdict)


@dataclass
class Report:
    """All measurements."""

    rows: list[Row] = field(default_factory=list)
    speeds: dict[str, dict[str, float]] = field(default_factory=dict)  # scene, contestant: µs
    pieces: dict[str, dict[str, float]] = field(default_factory=dict)  # situation, piece: µs
    growth: list[dict[str, float]] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def tables(self) -> list[tuple[str, Line, list[Line]]]:
        """Returns (title, heads, lines) of each table that has lines."""
        tables: list[tuple[str, Line, list[Line]]] = [
            (
                "Ratios, medians and quartiles over interleaved blocks of steps",
                ("what", "ratio", "lower quartile", "upper", "target", ""),
                [row.line() for row in self.rows],
            ),
            _matrix("Microseconds per step of 24 frames", self.speeds),
            _matrix("Microseconds of one env step by piece", self.pieces),
            (
                "Growth with the number of games, all cores",
                ("games", "memory of the workers, MiB", "µs per step, wall-clock", "processor"),
                [
                    (
                        f"{row['games']:.0f}",
                        *(f"{row[k]:.0f}" for k in ("MiB", "clock", "processor")),
                    )
                    for row in self.growth
                ],
            ),
            (
                "Single numbers",
                ("what", "value"),
                [(name, _number(value)) for name, value in self.facts.items()],
            ),
        ]
        return [table for table in tables if table[2]]

    def show(self) -> None:
        """Prints the tables to a terminal."""
        console = Console()
        for title, heads, lines in self.tables():
            table = Table(title=title)
            for number, head in enumerate(heads):
                table.add_column(head, justify="right" if number else "left")
            for line in lines:
                table.add_row(*line)
            console.print(table)
        for text in (*self.skipped, machine()):
            console.print(text, highlight=False)

    def markdown(self) -> str:
        """Returns the tables as in docs/SPEED.md."""
        parts = [machine()]
        for title, heads, lines in self.tables():
            parts += ["", f"### {title}", ""]
            parts.append("| " + " | ".join(heads) + " |")
            parts.append("|---|" + "---:|" * (len(heads) - 1))
            parts += ["| " + " | ".join(line) + " |" for line in lines]
        return "\n".join([*parts, "", *self.skipped])

    def plain(self) -> dict[str, Any]:
        """Returns everything as plain values, for JSON."""
        ratios = {row.name: {"median": row.median, **asdict(row)} for row in self.rows}
        return {**asdict(self), "rows": ratios, "machine": machine()}


def _matrix(title: str, cells: dict[str, dict[str, float]]) -> tuple[str, Line, list[Line]]:
    names = dict.fromkeys(name for values in cells.values() for name in values)
    lines: list[Line] = [
        (name, *(_number(values[name]) if name in values else "" for values in cells.values()))
        for name in names
    ]
    return title, ("", *cells), lines


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def machine() -> str:
    """Returns a description of the machine, and its load."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [ln for ln in cpuinfo.read_text().splitlines() if ln.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{available_cores()} cores, {model}, {platform.system()}, Python "
        f"{platform.python_version()}; load average at the end {load}"
    )
