"""Foresees how long Emerald takes, from measured steps and costs, as tables in Markdown.

`python -m experiments.forecast [--speeds FILE] [--explored FILE] [--shown FILE] [--cores 2 16]`

Measured: what a step costs (`speeds.py`), how many the search needs in Jade (`search_alone.py`),
and how many people need in Emerald and the guide in Jade. Computed: all speeds and times.
"""

import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from pydantic import Field

from baselines.commands.command import reports_user_errors, run_command
from baselines.exploration.exploration import AHEAD, BEHIND, HEAD_START
from emerald_env.env.setting_types import Count, checked, from_json
from emerald_env.files.data import DataError, PlainText, misfit, read_json
from emerald_env.game.tables import milestones
from experiments.forecast.step_costs import Machine, StepCosts

TABLE = Path(__file__).parent / "emerald_milestones.csv"
SPEEDS = Path(__file__).parent / "speeds.json"
HOURS = {"an hour": 1, "a night (10 hours)": 10, "a week": 168}
UNKNOWN = "–"
STEPS = {"steps": 1.0, "thousand": 1e3, "million": 1e6}
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}

Range = tuple[float, float]
Ranges = dict[str, Range]
Steps = Annotated[float, Field(ge=0, le=1e15)]
RangesFile = dict[PlainText, Annotated[list[Steps], Field(min_length=2, max_length=2)]]
SpeedsFile = Annotated[dict[PlainText, dict[str, float]], Field(min_length=1)]


@checked
@dataclass(frozen=True)
class ForecastConfig:
    """Foresee how long Emerald takes.

    Args:
        speeds: JSON of what a step costs, as `python -m experiments.forecast.speeds` writes it.
        explored: JSON of explored steps after which the search had reached milestones,
            {milestone: [least, most]}; they replace those of emerald_milestones.csv.
        shown: the same, where a recording began the archive.
        cores: of the machines.
    """

    speeds: Path = SPEEDS
    explored: Path | None = None
    shown: Path | None = None
    cores: tuple[Count, ...] = (2, 16)


@dataclass(frozen=True)
class Search:
    """What a run's search needs, from nothing or from a recording.

    Args:
        ranges: least and most explored steps by milestone, in the story's order, in Jade.
        head_start: steps that it explores before any others.
    """

    ranges: Ranges
    head_start: int

    def seconds(self, slug: str, machine: Machine) -> Range:
        """Returns the least and the most time until it has a milestone.

        At least, Emerald takes no longer than Jade, and the network keeps up with the search. At
        most, it takes longer by as much as people need more steps than Jade's guide, and the
        network does not.
        """
        least, most = self.ranges[slug]
        return (
            machine.seconds(least, AHEAD, self.head_start),
            machine.seconds(most * max(1.0, _longer(slug)), BEHIND, self.head_start),
        )


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables with the settings of a command line, None for this process's own."""
    print(forecast(tyro.cli(ForecastConfig, args=arguments)))
    return 0


def forecast(config: ForecastConfig) -> str:
    """Returns the tables.

    Raises:
        ValueError: a file has another form, or names a milestone that does not exist.
    """
    machines = [
        Machine(scene, cores, costs)
        for scene, costs in _costs(config.speeds).items()
        for cores in config.cores
    ]
    nothing = Search(_ranges("explored", config.explored), HEAD_START)
    shown = Search(_ranges("shown", config.shown), 0)
    people = {row["milestone"] for row in _rows() if row["expert_steps"]}
    after = [slug for slug, steps in shown.ranges.items() if steps[1]]  # the rest is shown
    tables = (
        _speeds(machines),
        _by_milestone(_in_order({*nothing.ranges, *people}), nothing, machines, "in Jade"),
        _by_milestone(after, shown, machines, "in Jade after the recording"),
        _by_time({"from nothing": nothing, "with a recording": shown}, machines),
    )
    return "\n\n".join("\n".join(table) for table in tables)


def _costs(path: Path) -> dict[str, StepCosts]:
    """Returns what a step costs by scene, from a file."""
    try:
        values = read_json(path)
        if place := misfit(values, SpeedsFile):
            raise DataError(f"{place} is not as experiments.forecast.speeds writes it")
        return {scene: from_json(StepCosts, costs) for scene, costs in values.items()}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _ranges(name: str, path: Path | None) -> Ranges:
    """Returns (least, most) steps by milestone, in the story's order, a file's in place of ours."""
    found: Ranges = {
        row["milestone"]: (float(row[f"{name}_least"]), float(row[f"{name}_most"]))
        for row in _rows()
        if row[f"{name}_least"]
    }
    if path is not None:
        found |= _explored(path)
    if unknown := found.keys() - {step.slug for step in milestones()}:
        raise ValueError(f"{path}: unknown milestones {', '.join(sorted(unknown))}")
    return {slug: found[slug] for slug in _in_order(found)}


def _explored(path: Path) -> Ranges:
    """Returns (least, most) steps by milestone, from a file."""
    try:
        values = read_json(path)
        if place := misfit(values, RangesFile):
            raise DataError(f"{place} must be like " + '{"starter": [1000, 2000]}')
        if wrong := [slug for slug, (low, high) in values.items() if low > high]:
            raise DataError(f"the least steps until {wrong[0]} are more than the most")
    except DataError as error:
        raise ValueError(f"{path}: {error}") from error
    return {slug: (low, high) for slug, (low, high) in values.items()}


def _in_order(slugs: Collection[str]) -> list[str]:
    return [step.slug for step in milestones() if step.slug in slugs]


def _speeds(machines: Sequence[Machine]) -> Iterator[str]:
    yield from _head("steps a second", machines)
    yield _row("exploring", [f"{machine.exploring:,.0f}" for machine in machines])
    yield _row("learning", [f"{machine.learning:,.0f}" for machine in machines])


def _by_milestone(
    slugs: Sequence[str], search: Search, machines: Sequence[Machine], where: str
) -> Iterator[str]:
    people = {row["milestone"]: row["expert_steps"] for row in _rows()}
    head = f"milestone | people's steps | times the guide's | explored {where}"
    yield from _head(head, machines)
    for slug in slugs:
        own = f"{int(people[slug]):,}" if people.get(slug) else UNKNOWN
        longer = f"{_known_longer()[slug]:.1f}" if slug in _known_longer() else UNKNOWN
        steps, times = UNKNOWN, [UNKNOWN] * len(machines)
        if slug in search.ranges:
            steps = _sized(search.ranges[slug], STEPS)
            times = [_sized(search.seconds(slug, machine), SECONDS) for machine in machines]
        yield _row(f"`{slug}` | {own} | {longer} | {steps}", times)


def _by_time(searches: Mapping[str, Search], machines: Sequence[Machine]) -> Iterator[str]:
    """Yields the last milestone whose longer time is not over a time."""
    yield from _head("after", machines)
    for name, hours in HOURS.items():
        for beginning, search in searches.items():
            last = [_last(search, machine, hours * 3600) for machine in machines]
            yield _row(f"{name}, {beginning}", last)


def _last(search: Search, machine: Machine, seconds: float) -> str:
    found = [slug for slug in search.ranges if search.seconds(slug, machine)[1] <= seconds]
    return f"`{found[-1]}`" if found else UNKNOWN


def _longer(slug: str) -> float:
    """Returns how many times as many steps people need as Jade's guide until a milestone.

    Where that is not known, it is that of the last one before it.
    """
    known = _known_longer()
    before = _in_order({*known, slug})
    return next((known[s] for s in reversed(before[: before.index(slug) + 1]) if s in known), 1.0)


def _known_longer() -> dict[str, float]:
    return {
        row["milestone"]: int(row["expert_steps"]) / int(row["guide_steps"])
        for row in _rows()
        if row["expert_steps"] and row["guide_steps"]
    }


def _head(first: str, machines: Sequence[Machine]) -> Iterator[str]:
    yield _row(first, [f"{machine.scene}, {machine.cores} cores" for machine in machines])
    yield "|---" * (first.count("|") + 1 + len(machines)) + "|"


def _row(first: str, cells: Sequence[str]) -> str:
    return f"| {first} | {' | '.join(cells)} |"


def _sized(values: Range, units: dict[str, float]) -> str:
    """Returns a range, each end in the largest of ascending units that it reaches."""
    (low, small), (high, large) = (_in_unit(value, units) for value in values)
    if (low, small) == (high, large):
        return f"{high} {large}"
    return f"{low} to {high} {large}" if small == large else f"{low} {small} to {high} {large}"


def _in_unit(value: float, units: dict[str, float]) -> tuple[str, str]:
    name = next((n for n in reversed(units) if units[n] <= value), next(iter(units)))
    number = value / units[name]
    return f"{number:{'.2g' if number < 99.5 else ',.0f'}}", name


if __name__ == "__main__":
    run_command(main)
