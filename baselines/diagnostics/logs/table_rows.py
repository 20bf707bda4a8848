"""The rows of a table of text as numbers, whatever its delimiter and its decimal mark."""

import csv
import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from baselines.diagnostics.logs.logged_names import STEPS
from baselines.diagnostics.scores.score_curve import LARGEST

EPISODE = {"r": LARGEST, "l": 1e9, "t": 1e18}  # columns of an episode, and how large they can be
NEEDED = frozenset({*STEPS, *EPISODE})  # a row without its number is damaged as a whole
COUNTERS = frozenset({*STEPS, "t"})  # of those
LATEST = 100  # rows that a last one is compared with
EXTREMES = ("__MIN", "__MAX")  # which wandb exports beside a chart's means
NOTHING = frozenset({"", "none", "null", "n/a"})  # what may stand for no number
_COMMA = re.compile(r"-?\d+,\d+(?:e[+-]?\d+)?", re.IGNORECASE)
_POINT = re.compile(  # in a cell of its own
    r'(?:^|[;\t])"?-?\d*\.\d+(?:e[+-]?\d+)?"?(?:[;\t\r\n]|$)', re.IGNORECASE
)
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
Row = Mapping[str, Any]
Damage = tuple[str, ...]


def numbers(row: Row) -> dict[str, float]:
    """Returns a row's numbers; NaN and infinity may be written as words."""
    found = {}
    for name, value in row.items():
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            continue
        try:
            found[name] = float(value)
        except ValueError:
            continue
    return found


def read_rows(
    lines: list[str], file: Path, delimiter: str
) -> tuple[list[dict[str, float]], Damage]:
    """Returns a table's rows as numbers, and a description of its damage.

    Where commas do not delimit, and no number has a point, 98,7 is 98.7.

    Args:
        lines: the table's, with their ends; the first has the headings.
        file: where it was found.
        delimiter: a comma, a semicolon or a tab.
    """
    rows, texts = [], Counter[str]()
    has_commas = delimiter != "," and not any(map(_POINT.search, lines))
    try:
        whole, cut = _without_cut_row(lines, delimiter)
        table = csv.DictReader(whole, delimiter=delimiter)
        for line in table:
            cells = {k: v for k, v in line.items() if k and v and not k.endswith(EXTREMES)}
            rows.append(numbers(_with_points(cells) if has_commas else cells))
            texts.update(
                k for k in cells.keys() - rows[-1].keys() if cells[k].lower() not in NOTHING
            )
    except csv.Error as error:
        return [], (f"{file.name}: damaged: {error}",)
    headings = table.fieldnames or ()
    damage = Damage()
    if same := len(headings) - len(set(headings)):
        damage += (f"{file.name}: {same:,} columns have the heading of another and are left out",)
    if lost := _texts_among_numbers(texts, rows):
        damage += (f"{file.name}: {lost:,} cells are no numbers and left out",)
    return rows, damage + ((f"{file.name}: the last row {cut}",) if cut else ())


def _with_points(cells: Mapping[str, str]) -> dict[str, str]:
    """Returns cells with 98,7 written as 98.7."""
    return {k: v.replace(",", ".") if _COMMA.fullmatch(v.strip()) else v for k, v in cells.items()}


def _texts_among_numbers(texts: Counter[str], rows: list[dict[str, float]]) -> int:
    """Returns how many texts stand in columns that are mostly numbers.

    Args:
        texts: how many each column has.
        rows: their numbers.
    """
    numeric = Counter(name for row in rows for name in row if name in texts)
    return sum(n for name, n in texts.items() if n < numeric[name] and name not in NEEDED)


def _without_cut_row(lines: list[str], delimiter: str) -> tuple[list[str], str]:
    """Returns a table's lines without a last one that is cut short, and what to say of that one.

    A last row may have no line end (RFC 4180). It can be whole if it has as many cells as the row
    above, and its last one as many characters. That one is emptied, as it may still be cut; where
    the row does not count without it, it is kept if it is surely whole, and else the row goes.

    Raises:
        csv.Error: it is no table.
    """
    if not lines or lines[-1].endswith("\n"):
        return lines, ""
    *others, last = lines
    known = [*others[:1], *others[1:][-LATEST:], last]
    rows = list(csv.reader(known, delimiter=delimiter))
    if len(rows) < 3 or not len(rows[-1]) == len(rows[-2]) > 1:
        return others, "is cut short"
    headings, *above, cells = rows
    if not len(cells[-1]) >= len(above[-1][-1]) > 0:
        return others, "is cut short"
    if NEEDED.isdisjoint(headings[-1:]):
        return [*others, last[: last.rindex(delimiter) + 1]], ""
    if last.endswith('"') or _is_whole(cells[-1], [row[-1] for row in above if row], headings[-1]):
        return lines, ""
    return others, "may be cut short and is left out"


def _is_whole(cell: str, above: list[str], heading: str) -> bool:
    """Returns whether a number has all of its digits, by those above it in its column.

    It has if it has as many decimals. A counter of whole numbers only grows, and one that lacks
    digits is smaller than the one above.
    """
    if not _PLAIN.fullmatch(cell):
        return False
    if decimals := max(len(text.partition(".")[2]) for text in above):
        return len(cell.partition(".")[2]) >= decimals
    before = numbers({heading: above[-1]}).get(heading, math.inf)
    return heading in COUNTERS and float(cell) > before
