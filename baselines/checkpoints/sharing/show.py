"""An inspection as tables for people."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from baselines.checkpoints.sharing.file_report import (
    MEANING,
    WORST_FIRST,
    Inspection,
    PickleReport,
    verdict,
)
from emerald_env.files.printable import printable

MOST_NAMES = 20  # of a pickle's imports that are shown
COLOURS = {"dangerous": "bold red", "suspicious": "yellow", "innocuous": "green"}


def show(found: Inspection, console: Console) -> None:
    """Prints all that was found."""
    _row(console, "file", f"{found.file}, {found.size:,} bytes, {found.kind}")
    _row(console, "SHA-256", found.sha256)
    for flaw in found.flaws:
        _row(console, "flaw", f"it {flaw}" if not flaw.startswith("it") else flaw, "red")
    if found.members:
        console.print(_members(found))
    if isinstance(found.manifest, dict):
        console.print(_manifest(found.manifest))
    if found.tensors:
        console.print(_tensors(found))
    for report in sorted(found.pickles, key=lambda report: WORST_FIRST.index(report.worst)):
        _show_pickle(report, console)
    for word in dict.fromkeys(use.verdict for report in found.pickles for use in report.uses):
        _row(console, "", f"{word}: {MEANING[word]}", COLOURS[word])
    _row(console, "verdict", verdict(found), COLOURS[found.worst])
    console.print(" " * 11 + "None of it was run: this program only reads tensors.")
    if found.usable is None:
        _row(console, "usable", "yes: play.py, evaluate.py and --resume can use it", "green")
    else:
        _row(console, "usable", f"no: it {found.usable}", "yellow")


def _row(console: Console, name: str, text: str, style: str = "") -> None:
    console.print(Text(f"{name:<11}", "bold") + Text(text, style))


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None)
    for column in columns:
        right = column in ("bytes", "packed", "imports", "calls", "numbers")
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table


def _members(found: Inspection) -> Table:
    table = _table("Members", "name", "bytes", "packed", "CRC-32")
    for member in found.members:
        sizes = (f"{member.size:,}", f"{member.packed:,}", member.crc32)
        table.add_row(Text(member.name), *sizes)
    return table


def _manifest(manifest: Mapping[str, Any]) -> Table:
    table = _table("Manifest", "what", "says")
    for key, value in manifest.items():
        table.add_row(Text(printable(str(key)), "bold"), Text(_short(value)))
    return table


def _short(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{key} {inner}" for key, inner in value.items())
    elif isinstance(value, list):
        value = ", ".join(map(str, value))
    return printable(value, 1000)


def _tensors(found: Inspection) -> Table:
    table = _table(f"Network: {found.parameters:,} numbers", "name", "shape", "type", "numbers")
    for tensor in found.tensors:
        shape = " x ".join(map(str, tensor.shape)) or "one number"
        table.add_row(*map(Text, (tensor.name, shape, tensor.dtype, f"{tensor.numbers:,}")))
    return table


def _show_pickle(report: PickleReport, console: Console) -> None:
    colour = COLOURS[report.worst]
    if report.problem is not None:
        _row(console, "pickle", f"{report.where}: {report.problem}: treat it as dangerous", colour)
    for verdict_ in WORST_FIRST:
        names = [use.name for use in report.uses if use.verdict == verdict_]
        if names:
            text = f"{report.where} imports {', '.join(names[:MOST_NAMES])}"
            _row(console, "pickle", f"{text}: {verdict_}", COLOURS[verdict_])
