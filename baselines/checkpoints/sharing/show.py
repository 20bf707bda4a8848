"""An inspection as tables for people."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from baselines.checkpoints.checkpoint import POLICY
from baselines.checkpoints.sharing.names import MEANING, WORST_FIRST
from baselines.checkpoints.sharing.report import Inspection, PickleReport, verdict
from emerald_env.cli.command import printable

COLOURS = {"dangerous": "bold red", "code": "red", "unknown": "yellow", "usual": "green"}


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
    _row(console, "pickles", verdict(found), COLOURS[found.worst])
    console.print(" " * 11 + "None was run here, now or ever: this program reads tensors only.")
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
    return printable(str(value))[:1000]


def _tensors(found: Inspection) -> Table:
    """Returns a table of the network's tensors, those of other members summed up."""
    own = [tensor for tensor in found.tensors if tensor.where == POLICY]
    table = _table(f"Network: {found.parameters:,} numbers", "name", "shape", "type", "numbers")
    seen: set[str] = set()
    for tensor in own:
        if tensor.storage not in seen:
            seen.add(tensor.storage)
            shape = " x ".join(map(str, tensor.shape)) or "one number"
            table.add_row(*map(Text, (tensor.name, shape, tensor.dtype, f"{tensor.numbers:,}")))
    if len(own) > len(seen):
        table.add_row(f"{len(own) - len(seen)} more names", "that share these numbers")
    for where in dict.fromkeys(t.where for t in found.tensors if t.where != POLICY):
        tensors = [t for t in found.tensors if t.where == where]
        what = f"{len(tensors)} tensors"
        table.add_row(Text(where), what, "", f"{sum(t.numbers for t in tensors):,}")
    return table


def _show_pickle(report: PickleReport, console: Console) -> None:
    colour = COLOURS[report.worst]
    if report.problem is not None:
        problem = f"cannot be followed to its end ({report.problem}): trust it in nothing"
        _row(console, "pickle", f"{report.where} {problem}", colour)
    if report.worst == "usual":
        names = ", ".join(use.name for use in report.uses) or "nothing imported"
        _row(console, "pickle", f"{report.where}: {names}")
        return
    table = _table(f"Pickle {report.where}", "is", "imports and calls", "calls", "with")
    for use in sorted(report.uses, key=lambda use: WORST_FIRST.index(use.verdict)):
        verdict_ = Text(use.verdict, COLOURS[use.verdict])
        table.add_row(verdict_, Text(use.name), str(use.called), Text(use.example))
    console.print(table)
