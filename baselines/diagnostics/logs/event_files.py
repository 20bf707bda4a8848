"""Tensorboard's event files, ours and others', CleanRL's included, as far as they are intact.

Each record is its length (8 bytes), a checksum of that (4), the event, and a checksum of it (4).
"""

import math
import re
import struct
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.diagnostics.logs.logged_curves import (
    Curves,
    Point,
    Points,
    check_size,
    in_order,
    is_possible,
    read_log,
)
from baselines.diagnostics.logs.logged_names import settings_by_our_names
from baselines.diagnostics.logs.table_rows import numbers

HEADER, FOOTER = 12, 4
CASTAGNOLI = 0x82F63B78  # CRC-32C, bits reversed
BATCH = 50_000  # records whose checksums are computed together
LONG = 1 << 14  # bytes; longer records are not checked
# Of CleanRL's settings those in which two runs of the same kind may differ.
CLEANRL_OWN = frozenset(
    {"seed", "exp_name", "run_name", "wandb_project_name", "wandb_entity", "hf_entity", "track"}
    | {"cuda", "capture_video", "save_model", "upload_model", "param"}  # a heading
)
CLEANRL_SETTINGS = "hyperparameters/text_summary"  # | name | value | in Markdown


def read_event_file(file: Path) -> Curves:
    """Returns one file's curves, as far as it can be read.

    Raises:
        LogError: it cannot be read at all, or is too large.
    """
    from tensorboard.compat.proto.event_pb2 import SessionLog  # takes a second, only for this

    content = read_log(file)
    found: Points = {}
    starts: list[int] = []  # steps that a restarted run continued from
    starts_before: dict[str, list[int]] = {}  # tag -> how many there were before each point
    settings: dict[str, str] = {}
    spans, end = _spans(content)
    good = lost = count = 0
    for event in _events(content, spans):
        scalars = [] if event is None else _scalars(event)
        if event is None or not all(is_possible(event.step, number) for _, number in scalars):
            lost += 1
            continue
        good += 1
        if event.session_log.status == SessionLog.START:
            starts.append(event.step)
        settings |= _logged_settings(event)
        for tag, number in scalars:
            found.setdefault(tag, []).append(Point(event.step, event.wall_time, number))
            starts_before.setdefault(tag, []).append(len(starts))
        count += len(scalars)
        check_size(found, count, file)
    damage, known = _damage(file, len(content), end, good, lost), cleanrl_numbers(settings)
    kept = in_order(_without_replaced(found, starts_before, starts))
    return Curves(file, kept, known, damage, identity=cleanrl_identity(settings))


def _without_replaced(
    points: Points, starts_before: Mapping[str, list[int]], starts: list[int]
) -> Points:
    """Returns curves without what a later restart replaced: its own step, and those after it.

    Args:
        points: in the order of the file.
        starts_before: tag -> how many restarts each of its points comes after.
        starts: the step that each restart continued from.
    """
    earliest = [math.inf, *accumulate(reversed(starts), min)][::-1]  # of a restart and later ones
    return {
        tag: [p for p, n in zip(curve, starts_before[tag], strict=True) if p.step < earliest[n]]
        for tag, curve in points.items()
    }


def _damage(file: Path, size: int, end: int, good: int, lost: int) -> tuple[str, ...]:
    parts = []
    if end < size:
        share = f"{end:,} of {size:,} bytes" if end else "nothing"
        parts.append(f"the rest is cut short or damaged: {share} read")
    if lost:
        parts.append(f"{lost:,} of {good + lost:,} records are damaged and left out")
    return (f"{file.name}: {'; '.join(parts)}",) if parts else ()


def _events(content: bytes, spans: list[tuple[int, int]]) -> Iterator[Any]:
    """Yields each event, None for a damaged one."""
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event

    for whole, start, stop in _checked(content, spans):
        try:
            yield Event.FromString(content[start:stop]) if whole else None
        except DecodeError:
            yield None


def _spans(content: bytes) -> tuple[list[tuple[int, int]], int]:
    """Returns each event's start and end, and how many bytes are framed correctly."""
    places, checksums, place = [], [], 0
    while place + HEADER <= len(content):
        length, checksum = struct.unpack_from("<QI", content, place)
        if place + HEADER + length + FOOTER > len(content):
            break
        places.append(place)
        checksums.append(checksum)
        place += HEADER + length + FOOTER
    right = _checksums([content[p : p + 8] for p in places]) == np.array(checksums, np.uint32)
    if not right.all():
        first = int(np.argmin(right))
        places, place = places[:first], places[first]
    ends = [*places[1:], place]
    return [(p + HEADER, e - FOOTER) for p, e in zip(places, ends, strict=False)], place


def _checked(content: bytes, spans: list[tuple[int, int]]) -> Iterator[tuple[bool, int, int]]:
    """Yields whether each event's checksum is right, and its place."""
    for first in range(0, len(spans), BATCH):
        batch = spans[first : first + BATCH]
        # a picture is not a curve, and would take long
        short = [span for span in batch if span[1] - span[0] <= LONG]
        found = _checksums([content[a:b] for a, b in short])
        right = dict(zip(short, found, strict=True))
        for start, stop in batch:
            (said,) = struct.unpack_from("<I", content, stop)
            yield said == int(right.get((start, stop), said)), start, stop


def _table() -> NDArray[np.uint32]:
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, (values >> 1) ^ np.uint32(CASTAGNOLI), values >> 1)
    return values


TABLE = _table()


def _checksums(texts: list[bytes]) -> NDArray[np.uint32]:
    """Returns tensorboard's masked CRC-32C of each text, all in parallel, byte by byte."""
    lengths = np.array([len(text) for text in texts])
    order = np.argsort(-lengths, kind="stable")
    sizes = lengths[order]
    starts = np.cumsum(sizes) - sizes
    joined = np.frombuffer(b"".join(texts[i] for i in order), np.uint8)
    state = np.full(len(texts), 0xFFFFFFFF, np.uint32)
    for place in range(int(sizes[0]) if len(sizes) else 0):
        left = int(np.searchsorted(-sizes, -place, side="left"))  # texts longer than `place`
        byte = joined[starts[:left] + place]
        state[:left] = TABLE[(state[:left] ^ byte) & 0xFF] ^ (state[:left] >> 8)
    state ^= np.uint32(0xFFFFFFFF)
    masked = np.empty_like(state)
    masked[order] = ((state >> 15) | (state << 17)) + np.uint32(0xA282EAD8)
    return masked


def _scalars(event: Any) -> list[tuple[str, float]]:
    found = ((value.tag, _scalar(value)) for value in event.summary.value)
    return [(tag, number) for tag, number in found if number is not None]


def _scalar(value: Any) -> float | None:
    """Returns a summary's number, None for a picture, a text or the like."""
    if value.HasField("simple_value"):
        return float(value.simple_value)
    tensor = value.tensor
    if not value.HasField("tensor") or any(size.size != 1 for size in tensor.tensor_shape.dim):
        return None
    for values in (tensor.float_val, tensor.double_val):
        if len(values) == 1:
            return float(values[0])
    kinds = {1: np.float32, 2: np.float64}  # DataType: DT_FLOAT, DT_DOUBLE
    content, kind = tensor.tensor_content, kinds.get(tensor.dtype)
    if kind is None or len(content) != np.dtype(kind).itemsize:
        return None
    return float(np.frombuffer(content, kind)[0])


def _logged_settings(event: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in event.summary.value:
        if value.tag == CLEANRL_SETTINGS and value.tensor.string_val:
            found |= cleanrl_settings(value.tensor.string_val[0].decode(errors="replace"))
    return found


def cleanrl_settings(text: str) -> dict[str, str]:
    """Returns CleanRL's table of settings."""
    return dict(re.findall(r"^\|(\w+)\|([^|\n]+)\|", text, re.MULTILINE))


def cleanrl_numbers(settings: Mapping[str, str]) -> dict[str, float]:
    """Returns the numbers among CleanRL's settings, by SB3's names."""
    return settings_by_our_names(numbers(settings))


def cleanrl_identity(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns those of CleanRL's settings that are no numbers, but say what was tried."""
    known = numbers(settings)
    return {n: v for n, v in settings.items() if n not in known and n not in CLEANRL_OWN}
