"""SB3's tables: `progress.csv`, a row per update, and `monitor.csv`, a row per episode."""

import csv
import json
import math
from itertools import accumulate
from pathlib import Path
from typing import Any

from baselines.diagnostics import metrics as m
from baselines.diagnostics.logs.logged_curves import (
    Curves,
    LogError,
    Point,
    Points,
    check_size,
    episode_means,
    log_errors,
)

STEPS, SECONDS = "time/total_timesteps", "time/time_elapsed"


def read_progress(file: Path) -> Curves:
    """Returns the curves that SB3's "csv" logger wrote.

    Raises:
        LogError: it cannot be read, or has no column of steps.
    """
    found: Points = {}
    rows, damage = _rows(_text(file).splitlines(keepends=True), file, (STEPS,))
    for count, numbers in enumerate(rows):
        seconds = numbers.get(SECONDS, math.nan)
        for name, value in numbers.items():
            found.setdefault(name, []).append(Point(int(numbers[STEPS]), seconds, value))
        check_size(found, count * len(found), file)
    return Curves(file, found, damage=damage)


def read_monitors(files: list[Path]) -> Curves:
    """Returns the mean reward and length of the episodes of one run's games.

    Args:
        files: the tables of SB3's `Monitor`, one for each game.

    Raises:
        LogError: one cannot be read.
    """
    episodes: list[tuple[float, float, float]] = []  # seconds, reward, length
    damage: tuple[str, ...] = ()
    for file in files:
        first, *lines = _text(file).splitlines(keepends=True) or [""]
        try:
            start = float(json.loads(first.lstrip("#"))["t_start"])
        except (ValueError, TypeError, KeyError):
            raise LogError(f"{file}: the first line of SB3's Monitor is missing") from None
        rows, lost = _rows(lines, file, ("r", "l", "t"))
        episodes += [(start + row["t"], row["r"], row["l"]) for row in rows]
        damage += lost
    episodes.sort()
    steps = accumulate(int(length) for _, _, length in episodes)
    rewards, lengths = [], []
    for step, (seconds, reward, length) in zip(steps, episodes, strict=True):
        rewards.append(Point(step, seconds, reward))
        lengths.append(Point(step, seconds, length))
    points = {
        name: episode_means(found)
        for name, found in ((m.EPISODE_REWARD, rewards), (m.EPISODE_LENGTH, lengths))
        if found
    }
    check_size(points, 2 * len(episodes), files[0])
    return Curves(files[0].parent if len(files) > 1 else files[0], points, damage=damage)


def _text(file: Path) -> str:
    with log_errors(file):
        return file.read_text("utf-8", errors="replace")


def _rows(
    lines: list[str], file: Path, needed: tuple[str, ...]
) -> tuple[list[dict[str, float]], tuple[str, ...]]:
    """Returns a table's rows as numbers, and a description of its damage."""
    cut = bool(lines) and not lines[-1].endswith("\n")
    try:
        table = list(csv.DictReader(lines[:-1] if cut else lines))
    except csv.Error as error:
        return [], (f"{file.name}: damaged: {error}",)
    rows = [
        {name: x for name, text in row.items() if (x := _number(text)) is not None} for row in table
    ]
    whole = [row for row in rows if all(math.isfinite(row.get(n, math.nan)) for n in needed)]
    lost = len(rows) - len(whole)
    damage = [f"{lost:,} rows are damaged and left out"] if lost else []
    damage += ["the last row is cut short"] if cut else []
    return whole, (f"{file.name}: {', '.join(damage)}",) if damage else ()


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (ValueError, TypeError):
        return None
