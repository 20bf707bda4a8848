"""Reading curves out of tensorboard event files, of ours, of strangers and of CleanRL."""

import bisect
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from baselines.diagnostics import EPISODE_REWARD, STEPS_PER_SECOND
from baselines.diagnostics.metrics import APPROX_KL, CLEANRL, ENTROPY_LOSS, LOSS, VALUE_LOSS

PATTERN = "*tfevents*"
MAX_FILES = 500
MAX_BYTES = 1 << 30  # of one run
MAX_POINTS = 5_000_000
MAX_TAGS = 5_000
# Which metric's points are the updates: the first that is there.
UPDATE_METRICS = (APPROX_KL, VALUE_LOSS, ENTROPY_LOSS, LOSS, EPISODE_REWARD)
PER_EPISODE = {"charts/episodic_return", "charts/episodic_length"}
EPISODES_IN_MEAN = 100  # as in SB3's rollout/ep_rew_mean
SESSION_SPEED = "time/steps_per_second"  # what our sessions logged before they were diagnosed live


class LogError(ValueError):
    """There is no log to read; the message says what was found instead."""


class Point(NamedTuple):
    """One logged number."""

    step: int
    time: float  # seconds since 1970
    value: float


@dataclass
class Curves:
    """Every scalar of one run, by SB3's names."""

    folder: Path
    points: dict[str, list[Point]] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple[int, dict[str, float]]]:
        """Yields env steps and numbers, an update at a time.

        A number that was logged between two updates belongs to the later one.
        """
        beat = next((name for name in UPDATE_METRICS if name in self.points), None)
        if beat is None:
            return
        steps = [point.step for point in self.points[beat]]
        columns = {name: _latest(points, steps) for name, points in self.points.items()}
        if STEPS_PER_SECOND not in columns:
            columns[STEPS_PER_SECOND] = columns.get(SESSION_SPEED) or _speeds(self.points[beat])
        for index, step in enumerate(steps):
            values = ((name, column[index]) for name, column in columns.items())
            yield step, {name: value for name, value in values if value is not None}


def find_runs(path: Path) -> list[Path]:
    """Returns the folders at or below `path` that hold event files, or the file itself.

    Raises:
        LogError: there are none, or far too many.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise LogError(f"{path} does not exist: give a folder with a tensorboard log in it")
    files = list(itertools.islice(path.rglob(PATTERN), MAX_FILES + 1))
    if not files:
        raise LogError(f"no tensorboard log in {path}: no file in it is called {PATTERN}")
    if len(files) > MAX_FILES:
        raise LogError(f"more than {MAX_FILES} event files below {path}: give the folder of a run")
    return sorted({file.parent for file in files})


def read_curves(run: Path) -> Curves:
    """Returns what a run logged: all event files of a folder, or one file.

    What was logged before a run went on from an earlier step is left out, as tensorboard does.

    Raises:
        LogError: the files are too large, or there is no number in them.
    """
    files = [run] if run.is_file() else sorted(file for file in run.glob(PATTERN) if file.is_file())
    size = sum(file.stat().st_size for file in files)
    if size > MAX_BYTES:
        raise LogError(f"{run}: {size / 2**20:,.0f} MiB of events, {MAX_BYTES >> 20} at most")
    found: dict[str, list[Point]] = {}
    for file in files:
        _merge(found, _read_file(file))
    if not found:
        raise LogError(
            f"{run}: no curve in it ({size:,} bytes): empty, cut short, or no event file"
        )
    return Curves(run, {name: points for name, points in _rename(found).items() if points})


def _merge(found: dict[str, list[Point]], new: dict[str, list[Point]]) -> None:
    """Adds a later file's points; what they repeat of earlier ones is replaced."""
    for tag, points in new.items():
        before = found.setdefault(tag, [])
        start = bisect.bisect_left(before, points[0].step, key=lambda point: point.step)
        before[start:] = points


def _read_file(file: Path) -> dict[str, list[Point]]:
    """Returns one file's scalars, in the order of their steps; a damaged end is left out."""
    # tensorboard takes a second to load, and only this needs it
    from google.protobuf.message import DecodeError
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
    from tensorboard.compat.proto.event_pb2 import SessionLog

    found: dict[str, list[Point]] = {}
    count = 0
    try:
        for event in LegacyEventFileLoader(str(file)).Load():
            if event.session_log.status == SessionLog.START:
                found = {t: [p for p in found[t] if p.step < event.step] for t in found}
            for value in event.summary.value:
                number = _scalar(value)
                if number is None:
                    continue
                count += 1
                found.setdefault(value.tag, []).append(Point(event.step, event.wall_time, number))
                if count > MAX_POINTS or len(found) > MAX_TAGS:
                    raise LogError(f"{file}: more than {MAX_POINTS:,} points or {MAX_TAGS} curves")
    except (DecodeError, MemoryError, OverflowError):
        pass  # a record that is none: what came before it is used
    except OSError as error:
        raise LogError(f"{file} cannot be read: {error}") from error
    return {tag: sorted(points, key=lambda p: p.step) for tag, points in found.items() if points}


def _scalar(value: Any) -> float | None:
    """Returns a summary's number, None where it is a picture, a text or the like."""
    if value.HasField("simple_value"):
        return float(value.simple_value)
    tensor = value.tensor
    if not value.HasField("tensor") or any(size.size != 1 for size in tensor.tensor_shape.dim):
        return None
    for numbers in (tensor.float_val, tensor.double_val):
        if len(numbers) == 1:
            return float(numbers[0])
    kinds = {1: np.float32, 2: np.float64}  # DataType: DT_FLOAT, DT_DOUBLE
    content, kind = tensor.tensor_content, kinds.get(tensor.dtype)
    if kind is None or len(content) != np.dtype(kind).itemsize:
        return None
    return float(np.frombuffer(content, kind)[0])


def _rename(found: dict[str, list[Point]]) -> dict[str, list[Point]]:
    """Returns the curves by SB3's names: CleanRL's are translated, its episodes averaged."""
    named = {}
    for tag, points in found.items():
        name, factor = CLEANRL.get(tag, (tag, 1.0))
        if tag in PER_EPISODE:
            points = _episode_means(points)
        if name not in found or name == tag:
            named[name] = [Point(p.step, p.time, factor * p.value) for p in points]
    return named


def _episode_means(points: list[Point]) -> list[Point]:
    values = [point.value for point in points]
    sums = [0.0, *itertools.accumulate(v if math.isfinite(v) else 0.0 for v in values)]
    means = []
    for end, point in enumerate(points, start=1):
        begin = max(0, end - EPISODES_IN_MEAN)
        means.append(Point(point.step, point.time, (sums[end] - sums[begin]) / (end - begin)))
    return means


def _latest(points: list[Point], steps: list[int]) -> list[float | None]:
    """Returns for each update the last value since the one before, None where there is none."""
    values: list[float | None] = []
    done = 0
    for step in steps:
        end = bisect.bisect_right(points, step, lo=done, key=lambda point: point.step)
        values.append(points[end - 1].value if end > done else None)
        done = end
    return values


def _speeds(points: list[Point]) -> list[float | None]:
    """Returns the steps per second since the update before."""
    speeds: list[float | None] = [None]
    for before, now in itertools.pairwise(points):
        seconds = now.time - before.time
        speeds.append((now.step - before.step) / seconds if seconds > 0 else None)
    return speeds
