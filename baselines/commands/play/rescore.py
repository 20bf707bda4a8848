"""Scores recordings again: `emerald rescore SESSION --reward PRESET ...`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.files.data import read_bytes
from emerald_env.files.printable import for_rich, printable
from emerald_env.recordings.find_recordings import find_recordings
from emerald_env.recordings.recording import MAX_FILE_BYTES, Recording
from rewards.names import key_name
from rewards.preset import load_presets, parse_weights, preset_names
from rewards.rescore.score import Scores, score

Named = tuple[str, Recording]
PRESETS = f"{', '.join(preset_names())}, TOML files, or my_reward.py:reward."


@dataclass(frozen=True)
class RescoreConfig:
    """Compute what other presets would have paid for recorded episodes.

    No game runs: a recording holds what rewards could see.
    """

    what: tyro.conf.Positional[Annotated[tuple[str, ...], tyro.conf.arg(metavar="SESSION ...")]]
    """A session, "last", or recordings."""
    reward: Annotated[tuple[str, ...], tyro.conf.arg(help=PRESETS)] = ("default",)
    weight: Annotated[tuple[str, ...], tyro.conf.arg(aliases=("--reward-weights",))] = ()
    """Weights in place of the presets', each as term=weight."""
    reward_code: tuple[str, ...] = ()
    """Python files of your own with terms that a preset lists, as my_terms.py:Wealth."""
    json: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print the scores as JSON."""

    def __post_init__(self) -> None:
        """Raises ValueError if there is nothing to score, or no term pays."""
        if not self.what:
            raise ValueError('name a session, "last", or recordings')
        if not self.reward:
            raise ValueError("--reward names no preset")


@reports_user_errors(status=2)
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status, 2 if something cannot be read."""
    config = read_flags(RescoreConfig, arguments)
    weights, code = parse_weights(config.weight), config.reward_code
    presets = load_presets(config.reward, weights, code)
    files = _files(config.what)
    recordings = list(zip(_names(files), map(Recording.load, files), strict=True))
    scores = [
        score([(name, recording.states()) for name, recording in recordings], preset)
        for preset in presets
    ]
    if config.json:
        print(json.dumps([found.as_dict() for found in scores], indent=2))
    else:
        console = Console()
        console.print(*_tables(scores, recordings))
    return 0


def _files(what: Sequence[str]) -> list[Path]:
    """Returns the recordings meant, each episode once.

    Raises:
        FileNotFoundError: there is no such session or recording.
    """
    found: dict[bytes, Path] = {}
    for name in what:
        for path in find_recordings(name):
            content = read_bytes(path, MAX_FILE_BYTES) if path.is_file() else name.encode()
            found.setdefault(content, path)
    return list(found.values())


def _names(files: Sequence[Path]) -> list[str]:
    """Returns the recordings' names in the tables, with their folders if needed."""
    names = [path.name for path in files]
    shown = [str(path) for path in files] if len(set(names)) < len(names) else names
    return [printable(name) for name in shown]


def _tables(scores: Sequence[Scores], recordings: Sequence[Named]) -> list[Table]:
    return [_terms(scores), _episodes(scores, recordings), *map(_keys, scores)]


def _terms(scores: Sequence[Scores]) -> Table:
    count = len(scores[0].episodes)
    table = Table("term", title=f"mean of {count} episodes", title_justify="left")
    for found in scores:
        table.add_column(for_rich(found.preset), justify="right")
    for term in dict.fromkeys(term for found in scores for term in found.terms):
        amounts = [found.terms.get(term) for found in scores]
        if any(amounts):
            table.add_row(for_rich(term), *("" if a is None else f"{a:.4g}" for a in amounts))
    table.add_section()
    table.add_row("all", *(f"{found.mean:.4g}" for found in scores))
    return table


def _episodes(scores: Sequence[Scores], recordings: Sequence[Named]) -> Table:
    table = Table("episode", title="each episode", title_justify="left")
    for name in ("steps", "milestones", "was paid", *(for_rich(found.preset) for found in scores)):
        table.add_column(name, justify="right")
    for index, (name, recording) in enumerate(recordings):
        totals = (f"{found.episodes[index].total:.4g}" for found in scores)
        known = f"{recording.n_steps:,}", f"{len(recording.milestones)}", f"{recording.total:.4g}"
        table.add_row(for_rich(name), *known, *totals)
    return table


def _keys(found: Scores) -> Table:
    table = Table(
        "term", "key", title=f"what pays most under {for_rich(found.preset)}", title_justify="left"
    )
    table.add_column("paid in all", justify="right")
    for term, key, amount in found.top:
        table.add_row(for_rich(term), for_rich(key_name(term, key)), f"{amount:.4g}")
    return table
