"""Diagnoses a training run: `emerald diagnose FOLDER`."""

import json
import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from baselines.commands.command import reports_user_errors
from baselines.diagnostics import RULES, Diagnosis, Finding, Severity, worst_first
from baselines.diagnostics.advice import HEALED
from baselines.diagnostics.bands import alike, bands
from baselines.diagnostics.history import REWARD, EndedEpisode
from baselines.diagnostics.logs import Curves, LogError, runs_below
from baselines.diagnostics.logs.settings_files import folder_of, read_identity, read_settings
from baselines.runs.run_health import is_rollback
from baselines.runs.session_folder import Session
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import Count, checked
from emerald_env.files.data import DataError
from emerald_env.files.output_files import check_picture
from emerald_env.files.printable import for_rich, printable, say, warn
from emerald_env.recordings.find_recordings import find_folder

NO_LOG = 3
TOO_LITTLE = 4
VERDICTS = {
    0: "[green]healthy[/]",
    1: "[yellow]warnings[/]",
    2: "[bold red]collapsed[/]",
    TOO_LITTLE: "[cyan]too little to judge[/]",
}
WORSE = (0, TOO_LITTLE, 1, 2)  # each is worse than the one before
# A metric of another learner's -> who logs it.
OTHER_LEARNERS = {
    "rollout/exploration_rate": "DQN",
    "train/critic_loss": "SAC, TD3 or DDPG",
    "losses/qf1_loss": "CleanRL's off-policy learners",
    "losses/td_loss": "CleanRL's DQN",
}
OF_UPDATE = ("train/", "diagnostics/")  # beginnings of the names of an update's own numbers
MAX_ROWS = 20  # of a table of findings
MAX_SKIPPED = 20  # that are named
COLOURS = {Severity.NOTE: "cyan", Severity.WARNING: "yellow", Severity.CRITICAL: "red"}


@checked
@dataclass(frozen=True)
class DiagnoseConfig:
    """Diagnose training runs from their logs.

    The learner is the PPO of SB3, sb3-contrib, CleanRL, rl_games, Sample Factory, Tianshou,
    TorchRL, RLlib, Spinning Up, Unity ML-Agents, rsl_rl or skrl; the log is tensorboard's, wandb's,
    or a table.

    Exit status: 0 healthy, 1 warnings, 2 collapsed, 3 no log that could be read, 4 too little to
    judge; over several runs the worst.
    """

    logs: tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="SESSION ...")]]
    """Folders (or files) with logs, sessions, or "last"; several runs, such as the seeds of an
    experiment, are set side by side."""
    picture: Path | None = None
    """Draw the curves into this file; of several runs of the same settings the band of rewards."""
    json: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print JSON instead of a table."""
    actions: Annotated[Count | None, tyro.conf.arg(metavar="N")] = None
    """Number of actions. Left out: guessed from the first entropy."""

    def __post_init__(self) -> None:
        """Raises ValueError for no folder, fewer than two actions, or a bad picture path."""
        if not self.logs:
            raise ValueError("name the folder of a run")
        if self.actions is not None and self.actions < 2:
            raise ValueError(f"--actions is {self.actions}: at least 2")
        check_picture(self.picture)


@dataclass(frozen=True)
class RunReport:
    """What is said about one run."""

    curves: Curves
    diagnosis: Diagnosis
    steps: tuple[int, ...]  # env steps at each update

    @property
    def status(self) -> int:
        """0 healthy, 1 warnings, 2 collapsed, 4 too little to judge: how it was at its end."""
        if self.diagnosis.status > Severity.NOTE:
            return int(self.diagnosis.status)
        return TOO_LITTLE if self.lacking else 0

    @property
    def lacking(self) -> str | None:
        """What is missing for a verdict, None if nothing is."""
        if self.curves.damage:
            return f"not all of it could be read: {'; '.join(self.curves.damage)}"
        return self.diagnosis.lacking

    @property
    def verdict(self) -> str:
        """The state of the run at its end, in a few words."""
        if self.status == TOO_LITTLE:
            return f"too little to judge: {self.lacking}"
        return self.diagnosis.verdict

    @property
    def settings(self) -> dict[str, float | str | None]:
        """What was tried, as far as it is known: the learner's numbers, the game, the reward."""
        identity = self.curves.identity | read_identity(self.curves.folder)
        return {**self.diagnosis.history.settings, **identity}

    @property
    def rewards(self) -> tuple[float, ...]:
        """The episode reward at first, at its best and at the end; empty if too few are known."""
        far = self.diagnosis.history.progress_of(REWARD)
        return () if far is None else (far.start, far.best, far.now)

    def as_dict(self) -> dict[str, Any]:
        """Returns everything as JSON can hold it."""
        return {
            "run": self.curves.title,
            "status": self.status,
            "updates": len(self.steps),
            "steps": self.steps[-1],
            "lacking": self.lacking,
            "damage": list(self.curves.damage),
            "n_actions": self.diagnosis.n_actions,
            "n_actions_guessed": self.diagnosis.n_actions_guessed,
            "findings": [finding.as_dict() for finding in worst_first(self.diagnosis.findings)],
            "advice": [advice.text for advice in self.diagnosis.advice],
            "not_judged": self.diagnosis.not_judged,
        }


@reports_user_errors(status=NO_LOG)
def main(arguments: Sequence[str] | None = None) -> int:
    """Diagnoses what a command line names; Left out: this process's own.

    Returns:
        The exit status, see `DiagnoseConfig`; over several runs the worst.
    """
    config = parse(arguments)
    reports = read_reports(distinct_logs(config.logs), config.actions)
    if config.picture is not None:
        draw(reports, config.picture)
    if config.json:
        print(json.dumps([report.as_dict() for report in reports], indent=2))
    else:
        console = Console()
        if len(reports) > 1:
            show_beside(reports, console)
        for report in reports:
            show(report, console)
        if config.picture is not None:
            say(f"wrote {config.picture}")
    return max((report.status for report in reports), key=WORSE.index)


def draw(reports: Sequence[RunReport], picture: Path) -> None:
    """Draws one run with its findings, or the bands of runs of the same settings.

    Raises:
        LogError: there are several runs, and no two of the same settings.
    """
    if len(reports) == 1:
        from baselines.diagnostics.health_plot import plot

        plot(reports[0].curves, reports[0].diagnosis, picture, reports[0].verdict)
        return
    from baselines.diagnostics.band_plot import plot_bands

    groups = [[reports[i] for i in group] for group in same_settings(reports)]
    if not groups:
        runs = ", ".join(report.curves.title for report in reports[:5])
        raise LogError(
            f"--picture draws one run, or several of the same settings; here are {len(reports)} "
            f"runs of different ones: {runs}"
        )
    named = [
        (f"reward of {len(group)} runs like {group[0].curves.title}",
         [one.diagnosis.history for one in group])
        for group in groups
    ]  # fmt: skip
    plot_bands(named, picture)


def same_settings(reports: Sequence[RunReport]) -> list[list[int]]:
    """Returns the indices of runs of the same settings, game and reward, group by group."""
    return alike(report.settings for report in reports)


def parse(arguments: Sequence[str] | None) -> DiagnoseConfig:
    """Returns what a command line asks for.

    Raises:
        SystemExit: it is wrong, with `NO_LOG`: tyro's 2 would be taken for a collapse.
    """
    try:
        config: DiagnoseConfig = read_flags(DiagnoseConfig, arguments)
    except SystemExit as end:
        raise SystemExit(NO_LOG if end.code else 0) from None
    return config


def distinct_logs(names: Sequence[str]) -> list[Path]:
    """Returns the folders and files that are called so.

    Raises:
        FileNotFoundError: there is none of a name.
        ValueError: two are the same, or one is in another: its runs would count as two seeds.
    """
    found = [find_folder(name) for name in names]
    resolved = [path.resolve() for path in found]
    places = {path: index for index, path in enumerate(resolved)}
    for index, path in enumerate(resolved):
        around = (places[at] for at in (path, *path.parents) if places.get(at, index) != index)
        if (other := next(around, None)) is not None:
            raise ValueError(
                f"the runs in {names[index]} are in {names[other]}, too, and would count as two "
                "seeds: name it once"
            )
    return found


def read_reports(folders: Sequence[Path], n_actions: int | None = None) -> list[RunReport]:
    """Returns a report on each run in some folders; what is no run is named and skipped.

    Raises:
        LogError: there is no run in any.
    """
    reports: list[RunReport] = []
    refused: list[str] = []
    for folder in folders:
        try:
            runs, reasons = runs_below(folder)
        except LogError as error:
            runs, reasons = [], [str(error)]
        refused += reasons
        for run in runs:
            try:
                reports.append(examine(run, n_actions))
            except LogError as error:
                refused.append(str(error))
    if not reports:
        raise LogError("; ".join(refused[:3]))
    for reason in refused[:MAX_SKIPPED]:
        warn(f"skipped: {reason.partition(': only')[0]}")
    if len(refused) > MAX_SKIPPED:
        warn(f"skipped: {len(refused) - MAX_SKIPPED} more")
    return reports


def examine(run: Curves, n_actions: int | None = None) -> RunReport:
    """Returns what there is to say about a run.

    Raises:
        LogError: it has none of the numbers that a diagnosis needs.
    """
    diagnosis = Diagnosis(n_actions, {**run.settings, **read_settings(run.folder)}, run.start)
    rollbacks = deque(session_rollbacks(run.folder))
    steps = []
    for step, numbers, episodes in run.rows(session_episodes(run.folder)):
        if rollbacks and rollbacks[0] < step:
            while rollbacks and rollbacks[0] < step:
                went_back = rollbacks.popleft()
            diagnosis, numbers = _went_back(diagnosis, went_back, numbers)
        diagnosis.add(step, numbers, episodes)
        steps.append(step)
    if not steps:
        names = ", ".join(sorted(run.tags)[:10])
        raise LogError(f"{run.title}: no names of a learner that we know, only {names}, ...")
    if rollbacks:
        diagnosis = diagnosis.afresh(rollbacks[-1])
    return RunReport(run, diagnosis, tuple(steps))


def _went_back(
    diagnosis: Diagnosis, step: int, numbers: Mapping[str, float]
) -> tuple[Diagnosis, dict[str, float]]:
    """Returns the diagnosis of a session from a rollback on, and its part of the next numbers.

    An update's own numbers are logged with the rollout after it: the rest is of what was undone.
    """
    undone = {n: value for n, value in numbers.items() if n.startswith(OF_UPDATE)}
    diagnosis.add(step, undone)
    rest = {name: value for name, value in numbers.items() if name not in undone}
    return diagnosis.afresh(step), rest


def session_rollbacks(log: Path) -> list[int]:
    """Returns the env steps at which a session went back to an earlier policy, in order."""
    lines = Session(folder_of(log)).read_diagnostics()
    try:
        return sorted(line["num_timesteps"] for line in lines if is_rollback(line))
    except (OSError, DataError):
        return []


def session_episodes(log: Path) -> list[tuple[int, EndedEpisode]]:
    """Returns the episodes of the session whose folder or log this is; empty for another run.

    Their logged mean alone does not say how many have ended: while a run explores, hardly any do.
    """
    episodes = Session(folder_of(log)).read_episodes()
    try:
        return [(e["num_timesteps"], _ended(e)) for e in episodes]
    except (OSError, DataError):
        return []


def _ended(episode: Mapping[str, Any]) -> EndedEpisode:
    reached = episode.get("milestones")
    milestones = math.nan if reached is None else len(reached)
    return EndedEpisode(episode["reward"], episode.get("length", math.nan), milestones)


def show_beside(reports: Sequence[RunReport], console: Console) -> None:
    """Prints a line for each run, and how their final rewards differ."""
    headings = ("run", "", "updates", "reward at first", "at best", "at the end", "findings")
    table = _folding(*headings)
    for report in reports:
        codes = {f.code: None for f in report.diagnosis.active if f.severity > Severity.NOTE}
        table.add_row(
            for_rich(report.curves.title),
            VERDICTS[report.status],
            str(len(report.steps)),
            *(f"{reward:.4g}" for reward in report.rewards or (math.nan,) * 3),
            ", ".join(codes),
        )
    console.print(table, highlight=False)
    counts = Counter(VERDICTS[report.status] for report in reports)
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    ends = sorted(report.rewards[-1] for report in reports if report.rewards)
    spread = f"; rewards at the end: {ends[0]:.4g} to {ends[-1]:.4g}" if ends else ""
    console.print(f"{len(reports)} runs: {said}{spread}\n", highlight=False)
    for group in same_settings(reports):
        show_bands([reports[index] for index in group], console)


def show_bands(reports: Sequence[RunReport], console: Console) -> None:
    """Prints between which rewards runs of the same settings lie on their way."""
    known = any(report.settings for report in reports)
    which = "the same settings" if known else "settings that are not known"
    table = _folding("rewards up to step", "lowest", "median", "highest")
    for band in bands([report.diagnosis.history for report in reports]):
        table.add_row(f"{band.step:,}", *(f"{reward:.4g}" for reward in band[1:]))
    console.print(f"{len(reports)} runs of {which}:", highlight=False)
    console.print(table, highlight=False)
    console.print()


def show(report: RunReport, console: Console) -> None:
    """Prints a run's report."""
    findings, last = worst_first(report.diagnosis.findings), report.steps[-1]
    console.print(
        f"[bold]{for_rich(report.curves.title)}[/]  {len(report.steps)} updates, "
        f"{last:,} steps: {VERDICTS[report.status]}",
        highlight=False,
    )
    if report.lacking:
        console.print(f"  {printable(report.lacking)}", markup=False, highlight=False)
    other = next(
        (who for name, who in OTHER_LEARNERS.items() if name in report.curves.points), None
    )
    if other:
        console.print(f"  a log of {other}: its reward and its speed are judged, no more")
    if findings:
        console.print(_table(findings, last))
    for code in dict.fromkeys(f.code for f in findings if f.severity > Severity.NOTE):
        console.print(f"{code}  {RULES[code].meaning}", highlight=False)
    if report.diagnosis.advice:
        console.print("[bold]what to do, the likeliest first:[/]")
        advised = Table.grid(padding=(0, 1))
        for one in report.diagnosis.advice:
            advised.add_row("  -", Text(one.text))
        console.print(advised)
    if any(one.setting for one in report.diagnosis.advice):
        healed, tried = HEALED
        console.print(f"  (such settings healed {healed} of {tried} sick runs: UNSEEN_RUNS.md)")
    if missing := report.diagnosis.not_judged:
        console.print("[dim]not judged, because these numbers are missing:[/]")
        for code, needs in missing.items():
            text = ", ".join(need.replace("|", " or ") for need in needs)
            console.print(f"  {code}: {text}", style="dim", markup=False, highlight=False)


def _folding(*headings: str) -> Table:
    """Returns a table without lines, whose cells go on in the next line where they are too long."""
    columns = (Column(heading, overflow="fold") for heading in headings)
    return Table(*columns, box=None, pad_edge=False)


def _table(findings: list[Finding], last: int) -> Table:
    more: Counter[str] = Counter()
    if len(findings) > MAX_ROWS:  # of each code the worst, and how often it came
        more.update(finding.code for finding in findings)
        findings = worst_first({finding.code: finding for finding in reversed(findings)}.values())
    table = _folding("", "finding", "since step", "until", "evidence")
    for finding in findings:
        since = f"{finding.since:,} ({finding.since / max(last, 1):.0%})"
        until = "the end" if finding.until is None else f"{finding.until:,}"
        name = f"[{COLOURS[finding.severity]}]{finding.severity.name.lower()}[/]"
        often = f" x {more[finding.code]:,}" if more[finding.code] > 1 else ""
        table.add_row(name, finding.code + often, since, until, Text(printable(finding.evidence)))
    return table
