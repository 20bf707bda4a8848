"""Says what is wrong with a training run: `python baselines/diagnose.py FOLDER`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.table import Table

from baselines.diagnostics import Diagnosis, Finding, Severity, worst_first
from baselines.diagnostics.diagnosis import Settings
from baselines.diagnostics.event_files import Curves, LogError, find_runs, read_curves
from emerald_env.cli.command import reports_user_errors
from emerald_env.cli.output_files import check_picture
from emerald_env.env.settings import check_numbers
from emerald_env.files.data import is_number, read_json
from emerald_env.files.printable import for_rich
from emerald_env.recordings.find import find_folder

NO_LOG = 3
TOO_LITTLE = 4
VERDICTS = {
    0: "[green]healthy[/]",
    1: "[yellow]warnings[/]",
    2: "[bold red]collapsed[/]",
    TOO_LITTLE: "[cyan]too little to judge[/]",
}
COLOURS = {Severity.NOTE: "cyan", Severity.WARNING: "yellow", Severity.CRITICAL: "red"}


@dataclass(frozen=True)
class DiagnoseConfig:
    """Read a tensorboard log of SB3's PPO (or of CleanRL's) and say what is wrong with the run.

    Exit status: 0 healthy, 1 warnings, 2 collapsed, 3 no log that could be read, 4 too little to
    judge.
    """

    folder: tyro.conf.Positional[Annotated[str, tyro.conf.arg(metavar="FOLDER")]]
    """Folder (or file) of a tensorboard log, a session, or "last"."""
    plot: Annotated[Path | None, tyro.conf.arg(metavar="FILE.png")] = None
    """Draw the curves into this file."""
    json: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print JSON instead of a table."""
    actions: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Number of actions. None: guessed from the first entropy."""

    def __post_init__(self) -> None:
        """Raises ValueError for less than two actions, or no place for a picture."""
        check_numbers(self)
        if self.actions is not None and self.actions < 2:
            raise ValueError(f"--actions is {self.actions}: at least 2")
        check_picture(self.plot)


@dataclass(frozen=True)
class Report:
    """What is said about one run."""

    curves: Curves
    diagnosis: Diagnosis
    steps: tuple[int, ...]  # env steps at each update

    @property
    def status(self) -> int:
        """0 healthy, 1 warnings, 2 collapsed, 4 too little to judge: how it was at its end."""
        if self.diagnosis.status > Severity.NOTE:
            return int(self.diagnosis.status)
        return TOO_LITTLE if self.diagnosis.lacking else 0

    def as_dict(self) -> dict[str, Any]:
        """Returns everything as JSON can hold it."""
        return {
            "run": str(self.curves.folder),
            "status": self.status,
            "updates": len(self.steps),
            "steps": self.steps[-1],
            "lacking": self.diagnosis.lacking,
            "n_actions": self.diagnosis.n_actions,
            "n_actions_guessed": self.diagnosis.n_actions_guessed,
            "findings": [finding.as_dict() for finding in worst_first(self.diagnosis.findings)],
            "not_judged": self.diagnosis.not_judged,
        }


@reports_user_errors(status=NO_LOG)
def main(arguments: Sequence[str] | None = None) -> int:
    """Diagnoses what a command line names; None: this process's own.

    Returns:
        The exit status, see `DiagnoseConfig`; over several runs the worst.
    """
    config = parse(arguments)
    reports = [examine(run, config.actions) for run in find_runs(find_folder(config.folder))]
    if config.plot is not None:
        if len(reports) > 1:
            runs = ", ".join(str(report.curves.folder) for report in reports[:5])
            raise LogError(f"--plot draws one run, here are {len(reports)}: {runs}")
        from baselines.diagnostics.plot import plot

        plot(reports[0].curves, reports[0].diagnosis, config.plot)
    if config.json:
        print(json.dumps([report.as_dict() for report in reports], indent=2))
    else:
        console = Console(width=None if sys.stdout.isatty() else 120)
        for report in reports:
            show(report, console)
    return max(report.status for report in reports)


def parse(arguments: Sequence[str] | None) -> DiagnoseConfig:
    """Returns what a command line asks for.

    Raises:
        SystemExit: it is wrong, with `NO_LOG`: tyro's 2 would be taken for a collapse.
    """
    try:
        return tyro.cli(DiagnoseConfig, args=arguments)
    except SystemExit as end:
        raise SystemExit(NO_LOG if end.code else 0) from None


def examine(run: Path, n_actions: int | None = None) -> Report:
    """Returns what there is to say about a run.

    Raises:
        LogError: it cannot be read, or has none of the numbers that a diagnosis needs.
    """
    curves = read_curves(run)
    diagnosis = Diagnosis(n_actions, read_settings(run))
    steps = []
    for step, numbers in curves.rows():
        diagnosis.add(step, numbers)
        steps.append(step)
    if not steps:
        names = ", ".join(sorted(curves.points)[:5])
        raise LogError(f"{run}: PPO logged nothing there, only {names}, ...")
    return Report(curves, diagnosis, tuple(steps))


def read_settings(run: Path) -> Settings:
    """Returns the learner's settings from a session's config.json, nothing where there is none."""
    config = run / "config.json"
    try:
        ppo = read_json(config)["ppo"]
        return {k: v for k, v in ppo.items() if is_number(v)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}  # not one of our sessions: advice then comes without values


def show(report: Report, console: Console) -> None:
    """Prints a run's report."""
    findings, last = worst_first(report.diagnosis.findings), report.steps[-1]
    console.print(
        f"[bold]{for_rich(report.curves.folder)}[/]  {len(report.steps)} updates, "
        f"{last:,} steps: {VERDICTS[report.status]}"
    )
    if report.diagnosis.lacking:
        console.print(f"  {report.diagnosis.lacking}", highlight=False)
    if findings:
        console.print(_table(findings, last))
    # what came twice has the same remedies, those of the worst time
    worst = {finding.code: finding for finding in reversed(findings)}
    for finding in reversed(worst.values()):
        if finding.severity > Severity.NOTE:
            console.print(f"[{COLOURS[finding.severity]}]{finding.code}[/]  {finding.meaning}")
            for remedy in finding.advice:
                console.print(f"  - {remedy}", markup=False, highlight=False)
    if missing := report.diagnosis.not_judged:
        console.print("[dim]not judged, for want of these numbers:[/]")
        for code, needs in missing.items():
            text = ", ".join(need.replace("|", " or ") for need in needs)
            console.print(f"  {code}: {text}", style="dim", markup=False, highlight=False)


def _table(findings: list[Finding], last: int) -> Table:
    table = Table("", "finding", "since step", "until", "evidence", box=None, pad_edge=False)
    for finding in findings:
        since = f"{finding.since:,} ({finding.since / max(last, 1):.0%})"
        until = "the end" if finding.until is None else f"{finding.until:,}"
        name = f"[{COLOURS[finding.severity]}]{finding.severity.name.lower()}[/]"
        table.add_row(name, finding.code, since, until, finding.evidence)
    return table
