"""Foresees how long Emerald takes, from measured steps and speeds, as tables in Markdown.

`python -m experiments.forecast [--speeds speeds.json] [--explored explored.json]`
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from baselines.commands.command import reports_user_errors, run_command
from baselines.exploration.exploration import HEAD_START
from emerald_env.files.data import read_json
from emerald_env.game.tables import milestones

TABLE = Path(__file__).parent / "emerald_milestones.csv"
SPEEDS = Path(__file__).parent / "speeds.json"
HOURS = {"an hour": 1, "a night (10 hours)": 10, "a week": 168}
EXPLORES = 0.5  # share of the steps after them (`--explore`)
UNKNOWN = "–"
EXPLORED = {"steps": 1.0, "thousand": 1e3, "million": 1e6}
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}

Speeds = dict[str, dict[str, float]]
Range = tuple[float, float]


@dataclass(frozen=True)
class ForecastConfig:
    """Foresee how long Emerald takes.

    Args:
        speeds: JSON of measured env steps a second, {scene: {cores: steps a second}}, for instance
            {"mix": {"2": 250, "16": 1800}}; the file beside this module has those of whole
            trainings.
        explored: JSON of explored steps after which the search had reached milestones,
            {milestone: [least, most]}; they replace those of emerald_milestones.csv.
    """

    speeds: Path = SPEEDS
    explored: Path | None = None


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
    speeds: Speeds = read_json(config.speeds)
    expert, explored = _measured()
    if config.explored is not None:
        explored |= {slug: (low, high) for slug, (low, high) in read_json(config.explored).items()}
    order = {step.slug: step.order for step in milestones()}
    if unknown := explored.keys() - order.keys():
        raise ValueError(f"{config.explored}: unknown milestones {', '.join(sorted(unknown))}")
    slugs = sorted(expert.keys() | explored.keys(), key=order.__getitem__)
    lines = [*_by_milestone(slugs, expert, explored, speeds), "", *_by_time(explored, speeds)]
    return "\n".join(lines)


def _measured() -> tuple[dict[str, int], dict[str, Range]]:
    """Returns an expert's steps and the search's (least, most) of the table's milestones."""
    with TABLE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expert = {row["milestone"]: int(row["expert_steps"]) for row in rows if row["expert_steps"]}
    explored = {
        row["milestone"]: (float(row["explored_least"]), float(row["explored_most"]))
        for row in rows
        if row["explored_least"]
    }
    return expert, explored


def _columns(speeds: Speeds) -> list[tuple[str, float]]:
    return [
        (f"{scene}, {cores} cores", speed)
        for scene, by_cores in speeds.items()
        for cores, speed in by_cores.items()
    ]


def _by_milestone(
    slugs: list[str], expert: dict[str, int], explored: dict[str, Range], speeds: Speeds
) -> Iterator[str]:
    columns = _columns(speeds)
    heads = ["milestone", "expert's steps", "explored steps", *(name for name, _ in columns)]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * (3 + len(columns)) + "|"
    for slug in slugs:
        steps = explored.get(slug)
        times = [UNKNOWN if steps is None else _hours(steps, speed) for _, speed in columns]
        found = UNKNOWN if steps is None else _sized(steps, EXPLORED)
        own = f"{expert[slug]:,}" if slug in expert else UNKNOWN
        yield f"| `{slug}` | {own} | {found} | " + " | ".join(times) + " |"


def _by_time(explored: dict[str, Range], speeds: Speeds) -> Iterator[str]:
    """Yields the last milestone that the search has surely found after a time."""
    yield "| after | " + " | ".join(name for name, _ in _columns(speeds)) + " |"
    yield "|---" * (1 + len(_columns(speeds))) + "|"
    for name, hours in HOURS.items():
        cells = []
        for _, speed in _columns(speeds):
            steps = speed * hours * 3600
            found = [slug for slug, (_, most) in explored.items() if _of_run(most) <= steps]
            last = max(found, key=lambda slug: explored[slug][1], default=None)
            cells.append(f"`{last}`" if last else UNKNOWN)
        yield f"| {name} | " + " | ".join(cells) + " |"


def _hours(steps: Range, speed: float) -> str:
    low, high = (_of_run(explored) / speed for explored in steps)
    return _sized((low, high), SECONDS)


def _of_run(explored: float) -> float:
    """Returns after how many steps of a run so many of them have explored."""
    return explored if explored <= HEAD_START else HEAD_START + (explored - HEAD_START) / EXPLORES


def _sized(values: Range, units: Mapping[str, float]) -> str:
    """Returns a range in the largest of ascending units that it reaches."""
    reached = [name for name in units if units[name] <= values[1]]
    name = reached[-1] if reached else next(iter(units))
    return f"{_range(values, units[name])} {name}"


def _range(values: Range, unit: float) -> str:
    low, high = (f"{value / unit:{'.2g' if value < 100 * unit else '.0f'}}" for value in values)
    return low if low == high else f"{low} to {high}"


if __name__ == "__main__":
    run_command(main)
