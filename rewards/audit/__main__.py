"""Audits walks: ``python -m rewards.audit [WALK ...] [--reward PRESET ...]``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from rich.console import Console

from emerald_env.command import run_command
from emerald_env.jade.maps import Stuck
from emerald_env.recording import SUFFIX
from emerald_env.walks import PREFIX, JadeWalk, jade_walk_names, recorded_walk
from rewards.audit.auditor import ROUNDS, AuditReport, audits
from rewards.audit.scripted import walk_names
from rewards.audit.sources import open_walk
from rewards.audit.tables import detail, summary, terms_table
from rewards.audit.walk import Walk
from rewards.preset import Preset, load_preset, parse_weights, preset_names

EPILOG = """\
A WALK is the name of a scripted walk ({walks}), a file of JSON lines (see
rewards/audit/scripted.py), a save state of mGBA, a recorded episode ({suffix}), which is played
again, or an exploit that is played in the built-in game ({played}; "jade" stands for all of
them). Without any, all scripted walks are audited. The exit status is 1 if a loop can be farmed,
2 if something cannot be read.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        presets = [load_preset(name, parse_weights(options.weight)) for name in options.reward]
        if options.terms:
            _console().print(*(terms_table(preset) for preset in presets))
            return 0
        reports = _audit(options, presets)
        if options.plot:
            _plot(reports, options.plot)
    except (OSError, ValueError, Stuck) as error:
        print(error, file=sys.stderr)
        return 2
    _show(reports, options.json)
    return int(any(report.farmable for report in reports))


def _audit(options: argparse.Namespace, presets: Sequence[Preset]) -> list[AuditReport]:
    names = options.walks or walk_names()
    if "jade" in names:
        names = [name for name in names if name != "jade"] + jade_walk_names()
    return [
        report
        for name in names
        for report in _audit_walk(_open(name, options.rom), presets, options.rounds)
    ]


def _audit_walk(walk: Walk, presets: Sequence[Preset], rounds: int) -> list[AuditReport]:
    with closing(walk) if isinstance(walk, JadeWalk) else nullcontext():
        return audits(walk, presets, rounds)


def _open(name: str, rom: Path | None) -> Walk:
    if name in jade_walk_names():
        return JadeWalk(name.removeprefix(PREFIX))
    if name.startswith(PREFIX) and not Path(name).is_file():
        raise FileNotFoundError(f"no walk {name!r}: there are {', '.join(jade_walk_names())}")
    if name.endswith(SUFFIX):
        return recorded_walk(Path(name), rom)
    return open_walk(name)


def _plot(reports: Sequence[AuditReport], path: Path) -> None:
    if len(reports) != 1:
        raise ValueError(f"--plot draws one walk under one preset, got {len(reports)} of them")
    # Only those who want a picture wait for matplotlib.
    from rewards.audit.plot import plot

    plot(reports[0], path)


def _show(reports: Sequence[AuditReport], as_json: bool) -> None:
    if as_json:
        print(json.dumps([report.as_dict() for report in reports], indent=2))
    elif len(reports) == 1:
        _console().print(detail(reports[0]))
    else:
        _console().print(summary(reports))


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 120)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rewards.audit",
        description="Follows walks through states of the game and says what paid, for which keys, "
        "what a loop pays round after round, and whether it can be farmed.",
        epilog=EPILOG.format(
            walks=", ".join(walk_names()), suffix=SUFFIX, played=", ".join(jade_walk_names())
        ),
    )
    parser.add_argument("walks", nargs="*", metavar="WALK", help="what to follow")
    parser.add_argument(
        "--reward",
        nargs="+",
        default=["default"],
        metavar="PRESET",
        help=f"{', '.join(preset_names())}, or TOML files (default: default)",
    )
    parser.add_argument(
        "--weight",
        "--reward-weights",
        nargs="+",
        action="extend",
        default=[],
        metavar="TERM=WEIGHT",
        help="weights in place of the presets'",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=ROUNDS,
        help=f"how often to go round the loop (default: {ROUNDS})",
    )
    parser.add_argument("--rom", type=Path, help="the game of a recording, unless it is Jade")
    parser.add_argument("--json", action="store_true", help="print reports for machines")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw what was paid over time")
    parser.add_argument("--terms", action="store_true", help="only list the presets' terms")
    return parser


if __name__ == "__main__":
    run_command(main)
