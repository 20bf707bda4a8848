"""Reports as tables for people."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Sequence

from rich.box import MARKDOWN
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from emerald_env.files.printable import for_markdown, for_rich, printable
from rewards.audit.auditor import SHOWN, AuditReport, KeyLine, more
from rewards.audit.jade_walks import PREFIX
from rewards.audit.tourist import LegComparison
from rewards.audit.verdict import LoopVerdict
from rewards.kinds import Events, Marks
from rewards.preset import Preset

MAX_KEYS = 12
COLOURS = {
    LoopVerdict.FARMABLE: "bold red",
    LoopVerdict.BOUNDED: "yellow",
    LoopVerdict.FADES: "yellow",
}


def detail(report: AuditReport) -> RenderableType:
    """Returns the whole report on one walk."""
    bound = "no bound" if math.isinf(report.bound) else f"at most {report.bound:,.0f} an episode"
    head = Text(
        f"{printable(report.walk)} under {report.preset}: {report.total:,.2f} in {report.steps:,} "
        f"steps ({bound})",
        style="bold",
    )
    parts: list[RenderableType] = [head]
    if report.known:
        parts.append(_known(report))
    if report.keys:
        parts.append(_keys("what paid, with one round of the loop", report.keys))
    if report.rounds:
        parts.append(_rounds(report))
    if report.repeated:
        parts.append(_keys(f"what the last {report.ending} rounds still paid", report.repeated))
    parts.append(Text(report.says, style=_colour(report)))
    return Group(*parts)


def summary(reports: Sequence[AuditReport]) -> Table:
    """Returns one line per walk and preset."""
    title = f"what a loop pays in its rounds {', '.join(map(str, SHOWN))}"
    several = len({report.preset for report in reports}) > 1
    table = Table(title=title, box=None, padding=(0, 1, 0, 0))
    table.add_column("walk", overflow="fold")
    if several:
        table.add_column("preset", overflow="fold")
    for number in SHOWN:
        table.add_column(str(number), justify="right", no_wrap=True)
    table.add_column("verdict")
    table.add_column("what the last quarter paid can still pay", overflow="fold")
    for report in reports:
        totals = {line.number: line.total for line in report.rounds}
        cells = [_amount(totals.get(number)) for number in SHOWN]
        terms = dict.fromkeys(line.term for line in report.repeated if line.amount > 0)
        still = [f"{for_rich(term)} {more(report.left[term])}" for term in terms]
        verdict = Text(report.verdict.name.lower().replace("_", " "), style=_colour(report))
        names = [for_rich(report.walk), *[for_rich(report.preset)] * several]
        table.add_row(*names, *cells, verdict, ", ".join(still))
    return table


def markdown(reports: Sequence[AuditReport]) -> str:
    """Returns a table in Markdown: a row per walk, a column per preset, and what later rounds paid.

    The last column is what all rounds after the first paid under the first preset.
    """
    presets = list(dict.fromkeys(report.preset for report in reports))
    found = {(report.walk, report.preset): report for report in reports}
    lines = [
        f"| exploit | {' | '.join(f'`{for_markdown(preset)}`' for preset in presets)} | later |",
        "|---" * (len(presets) + 2) + "|",
    ]
    for walk in dict.fromkeys(report.walk for report in reports):
        row = [found[walk, preset] for preset in presets]
        later = sum(p.paid.amount for p in row[0].payments if p.round > 1)
        cells = [for_markdown(walk.removeprefix(PREFIX)), *map(_rounds_cell, row), f"{later:.3g}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _rounds_cell(report: AuditReport) -> str:
    amounts = " / ".join(f"{line.total:.3g}" for line in report.rounds)
    verdict = report.verdict.name.lower()
    return f"{amounts}, {f'**{verdict}**' if report.farmable else verdict}"


def terms_table(preset: Preset) -> RenderableType:
    """Returns the most that each term of a preset can pay, and what it is for."""
    table = Table(title=f"the terms of {for_rich(preset.name)}", box=None, padding=(0, 1, 0, 0))
    for name in ("term", "kind"):
        table.add_column(name, overflow="fold")
    for name in ("weight", "keys", "decay", "between milestones", "an episode"):
        table.add_column(name, justify="right")
    for name, weight in preset.weights.items():
        table.add_row(for_rich(name), *_term_cells(preset, name, weight))
    texts = {name: _purpose(preset, name) for name in preset.weights}
    return Group(table, *(Text(f"\n{name}: {text}") for name, text in texts.items() if text))


def story_table(preset: Preset, legs: Iterable[LegComparison]) -> Table:
    """Returns what an expert of the story and a tourist earn from milestone to milestone."""
    table = Table("from", title=f"the story against sightseeing under {for_rich(preset.name)}")
    for name in ("steps", "expert", "tourist", "ratio"):
        table.add_column(name, justify="right")
    table.add_column("most of the tourist's")
    for leg in legs:
        expert, tourist = sum(leg.expert.values()), sum(leg.tourist.values())
        ratio = "-" if math.isnan(leg.ratio) else f"{leg.ratio:.1f}"
        best = sorted(leg.tourist.items(), key=lambda item: -item[1])[:3]
        most = ", ".join(f"{for_rich(term)} {amount:.2f}" for term, amount in best if amount)
        cells = (f"{leg.steps}", f"{expert:.2f}", f"{tourist:.2f}", ratio, most)
        table.add_row(leg.milestone, *cells)
    return table


def worlds_table(columns: Sequence[str]) -> Table:
    """Returns an empty table, in Markdown; a row is a world and its `closest_cell`s."""
    table = Table("world", *map(for_rich, columns), box=MARKDOWN)
    table.title = "from where the expert earns least, in times of what the tourist does (steps)"
    return table


def closest_cell(legs: Iterable[LegComparison]) -> str:
    """Returns from which milestone on the expert earns the fewest times what the tourist does.

    Legs on which neither earns anything do not count; "-" if there are no others.
    """
    paid = [leg for leg in legs if not math.isnan(leg.ratio)]
    if not paid:
        return "-"
    leg = min(paid, key=lambda leg: leg.ratio)
    return f"{leg.ratio:.2f} `{leg.milestone}` ({leg.steps})"


def _term_cells(preset: Preset, name: str, weight: float) -> Iterator[str]:
    term = preset.term(name) if preset.formula == "once" else None
    if preset.is_own(name) and term is None:
        yield from ("function", f"{weight:g}", "", "", "no bound", "no bound")
        return
    if term is None:
        yield from ("original", f"{weight:g}", "", "", "no bound", "no bound")
        return
    events = isinstance(term, Events)
    decay = preset.decay_of(name)
    yield term.kind
    yield f"{weight:g}"
    yield _keys_of(term)
    yield f"{decay:g}" if events else "concave"
    yield f"{preset.most_between_milestones(name):,.2f}"
    yield f"{preset.bound_of(name):,.2f}"


def _purpose(preset: Preset, name: str) -> str:
    term = preset.term(name) if preset.formula == "once" else None
    paragraphs = "" if term is None else inspect.getdoc(term) or ""
    return "\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs.split("\n\n"))


def _keys_of(term: Events | Marks) -> str:
    if isinstance(term, Marks):
        return f"{len(term.scales)} stages"
    return "endless" if math.isinf(term.keys) else f"{term.keys:,.0f}"


def _known(report: AuditReport) -> Text:
    counts = [f"{count} {term}" for term, count in report.known.items() if count]
    return Text("true at the start, pays nothing: " + (", ".join(counts) or "nothing"), style="dim")


def _keys(title: str, lines: Sequence[KeyLine]) -> Table:
    table = Table("term", "key", title=title, title_justify="left")
    for name in ("paid", "times", "first in step"):
        table.add_column(name, justify="right")
    for line in lines[:MAX_KEYS]:
        cells = (_amount(line.amount), f"{line.times}", f"{line.first_step:,}")
        table.add_row(for_rich(line.term), for_rich(line.key), *cells)
    rest = lines[MAX_KEYS:]
    if rest:
        amount = sum(line.amount for line in rest)
        table.add_row("", f"... and {len(rest)} more", _amount(amount), "", "")
    return table


def _rounds(report: AuditReport) -> Table:
    names = list(dict.fromkeys(term for line in report.rounds for term in line.terms))
    table = Table("round", title="what the loop paid, by round", title_justify="left")
    for name in ("all", *names):
        table.add_column(for_rich(name), justify="right")
    for line in report.rounds:
        amounts = (line.terms.get(name, 0.0) for name in names)
        table.add_row(f"{line.number}", _amount(line.total), *map(_amount, amounts))
    return table


def _amount(amount: float | None) -> str:
    return "" if amount is None else f"{amount:.4g}"


def _colour(report: AuditReport) -> str:
    return COLOURS.get(report.verdict, "green")
