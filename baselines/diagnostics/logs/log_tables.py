"""Tables: a row per update in CSV, JSON or tabs; a row per episode in `monitor.csv`."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from baselines.diagnostics.logs.logged_curves import (
    MAX_STEP,
    Curves,
    LogError,
    Point,
    Points,
    check_size,
    in_order,
    is_possible,
    read_log,
)
from baselines.diagnostics.logs.logged_names import (
    EPISODE_RETURN,
    EPISODE_STEPS,
    GRADIENT_STEPS,
    SECONDS,
    STEPS,
    our_name,
)
from baselines.diagnostics.logs.table_rows import EPISODE, Damage, Row, numbers, read_rows
from emerald_env.files.data import parse_json

COUNTERS = frozenset({*STEPS, *SECONDS})


def read_csv(file: Path) -> list[Curves]:
    """Returns the curves of each run in a table with a line of headings: SB3's, wandb's export.

    Raises:
        LogError: it cannot be read, or has no column of steps.
    """
    lines = _text(file).splitlines(keepends=True)
    likely = "\t,;" if file.suffix == ".txt" else ",;\t"
    delimiter = next((mark for mark in likely if lines and mark in lines[0]), likely[0])
    rows, damage = read_rows(lines, file, delimiter)
    runs = _by_run(rows, file).items()
    return [replace(_curves(file, own, damage), run=name) for name, own in runs]


def read_json_lines(file: Path) -> Curves:
    """Returns the curves of a table of JSON objects, one a line: SB3's, RLlib's.

    Raises:
        LogError: it cannot be read, or has no column of steps.
    """
    rows, lost = [], 0
    for line in _text(file).splitlines():
        try:
            rows.append(dict(_flat(parse_json(line, finite=False))))
        except (ValueError, TypeError, AttributeError):
            lost += 1
    damage = f"{file.name}: {lost:,} lines are damaged and left out"
    return _curves(file, rows, (damage,) if lost else ())


def read_monitors(files: list[Path]) -> Curves:
    """Returns the episodes of one run's games.

    Args:
        files: the tables of SB3's `Monitor`, one for each game.

    Raises:
        LogError: one cannot be read.
    """
    episodes: list[tuple[float, float, float]] = []  # seconds, reward, length
    damage: Damage = ()
    for file in files:
        first, *lines = _text(file).splitlines(keepends=True) or [""]
        try:
            start = float(parse_json(first.lstrip("#"))["t_start"])
        except (ValueError, TypeError, KeyError):
            damage += (f"{file.name}: the first line of SB3's Monitor is missing",)
            continue
        rows, lost = _whole(*read_rows(lines, file, ","), _is_episode, file)
        clock = _one_clock(row["t"] for row in rows)
        episodes += [(start + t, row["r"], row["l"]) for t, row in zip(clock, rows, strict=True)]
        damage += lost
    episodes.sort(key=lambda episode: episode[0])
    steps = list(accumulate(int(length) for _, _, length in episodes))
    points: Points = {
        name: [Point(step, row[0], row[i]) for step, row in zip(steps, episodes, strict=True)]
        for i, name in ((1, EPISODE_RETURN), (2, EPISODE_STEPS))
        if episodes
    }
    check_size(points, 2 * len(episodes), files[0])
    where, settings = files[0].parent if len(files) > 1 else files[0], {"n_envs": float(len(files))}
    return Curves(where, points, settings, damage)


def _is_episode(row: Row) -> bool:
    """Whether a row has all of an episode, a step at least; its reward may be NaN or infinite."""
    known = all(abs(row.get(name, math.nan)) <= EPISODE[name] for name in ("l", "t"))
    return known and row["l"] > 0 and "r" in row and is_possible(0, row["r"])


def _one_clock(times: Iterable[float]) -> Iterator[float]:
    """Yields a table's seconds in its own order: a resumed run that appends to it restarts at 0."""
    shift, before = 0.0, -math.inf
    for now in times:
        if now < before:
            shift += before - now
        before = now
        yield now + shift


def add_row(found: Points, row: Mapping[str, float]) -> int:
    """Adds a row's numbers to their curves; one without a number of steps is left out.

    A row at an earlier step than one before it replaces what it repeats, and what followed that: a
    run that was resumed from a checkpoint appended it. So does one at the same step, but a run's
    last update: SB3 has its numbers only after those of the last rollout, at the same step.

    Returns:
        How many impossible numbers were left out.
    """
    counted = next((row[name] for name in STEPS if math.isfinite(row.get(name, math.nan))), None)
    if counted is None:
        return 0
    step, possible = int(counted), {n: v for n, v in row.items() if is_possible(counted, v)}
    seconds = next((row[name] for name in SECONDS if name in row), math.nan)
    _cut_back(found, possible, step)
    is_last_update = _lacks_the_clock(found, row, step)
    for name, value in possible.items():
        curve = found.setdefault(name, [])
        again = bool(curve) and curve[-1].step == step and not is_last_update
        if again and our_name(name)[0] not in (EPISODE_RETURN, EPISODE_STEPS):
            curve.pop()  # several episodes may end at one step
        curve.append(Point(step, seconds, value))
    return len(row) - len(possible)


def _lacks_the_clock(found: Points, row: Mapping[str, float], step: int) -> bool:
    """Whether a row lacks a counter that is known of its step: SB3 logs those with each rollout."""
    others = (found.get(name) for name in COUNTERS - row.keys())
    return any(curve and curve[-1].step == step for curve in others)


def _cut_back(found: Points, row: Mapping[str, float], step: int) -> None:
    """Cuts all curves where a row repeats one of them.

    Rows of other metrics may be out of order: several programs may write one log, and tags that
    count gradient steps are cut by those alone.
    """
    late = (
        tag for tag in row if tag not in COUNTERS and found.get(tag) and found[tag][-1].step > step
    )
    kinds = {tag.startswith(GRADIENT_STEPS) for tag in late}
    for tag, curve in found.items() if kinds else ():
        while curve and curve[-1].step >= step and tag.startswith(GRADIENT_STEPS) in kinds:
            curve.pop()


def _curves(file: Path, rows: Iterable[Row], damage: Damage) -> Curves:
    found: Points = {}
    table = [numbers(row) for row in rows]
    step = next((name for name in STEPS if any(name in row for row in table)), None)
    if table and step is None:
        some = ", ".join(list(dict.fromkeys(name for row in table for name in row))[:5])
        there = f"only {some}, ..." if some else "and none has a number"
        raise LogError(f"{file}: no column counts the steps, {there}")
    whole, lost = _whole(
        table, damage, lambda row: abs(row.get(step or "", math.nan)) <= MAX_STEP, file
    )
    impossible = 0
    for count, row in enumerate(whole):
        impossible += add_row(found, row)
        check_size(found, count * len(found), file)
    return Curves(file, in_order(found), damage=lost + left_out(file, impossible))


def left_out(file: Path, count: int) -> Damage:
    """Returns what is said about so many impossible numbers."""
    return (f"{file.name}: {count:,} numbers are impossible and left out",) if count else ()


def _text(file: Path) -> str:
    return read_log(file).decode("utf-8-sig", errors="replace")


def _by_run(rows: list[dict[str, float]], file: Path) -> dict[str, list[dict[str, float]]]:
    """Returns each run's rows of a table that wandb exported, where columns are "run - metric".

    Columns without a run, such as that of the steps, belong to all; without any run the name is "".

    Raises:
        LogError: it has too many columns or numbers.
    """
    columns: dict[str, tuple[str, str]] = {}  # column -> run, metric
    for name in dict.fromkeys(name for row in rows for name in row):
        run, _, metric = name.rpartition(" - ")
        columns[name] = run, metric
    found: dict[str, list[dict[str, float]]] = {run: [] for run, _ in columns.values() if run}
    if not found:
        return {"": rows}
    count = 0
    for row in rows:
        cells: dict[str, dict[str, float]] = {}
        for name, value in row.items():
            run, metric = columns[name]
            cells.setdefault(run, {})[metric] = value
        shared = cells.pop("", {})
        for run, own in cells.items():
            found[run].append(shared | own)
            count += len(found[run][-1])
            check_size(columns, count, file)
    return found


def _whole(
    rows: list[dict[str, float]], damage: Damage, is_whole: Callable[[Row], bool], file: Path
) -> tuple[list[dict[str, float]], Damage]:
    """Returns the rows that have what is needed; adds to the damage that others do not.

    Args:
        rows: the table.
        damage: of the table.
        is_whole: whether a row has what is needed.
        file: where it was found.
    """
    whole = [row for row in rows if is_whole(row)]
    lost = len(rows) - len(whole)
    more = (f"{file.name}: {lost:,} rows are damaged and left out",) if lost else ()
    return whole, damage + more


def _flat(tree: Mapping[str, Any], path: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{name}/")
        else:
            yield f"{path}{name}", value
