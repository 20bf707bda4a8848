"""Finds the logs below a folder, and distinguishes runs from restarts."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from baselines.diagnostics.logs.event_files import read_event_file
from baselines.diagnostics.logs.log_tables import read_csv, read_json_lines, read_monitors
from baselines.diagnostics.logs.logged_curves import Curves, LogError, by_our_names
from baselines.diagnostics.logs.wandb_files import read_wandb

MAX_FILES = 500
MAX_BYTES = 1 << 30  # of one folder


class FoundRuns(NamedTuple):
    """The runs below a folder, and a reason for each log below it that is none."""

    runs: list[Curves]
    refused: list[str]


def read_runs(paths: Iterable[Path]) -> list[Curves]:
    """Returns the runs whose logs are in or below some folders, or in files.

    Raises:
        LogError: there is none, it cannot be read, or there is too much.
    """
    return [run for path in paths for run in runs_below(path).runs]


def runs_below(path: Path) -> FoundRuns:
    """Returns the runs whose logs are in or below a folder, or in a file.

    Only one format is read per folder: tensorboard's if there is any, else wandb's,
    `progress.csv`, or `monitor.csv`; what is above or below it in another format is the same run's.
    A file that continues an earlier one belongs to the same run.

    Raises:
        LogError: there is none, it cannot be read, or there is too much.
    """
    files, found = _files(path), FoundRuns([], [])
    done: list[Path] = []  # folders in which there are runs
    for pattern, read in READERS.items():
        for folder, group in _by_folder((file for file in files if file.match(pattern)), done):
            try:
                found.runs.extend(_read(group, read))
                done.append(folder)
            except LogError as error:
                if (reason := str(error)) not in found.refused:  # of a file that fits two patterns
                    found.refused.append(reason)
    if not found.runs:
        raise LogError("; ".join(found.refused[:3]))
    if path.is_file() and len(found.runs) == 1:
        return FoundRuns([replace(found.runs[0], folder=path)], found.refused)
    return found


def _by_folder(files: Iterable[Path], done: list[Path]) -> list[tuple[Path, list[Path]]]:
    """Returns the files of each folder in order, but of those in, above or below a done one."""
    ordered = sorted(files, key=lambda file: (file.parent, file))
    return [
        (folder, list(group))
        for folder, group in itertools.groupby(ordered, lambda file: file.parent)
        if not any(folder in (one, *one.parents) or one in folder.parents for one in done)
    ]


def _files(path: Path) -> list[Path]:
    if path.is_file():
        if _pattern(path) is None:
            raise LogError(f"{path} is not a log: only {READ} are read")
        return [path]
    if not path.is_dir():
        wrong = "is neither a file nor a folder" if path.exists() else "does not exist"
        raise LogError(f"{path} {wrong}: give a folder with a log in it")
    fitting = ((pattern, file) for pattern in READERS for file in path.rglob(pattern))
    found = (file for pattern, file in fitting if _pattern(file) == pattern and file.is_file())
    files = list(itertools.islice(found, MAX_FILES + 1))
    if len(files) > MAX_FILES:
        raise LogError(f"more than {MAX_FILES} logs below {path}: give the folder of a run")
    if not files:
        others = (p.name for p in path.rglob("*") if p.is_file())
        names = ", ".join(itertools.islice(others, 5))
        there = f"; found {names}, ..." if names else ""
        raise LogError(f"no log in {path}: only {READ} are read{there}")
    return files


def _pattern(file: Path) -> str | None:
    """Returns the first pattern that a file's name fits, since it may fit two; None if none."""
    return next((pattern for pattern in READERS if file.match(pattern)), None)


def _read(files: list[Path], read: Callable[[list[Path]], list[Curves]]) -> list[Curves]:
    """Returns the runs of one folder."""
    where = files[0].parent if len(files) > 1 else files[0]
    size = sum(file.stat().st_size for file in files)
    if size > MAX_BYTES:
        raise LogError(
            f"{where}: {size / 2**20:,.0f} MiB of logs, at most {MAX_BYTES >> 20} are read"
        )
    parts = [by_our_names(curves) for curves in read(files)]
    runs = _joined([part for part in parts if part.points])
    broken = tuple(text for part in parts if not part.points for text in part.damage)
    if not runs:
        why = "; ".join(broken) or "empty, truncated, or another format"
        raise LogError(f"{where}: no curves in it ({size:,} bytes): {why}")
    if len(runs) == 1:
        runs = [replace(runs[0], folder=files[0].parent, run="")]
    return [replace(run, damage=run.damage + broken) for run in runs]


def _joined(parts: list[Curves]) -> list[Curves]:
    """Returns runs: each part belongs to the one of its name before it, or begins a new one."""
    runs: list[Curves] = []
    latest: dict[str, int] = {}  # name -> index
    for part in parts:
        before = latest.get(part.run)
        if before is not None and not part.begins_anew(runs[before]):
            runs[before] = runs[before].followed_by(part)
        else:
            latest[part.run] = len(runs)
            runs.append(part)
    return runs


def _each(read: Callable[[Path], Curves]) -> Callable[[list[Path]], list[Curves]]:
    return lambda files: [read(file) for file in files]


def _tables(files: list[Path]) -> list[Curves]:
    return [curves for file in files for curves in read_csv(file)]


READERS: dict[str, Callable[[list[Path]], list[Curves]]] = {
    "*tfevents*": _each(read_event_file),
    "*.wandb": _each(read_wandb),
    "*progress.csv": _tables,
    "*progress.json": _each(read_json_lines),
    "result.json": _each(read_json_lines),
    "progress.txt": _tables,
    "wandb*export*.csv": _tables,
    "*monitor.csv": lambda files: [read_monitors(files)],
}
READ = (
    "tensorboard's *tfevents*, *.wandb and its exported tables, progress.csv, progress.json, "
    "progress.txt, RLlib's result.json and SB3's monitor.csv"
)
