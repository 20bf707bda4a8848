"""An inspection as tables for people."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from baselines.checkpoints.sharing.file_report import MEANING, Inspection, PickleReport, verdict
from emerald_env.files.printable import printable

MAX_NAMES_SHOWN = 20  # of a pickle's imports that are shown
COLOURS = {"dangerous": "bold red", "suspicious": "yellow", "innocuous": "green"}
NUMBERS = ("bytes", "packed", "numbers")  # columns that are aligned at the right


def show(found: Inspection, console: Console) -> None:
    """Prints all that was found."""
    _row(console, "file", f"{found.file}, {found.size:,} bytes, {found.kind}")
    _row(console, "SHA-256", found.sha256)
    for flaw in found.flaws:
        _row(console, "flaw", flaw, "red")
    members = [(m.name, f"{m.size:,}", f"{m.packed:,}", m.crc32) for m in found.members]
    _table(console, "Members", ("name", "bytes", "packed", "CRC-32"), members)
    if isinstance(found.manifest, dict):
        rows = [(printable(key), _short(value)) for key, value in found.manifest.items()]
        _table(console, "Manifest", ("what", "says"), rows)
    tensors = [
        (t.name, " x ".join(map(str, t.shape)) or "one number", t.dtype, f"{t.numbers:,}")
        for t in found.tensors
    ]
    title = f"Network: {found.parameters:,} numbers"
    _table(console, title, ("name", "shape", "type", "numbers"), tensors)
    for report in sorted(found.pickles, key=lambda report: list(MEANING).index(report.worst)):
        _show_pickle(report, console)
    for word in dict.fromkeys(use.verdict for report in found.pickles for use in report.uses):
        _row(console, "", f"{word}: {MEANING[word]}", COLOURS[word])
    _row(console, "verdict", verdict(found), COLOURS[found.worst])
    _row(console, "", "None of it was run: this program only reads tensors.")
    if found.usable is None:
        _row(console, "usable", "yes: emerald play, evaluate and train can use it", "green")
    else:
        _row(console, "usable", f"no: {found.usable}", "yellow")


def _row(console: Console, name: str, text: str, style: str = "") -> None:
    console.print(Text(f"{name:<11}", "bold") + Text(text, style))


def _table(
    console: Console, title: str, columns: Iterable[str], rows: Iterable[tuple[str, ...]]
) -> None:
    """Prints a table, unless it has no rows."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None)
    for column in columns:
        justify: Any = "right" if column in NUMBERS else "left"
        table.add_column(column, justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    if table.rows:
        console.print(table)


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{key} {inner}" for key, inner in value.items())
    elif isinstance(value, list):
        value = ", ".join(map(str, value))
    return printable(value, 1000)


def _show_pickle(report: PickleReport, console: Console) -> None:
    if report.problem is not None:
        text = f"{report.where}: {report.problem}: treat it as dangerous"
        _row(console, "pickle", text, COLOURS[report.worst])
    for word, colour in COLOURS.items():
        names = [use.name for use in report.uses if use.verdict == word]
        if names:
            text = f"{report.where} imports {', '.join(names[:MAX_NAMES_SHOWN])}: {word}"
            _row(console, "pickle", text, colour)
