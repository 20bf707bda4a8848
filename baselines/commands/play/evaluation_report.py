"""Plays an evaluation's episodes and reports what came of them."""

import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.commands.command import INTERRUPTED, reports_user_errors
from baselines.playing import evaluated_player
from baselines.playing.benchmark.contest_splits import splits_table
from baselines.playing.evaluated_player import ALL_KINDS, EvaluatedPlayer, play_here, players
from baselines.playing.evaluation import (
    Comparison,
    Evaluation,
    OnStep,
    in_order,
    is_clear,
    report,
)
from baselines.playing.evaluation_plot import plot
from baselines.playing.intervals import Estimate
from baselines.settings.evaluate_config import EvaluateConfig
from emerald_env.files.atomic import write_atomically
from emerald_env.files.printable import for_rich, warn
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.recordings.find_recordings import SUFFIX

LINE_SECONDS = 30.0  # between two lines of progress
GREAT_STEPS = ("starter", "pokedex", "visited_petalburg", "visited_rustboro")  # and badges
Play = Callable[[EvaluatedPlayer, EvaluatedPlayer, EvaluateConfig, OnStep], Evaluation]


def evaluate_all(config: EvaluateConfig) -> Iterator[Evaluation]:
    """Yields each player's results.

    Raises:
        FileNotFoundError, RomError, StateError, CheckpointError, WorkerError: the checkpoint, the
            ROM or the start cannot be used.
    """
    first, *others = players(config)
    with playing_place(config) as play:
        for player in (first, *others):
            with shown_progress(player.name, config.episodes) as on_step:
                played = play(player, first, config, on_step)
            yield played
            if played.interrupted:
                return


@contextmanager
def playing_place(config: EvaluateConfig) -> Iterator[Play]:
    """Yields what plays one player's episodes: this machine, or a Ray cluster while it runs."""
    if config.ray is None:
        yield play_here
        return
    from baselines.cluster.remote_evaluation import play_on  # Ray may be absent
    from baselines.cluster.start import running

    with running(config.ray) as ray:
        yield partial(play_on, ray)


@contextmanager
def shown_progress(name: str, episodes: int) -> Iterator[OnStep]:
    """Yields what shows how far it is: in a bar on a terminal, elsewhere in a line now and then."""
    with progress_bar() as bar:
        task = bar.add_task(for_rich(name), total=episodes, steps=0)
        last_line = monotonic()

        def tell(ended: int, steps: int) -> None:
            nonlocal last_line
            bar.update(task, completed=ended, steps=steps)
            if not bar.console.is_terminal and monotonic() - last_line > LINE_SECONDS:
                last_line = monotonic()
                warn(f"{name}: {ended} of {episodes} episodes have ended, {steps:,} steps")

        yield tell


def progress_bar() -> Progress:
    """Returns a progress bar of the episodes played, shown on a terminal."""
    columns = (
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()),
        TextColumn("{task.fields[steps]:,} steps"),
    )
    console = Console(stderr=True)
    return Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
    )


def show(evaluations: Sequence[Evaluation], console: Console) -> None:
    """Prints the report for people."""
    first, *others = evaluations
    compared = ["first has more by"] if others else []
    rewards = Table(player_column(), "episodes", "mean reward (95 %)", *compared)
    for number, each in enumerate(evaluations, start=1):
        more = [] if each is first else [mark(Comparison(first, each).reward, "{:+.2f}")]
        name = f"{number}: {for_rich(each.name)}" if others else for_rich(each.name)
        count = str(len(each.episodes))
        rewards.add_row(name, count, words(each.reward, "{:.2f}"), *more)
    console.print(rewards)
    for each in evaluations:
        if each.soft_locks.value:
            share = words(each.soft_locks, "{:.0%}")
            console.print(f"{for_rich(each.name)}: {share} of the episodes ended in a soft-lock")
    if first.judged_by:
        console.print(f"reward of: {for_rich(first.judged_by)}")
    reached = any(each.milestones for each in evaluations)
    table = milestone_table(evaluations, compared)
    console.print(table if reached else "no milestone was reached")
    if others:
        console.print("[bold]bold[/]: a difference whose 95 % interval leaves 0 out")


def milestone_table(evaluations: Sequence[Evaluation], compared: Sequence[str]) -> Table:
    """Returns the table of milestones, a line for each player, several by their numbers.

    Args:
        evaluations: one a player.
        compared: the heading over what the first one has more than each other; empty where it is
            alone.
    """
    first = evaluations[0]
    player = "player" if compared else player_column()
    milestone = Column("milestone", overflow="fold")
    table = Table(milestone, player, "reached in", "after steps (median)", *compared)
    for slug in in_order({slug for each in evaluations for slug in each.milestones}):
        for number, each in enumerate(evaluations, start=1):
            name, more = str(number) if compared else for_rich(each.name), []
            if each is not first:
                more = [mark(Comparison(first, each).reached(slug), "{:+.0%}")]
            share = words(each.reached(slug), "{:.0%}")
            steps = words(each.steps(slug), "{:,.0f}", "never")
            table.add_row(slug if each is first else "", name, share, steps, *more)
        table.add_section()
    return table


def disturbance_table(evaluations: Sequence[Evaluation]) -> Table:
    """Returns a line for each disturbance, and a column for each of the story's great steps."""
    reached = {slug for each in evaluations for slug in each.milestones}
    steps = in_order({s for s in reached if s in GREAT_STEPS or s.startswith("badge_")})
    headings = (slug.replace("_", " ").removeprefix("visited ") for slug in steps)
    count = len(evaluations[0].episodes)
    table = Table(
        Column("disturbed by", no_wrap=True), *headings, title=f"of {count} episodes each"
    )
    for each in evaluations:
        shares = [f"{each.reached(slug).value:.0%}" for slug in steps]
        table.add_row(for_rich(each.name), *shares)
    return table


def player_column() -> Column:
    """Returns a column that shows long names in full."""
    return Column("player", overflow="fold")


def words(estimate: Estimate, form: str, infinite: str = "-") -> str:
    """Returns a number with its interval, such as "50% (33 to 67)"."""
    value, low, high = (infinite if math.isinf(n) else form.format(n) for n in estimate)
    if value == low == high:
        return value
    return f"{value} ({low.rstrip('%')} to {high.rstrip('%')})"


def mark(difference: Estimate, form: str) -> str:
    """Returns a difference, bold where it is clear."""
    text = words(difference, form)
    return f"[bold]{text}[/]" if is_clear(difference) else text


def save_asked_for(evaluations: Sequence[Evaluation], config: EvaluateConfig) -> None:
    """Writes the recordings and the picture that the settings ask for.

    Raises:
        OSError: a file cannot be written.
        ValueError: the picture's format is unknown.
    """
    if config.record is not None:
        save_recordings(evaluations, config.record)
        warn(f"recorded in {config.record}")
    if config.picture is not None:
        plot(evaluations, config.picture)
        warn(f"wrote {config.picture}")


def save_recordings(evaluations: Sequence[Evaluation], folder: Path) -> None:
    """Writes the recording of each episode into a folder, created if missing.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(evaluations, 1):
        for count, episode in enumerate(each.episodes, 1):
            if episode.recording is not None:
                name = f"player_{number}_episode_{count:04}{SUFFIX}"
                write_atomically(folder / name, episode.recording)


def save_soft_locks(evaluations: Sequence[Evaluation], config: EvaluateConfig) -> None:
    """Writes the state of each soft-lock beside those of earlier evaluations, and names it.

    Raises:
        OSError: a file cannot be written.
    """
    for number, each in enumerate(evaluations, 1):
        for count, episode in enumerate(each.episodes, 1):
            if episode.evidence is not None:
                path = _unused(config.soft_locks / f"player_{number}_episode_{count}.ss1")
                episode.evidence.save(path, config.choice)
                warn(f"soft-lock: wrote {path}")


def _unused(path: Path) -> Path:
    """Returns a path, with the first number from 2 on in its name if it is there already."""
    numbered = (path.with_stem(f"{path.stem}_{number}") for number in itertools.count(2))
    return next(each for each in itertools.chain([path], numbered) if not each.exists())


@reports_user_errors(CheckpointError, WorkerError)
def evaluate_and_report(config: EvaluateConfig) -> int:
    """Plays, prints, draws and records what the settings ask for; returns the exit status."""
    console = Console(highlight=False)
    evaluations = list(evaluate_all(config))
    if config.json:
        print(json.dumps(report(evaluations)))
    elif config.disturb == ALL_KINDS:
        console.print(disturbance_table(evaluations))
    else:
        show(evaluations, console)
        if evaluated_player.has_splits(config) and config.ray is None:
            console.print(splits_table(evaluations))
    if evaluations[-1].interrupted:
        count = len(evaluations[-1].episodes)
        print(f"ended by Ctrl-C after {count} of {config.episodes} episodes", file=sys.stderr)
    try:
        save_asked_for(evaluations, config)
    finally:
        save_soft_locks(evaluations, config)
    return INTERRUPTED if evaluations[-1].interrupted else 0
